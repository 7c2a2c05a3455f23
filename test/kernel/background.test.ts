import { expect, test } from 'bun:test'
import { Loop, startBackground } from '../../src/kernel/background.ts'
import { createLog } from '../../src/kernel/log.ts'

const CLOCK = { now: () => new Date('2026-11-21T09:00:00Z') }

test('a loop runs its steps in order, tells of what failed, and ends', async () => {
  const lines: string[] = []
  const log = createLog(CLOCK, (text) => lines.push(text))
  const done: string[] = []
  const again = Promise.withResolvers<void>()
  const failed = new Error('no')
  const loop = new Loop({
    name: 'a loop',
    everyMs: 1,
    failure: 'a step failed',
    log,
    prepare: () => Promise.resolve(void done.push('prepared')),
    first: [() => Promise.resolve(void done.push('first'))],
    steps: [
      () => Promise.reject(failed),
      () => {
        done.push('step')
        if (done.length > 3) again.resolve()
        return Promise.resolve()
      },
    ],
  })
  expect(loop).toMatchObject({ name: 'a loop', state: 'stopped', runs: 0, lastError: undefined })
  await loop.start()
  await again.promise
  await loop.stop()
  expect(done.slice(0, 4)).toEqual(['prepared', 'first', 'step', 'step'])
  expect(loop).toMatchObject({ state: 'stopped', lastError: failed })
  expect(loop.runs).toBeGreaterThan(1)
  log.flush()
  expect(lines.join('')).toContain('a step failed')
})

const quiet = createLog(CLOCK, () => {})

/** A loop whose runs wait until they are let go. */
function openWaked(name: string, ended: string[]) {
  const runs: (() => void)[] = []
  const wakes = new Set<() => void>()
  const loop = new Loop({
    name,
    failure: 'it failed',
    log: quiet,
    waitsFirst: true,
    follow: (wake) => {
      wakes.add(wake)
      return () => {
        wakes.delete(wake)
        ended.push(name)
      }
    },
    steps: [() => new Promise<void>((resolve) => runs.push(resolve))],
  })
  return { loop, runs, wakes }
}

test('a loop without a time runs at each wake, one run at a time', async () => {
  const { loop, runs, wakes } = openWaked('followed', [])
  await loop.start()
  expect(loop).toMatchObject({ state: 'waiting', runs: 0 })
  const [wake] = wakes
  wake?.()
  wake?.()
  await Bun.sleep(0)
  expect(runs.length).toBe(1)
  expect(loop.state).toBe('running')
  runs[0]?.()
  await Bun.sleep(0)
  expect([runs.length, loop.runs]).toEqual([2, 1])
  runs[1]?.()
  await Bun.sleep(0)
  expect(loop).toMatchObject({ state: 'waiting', runs: 2 })
  await loop.stop()
  expect(wakes.size).toBe(0)
})

test('a stop waits for what runs, but no longer than it may', async () => {
  const stuck = () => new Promise<void>(() => {})
  const loop = new Loop({
    name: 'stuck',
    failure: 'it failed',
    log: quiet,
    steps: [stuck],
    stopMs: 1,
  })
  await loop.start()
  await loop.stop()
  expect(loop).toMatchObject({ state: 'stopped', runs: 0 })
})

test('all stop in the opposite order, also where one does not begin', async () => {
  const ended: string[] = []
  const [one, two] = [openWaked('one', ended).loop, openWaked('two', ended).loop]
  {
    await using _started = await startBackground([one, two])
  }
  expect(ended).toEqual(['two', 'one'])
  const failing = new Loop({
    name: 'failing',
    failure: 'it failed',
    log: quiet,
    steps: [],
    prepare: () => Promise.reject(new Error('no start')),
  })
  const third = openWaked('third', ended).loop
  expect(startBackground([third, failing])).rejects.toThrow('no start')
  await Bun.sleep(1)
  expect(ended).toEqual(['two', 'one', 'third'])
})

test('what nobody asked for waits after a start; what is asked for does not', async () => {
  const done: string[] = []
  const open = (name: string) =>
    new Loop({
      name,
      failure: 'it failed',
      log: quiet,
      steps: [() => Promise.resolve(void done.push(name))],
    })
  const [waiting, woken] = [open('waiting'), open('woken')]
  const ended = Promise.withResolvers<void>()
  const last = new Loop({
    name: 'last',
    failure: 'it failed',
    log: quiet,
    steps: [() => Promise.resolve(ended.resolve())],
  })
  await using _started = await startBackground([waiting, woken], 3_600_000)
  woken.wake()
  await last.start()
  await ended.promise
  expect(done).toEqual(['woken'])
  await last.stop()
})
