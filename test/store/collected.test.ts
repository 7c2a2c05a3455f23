/** Garbage collection never waits for a statement that runs. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../support/executable.ts'

/** Where the event loop is held up nothing ends the process but this. */
const HELD_UP_MS = 60_000

test('a deadline ends an endless statement while the collector is at work', async () => {
  using folder = temporaryFolder()
  const script = join(import.meta.dir, '..', 'support', 'collected.ts')
  const child = Bun.spawn([process.execPath, script, join(folder.path, 'data.db')], {
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: HELD_UP_MS,
    killSignal: 'SIGKILL',
  })
  expect((await child.stdout.text()).trim()).toBe('interrupted')
})
