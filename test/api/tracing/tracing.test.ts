/** Spans on their way to a collector: bounded, chosen by trace, and none without a collector. */
import { expect, test } from 'bun:test'
import { type EndedSpan, findSpans, followSpans, runTraced } from '../../../src/kernel/tracing.ts'
import { SpanQueue } from '../../../src/features/tracing/span-queue.ts'
import { startApp } from '../../support/app.ts'

const span = (traceId: string): EndedSpan => ({
  traceId,
  spanId: '1'.repeat(16),
  name: 'a span',
  kind: 'server',
  begin: 0,
  end: 1,
  attributes: {},
  isFailed: false,
})

const ID = '0'.repeat(31)

test('so many spans wait; those over that are dropped and counted', async () => {
  const batches: number[] = []
  let wakes = 0
  const queue = new SpanQueue({
    send: (spans) => {
      batches.push(spans.length)
      return Promise.resolve()
    },
    sharePercent: 100,
    onFull: () => wakes++,
  })
  for (let at = 0; at < 10_000; at++) queue.take(span(`${ID}1`))
  expect([queue.waiting, queue.dropped, wakes]).toEqual([8192, 1808, 1])
  await queue.flush()
  expect(batches).toEqual(Array.from({ length: 16 }, () => 512))
  expect([queue.sent, queue.waiting]).toEqual([8192, 0])
})

test('what a collector refuses is gone, and the next is tried', async () => {
  let isDown = true
  const queue = new SpanQueue({
    send: () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve()),
    sharePercent: 100,
    onFull: () => {},
  })
  for (let at = 0; at < 600; at++) queue.take(span(`${ID}1`))
  await expect(queue.flush()).rejects.toThrow('down')
  expect([queue.failed, queue.sent, queue.waiting]).toEqual([512, 0, 88])
  isDown = false
  await queue.flush()
  expect([queue.failed, queue.sent, queue.waiting]).toEqual([512, 88, 0])
})

test('a share of the traces is sent, each whole', () => {
  const taken = new Set<string>()
  const queue = new SpanQueue({ send: () => Promise.resolve(), sharePercent: 25, onFull: () => {} })
  for (let at = 0; at < 256; at++) {
    const id = '0'.repeat(26) + at.toString(16).padStart(2, '0').padEnd(6, '0')
    const before = queue.waiting
    for (const _ of [1, 2]) queue.take(span(id))
    expect([0, 2]).toContain(queue.waiting - before)
    if (queue.waiting > before) taken.add(id)
  }
  expect(taken.size).toBe(64)
})

test('no span is made, and nothing is loaded, where no collector is named', async () => {
  await using app = await startApp()
  expect(findSpans()).toBeUndefined()
  expect((await app.fetch('/health/live')).status).toBe(200)
  const sources = new Bun.Glob('src/**/*.ts').scanSync()
  for (const path of sources) {
    const text = await Bun.file(path).text()
    expect([path, /from '@opentelemetry/.test(text)]).toEqual([path, false])
  }
})

test('a work that fails has a span that says so', async () => {
  const spans: EndedSpan[] = []
  followSpans((each) => spans.push(each))
  try {
    const work = () => Promise.reject(new Error('no'))
    const named = { name: 'job x', kind: 'consumer', attributes: {} } as const
    await expect(runTraced(named, work)).rejects.toThrow('no')
    expect(spans).toMatchObject([{ name: 'job x', isFailed: true }])
  } finally {
    followSpans(undefined)
  }
})
