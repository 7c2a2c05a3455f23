/** One caller asks for more than the server can do: what that costs others, and what is refused. */
import { expect, test } from 'bun:test'
import { startApp } from '../support/app.ts'
import type { Answer, TestApp } from '../support/app.ts'

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

/** How many of them are answered so far. */
function watch(requests: readonly Promise<unknown>[]) {
  const seen = { answered: 0 }
  for (const request of requests) void request.finally(() => seen.answered++)
  return seen
}

test('whoever asks for one thing does not wait for all that another has asked for', async () => {
  await using app = await startApp()
  const greedy = Array.from({ length: GREED }, (_, at) => create(app, 'ana', `greedy ${at}`))
  const seen = watch(greedy)
  const written = await create(app, 'root', 'polite')
  expect(written.status).toBe(200)
  expect(seen.answered).toBeLessThan(GREED / 3)
  const before = seen.answered
  const read = await app.fetch(`${OBJECT}/orders/table`, { as: 'root', body: { PageSize: 5 } })
  expect(read.status).toBe(200)
  expect(seen.answered - before).toBeLessThan(GREED / 3)
  for (const { status } of await Promise.all(greedy)) expect(status).toBe(200)
})

test('what would wait too long is 503 with Retry-After, and nothing of it is written', async () => {
  await using app = await startApp({ settings: { 'Svc:Writer:MaxWait': '150ms' } })
  const asked = Array.from({ length: GREED }, (_, at) => `greedy ${at}`)
  const answers = await Promise.all(asked.map((name) => create(app, 'ana', name)))
  const refused = answers.filter(({ status }) => status === 503)
  expect(refused.length).toBeGreaterThan(0)
  for (const { body, headers } of refused) {
    expect(body).toMatchObject({ success: false, code: 'UNAVAILABLE' })
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
  }
  const stored = await app.store.all<{ Reference: string }>(
    "SELECT Reference FROM orders WHERE Reference LIKE 'greedy %'",
  )
  const done = asked.filter((_, at) => answers[at]?.status === 200)
  expect(stored.map(({ Reference }) => Reference).sort()).toEqual(done.sort())
  expect((await create(app, 'ana', 'later')).status).toBe(200)
})

test('whoever loses their rights while they wait at the door is not let in', async () => {
  await using app = await startApp()
  const greedy = Array.from({ length: GREED }, (_, at) => create(app, 'ana', `late ${at}`))
  const ended = app.fetch('/api/v1/auth/logout', { as: 'ana', body: {} })
  const answers = await Promise.all(greedy)
  await ended
  const others = answers.filter(({ status }) => status !== 200)
  expect(others.length).toBeGreaterThan(GREED / 2)
  for (const { status } of others) expect(status).toBe(401)
  const [stored] = await app.store.all<{ Count: number }>(
    "SELECT count(*) AS Count FROM orders WHERE Reference LIKE 'late %'",
  )
  expect(stored?.Count).toBe(answers.filter(({ status }) => status === 200).length)
})
