/** How a wait ends. */
import { expect, test } from 'bun:test'
import { sleep } from '../../src/kernel/clock.ts'

const HOUR_MS = 3_600_000

test('a wait ends with its time', async () => {
  expect(await sleep(0)).toBeUndefined()
})

test('a wait ends when it is told to, and at once where it was told before', async () => {
  const stopping = new AbortController()
  const wait = sleep(HOUR_MS, stopping.signal)
  stopping.abort()
  expect(await wait).toBeUndefined()
  expect(await sleep(HOUR_MS, stopping.signal)).toBeUndefined()
})
