/** Answers are bounded in bytes as well as in rows. */
import { expect, test } from 'bun:test'
import { startApp } from '../support/app.ts'
import type { TestApplication } from '../support/template.ts'

const PAGES: TestApplication = {
  files: [
    {
      name: 'pages.xml',
      body: `<Model>
<Entity Name="Page" Table="pages" Display="Title" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Title" Type="Text" Required="true" MaxLength="40"/>
  <Column Name="Body" Type="Text" MaxLength="10000"/>
</Entity>
<ObjectView Name="Pages" Entity="Page"/>
<Rbac><Role Name="Reader"><Grant Resource="Pages" Verbs="View List Create"/></Role></Rbac>
</Model>`,
    },
  ],
  companies: ['ONE'],
  users: [{ userName: 'rea', roles: ['Reader'], companies: ['ONE'] }],
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
  expect(body.error).toContain('ask for fewer rows or Fields')
  expect((await call('/Pages/table', { Fields: ['Title'] })).status).toBe(200)
  expect((await call('/Pages/table', { PageSize: 2 })).status).toBe(200)
  expect((await call('/Pages/form', { Parameters: { Id: 1 } })).status).toBe(200)
  for (const path of ['form', 'view']) {
    const { body: refused } = await call(`/Pages/${path}`, { Parameters: { Id: 4 } })
    expect(refused.code).toBe('RESULT_TOO_LARGE')
  }
})

const TEXTS: TestApplication = {
  files: [
    {
      name: 'texts.xml',
      body: `<Model>
<Entity Name="Tag" Table="tags" Display="Name">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Page" Table="pages" Display="Title">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Title" Type="Text" Required="true" MaxLength="40"/>
  <Column Name="Body" Type="Text" MaxLength="60000"/>
  <Column Name="TagId" Type="Integer" References="Tag"/>
</Entity>
<ObjectView Name="Pages" Entity="Page"/>
<Rbac><Role Name="Reader"><Grant Resource="Pages" Verbs="View List Create"/></Role></Rbac>
</Model>`,
    },
  ],
  companies: ['ONE'],
  users: [{ userName: 'rea', roles: ['Reader'], companies: ['ONE'] }],
}

test('a page of big texts is refused, and one that fits into the bound is not', async () => {
  const settings = { 'Svc:Results:MaxBytes': '1MB' }
  await using app = await startApp({ application: TEXTS, settings })
  const series = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)'
  await app.store.write(
    async (tx) => {
      await tx.run("INSERT INTO tags (Name) VALUES (replace(hex(zeroblob(30000)), '0', 'x'))")
      await tx.run(
        `${series} INSERT INTO pages (Title, Body, TagId)
         SELECT 'Page ' || i, replace(hex(zeroblob(30000)), '0', 'y'), 1 FROM n`,
      )
    },
    { company: 'all' },
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

test('refusals under keys are remembered up to a bound for each user', async () => {
  await using app = await startApp({ application: PAGES })
  const refuse = (key: string) =>
    app.fetch<{ traceId: string }>('/api/v1/svc/object/submit', {
      ...{ as: 'rea', headers: { 'Idempotency-Key': key } },
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
