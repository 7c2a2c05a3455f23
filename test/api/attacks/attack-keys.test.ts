/** Idempotency-Key beside deploys, other routes and odd headers. */
import { expect, test } from 'bun:test'
import type { Refusal } from '../../support/objects.ts'
import { openPapers, PAPERS, text } from '../../support/papers.ts'

const REPLAYED = 'Idempotency-Replayed'
const SUBMIT = '/api/v1/svc/object/submit'

const model = (column: string) => ({
  Files: [
    {
      FileName: 'papers.xml',
      Body: (PAPERS.files[0]?.body ?? '').replace(
        '<Column Name="Region"',
        `<Column Name="${column}" Type="Text"/><Column Name="Region"`,
      ),
    },
  ],
})

test('a key outlives deploys, and runs once however they fall', async () => {
  const { app, papers } = await openPapers()
  await using _app = app
  const deploy = (column: string) =>
    app.fetch('/api/v1/svc/scripts', { as: 'sys', body: model(column) })
  const create = (key: string) =>
    app.fetch<Refusal>(SUBMIT, {
      as: 'ana',
      body: { FormName: 'Papers', Parameters: { Title: key } },
      headers: { 'Idempotency-Key': key },
    })
  const first = await create('before')
  const [deployed, ...answers] = await Promise.all([
    deploy('Extra'),
    ...Array.from({ length: 30 }, (_, at) => create(`amid-${at % 10}`)),
  ])
  expect(deployed?.status).toBe(200)
  for (const { status } of answers) expect([200, 409]).toContain(status)
  for (let at = 0; at < 10; at++) expect((await create(`amid-${at}`)).status).toBe(200)
  const again = await create('before')
  expect([again.status, again.text, again.headers.get(REPLAYED)]).toEqual([200, first.text, 'true'])
  const rows = await papers.stored('SELECT Title FROM papers GROUP BY Title HAVING count(*) > 1')
  expect(rows).toEqual([])
  expect(await papers.stored('SELECT count(*) AS Papers FROM papers')).toEqual([{ Papers: 11 }])
})

test('a form and a body under one key are one request; odd keys are none', async () => {
  const { app, papers } = await openPapers({
    settings: { 'Svc:Idempotency:RejectMismatch': 'false' },
  })
  await using _app = app
  const headers = { 'Idempotency-Key': 'same' }
  const uploaded = await papers.upload('ana', [text('one')], { headers })
  const body = { FormName: 'Papers', Parameters: { Title: 'x' } }
  const replay = await app.fetch<Refusal>(SUBMIT, { as: 'ana', body, headers })
  expect([replay.text, replay.headers.get(REPLAYED)]).toEqual([uploaded.text, 'true'])
  expect((await app.fetch(SUBMIT, { as: 'xi', body, headers })).status).toBe(401)
  expect((await app.fetch(SUBMIT, { as: 'bo', body, headers })).headers.has(REPLAYED)).toBe(false)
  for (const key of ['', ' ', 'a, b', 'é', 'x'.repeat(256)]) {
    const odd = { as: 'ana', body, headers: { 'Idempotency-Key': key } }
    expect((await app.fetch(SUBMIT, odd)).status).toBe(400)
  }
  expect(await papers.stored('SELECT count(*) AS Papers FROM papers')).toEqual([{ Papers: 1 }])
})

test('a procedure that says it reads and writes is refused by the deploy', async () => {
  const { app } = await openPapers()
  await using _app = app
  for (const sql of [
    'DELETE FROM papers',
    "WITH x AS (SELECT 1) UPDATE papers SET Title = 'x' RETURNING Id",
    "SELECT readfile('/etc/passwd')",
    'SELECT load_extension(1)',
    'PRAGMA writable_schema = 1',
    "ATTACH 'x.db' AS x",
    'SELECT 1; DELETE FROM papers',
  ]) {
    const Body = `<Model><StoredProcedure Name="Sly" Mode="Read"><Sql Result="R">${sql}</Sql></StoredProcedure></Model>`
    const body = { Files: [{ FileName: 'sly.xml', Body }] }
    const answer = await app.fetch<Refusal>('/api/v1/svc/scripts', { as: 'sys', body })
    expect([sql, answer.status, answer.body.code]).toEqual([sql, 400, 'MODEL_FAULTS'])
  }
})
