/** GET /api/v1/svc/audit: who changed what from what to what, under which names. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { checkAudit } from '../../../src/store/audit/check.ts'
import { OBJECT_SHOP } from '../../support/object-shop.ts'
import { data, refusal, type Reply, startObjectShop } from '../../support/objects.ts'
import type { TestApplication } from '../../support/template.ts'

interface Entry {
  Id: number
  At: string
  User: { Id: number; UserName: string } | null
  Impersonator: { Id: number; UserName: string } | null
  Company: { Id: number; Code: string } | null
  Source: string
  TraceId: string | null
  Entity: string
  Label?: string
  Key: unknown[]
  Action: string
  Changes: { Field: string; Label: string; From: unknown; To: unknown; ToLabel?: unknown }[]
}

interface Page {
  Entries: Entry[]
  Next: number | null
}

const WHOSE = `<Model><ObjectView Name="Whose" Entity="Client">
  <TableQuery>SELECT c.*, @ImpersonatorId AS Actor FROM clients c</TableQuery>
  <Field Name="Actor" Type="Integer"/>
</ObjectView></Model>`

/** The shop with a view that shows who acts. */
const APPLICATION: TestApplication = {
  ...OBJECT_SHOP,
  files: [
    ...OBJECT_SHOP.files.map(({ name, body }) => ({
      name,
      body: body.replace(
        '<Grant Resource="Endless"',
        '<Grant Resource="Whose" Verbs="View List"/>$&',
      ),
    })),
    { name: 'whose.xml', body: WHOSE },
  ],
}

let shop: Awaited<ReturnType<typeof startObjectShop>>
let billId: number
beforeAll(async () => {
  shop = await startObjectShop({ application: APPLICATION })
  const { Keys } = await shop.save('clerk', 'Bills', { ClientId: 1, Total: 10 })
  billId = (Keys as { Id: number }).Id
  const acting = await actAs('clerk')
  const { Values } = await shop.form('clerk', 'Bills', { Id: billId })
  const body = {
    FormName: 'Bills',
    Parameters: { Id: billId, RowVersion: Values.RowVersion, ClientId: 2, Note: 'Mended' },
  }
  data(await asBearer(acting, '/api/v1/svc/object/submit', body))
})
afterAll(() => shop[Symbol.asyncDispose]())

const asBearer = (token: string, path: string, body?: unknown): Promise<Reply<unknown>> =>
  shop.app.fetch(path, {
    headers: { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body }),
  })

async function actAs(userName: string): Promise<string> {
  const [user] = await shop.stored(`SELECT Id FROM svc_users WHERE UserName = '${userName}'`)
  const body = { UserId: user?.Id, Reason: 'Asked to', Minutes: 5 }
  const reply = await shop.app.fetch<{ data: { AccessToken: string } }>(
    '/api/v1/impersonation/start',
    { as: 'sys', body },
  )
  return reply.body.data.AccessToken
}

type Query = Record<string, string | number>

const ask = (query: Query, as = 'sys'): Promise<Reply<Page>> => {
  const text = new URLSearchParams(query as Record<string, string>)
  return shop.app.fetch(`/api/v1/svc/audit?${text}`, { as })
}
const list = async (query: Query) => data(await ask(query)).Entries

test('an entry tells who, what, from what, to what; an impersonated one both names', async () => {
  const [change, creation] = await list({ object: 'Bill', key: billId })
  expect(change).toMatchObject({
    User: { UserName: 'clerk' },
    Impersonator: { UserName: 'sys' },
    Company: { Code: 'ONE' },
    Source: 'Bills',
    TraceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    Entity: 'Bill',
    Label: 'Bill',
    Key: [billId],
    Action: 'update',
  })
  expect(change?.At).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
  expect(change?.Changes).toEqual([
    {
      Field: 'ClientId',
      Label: 'Client',
      From: 1,
      To: 2,
      FromLabel: 'A North',
      ToLabel: 'A South',
    },
    { Field: 'Note', Label: 'Note', From: null, To: 'Mended' },
  ] as never)
  expect(creation).toMatchObject({
    Action: 'insert',
    User: { UserName: 'clerk' },
    Impersonator: null,
  })
})

test('an object goes by entity, view name and slug, in any case', async () => {
  const expected = await list({ object: 'Bill' })
  expect(expected.length).toBeGreaterThan(1)
  for (const object of ['bills', 'Bills', 'BILL']) expect(await list({ object })).toEqual(expected)
  expect(refusal(await ask({ object: 'nothing' }), 404).code).toBe('OBJECT_NOT_FOUND')
  expect((await list({ object: 'svc_users' })).map(({ Action }) => Action)).toContain('create')
})

test('a user goes by name and id, as the one who acted and as the one acted as', async () => {
  const sys = await list({ user: 'SYS' })
  expect(sys.map(({ Action, User }) => [Action, User?.UserName])).toEqual([
    ['update', 'clerk'],
    ['impersonate', 'sys'],
  ])
  const id = sys[1]?.User?.Id ?? 0
  expect(await list({ user: id })).toEqual(sys)
  expect(await list({ user: 'sys', object: 'Bill' })).toEqual(sys.slice(0, 1))
  expect(sys[1]?.Changes).toMatchObject([{ Field: 'Reason', To: 'Asked to' }, { Field: 'Until' }])
  refusal(await ask({ user: 'nobody at all' }), 404)
  refusal(await ask({ user: 4711 }), 404)
})

test('all companies, unless narrowed', async () => {
  const codes = async (query: Record<string, string>) =>
    new Set((await list({ object: 'Client', ...query })).map(({ Company }) => Company?.Code))
  expect(await codes({})).toEqual(new Set(['ONE', 'TWO']))
  expect(await codes({ company: 'two' })).toEqual(new Set(['TWO']))
  expect(await codes({ company: '1' })).toEqual(new Set(['ONE']))
  refusal(await ask({ company: 'THREE' }), 404)
})

test('times are instants, days and words; actions narrow', async () => {
  const all = await list({})
  expect(await list({ from: 'today' })).toEqual(all)
  expect(await list({ from: 'yesterday', to: 'today' })).toEqual(all)
  expect(await list({ to: 'yesterday' })).toEqual([])
  expect(await list({ from: '2099-01-01' })).toEqual([])
  const at = all[2]?.At ?? ''
  expect(await list({ from: at })).toEqual(all.filter((entry) => entry.At >= at))
  expect(await list({ to: at })).toEqual(all.filter((entry) => entry.At < at))
  const updates = await list({ action: 'update' })
  expect(updates).toEqual(all.filter(({ Action }) => Action === 'update'))
  for (const from of ['2026-13-01', 'someday', '2026-01-01T10:00'])
    expect(refusal(await ask({ from }), 400).error).not.toContain(from)
})

test('pages are cut by id and miss nothing', async () => {
  const all = (await list({ limit: 500 })).map(({ Id }) => Id)
  expect(all).toEqual(all.toSorted((a, b) => b - a))
  const queries: Query[] = [{}, { object: 'Client' }, { user: 'clerk' }, { from: 'today' }]
  for (const query of queries) {
    const expected = (await list(query)).map(({ Id }) => Id)
    const seen: number[] = []
    for (let before: number | null = 1e9; before !== null;) {
      const page: Page = data(await ask({ ...query, limit: 2, before }))
      seen.push(...page.Entries.map(({ Id }) => Id))
      before = page.Next
    }
    expect(seen).toEqual(expected)
  }
  for (const limit of [0, 501, 'x']) refusal(await ask({ limit }), 400)
})

test('keys of several columns are a JSON array; a key needs its object', async () => {
  await shop
    .save('clerk', 'BillLines', { BillId: billId, LineNo: 1, Text: 'x', IsNew: true })
    .catch(() => undefined)
  const lines = { Lines: { Upsert: [{ LineNo: 1, Text: 'x' }] } }
  await shop.save('clerk', 'Bills', { ClientId: 1 }, { Details: lines })
  const [line] = await list({ object: 'BillLine' })
  expect(line).toMatchObject({ Action: 'insert', Key: [billId + 1, 1] })
  expect(await list({ object: 'BillLines', key: JSON.stringify(line?.Key) })).toHaveLength(1)
  expect(await list({ object: 'Bill', key: `[${billId}]` })).toHaveLength(2)
  expect(await list({ object: 'Bill', key: 'none' })).toEqual([])
  refusal(await ask({ object: 'Bill', key: '[1' }), 400)
  refusal(await ask({ key: 1 }), 400)
})

test('only System reads it, and not while acting as somebody else', async () => {
  for (const as of ['clerk', 'rep', 'nobody'])
    expect(refusal(await ask({}, as), 401).code).toBe('PERMISSION_DENIED')
  const acting = await actAs('clerk')
  const reply = await asBearer(acting, '/api/v1/svc/audit')
  expect(refusal(reply, 401).code).toBe('PERMISSION_DENIED')
})

test('the line of a request names both', async () => {
  const acting = await actAs('rep')
  await asBearer(acting, '/api/v1/auth/me')
  shop.app.context.log.flush()
  const line = shop.app.log.findLast((text) => text.includes('/auth/me'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ user: expect.any(Number), impersonator: 1 })
})

test('authored SQL is given the impersonator, and answers are not kept across both', async () => {
  const ask = async (token: string): Promise<unknown> => {
    const reply = await asBearer(token, '/api/v1/svc/object/Whose/table', {})
    return (data(reply) as { Rows: { Actor: unknown }[] }).Rows[0]?.Actor
  }
  const own = shop.app.tokens.clerk ?? ''
  const acting = await actAs('clerk')
  expect([await ask(own), await ask(acting), await ask(own)]).toEqual([null, 1, null])
})

test('whatever was written so far holds together', async () => {
  expect((await checkAudit(shop.app.store)).fault).toBeUndefined()
})
