/** The OpenAPI document by the rules that its readers' tools have: Spectral's for OpenAPI. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startApp } from '../support/app.ts'
import { temporaryFolder } from '../support/executable.ts'

const SPECTRAL = '@stoplight/spectral-cli@6.16.3'
/** A hint is a fault, too. */
const STRICT = ['--format', 'text', '--fail-severity', 'hint']

test(
  'Spectral has nothing to say of the document',
  async () => {
    await using app = await startApp()
    using folder = temporaryFolder()
    const document = join(folder.path, 'openapi.json')
    const rules = join(folder.path, 'rules.yaml')
    writeFileSync(document, JSON.stringify((await app.fetch('/swagger/json')).body))
    writeFileSync(rules, 'extends: ["spectral:oas"]\n')
    const told = Bun.spawn(
      ['npx', '--yes', SPECTRAL, 'lint', document, '--ruleset', rules, ...STRICT],
      { stdio: ['ignore', 'pipe', 'inherit'], cwd: folder.path },
    )
    const found = await new Response(told.stdout).text()
    expect({ found, code: await told.exited }).toMatchObject({ code: 0 })
  },
  { timeout: 300_000 },
)
