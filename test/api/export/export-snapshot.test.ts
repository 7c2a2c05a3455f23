/** An export is of one state of the data, whatever is written meanwhile, and blocks nobody. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { startExportedTypes } from '../../support/exported-types.ts'
import { Objects, refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const THINGS = 3000
let yard: Awaited<ReturnType<typeof startExportedTypes>>

/** Every thing has the same count at any time: a mixture of two states would show two. */
const setAll = (count: number): Promise<number> =>
  yard.app.store.write((tx) => tx.run('UPDATE things SET Count = @count', { count }), {
    company: 'all',
    because: 'a test',
  })

beforeAll(async () => {
  yard = await startExportedTypes()
  await yard.app.store.write(
    (tx) =>
      tx.run(
        `INSERT INTO things (CompanyId, Code, State, Region, Count, RowVersion)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${THINGS})
        SELECT 1, 'T' || i, 'new', 'north', 0, 1 FROM n`,
      ),
    { company: 'all', because: 'a test' },
  )
})
afterAll(() => yard[Symbol.asyncDispose]())

test('beside writes, each export has one state, and writes go through meanwhile', async () => {
  let count = 0
  let isOver = false
  const writing = (async () => {
    while (!isOver) await setAll(++count)
  })()
  const exports: Row[][] = []
  for (let at = 0; at < 6; at++) {
    const before = count
    exports.push(await yard.rows('lead', { Fields: ['Count'] }))
    expect(count).toBeGreaterThanOrEqual(before)
  }
  isOver = true
  await writing
  expect(count).toBeGreaterThan(0)
  for (const rows of exports) {
    expect(rows.length).toBe(THINGS)
    expect(new Set(rows.map(({ Count }) => Count)).size).toBe(1)
  }
})

test('several at a time are all whole, in any format', async () => {
  const formats = ['csv', 'xlsx', 'jsonl', 'csv', 'jsonl', 'xlsx']
  const made = await Promise.all(formats.map((Format) => yard.made('lead', { Format })))
  expect(made.map(({ Rows }) => Rows)).toEqual(formats.map(() => THINGS))
  expect(new Set(made.map(({ FileName }) => FileName)).size).toBe(formats.length)
})

const ENDLESS: TestApplication = {
  files: [
    {
      name: 'endless.xml',
      body: `<Model><ObjectView Name="Endless"><TableQuery>SELECT 1 AS Id,
(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r) AS N
</TableQuery></ObjectView></Model>`,
    },
  ],
  ...makePeople('ONE', { sys: 'System' }),
}

test('a query that takes too long is ended at the limit that the refusal names', async () => {
  const settings = { 'Svc:Exports:Timeout': '300ms' }
  await using slow = new Objects(await startApp({ application: ENDLESS, settings }))
  const fault = refusal(await slow.call('sys', '/export-data', { ObjectName: 'Endless' }), 400)
  expect(fault.error).toContain('Svc:Exports:Timeout')
  expect(await slow.app.store.text({ sql: 'SELECT 1', args: {}, runs: 'lane' })).toBe('1')
})

test('who goes away ends the work, and no file stays', async () => {
  const leaving = new AbortController()
  const request = new Request('http://localhost/api/v1/svc/object/export-data', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${yard.app.tokens.lead}`,
    },
    body: JSON.stringify({ ObjectName: 'things' }),
    signal: leaving.signal,
  })
  const stop = yard.app.context.progress.subscribe(() => leaving.abort())
  const body = { ObjectName: 'things', OperationId: 'leaving' }
  const answer = await yard.app.handle(new Request(request, { body: JSON.stringify(body) }))
  stop()
  expect(answer.status).toBe(503)
})

test('a wide row makes a page small, and none is lost', async () => {
  const wide = 'ü'.repeat(300_000)
  await yard.app.store.write(
    (tx) =>
      tx.run(`UPDATE things SET Name = @wide WHERE Code IN ('T5', 'T6', 'T7', 'T8', 'T2999')`, {
        wide,
      }),
    { company: 'all', because: 'a test' },
  )
  const Sort = [{ Field: 'Id' }]
  const rows = await yard.rows('lead', { Fields: ['Code', 'Name'], Sort })
  expect(rows.map(({ Code }) => Code)).toEqual(
    Array.from({ length: THINGS }, (_, at) => `T${at + 1}`),
  )
  expect(rows[5]?.Name).toBe(wide)
})
