/** A helper works for the process that started it, and for no other. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'

const MAIN = join(import.meta.dir, '../../src/main.ts')

/** Starts a helper for a process, and resolves to how it ended once its line is closed. */
async function startFor(parent: string) {
  const child = Bun.spawn([process.execPath, MAIN, 'helper', 'compile-model', parent], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ipc: () => {},
  })
  if (parent === String(process.pid)) child.disconnect()
  return { exitCode: await child.exited, errors: await new Response(child.stderr).text() }
}

test('a helper whose parent has ended before it noticed ends, whatever it was to do', async () => {
  // Of a process that has ended, the system has made another one the parent.
  const { exitCode, errors } = await startFor(String(process.pid + 1))
  expect(exitCode).toBe(1)
  expect(errors).toContain('The engine that started this helper has ended')
})

test('a helper of a process that is there waits for its work', async () => {
  expect(await startFor(String(process.pid))).toEqual({ exitCode: 0, errors: '' })
})
