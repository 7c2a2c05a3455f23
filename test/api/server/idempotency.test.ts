/**
 * Idempotency-Key (src/server/README.md, Idempotency): once under a key, the same bytes ever after.
 */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { PURGE_OUTLIVED, PURGED_ROWS } from '../../../src/server/idempotency.ts'
import { type Answer, startApp, type TestApp } from '../../support/app.ts'
import { holdWriter } from '../../support/held-writer.ts'
import type { Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Note" Table="notes" Display="Text" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Text" Type="Text" Required="true" Unique="true"/>
  <Column Name="Times" Type="Integer" Default="0"/>
</Entity>
<ObjectView Name="Memos" Entity="Note"/>
<ObjectView Name="Notes" Entity="Note">
  <RowAction Name="Count"><Sql>UPDATE notes SET Times = Times + 1 WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<Rbac>
  <Role Name="Remembrancer"><Grant Resource="Memos" Verbs="View List Create Update Delete"/></Role>
  <Role Name="Starter"><Grant Resource="Notes" Verbs="View List Create"/></Role>
  <Role Name="Writer"><Grant Resource="Notes" Verbs="View List Create Update Delete"/></Role>
</Rbac>
</Model>`

/** Tests run in Development, where the same key with another request is a 400. */
const AS_IN_PRODUCTION = { 'Svc:Idempotency:RejectMismatch': 'false' }

const NOTES: TestApplication = {
  files: [{ name: 'notes.xml', body: MODEL }],
  ...makePeople('ONE TWO', {
    ana: 'Writer@ONE',
    bo: 'Writer@ONE',
    cy: 'Writer@TWO in TWO',
    both: 'Writer@ONE Writer@TWO in ONE TWO',
    eve: 'Writer@ONE Starter@ONE Remembrancer@ONE',
    dee: '',
  }),
}

const REPLAYED = 'Idempotency-Replayed'

interface Call {
  as?: string
  key?: string
}

function open(app: TestApp) {
  const post = (path: string, body: unknown, { as = 'ana', key }: Call = {}) =>
    app.fetch<{ data: Row; code?: string }>(`/api/v1/svc/object${path}`, {
      as,
      body,
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    })
  const create = (Text: string, call?: Call) =>
    post('/submit', { FormName: 'Notes', Parameters: { Text } }, call)
  const rowsOf = async (table: string): Promise<number> => {
    const sql = `SELECT count(*) AS n FROM ${table}`
    return Number((await app.store.get({ sql, args: {}, runs: 'inline' }))?.n)
  }
  return { post, create, count: () => rowsOf('notes'), kept: () => rowsOf('svc_idempotency') }
}

const facts = ({ status, text, headers }: Answer<unknown>) => ({
  status,
  text,
  isReplay: headers.get(REPLAYED) === 'true',
})

test('a repeat gets the first answer to the byte and does nothing', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { post, create, count } = open(app)
  const first = await create('once', { key: 'k1' })
  expect(facts(first)).toMatchObject({ status: 200, isReplay: false })
  const again = await create('once', { key: 'k1' })
  expect(facts(again)).toEqual({ ...facts(first), isReplay: true })
  // Whatever the body.
  expect(facts(await create('another', { key: 'k1' }))).toEqual(facts(again))
  expect(facts(await post('/submit', { FormName: 'Notes' }, { key: 'k1' }))).toEqual(facts(again))
  expect(await count()).toBe(1)
})

test('each mutation honours the key: action and delete too', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { post, create, count } = open(app)
  const { Id } = (await create('row')).body.data.Keys as Row
  const action = { ObjectName: 'Notes', ActionName: 'Count', Parameters: { Id } }
  const [first, second] = [
    await post('/execute-row-action', action, { key: 'a' }),
    await post('/execute-row-action', action, { key: 'a' }),
  ]
  expect(facts(second)).toEqual({ ...facts(first), isReplay: true })
  const stored = await app.store.get({
    sql: 'SELECT Times AS n FROM notes',
    args: {},
    runs: 'inline',
  })
  expect(stored?.n).toBe(1)
  const gone = { ObjectName: 'Notes', Parameters: { Id } }
  const deleted = await post('/delete-row', gone, { key: 'd' })
  expect(deleted.status).toBe(200)
  expect(facts(await post('/delete-row', gone, { key: 'd' }))).toMatchObject({
    status: 200,
    text: deleted.text,
  })
  expect(await count()).toBe(0)
})

test('without the header there is no idempotency', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { create } = open(app)
  expect((await create('same')).status).toBe(200)
  expect((await create('same')).status).toBe(400)
})

test('multi-tenant keys: the same key of another user or company runs on its own', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { create, count } = open(app)
  const answers = [
    await create('ana', { key: 'k' }),
    await create('bo', { as: 'bo', key: 'k' }),
    await create('cy', { as: 'cy', key: 'k' }),
  ]
  expect(answers.map((answer) => facts(answer).isReplay)).toEqual([false, false, false])
  expect(await count()).toBe(3)
})

test('multi-tenant keys: one user in two companies has two keys of a name', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { create } = open(app)
  const one = await create('in one', { as: 'both', key: 'k' })
  const companies = await app.store.all<{ Id: number }>({
    sql: "SELECT Id FROM svc_companies WHERE Code = 'TWO'",
    args: {},
    runs: 'inline',
  })
  const moved = await app.fetch<{ data: { AccessToken: string } }>('/api/v1/svc/company/switch', {
    as: 'both',
    body: { CompanyId: companies[0]?.Id },
  })
  const headers = { Authorization: `Bearer ${moved.body.data.AccessToken}`, 'Idempotency-Key': 'k' }
  const body = { FormName: 'Notes', Parameters: { Text: 'in two' } }
  const submit = () => app.fetch('/api/v1/svc/object/submit', { body, headers })
  const two = await submit()
  expect(facts(two)).toMatchObject({ status: 200, isReplay: false })
  expect(facts(await submit())).toEqual({ ...facts(two), isReplay: true })
  expect(two.text).not.toBe(one.text)
  const notes = await app.store.all({
    sql: 'SELECT CompanyId, Text FROM notes ORDER BY Id',
    args: {},
    runs: 'inline',
  })
  expect(notes.map(({ Text }) => Text)).toEqual(['in one', 'in two'])
  expect(new Set(notes.map(({ CompanyId }) => CompanyId)).size).toBe(2)
})

test('a refusal of the mutation is remembered; one before it began is not', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { post, create, count } = open(app)
  const refused = await post('/submit', { FormName: 'Notes', Parameters: {} }, { key: 'r' })
  expect(refused.status).toBe(400)
  expect(facts(await create('now right', { key: 'r' }))).toEqual({
    ...facts(refused),
    isReplay: true,
  })
  expect(await count()).toBe(0)
  expect((await create('no right', { as: 'dee', key: 'q' })).status).toBe(401)
  expect((await post('/submit', '{"FormName": "Notes", ', { key: 'm' })).status).toBe(400)
  expect(facts(await create('mended', { key: 'm' }))).toMatchObject({
    status: 200,
    isReplay: false,
  })
})

test('a 404 of the mutation is remembered, also when its record has come since', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { post, create } = open(app)
  const gone = { ObjectName: 'Notes', Parameters: { Id: 1 } }
  const missing = await post('/delete-row', gone, { key: 'g' })
  expect(missing.status).toBe(404)
  await create('one')
  expect(facts(await post('/delete-row', gone, { key: 'g' }))).toEqual({
    ...facts(missing),
    isReplay: true,
  })
})

test('a 503 began nothing: its key is as good as new', async () => {
  const settings = { 'Svc:Writer:MaxWait': '200ms' }
  await using app = await startApp({ application: NOTES, settings })
  const { create, count } = open(app)
  const writer = await holdWriter(app.store)
  const refused = await create('late', { key: 'w' })
  await writer.release()
  expect(refused.status).toBe(503)
  expect(refused.headers.get('Retry-After')).not.toBeNull()
  expect(facts(await create('late', { key: 'w' }))).toMatchObject({ status: 200, isReplay: false })
  expect(await count()).toBe(1)
})

test('a replay after the right was removed is denied', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { create } = open(app)
  expect((await create('mine', { as: 'bo', key: 'k' })).status).toBe(200)
  await app.store.write(
    (tx) =>
      tx.run(
        `DELETE FROM svc_user_roles
         WHERE UserId = (SELECT Id FROM svc_users WHERE UserName = 'bo')`,
      ),
    { company: 'all', because: 'a test' },
  )
  app.context.callers.forgetAll()
  expect((await create('mine', { as: 'bo', key: 'k' })).status).toBe(401)
})

test('whoever lost the gate of what an answer is about gets no replay of it', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { post, create } = open(app)
  const as = 'eve'
  const made = await create('secret', { as, key: 'created' })
  const { Id } = made.body.data.Keys as Row
  const memo = { FormName: 'Memos', Parameters: { Text: 'other' } }
  const change = { FormName: 'Notes', Parameters: { Id, Text: 'secret too' } }
  const action = { ObjectName: 'Notes', ActionName: 'Count', Parameters: { Id } }
  const remove = { ObjectName: 'Notes', Parameters: { Id: 99 } }
  const calls = [
    ...[{ path: '/submit', body: change, key: 'updated' }],
    ...[{ path: '/execute-row-action', body: action, key: 'acted' }],
    ...[{ path: '/delete-row', body: remove, key: 'removed' }],
  ]
  for (const { path, body, key } of calls) await post(path, body, { as, key })
  expect(facts(await post('/submit', memo, { as, key: 'updated' }))).toMatchObject({
    status: 200,
    isReplay: true,
  })
  const lose = async (role: string) => {
    await app.store.write(
      (tx) =>
        tx.run(
          `DELETE FROM svc_user_roles WHERE Role = '${role}'
           AND UserId = (SELECT Id FROM svc_users WHERE UserName = 'eve')`,
        ),
      { company: 'all', because: 'a test' },
    )
    app.context.callers.forgetAll()
  }
  await lose('Writer')
  for (const { key } of calls) {
    const answer = await post('/submit', memo, { as, key })
    expect([key, answer.status, answer.text]).toEqual([key, 401, answer.text])
    expect(answer.text).not.toContain('secret')
  }
  expect(facts(await post('/submit', memo, { as, key: 'created' })).isReplay).toBe(true)
  await lose('Starter')
  expect((await post('/submit', memo, { as, key: 'created' })).status).toBe(401)
  expect(facts(await post('/submit', memo, { as, key: 'fresh' })).status).toBe(200)
})

test('100 parallel requests under one key: one runs, the others are 409 or replays', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { create, count } = open(app)
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => create('parallel', { key: 'p' })),
  )
  const done = answers.filter(({ status }) => status === 200)
  expect(new Set(done.map(({ text }) => text)).size).toBe(1)
  expect(done.filter((answer) => !facts(answer).isReplay)).toHaveLength(1)
  for (const { status, body } of answers)
    if (status !== 200)
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'IDEMPOTENCY_IN_FLIGHT' })
  expect(await count()).toBe(1)
  expect(facts(await create('later', { key: 'p' })).isReplay).toBe(true)
})

test('after its time a key runs again, and expired keys go in batches', async () => {
  let now = Date.parse('2026-11-21T12:00:00Z')
  await using app = await startApp({
    application: NOTES,
    settings: AS_IN_PRODUCTION,
    clock: { now: () => new Date(now) },
  })
  const { create, count, kept } = open(app)
  for (let at = 0; at < 20; at++) await create(`text ${at}`, { key: `key ${at}`.replace(' ', '-') })
  expect(await kept()).toBe(20)
  now += 23 * 3_600_000
  expect(facts(await create('text 0', { key: 'key-0' })).isReplay).toBe(true)
  // The tokens of the test are good for a day.
  now += 3_600_000 - 1000
  app.context.callers.forgetAll()
  await app.store.write(
    (tx) => tx.run(`UPDATE svc_idempotency SET ExpiresAt = '2026-11-21T12:00:00.000Z'`),
    { company: 'all', because: 'a test' },
  )
  expect(facts(await create('again', { key: 'key-0' }))).toMatchObject({
    status: 200,
    isReplay: false,
  })
  expect(await count()).toBe(21)
  // One of the twenty runs again, and some of the others go.
  expect(await kept()).toBe(20 - PURGED_ROWS)
})

test('TTL: a purge among many expired keys seeks a few by the index', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { create, kept } = open(app)
  const fill = `WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 20000)
    INSERT INTO svc_idempotency
    SELECT 1, 1, 'old' || n, 'POST /x', '', 200, '{}', '2020-01-01', '2020-01-02', NULL FROM r`
  await app.store.write((tx) => tx.run(fill), { company: 'all', because: 'a test' })
  for (const key of ['a', 'b']) await create(key, { key })
  expect(await kept()).toBe(20_002 - 2 * PURGED_ROWS)
  using database = new Database(join(app.folder, 'engine.db'), { readonly: true })
  const plan = database
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${PURGE_OUTLIVED}`)
    .all()
    .map(({ detail }) => detail)
  expect(plan.join('; ')).toContain('USING COVERING INDEX svc_idempotency_expiry (ExpiresAt<?)')
  expect(plan.join('; ')).not.toMatch(/SCAN svc_idempotency|TEMP B-TREE/)
})

test('a malformed key is a 400, and names what a key is', async () => {
  await using app = await startApp({ application: NOTES, settings: AS_IN_PRODUCTION })
  const { create, count } = open(app)
  for (const key of ['', 'a b', 'x'.repeat(256)]) {
    const answer = await create('text', { key })
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 400 })
    expect(answer.text).toContain('Idempotency-Key')
  }
  expect(await count()).toBe(0)
})

test('in Development the same key with another body is a 400', async () => {
  await using app = await startApp({ application: NOTES })
  const { post, create, count } = open(app)
  const first = await create('one', { key: 'k' })
  expect(facts(await create('one', { key: 'k' }))).toEqual({ ...facts(first), isReplay: true })
  const others = [
    await create('two', { key: 'k' }),
    await post('/delete-row', { FormName: 'Notes', Parameters: { Text: 'one' } }, { key: 'k' }),
  ]
  for (const { status, body } of others)
    expect([status, body.code]).toEqual([400, 'IDEMPOTENCY_MISMATCH'])
  expect(await count()).toBe(1)
})
