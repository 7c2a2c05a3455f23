/** `Svc:Log:File` of the executable: the requests are in it, and SIGUSR1 opens it again. */
import { expect, test } from 'bun:test'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { startExecutable } from '../support/executable.ts'
import { until } from '../support/until.ts'

test('a file has the log, and another one after SIGUSR1', async () => {
  await using server = await startExecutable({ args: ['--demo', '--Svc:Log:File=server.log'] })
  const path = join(server.dataFolder, 'server.log')
  const has = (file: string, text: string) =>
    existsSync(file) && readFileSync(file, 'utf8').includes(text)
  await fetch(`${server.url}/health/live?first`)
  await until(() => has(path, '"path":"/health/live"'))
  renameSync(path, `${path}-old`)
  process.kill(server.pid, 'SIGUSR1')
  await until(() => existsSync(path))
  await fetch(`${server.url}/health/ready`)
  await until(() => has(path, '"path":"/health/ready"'))
  expect([has(path, '/health/live'), has(`${path}-old`, '/health/ready')]).toEqual([false, false])
  expect(server.errors()).not.toContain('"message":"request"')
  expect(await server.stop()).toBe(0)
})
