/** Requests of one user to the assistant at once: their work queues, and others are served. */
import { expect, test } from 'bun:test'
import { readQuestion } from '../../../src/engine/assistant/builtin/answer.ts'
import { WORDS_MAX } from '../../../src/engine/assistant/builtin/understand.ts'
import { toAssistantCall } from '../../../src/features/assistant/assistant-call.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { holdWriter } from '../../support/held-writer.ts'
import { refusal, type Refusal } from '../../support/objects.ts'

const QUERY = '/api/v1/svc/assistant/query'

/** As many unknown words as a question has room for: each is looked for among all phrases. */
const UNKNOWN = Array.from({ length: WORDS_MAX }, (_, at) => `quz${(at + 500).toString(36)}rnx`)
const LONG = UNKNOWN.join(' ')

const callTool = (app: TestApp) =>
  app.fetch('/api/v1/mcp', {
    as: 'ana',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_objects' } },
  })

test('questions and tools of a user wait in turn, and too many are refused', async () => {
  await using app = await startApp()
  const held = await holdWriter(app.store)
  const first = app.fetch(QUERY, { as: 'ana', body: { Question: 'how many orders?' } })
  // Its turn is not over before it is audited.
  await held.queued(1)
  const answers: { status: number }[] = []
  const refused = Promise.withResolvers<void>()
  const rest = Array.from({ length: 23 }, async () => {
    const told = await app.fetch(QUERY, { as: 'ana', body: { Question: 'how many orders?' } })
    answers.push(told)
    if (told.status === 429) expect(told.headers.get('Retry-After')).toBe('2')
    if (answers.length === 3) refused.resolve()
  })
  await refused.promise
  expect(answers.map(({ status }) => status)).toEqual([429, 429, 429])
  expect(held.asked).toBe(1)
  const told = await callTool(app)
  expect(told.text).toContain('You have too many unanswered questions. Please try again later.')
  await held.release()
  expect((await first).status).toBe(200)
  await Promise.all(rest)
  expect(answers.slice(3).map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect((await callTool(app)).text).toContain('Orders')
})

test('a long question is read beside others', async () => {
  await using app = await startApp()
  const { callers, models, store } = app.context
  const [user] = await store.all("SELECT Id FROM svc_users WHERE UserName = 'ana'")
  const caller = await callers.loadWithoutSession({ userId: Number(user?.Id), companyId: 1 })
  const { signal } = new AbortController()
  const call = { caller, model: models.get(), language: 'en', traceId: 'a test', signal }
  const by = toAssistantCall({ app: app.context, ...call })
  // The words of the application are listed before.
  await readQuestion(by, { text: LONG, before: [] })
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const read = await readQuestion(by, { text: LONG, before: [LONG, LONG] })
  isOver = true
  expect(read).toHaveProperty('suggestions')
  expect(turns).toBeGreaterThan(3)
})

/** Mistyped words, as many as a question has: of the model, and of nothing. */
const MISTYPED = Array.from({ length: WORDS_MAX }, (_, at) =>
  ['custmers', 'revenu', 'prodcts', 'regoin', 'totla', `qu${(at + 500).toString(36)}`].at(at % 6),
)

test('a long question of mistyped words asks the data little', async () => {
  await using app = await startApp()
  const { queryCache } = app.context
  const count = (): number => queryCache.hits + queryCache.misses
  for (const Question of [MISTYPED.join(' '), LONG.slice(0, 190)]) {
    const before = count()
    const told = await app.fetch<Refusal & { data: unknown }>(QUERY, {
      as: 'ana',
      body: { Question },
    })
    expect(refusal(told, 400).code).toBe('NOT_UNDERSTOOD')
    expect(count() - before).toBeLessThan(10)
  }
})

test('a question of more words than anybody asks is not understood', async () => {
  await using app = await startApp()
  const told = await app.fetch<Refusal & { data: unknown }>(QUERY, {
    as: 'ana',
    body: { Question: 'by region '.repeat(200) },
  })
  expect(refusal(told, 400).code).toBe('NOT_UNDERSTOOD')
})
