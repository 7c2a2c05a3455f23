import { expect, test } from 'bun:test'
import { Loop } from '../../src/kernel/background.ts'
import { createLog } from '../../src/kernel/log.ts'

const CLOCK = { now: () => new Date('2026-11-21T09:00:00Z') }

test('a loop runs its steps in order, tells of what failed, and ends', async () => {
  const lines: string[] = []
  const log = createLog(CLOCK, (text) => lines.push(text))
  const done: string[] = []
  const again = Promise.withResolvers<void>()
  const failed = new Error('no')
  const loop = new Loop({
    ...{ name: 'a loop', everyMs: 1, failure: 'a step failed', log },
    steps: [
      () => Promise.reject(failed),
      () => {
        done.push('step')
        if (done.length > 2) again.resolve()
        return Promise.resolve()
      },
    ],
  })
  expect(loop).toMatchObject({ name: 'a loop', state: 'stopped', runs: 0, lastError: undefined })
  loop.start([() => Promise.resolve(void done.push('first'))])
  expect(loop.state).toBe('running')
  await again.promise
  await loop.stop()
  expect(done.slice(0, 3)).toEqual(['first', 'step', 'step'])
  expect(loop).toMatchObject({ state: 'stopped', lastError: failed })
  expect(loop.runs).toBeGreaterThan(1)
  log.flush()
  expect(lines.join('')).toContain('a step failed')
})
