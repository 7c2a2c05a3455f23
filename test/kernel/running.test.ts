/** Processes that run are told from those that ended, whose leftovers are removed. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { isRunning } from '../../src/kernel/running.ts'
import { until } from '../support/until.ts'

test('a process that ended and that nobody asked about runs no more', async () => {
  expect(isRunning(process.pid)).toBe(true)
  expect(isRunning(2 ** 30)).toBe(false)
  if (process.platform !== 'linux') return
  // The shell becomes a program that never asks about its child, which ends only behind that.
  const parent = Bun.spawn(['sh', '-c', 'exec 3<&0; (read line <&3) & echo $!; exec sleep 600'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  try {
    const { value } = await parent.stdout.getReader().read()
    const pid = Number(new TextDecoder().decode(value))
    await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'latin1') === 'sleep\n')
    parent.stdin.write('\n')
    await parent.stdin.flush()
    await until(() => /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')))
    expect(process.kill(pid, 0)).toBe(true)
    expect(isRunning(pid)).toBe(false)
  } finally {
    parent.kill('SIGKILL')
    await parent.exited
  }
})
