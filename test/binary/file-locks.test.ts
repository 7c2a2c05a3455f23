/** The locks of a server on its databases, by which another process knows that they are in use. */
import { expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { startExecutable, temporaryFolder } from '../support/executable.ts'

/** The number of locks that any process has on a file, as the system tells (proc(5)). */
function countLocks(file: string): number {
  const { ino } = statSync(file)
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .filter((line) => line.split(/\s+/).some((part) => part.endsWith(`:${ino}`))).length
}

test('a start behind kill -9 holds its databases as the first one does', async () => {
  using home = temporaryFolder()
  const dataFolder = join(home.path, 'data')
  for (const start of ['first', 'behind kill -9', 'once more']) {
    await using server = await startExecutable({ dataFolder })
    const locks = ['engine.db', 'state.db'].map((name) => countLocks(join(dataFolder, name)))
    expect({ start, locks }).toEqual({ start, locks: [1, 1] })
    await server.kill()
  }
})
