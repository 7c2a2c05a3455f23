import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from './executable.ts'

const ROOT = join(import.meta.dir, '../..')

/** Waits longer than Bun's own 5 seconds, in a hook and in a test at once. */
const SLOW_FILE = `
import { beforeAll, test } from 'bun:test'
beforeAll(() => Bun.sleep(5100))
test('after a slow hook', () => {})
`
const QUICK_FILE = "import { test } from 'bun:test'\ntest('quick', () => {})\n"

test('a slow test passes in any file of a run, without a word on the command line', async () => {
  using folder = temporaryFolder()
  const files = { 'a-quick': QUICK_FILE, 'b-slow': SLOW_FILE }
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(folder.path, `${name}.test.ts`)
    return { path, written: Bun.write(path, text) }
  })
  await Promise.all(paths.map(({ written }) => written))
  const run = Bun.spawn([process.execPath, 'test', ...paths.map(({ path }) => path)], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [output, exitCode] = await Promise.all([new Response(run.stderr).text(), run.exited])
  expect(output).toContain('2 pass')
  expect(exitCode).toBe(0)
})
