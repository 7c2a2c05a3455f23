/** `Audit="Reads"`: who was shown which records, by every path by which rows leave. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkAudit } from '../../../src/store/audit/check.ts'
import { systemScope } from '../../../src/store/store.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { CLINIC, CLINIC_ROWS } from '../../support/clinic.ts'
import { writeExtensions } from '../../support/extensions.ts'
import { data, Objects, refusal, type Reply } from '../../support/objects.ts'
import { settleSearch } from '../../support/search.ts'

interface Entry {
  Id: number
  User: { UserName: string } | null
  Impersonator: { UserName: string } | null
  Company: { Code: string } | null
  Source: string
  TraceId: string | null
  Entity: string
  Key: unknown[]
  Action: string
  Changes: unknown[]
  Read?: { Keys: unknown[][]; Until?: string; Request?: unknown }
}

const SCOPE = systemScope('a test')

let app: TestApp
let objects: Objects
beforeAll(async () => {
  app = await startApp({ application: CLINIC })
  objects = new Objects(app)
  for (const sql of CLINIC_ROWS) await app.store.write((tx) => tx.run(sql), SCOPE)
})
afterAll(() => objects[Symbol.asyncDispose]())

const ask = (query: Record<string, string>, as = 'sys') =>
  app.fetch<Reply<{ Entries: Entry[]; Next: number | null }>['body']>(
    `/api/v1/svc/audit?${new URLSearchParams(query)}`,
    { as },
  ) as Promise<Reply<{ Entries: Entry[]; Next: number | null }>>
const list = async (query: Record<string, string>) => data(await ask(query)).Entries

/** Entries of reading that were logged while `work` ran, the oldest first. */
async function readBy(work: () => Promise<unknown>): Promise<Entry[]> {
  const [last] = await list({ kind: 'read', limit: '1' })
  await work()
  const entries = await list({ kind: 'read', limit: '500' })
  return entries.filter(({ Id }) => Id > (last?.Id ?? 0)).toReversed()
}

const brief = ({ Entity, Source, Read }: Entry) => [
  Entity,
  Source,
  Read?.Keys.length ? Read.Keys.flat() : (Read?.Request ?? null),
]

const post = (path: string, body: unknown, as = 'nurse') =>
  app.fetch<{ success: boolean }>(path, { as, body })

/** Each path, with what its answer is logged as: the keys, or what was asked for. */
const OBJECT = '/api/v1/svc/object'
const PATHS: [name: string, path: string, body: unknown, logged: unknown[][]][] = [
  ['a page', `${OBJECT}/Patients/table`, { PageSize: 2 }, [['Patient', 'Patients', [1, 2]]]],
  ['a page of texts as keys', `${OBJECT}/Badges/table`, {}, [['Badge', 'Badges', ['b-1', 'b-2']]]],
  [
    'a searched page',
    `${OBJECT}/Patients/table`,
    { SearchText: 'Cy' },
    [['Patient', 'Patients', [3]]],
  ],
  ['a page without rows', `${OBJECT}/Patients/table`, { SearchText: 'nobody' }, []],
  ['a form', `${OBJECT}/Patients/form`, { Parameters: { Id: 3 } }, [['Patient', 'Patients', [3]]]],
  [
    'a read-only form',
    `${OBJECT}/Patients/view`,
    { Parameters: { Id: 3 } },
    [['Patient', 'Patients', [3]]],
  ],
  ['labels of references', `${OBJECT}/Visits/table`, {}, [['Patient', 'Visits', [1, 2]]]],
  [
    'a label in a form',
    `${OBJECT}/Visits/form`,
    { Parameters: { Id: 3 } },
    [['Patient', 'Visits', [2]]],
  ],
  ['a form without a reference', `${OBJECT}/Visits/form`, { Parameters: { Id: 4 } }, []],
  [
    'options of a reference',
    `${OBJECT}/field-dataset`,
    { FormName: 'Visits', FieldName: 'PatientId', SearchText: 'East' },
    [['Patient', 'Patients', [4]]],
  ],
  ['an authored view', `${OBJECT}/Names/table`, {}, [['Patient', 'Names', [1, 2, 3, 4]]]],
  [
    'a view of others that reads them',
    `${OBJECT}/Days/table`,
    { PageSize: 3 },
    [['Patient', 'Days', [1, 2]]],
  ],
  [
    'groups of the explorer',
    '/api/v1/svc/object-explorer/query',
    { ObjectName: 'Patients', GroupBy: ['Ward'], Aggregates: [{ Function: 'count' }] },
    [
      [
        'Patient',
        '/api/v1/svc/object-explorer/query',
        { ObjectName: 'Patients', GroupBy: ['Ward'], Aggregates: [{ Function: 'count' }] },
      ],
    ],
  ],
  [
    'rows of the explorer',
    '/api/v1/svc/object-explorer/query',
    { ObjectName: 'Patients', Fields: ['Id', 'Name'], Limit: 2 },
    [['Patient', 'Patients', [1, 2]]],
  ],
  [
    'a procedure',
    '/api/v1/svc/rpc/Census',
    { Parameters: { Ward: 'A' } },
    [['Patient', '/api/v1/svc/rpc/Census', { Parameters: { Ward: 'A' } }]],
  ],
  [
    'a procedure that writes',
    '/api/v1/svc/rpc/Move',
    { Parameters: {} },
    [['Patient', '/api/v1/svc/rpc/Move', { Parameters: {} }]],
  ],
  ['a procedure that only says the word', '/api/v1/svc/rpc/Open', { Parameters: {} }, []],
  [
    'datasets of a report',
    '/api/v1/svc/reports/Wards/data',
    { Arguments: { Ward: 'A' } },
    [['Patient', '/api/v1/svc/reports/Wards/data', { Arguments: { Ward: 'A' } }]],
  ],
  [
    'an export, without its keys among the columns',
    `${OBJECT}/export-data`,
    { ObjectName: 'Patients', Fields: ['Name'] },
    [['Patient', 'Patients', [1, 2, 3, 4]]],
  ],
  [
    'an export of labels',
    `${OBJECT}/export-data`,
    { ObjectName: 'Patients', Fields: ['Ward'], Format: 'xlsx', SearchText: 'West' },
    [['Patient', 'Patients', [3]]],
  ],
  ['another object', `${OBJECT}/Rooms/table`, {}, []],
]

test.each(PATHS)('%s', async (_, path, body, logged) => {
  const entries = await readBy(async () => expect((await post(path, body)).status).toBe(200))
  expect(entries.map(brief)).toEqual(logged as never)
  for (const entry of entries)
    expect(entry).toMatchObject({
      User: { UserName: 'nurse' },
      Impersonator: null,
      Company: { Code: 'ONE' },
      TraceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      Action: 'read',
      Changes: [],
    })
})

test('an extension, and the log itself', async () => {
  writeExtensions(app.folder, {
    'peek.ts': `export default ({ script }) => {
      script({ Name: 'Peek', Resource: 'Census', run: ({ query }) => query({ ObjectName: 'Patients', PageSize: 2 }) })
      script({ Name: 'Count', Resource: 'Census', run: ({ query }) => query('SELECT count(*) AS n FROM patients') })
    }`,
  })
  const script = '/api/v1/svc/execute-script'
  const run = (Name: string) => async () =>
    expect(await post(script, { Name })).toMatchObject({ status: 200 })
  expect((await readBy(run('Peek'))).map(brief)).toEqual([['Patient', 'Patients', [1, 2]]])
  expect((await readBy(run('Count'))).map(brief)).toEqual([['Patient', script, { Name: 'Count' }]])

  const seen = await readBy(() => ask({ object: 'Patient', key: '4' }))
  expect(seen.map(brief)).toEqual([['Patient', 'svc_audit', [4]]])
})

test('a search, a report of rows, a print of a record', async () => {
  const get = (path: string) => app.fetch(path, { as: 'nurse' })
  await settleSearch(app)
  const search = await readBy(() => get('/api/v1/svc/search?q=north'))
  expect(search.map(brief)).toEqual([['Patient', 'Patients', [1]]])
  const rows = await readBy(() => get('/report/list?object=Patients&format=json'))
  expect(rows.map(brief)).toEqual([['Patient', 'Patients', [1, 2, 3, 4]]])
  const record = await readBy(() => get('/report/Card?Id=2&format=json'))
  expect(record.map(brief)).toEqual([['Patient', 'Patients', [2]]])
})

test('a page that is answered from the cache is logged too, alike answers as one', async () => {
  const entries = await readBy(async () => {
    for (let at = 0; at < 5; at++) await objects.table('nurse', 'Patients', { PageSize: 3 })
    await objects.form('nurse', 'Patients', { Id: 4 })
    await objects.table('sys', 'Patients', { PageSize: 1 })
  })
  expect(entries).toMatchObject([
    { User: { UserName: 'nurse' }, Key: [], Read: { Keys: [[1], [2], [3], [4]] } },
    { User: { UserName: 'sys' }, Key: [1], Read: { Keys: [[1]] } },
  ])
  expect(entries[0]?.Read?.Until).toMatch(/Z$/)
})

test('a change shows the record to who makes it, and so does a conflict', async () => {
  const [card] = (await objects.table('nurse', 'Cards')).Rows
  const entries = await readBy(async () => {
    const { Id, RowVersion } = card ?? {}
    const saved = await objects.save('nurse', 'Cards', { Id, RowVersion, Note: 'new' })
    expect(saved.Values).toMatchObject({ Secret: 'kept' })
    const stale = { Id, RowVersion, Note: 'newer' }
    const { conflict } = refusal(await objects.submit('bo', 'Cards', stale), 409)
    expect(conflict).toMatchObject({ Current: { Secret: 'kept' } })
  })
  expect(entries.map(({ User, Source, Key }) => [User?.UserName, Source, Key])).toEqual([
    ['nurse', 'Cards', [1]],
    ['bo', 'Cards', [1]],
  ])
})

test('what is refused, or made, is no reading', async () => {
  const entries = await readBy(async () => {
    refusal(await objects.call('nurse', '/Patients/form', { Parameters: { Id: 99 } }), 404)
    refusal(await objects.call('nurse', '/Patients/table', { PageSize: 0 }), 400)
    await objects.save('nurse', 'Visits', { PatientId: 1, Day: '2026-02-02' })
    await objects.save('nurse', 'Patients', { Name: 'Eve', Ward: 'A' })
  })
  expect(entries).toEqual([])
})

test('who read a record: by its key, alone or among others; changes are told apart', async () => {
  await objects.form('nurse', 'Badges', { Code: 'b-2' })
  await objects.table('nurse', 'Badges')
  const reads = await list({ object: 'Badge', key: 'b-2', kind: 'read' })
  expect(reads.length).toBeGreaterThan(0)
  for (const { Read } of reads) expect(Read?.Keys).toContainEqual(['b-2'])
  expect(await list({ object: 'Badge', key: 'b-3', kind: 'read' })).toEqual([])
  const changes = await list({ object: 'Patient', key: '1', kind: 'change' })
  expect(changes.map(({ Action }) => Action)).toEqual(['insert'])
  const kinds = async (query: Record<string, string>) =>
    new Set((await list({ limit: '500', ...query })).map(({ Action }) => Action === 'read'))
  expect(await kinds({})).toEqual(new Set([false]))
  expect(await kinds({ kind: 'READ' })).toEqual(new Set([true]))
  expect(await kinds({ action: 'read' })).toEqual(new Set([true]))
  expect(await kinds({ kind: 'all' })).toEqual(new Set([true, false]))
  const { error } = refusal(await ask({ kind: 'none' }), 400)
  expect(error).toBe("'kind' must be one of: change, read, all")
  expect((await ask({ kind: 'read' }, 'nurse')).status).toBe(401)
})

test('an impersonated reading has both names', async () => {
  const [user] = await objects.stored(`SELECT Id FROM svc_users WHERE UserName = 'nurse'`)
  const started = await app.fetch<{ data: { AccessToken: string } }>(
    '/api/v1/impersonation/start',
    { as: 'sys', body: { UserId: user?.Id, Reason: 'Asked to', Minutes: 5 } },
  )
  const headers = { Authorization: `Bearer ${started.body.data.AccessToken}` }
  const entries = await readBy(() =>
    app.fetch(`${OBJECT}/Patients/form`, { headers, body: { Parameters: { Id: 1 } } }),
  )
  expect(entries).toMatchObject([
    { User: { UserName: 'nurse' }, Impersonator: { UserName: 'sys' }, Key: [1] },
  ])
})

test('the journal of a killed process goes into the log once, and the chain holds', async () => {
  await app.context.reads.flush()
  const folder = join(app.context.folder, 'audit')
  await objects.form('nurse', 'Patients', { Id: 2 })
  const [name = ''] = readdirSync(folder).filter((each) => each.startsWith('reads-'))
  // The line is on its way before its answer is: a copy of the file is what a kill would leave.
  const line = readFileSync(join(folder, name), 'utf8')
  expect(JSON.parse(line)).toMatchObject({ entity: 'Patient', keys: '[2]' })
  const [before] = await list({ kind: 'read', limit: '1' })
  expect(readdirSync(folder).filter((each) => each.startsWith('reads-'))).toEqual([])
  // The same file again, as if the kill had come between the commit and its removal.
  writeFileSync(join(folder, name), line)
  const later = `reads-${String(Number(name.slice(6, 15)) + 7).padStart(9, '0')}.jsonl`
  appendFileSync(join(folder, later), `${line}${line.slice(0, 40)}`)
  await objects.form('nurse', 'Patients', { Id: 3 })
  const added = (await list({ kind: 'read', limit: '10' })).filter(
    ({ Id }) => Id > (before?.Id ?? 0),
  )
  expect(added.map(({ Key }) => Key).toSorted()).toEqual([[2], [3]])
  expect(readdirSync(folder).filter((each) => each.startsWith('reads-'))).toEqual([])
  expect((await checkAudit(app.store)).fault).toBeUndefined()
})

test('rows are not given where their reading cannot be logged', async () => {
  await using broken = await startApp({ application: CLINIC })
  for (const sql of CLINIC_ROWS) await broken.store.write((tx) => tx.run(sql), SCOPE)
  // A file in the place of the folder.
  writeFileSync(join(broken.context.folder, 'audit'), '')
  const fetch = (name: string) =>
    broken.fetch<{ error: string }>(`${OBJECT}/${name}/table`, { as: 'nurse', body: {} })
  // Also what is asked for again, and what was read while there was room.
  for (const name of ['Patients', 'Patients', 'Names']) {
    const refused = await fetch(name)
    expect([name, refused.status, refused.text.includes('Ada')]).toEqual([name, 503, false])
  }
  expect((await fetch('Rooms')).status).toBe(200)
})
