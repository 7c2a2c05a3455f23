/** Admission of requests: let in, waiting, or refused at the door. */
import { expect, test } from 'bun:test'
import type { Account } from '../../src/kernel/charged.ts'
import { CALLER_REQUESTS_MAX, CALLER_WAITING_MAX, Door } from '../../src/server/door.ts'

const LONG_MS = 60_000
/** How long a refusal is held back. */
const HELD_MS = 1

const request = (signal?: AbortSignal): Request =>
  new Request('http://localhost/', signal && { signal })
const by = (name: string): Account => ({ name, waitedMs: 0 })

/** Requests of one caller that fill the door for them. */
function fill(door: Door, name: string): Account[] {
  const accounts = Array.from({ length: CALLER_REQUESTS_MAX }, () => by(name))
  for (const account of accounts) void door.enter(account, request())
  return accounts
}

/** Enters, and notes when it is let in. */
function enter(door: Door, name: string, signal?: AbortSignal) {
  const account = by(name)
  const state = { account, isIn: false, end: Promise.resolve() }
  const waiting = door.enter(account, request(signal))
  state.isIn = waiting === undefined
  state.end = Promise.resolve(waiting).then(() => void (state.isIn = true))
  return state
}

test('what is too much of one caller waits in its order; another comes in at once', async () => {
  const door = new Door(LONG_MS)
  const [running] = fill(door, 'greedy')
  const [first, second] = [enter(door, 'greedy'), enter(door, 'greedy')]
  expect(enter(door, 'polite').isIn).toBe(true)
  expect([first.isIn, second.isIn]).toEqual([false, false])
  if (running) door.leave(running)
  await first.end
  expect([first.isIn, second.isIn]).toEqual([true, false])
  expect(first.account.waitedMs).toBeGreaterThan(0)
  door.leave(first.account)
  await second.end
})

test('whoever has gone meanwhile is passed over', async () => {
  const door = new Door(LONG_MS)
  const [running] = fill(door, 'greedy')
  const gone = new AbortController()
  const [first, second] = [enter(door, 'greedy', gone.signal), enter(door, 'greedy')]
  const refused = first.end.catch((error: unknown) => error)
  gone.abort()
  if (running) door.leave(running)
  expect(await refused).toMatchObject({ kind: 'unavailable' })
  await second.end
})

test('what has waited too long is refused, and what would wait too long at once', async () => {
  const door = new Door(1)
  const running = fill(door, 'greedy')
  const late = enter(door, 'greedy').end.catch((error: unknown) => error)
  expect(await late).toMatchObject({ kind: 'unavailable', headers: { 'Retry-After': '1' } })
  // From here on it is known how long they take: the first waits on, the second would for too long.
  const slow = new Door(100, HELD_MS)
  fill(slow, 'greedy')
  const waiting = Array.from({ length: 3 }, () => enter(slow, 'greedy'))
  const ends = waiting.map(({ end }) => end.catch((error: unknown) => error))
  for (const account of running.slice(0, 2)) {
    slow.leave(account)
    await Bun.sleep(70)
  }
  enter(slow, 'greedy').end.catch(() => undefined)
  await expect(slow.enter(by('greedy'), request())).rejects.toThrow('You have too many requests')
  for (const account of running) slow.leave(account)
  await Promise.all(ends)
})

test('a refusal is held back, so that asking again at once gains nothing', async () => {
  const door = new Door(LONG_MS, LONG_MS)
  const running = fill(door, 'greedy')
  const waiting = Array.from({ length: CALLER_WAITING_MAX }, () => enter(door, 'greedy'))
  let isRefused = false
  door.enter(by('greedy'), request())?.catch(() => (isRefused = true))
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  expect(isRefused).toBe(false)
  expect(enter(door, 'polite').isIn).toBe(true)
  for (const account of running) door.leave(account)
  for (const { end, account } of waiting) {
    await end
    door.leave(account)
  }
})

test('only so many wait at all, and a caller is forgotten with the last', async () => {
  const door = new Door(LONG_MS, HELD_MS)
  const running = fill(door, 'greedy')
  const waiting = Array.from({ length: CALLER_WAITING_MAX }, () => enter(door, 'greedy'))
  await expect(door.enter(by('greedy'), request())).rejects.toThrow('You have too many requests')
  for (const account of running) door.leave(account)
  for (const { end, account } of waiting) {
    await end
    door.leave(account)
  }
  expect(enter(door, 'greedy').isIn).toBe(true)
})
