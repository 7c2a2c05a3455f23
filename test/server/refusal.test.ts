import { expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { systemClock } from '../../src/kernel/clock.ts'
import { createLog } from '../../src/kernel/log.ts'
import { AUTHENTICATED } from '../../src/server/gate.ts'
import { refuse } from '../../src/server/refusal.ts'
import { RouteTable, serveGroup } from '../../src/server/route-table.ts'
import { route } from '../../src/server/route.ts'

const ITEM = route('POST', '/item', { detail: { 'x-gate': AUTHENTICATED } }, () => null)

const REQUEST = { method: 'POST', path: '/item', traceId: 'T', language: 'en' }

const orNull = (type: TSchema) => Type.Union([type, Type.Null()])

/** One route that answers what it is told to, with the real hook behind it. */
function open() {
  const lines: string[] = []
  const log = createLog(systemClock, (text) => lines.push(text))
  const routes = new RouteTable(serveGroup({ prefix: '', routes: [ITEM] }, ''))
  const parts = { log, exposeErrors: false, routes }
  const app = new Elysia()
    .onError(({ error }) => refuse(parts, REQUEST, error))
    .post('/item', ({ body }) => ({ Count: body.Answer }) as { Count: number }, {
      body: Type.Object({
        Answer: Type.Unknown(),
        Size: Type.Optional(Type.Integer()),
        List: Type.Optional(orNull(Type.Array(Type.Object({ Name: orNull(Type.String()) })))),
        Word: Type.Optional(orNull(Type.Union([Type.Literal('totp'), Type.Literal('recovery')]))),
        Mixed: Type.Optional(Type.Union([Type.String(), Type.Integer(), Type.Null()])),
      }),
      response: Type.Object({ Count: Type.Integer() }),
    })
  const post = async (body: unknown) => {
    const answer = await app.handle(
      new Request('http://localhost.example/item', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  return { lines, post }
}

test('an answer that does not fit its schema is a 500 without its value', async () => {
  const { lines, post } = open()
  const { status, body } = await post({ Answer: 'canary' })
  expect([status, body.code]).toEqual([500, 'INTERNAL_ERROR'])
  expect(lines.join()).toContain('does not fit its own schema: Count')
  expect(lines.join() + JSON.stringify(body)).not.toContain('canary')
})

test('a request that does not fit is a 400 and nothing for the log', async () => {
  const { lines, post } = open()
  const { status, body } = await post({ Answer: 1, Size: 'canary' })
  expect(status).toBe(400)
  expect(body).toEqual({
    success: false,
    error: 'Size: Must be an integer',
    code: 'VALIDATION_FAILED',
    traceId: 'T',
    fieldErrors: { Size: 'Must be an integer' },
  })
  expect(lines).toEqual([])
})

test.each([
  [{ List: 'canary' }, { List: 'Must be an array' }],
  [{ List: [{ Name: null }, { Name: 7 }, {}] }, { 'List[1].Name': 'Must be a string' }],
  [{ List: [null] }, { 'List[0]': 'Must be an object' }],
  [{ Mixed: [] }, { Mixed: 'Must be a string or an integer' }],
  [{ Word: 'canary' }, { Word: "Must be one of: 'totp', 'recovery'" }],
])(
  'what may be of several kinds is told of as what it comes closest to: %j',
  async (more, told) => {
    const { body } = await open().post({ Answer: 1, ...more })
    expect(body.fieldErrors).toMatchObject(told)
  },
)

test('what fits is answered', async () => {
  expect((await open().post({ Answer: 3 })).body).toEqual({ Count: 3 })
})
