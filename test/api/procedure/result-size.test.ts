/** Answers are bounded in bytes as well as in rows. */
import { expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { startExtended } from '../../support/extensions.ts'
import { data } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const PAGES: TestApplication = {
  files: [
    {
      name: 'pages.xml',
      body: `<Model>
<Entity Name="Tag" Table="tags" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Page" Table="pages" Display="Title" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true" MaxLength="40"/>
  <Column Name="Body" Type="Text" MaxLength="60000"/>
  <Column Name="TagId" Type="Integer" References="Tag"/>
</Entity>
<ObjectView Name="Pages" Entity="Page"/>
<Rbac><Role Name="Reader"><Grant Resource="Pages" Verbs="View List Create"/></Role></Rbac>
</Model>`,
    },
  ],
  ...makePeople('ONE', { rea: 'Reader' }),
}

test('a page or a form over the bound is a 400 that says what to ask for less of', async () => {
  const settings = { 'Svc:Results:MaxBytes': '4096' }
  await using app = await startApp({ application: PAGES, settings })
  const object = '/api/v1/svc/object'
  const call = (path: string, body: object) =>
    app.fetch<{ code?: string; error?: string }>(object + path, { as: 'rea', body })
  const save = (Title: string, Body: string) =>
    call('/submit', { FormName: 'Pages', Parameters: { Title, Body } })
  for (const Title of ['a', 'b', 'c'])
    expect((await save(Title, 'x'.repeat(1000))).status).toBe(200)
  expect((await save('d', 'ü'.repeat(3000))).status).toBe(200)
  const { status, body } = await call('/Pages/table', {})
  expect([status, body.code]).toEqual([400, 'RESULT_TOO_LARGE'])
  expect(body.error).toContain('Load fewer rows or Fields')
  expect((await call('/Pages/table', { Fields: ['Title'] })).status).toBe(200)
  expect((await call('/Pages/table', { PageSize: 2 })).status).toBe(200)
  expect((await call('/Pages/form', { Parameters: { Id: 1 } })).status).toBe(200)
  for (const path of ['form', 'view']) {
    const { body: refused } = await call(`/Pages/${path}`, { Parameters: { Id: 4 } })
    expect(refused.code).toBe('RESULT_TOO_LARGE')
  }
})

test('a page of big texts is refused, and one that fits into the bound is not', async () => {
  const settings = { 'Svc:Results:MaxBytes': '1MB' }
  await using app = await startApp({ application: PAGES, settings })
  const series = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)'
  await app.store.write(
    async (tx) => {
      await tx.run("INSERT INTO tags (Name) VALUES (replace(hex(zeroblob(30000)), '0', 'x'))")
      await tx.run(
        `${series} INSERT INTO pages (CompanyId, Title, Body, TagId)
         SELECT 1, 'Page ' || i, replace(hex(zeroblob(30000)), '0', 'y'), 1 FROM n`,
      )
    },
    { company: 'all', because: 'a test' },
  )
  const load = async (body: object) => {
    const answer = await app.fetch<{ code?: string; data?: { Rows: object[] } }>(
      '/api/v1/svc/object/Pages/table',
      { as: 'rea', body: { PageSize: 1000, ...body } },
    )
    const { code, data } = answer.body
    return code ?? data?.Rows.map((row) => Object.keys(row).length).length
  }
  const few = { Filters: [{ Field: 'Id', Operator: 'le', Value: 5 }] }
  const light = { Fields: ['Title'] }
  for (const more of [{}, { SearchText: 'Page' }, { CountMode: 'none' }]) {
    expect(await load({ ...more, ...few })).toBe(5)
    expect(await load(more)).toBe('RESULT_TOO_LARGE')
    expect(await load({ ...more, PageSize: 5 })).toBe(5)
    expect(await load({ ...more, ...light })).toBe(40)
    expect(await load({ ...more, Fields: ['TagId__Label'] })).toBe('RESULT_TOO_LARGE')
  }
})

const WIDE = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i &lt; 600)'
/** Of 204,800 characters, as authored SQL may make it. */
const LONG =
  `replace(replace('${'a'.repeat(64)}', 'a', '${'b'.repeat(64)}'), ` + `'b', '${'x'.repeat(50)}')`
const PICKS: TestApplication = {
  files: [
    {
      name: 'picks.xml',
      body: `<Model>
<Entity Name="Tag" Table="tags" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text"/>
</Entity>
<Entity Name="Page" Table="pages">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="TagId" Type="Integer" References="Tag"/>
  <Column Name="Kind" Type="Text"><DataSet>${WIDE} SELECT i AS Value, ${LONG} || i AS Label FROM n</DataSet></Column>
</Entity>
<ObjectView Name="Tags" Entity="Tag"/>
<ObjectView Name="Pages" Entity="Page"/>
</Model>`,
    },
  ],
  ...makePeople('ONE', { root: 'System' }),
}

test('options are refused before SQLite has built what would be too large', async () => {
  const settings = { 'Svc:Results:MaxBytes': '1MB', 'Svc:Sql:MaxMemory': '64MB' }
  await using app = await startApp({ application: PICKS, settings })
  await app.store.write(
    (tx) =>
      tx.run(
        `${WIDE.replace('&lt;', '<')} INSERT INTO tags (Name)
         SELECT replace(hex(zeroblob(2000)), '0', 'x') || i FROM n`,
      ),
    { company: 'all', because: 'a test' },
  )
  const pick = async (FieldName: string, body: object) => {
    const path = '/api/v1/svc/object/field-dataset'
    const request = { FormName: 'Pages', FieldName, ...body }
    const answer = await app.fetch<{ code?: string; error?: string; data?: object[] }>(path, {
      as: 'root',
      body: request,
    })
    const { code, error, data } = answer.body
    if (code === 'RESULT_TOO_LARGE') expect(error).toContain('Load fewer rows or Fields')
    return code ?? data?.length
  }
  expect(await pick('Kind', { PageSize: 1000 })).toBe('RESULT_TOO_LARGE')
  expect(await pick('Kind', { PageSize: 2 })).toBe(2)
  expect(await pick('Kind', { PageSize: 1000, SearchText: 'x1' })).toBe('RESULT_TOO_LARGE')
  expect(await pick('Kind', { SearchText: '599' })).toBe(1)
  expect(await pick('TagId', { PageSize: 1000 })).toBe('RESULT_TOO_LARGE')
  expect(await pick('TagId', { PageSize: 100 })).toBe(100)
})

const QUERIES = `
const many = (rows: number) =>
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ' + rows + ') '
const wide = (rows: number) => many(rows) + "SELECT i, ${LONG} AS T FROM n"
export default (engine: Engine) => {
  const add = (Name: string, sql: string, look: (rows: object[]) => unknown) =>
    engine.script({ Name, Resource: 'Reports', async run({ query }) {
      return query(sql).then(look, (error) => [error.Code, error.message])
    } })
  add('Wide', wide(2000), (rows) => rows.length)
  add('Fits', wide(4), (rows) => rows.length)
  add('None', wide(4) + ' WHERE i > 9', (rows) => rows)
  add('Columns', 'SELECT ' + Array.from({ length: 1500 }, (_, at) => at), (rows) =>
    Object.values(rows[0] ?? {}).length)
  add('Kinds', "SELECT 1 + 1, 'a' || 'b', 1 / 3.0 AS R, NULL AS N, count(*)" +
    " FROM notes", (rows) => rows)
}
`

test('rows of a script’s query are refused before SQLite has built them all', async () => {
  const settings = { 'Svc:Results:MaxBytes': '1MB', 'Svc:Sql:MaxMemory': '64MB' }
  await using world = await startExtended({ 'queries.ts': QUERIES }, settings)
  const run = async (name: string) => data(await world.execute('run', name)).Result
  expect(await run('Wide')).toEqual([
    'RESULT_TOO_LARGE',
    expect.stringContaining('Load fewer rows or Fields'),
  ])
  expect(await run('Fits')).toBe(4)
  expect(await run('None')).toEqual([])
  expect(await run('Columns')).toBe(1500)
  expect(await run('Kinds')).toEqual([
    { '1 + 1': 2, "'a' || 'b'": 'ab', R: 1 / 3, N: null, 'count(*)': 0 },
  ])
})

test('refusals under keys are remembered up to a bound for each user', async () => {
  await using app = await startApp({ application: PAGES })
  const refuse = (key: string) =>
    app.fetch<{ traceId: string }>('/api/v1/svc/object/submit', {
      as: 'rea',
      headers: { 'Idempotency-Key': key },
      body: { FormName: 'Pages', Parameters: { Title: 'x'.repeat(50) } },
    })
  const replays = async (key: string) =>
    (await refuse(key)).headers.get('Idempotency-Replayed') === 'true'
  const times = 1024
  for (let at = 0; at < times; at += 256)
    await Promise.all(Array.from({ length: 256 }, (_, more) => refuse(`k${at + more}`)))
  await refuse('beyond')
  expect(await replays('k0')).toBe(true)
  expect(await replays('beyond')).toBe(false)
})
