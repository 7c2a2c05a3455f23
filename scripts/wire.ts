/**
 * `bun run wire`: the types by which the client knows the wire, made of the engine's OpenAPI
 * document, into the client's `api/` as generated.d.ts. Written only where they have changed.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const TYPES = join(ROOT, 'src/client/web/api/generated.d.ts')

async function run(...words: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, ...words], { cwd: ROOT, stderr: 'inherit' })
  const text = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error(`bun ${words.join(' ')} has failed`)
  return text
}

/** Makes the types anew. */
export async function makeWireTypes(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'appengine-wire-'))
  try {
    const [document, types] = [join(folder, 'document.json'), join(folder, 'types.ts')]
    await Bun.write(document, await run('src/main.ts', 'openapi'))
    await run('scripts/generate-types.ts', document, types)
    const text = readFileSync(types, 'utf8')
    if (!existsSync(TYPES) || readFileSync(TYPES, 'utf8') !== text) await Bun.write(TYPES, text)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await makeWireTypes()
