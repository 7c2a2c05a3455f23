/** One caller asks for more than the server can do: what that costs others, and what is refused. */
import { expect, test } from 'bun:test'
import { CALLER_REQUESTS_MAX } from '../../../src/server/door.ts'
import { type Answer, startApp, type TestApp } from '../../support/app.ts'
import { holdWriter } from '../../support/held-writer.ts'

const OBJECT = '/api/v1/svc/object'
const GREED = 400

interface Envelope {
  success: boolean
  code?: string
  data: { Keys: { Id: number } }
}

const create = (app: TestApp, as: string, Reference: string): Promise<Answer<Envelope>> =>
  app.fetch<Envelope>(`${OBJECT}/submit`, {
    as,
    body: { FormName: 'orders', Parameters: { CustomerId: 1, Reference } },
  })

const createMany = (app: TestApp, count: number, name: string): Promise<Answer<Envelope>>[] =>
  Array.from({ length: count }, (_, at) => create(app, 'ana', `${name} ${at}`))

/** Known callers come to the door in the order of their requests. */
const meet = async (app: TestApp, ...names: string[]): Promise<void> => {
  for (const as of names) expect((await app.fetch('/api/v1/auth/me', { as })).status).toBe(200)
}

/** References of orders in the order of their writing. */
const listWritten = async (app: TestApp): Promise<string[]> => {
  const sql = `SELECT Reference FROM orders
    WHERE Reference GLOB 'greedy *' OR Reference = 'polite' ORDER BY Id`
  return (await app.store.all<{ Reference: string }>(sql)).map(({ Reference }) => Reference)
}

/** How many of them are answered so far. */
function watch(requests: readonly Promise<unknown>[]) {
  const seen = { answered: 0 }
  for (const request of requests) void request.finally(() => seen.answered++)
  return seen
}

test('whoever asks for one thing does not wait for all that another has asked for', async () => {
  // Beside load 400 changes take longer than a caller would wait by default.
  await using app = await startApp({ settings: { 'Svc:Writer:MaxWait': '5m' } })
  await meet(app, 'ana', 'root')
  const writer = await holdWriter(app.store)
  const greedy = createMany(app, GREED, 'greedy')
  const seen = watch(greedy)
  await writer.queued(CALLER_REQUESTS_MAX)
  const read = await app.fetch(`${OBJECT}/orders/table`, { as: 'root', body: { PageSize: 5 } })
  expect(read.status).toBe(200)
  const polite = create(app, 'root', 'polite')
  await writer.queued(CALLER_REQUESTS_MAX + 1)
  expect([writer.asked, seen.answered]).toEqual([CALLER_REQUESTS_MAX + 1, 0])
  await writer.release()
  for (const { status } of await Promise.all([polite, ...greedy])) expect(status).toBe(200)
  const written = await listWritten(app)
  expect(written).toHaveLength(GREED + 1)
  // One of each in turn: the first that asked, then whoever has asked for less.
  expect(written.indexOf('polite')).toBe(1)
})

test('what would wait too long is 503 with Retry-After, and nothing of it is written', async () => {
  await using app = await startApp({ settings: { 'Svc:Writer:MaxWait': '150ms' } })
  expect((await create(app, 'ana', 'greedy early')).status).toBe(200)
  const writer = await holdWriter(app.store)
  // As many as the writer's queue takes, and more, which wait at the door.
  for (const { status, body, headers } of await Promise.all(createMany(app, GREED, 'greedy'))) {
    expect(status).toBe(503)
    expect(body).toMatchObject({ success: false, code: 'UNAVAILABLE' })
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
  }
  await writer.release()
  expect((await create(app, 'ana', 'greedy later')).status).toBe(200)
  expect(await listWritten(app)).toEqual(['greedy early', 'greedy later'])
})

test('whoever loses their rights while they wait at the door is not let in', async () => {
  await using app = await startApp()
  expect((await create(app, 'ana', 'greedy early')).status).toBe(200)
  const writer = await holdWriter(app.store)
  const admitted = createMany(app, CALLER_REQUESTS_MAX - 1, 'greedy')
  // The last that comes in at once; who asks from here on waits at the door.
  const ended = app.fetch('/api/v1/auth/logout', { as: 'ana', body: {} })
  const waiting = createMany(app, GREED, 'greedy late')
  expect((await ended).status).toBe(200)
  // While the writer is still held, so they were refused at the door.
  for (const { status, body } of await Promise.all(waiting))
    expect([status, body.code]).toEqual([401, 'SESSION_ENDED'])
  await writer.release()
  // Who is in waits for the writer, and is looked at again in their turn.
  for (const { status, body } of await Promise.all(admitted))
    expect([status, body.code]).toEqual([401, 'SESSION_ENDED'])
  expect(await listWritten(app)).toEqual(['greedy early'])
})
