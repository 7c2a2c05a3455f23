/** Messages to an operator whose data folder cannot be used: the reason, and what to do. */
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand, temporaryFolder } from '../support/executable.ts'

test('a damaged lock file is no folder in use', async () => {
  using home = temporaryFolder()
  mkdirSync(join(home.path, 'data'))
  writeFileSync(join(home.path, 'data', 'lock.db'), 'noise '.repeat(1000))
  const { exitCode, stderr } = await runCommand(['serve', '--port', '0', '--data', 'data'], {
    cwd: home.path,
  })
  expect(exitCode).toBe(1)
  expect(stderr).toContain('lock.db could not be locked')
  expect(stderr).not.toContain('in use')
})
