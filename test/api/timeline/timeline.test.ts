/** The timeline of a record (src/server/README.md, Timeline): to whom it tells what. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Timeline } from '../../../src/engine/timeline/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { approvals } from '../../support/approvals.ts'
import type { Refusal, Result } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'

const MODEL = `<Model>
<Entity Name="Client" Table="clients" Display="Name" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Bill" Table="bills" Display="Name" Company="CompanyId" Audit="Enabled">
  <Column Name="Code" Type="Text" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
  <Column Name="Area" Type="Text"/>
  <Column Name="Secret" Type="Text"/>
  <Column Name="Paid" Type="Boolean"/>
  <Column Name="ClientId" References="Client"/>
</Entity>
<Entity Name="Paper" Table="papers" Display="Name" Audit="Reads">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<ObjectView Name="Papers" Entity="Paper"/>
<ObjectView Name="Clients" Entity="Client"/>
<ObjectView Name="Bills" Entity="Bill"/>
<ObjectView Name="Covered" Entity="Bill">
  <TableQuery>SELECT b.Code, b.CompanyId, '***' AS Name, b.Area FROM bills b</TableQuery>
</ObjectView>
<ObjectView Name="Sums">
  <TableQuery>SELECT count(*) AS Bills FROM bills</TableQuery>
</ObjectView>
<Rbac>
  <Role Name="Clerk">
    <Grant Resource="Bills" Verbs="View List Create Update Delete"/>
    <Grant Resource="Clients" Verbs="View List Create Update"/>
    <Grant Resource="Papers" Verbs="View Create"/><Grant Resource="Covered" Verbs="View List"/><Grant Resource="Sums" Verbs="View List"/>
  </Role>
  <Role Name="Blind">
    <Grant Resource="Bills" Verbs="View List"/>
    <FieldRule Resource="Bills" Field="Secret" Access="Hidden"/>
    <RowFilter Resource="Bills">Area = 'north'</RowFilter>
    <Grant Resource="Clients" Verbs="View List"/>
    <RowFilter Resource="Clients">Name &lt;&gt; 'Canary'</RowFilter>
  </Role>
</Rbac>
</Model>`

let app: TestApp
let flows: TestApp
beforeAll(async () => {
  app = await startApp({
    application: {
      files: [{ name: 'bills.xml', body: MODEL }],
      ...makePeople('ONE TWO', {
        root: 'System in ONE TWO',
        ana: 'Clerk',
        bo: 'Blind',
        cy: 'Clerk in TWO',
        far: '',
      }),
    },
  })
  flows = await startApp({ application: approvals() })
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await flows[Symbol.asyncDispose]()
})

type Reply<T> = { data: T } & Partial<Refusal>

const ask = (as: string, body: object, by = app) =>
  by.fetch<Reply<Timeline>>('/api/v1/svc/timeline', { as, body })

async function load(as: string, code: string, more: object = {}): Promise<Timeline> {
  const answer = await ask(as, { Object: 'Bills', Keys: { Code: code }, ...more })
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  return answer.body.data
}

async function save(as: string, form: string, values: object, more: object = {}): Promise<Result> {
  const body = { FormName: form, Parameters: values, ...more }
  const answer = await app.fetch<Reply<Result>>('/api/v1/svc/object/submit', { as, body })
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  return answer.body.data
}

const create = (values: object) => save('ana', 'Bills', values, { IsNew: true })

async function makeClient(Name: string): Promise<number> {
  const { Keys } = await save('ana', 'Clients', { Name })
  return Number((Keys as { Id: number }).Id)
}

const remove = (code: string) =>
  app.fetch('/api/v1/svc/object/delete-row', {
    as: 'ana',
    body: { ObjectName: 'Bills', Parameters: { Code: code } },
  })

const kindsOf = ({ Entries }: Timeline): string[] => Entries.map(({ Kind }) => Kind)

describe('a timeline', () => {
  test('tells who changed which field from what to what, the newest first', async () => {
    const [stone, brook] = [await makeClient('Stone'), await makeClient('Brook')]
    await create({ Code: 'a', Name: 'One', Paid: true, ClientId: stone })
    await save('ana', 'Bills', { Code: 'a', Name: 'Two', Paid: false, ClientId: brook })
    const { Entries, ...rest } = await load('ana', 'a')
    expect(rest).toEqual({ Next: null, IsAudited: true, IsArchived: false })
    const by = { By: { Id: expect.any(Number), DisplayName: 'ana' }, ActedBy: null, Text: null }
    expect(Entries).toMatchObject([
      {
        ...by,
        Kind: 'changed',
        Fields: [
          { Field: 'Name', Label: 'Name', From: 'One', To: 'Two' },
          { Field: 'Paid', From: true, To: false },
          { Field: 'ClientId', From: stone, To: brook, FromLabel: 'Stone', ToLabel: 'Brook' },
        ],
      },
      {
        ...by,
        Kind: 'created',
        Fields: [
          { Field: 'Name', From: null, To: 'One' },
          { Field: 'Paid', To: true },
          { Field: 'ClientId', To: stone, ToLabel: 'Stone', FromLabel: null },
        ],
      },
    ] as never)
    expect(Entries[0]?.Fields).toHaveLength(3)
  })

  test('has no hidden fields, no entries about these alone, no names of hidden rows', async () => {
    const canary = await makeClient('Canary')
    await create({ Code: 'b', Name: 'One', Area: 'north', Secret: 's1' })
    await save('ana', 'Bills', { Code: 'b', Name: 'One', Secret: 's2', ClientId: canary })
    await save('ana', 'Bills', { Code: 'b', Name: 'One', Secret: 's3' })
    expect(kindsOf(await load('ana', 'b'))).toEqual(['changed', 'changed', 'created'])
    const seen = await load('bo', 'b')
    expect(kindsOf(seen)).toEqual(['changed', 'created'])
    expect(JSON.stringify(seen)).not.toMatch(/Secret|s1|s2|s3|Canary/)
    expect(seen.Entries[0]?.Fields).toMatchObject([{ To: canary, ToLabel: null }])
  })

  test('is not there for a record that the caller does not see, or no longer sees', async () => {
    await create({ Code: 'c', Name: 'One', Area: 'north' })
    expect(kindsOf(await load('bo', 'c'))).toEqual(['created'])
    await save('ana', 'Bills', { Code: 'c', Name: 'One', Area: 'south' })
    const missing = await ask('bo', { Object: 'Bills', Keys: { Code: 'missing' } })
    for (const as of ['bo', 'cy']) {
      const answer = await ask(as, { Object: 'Bills', Keys: { Code: 'c' } })
      expect([answer.status, answer.body.error]).toEqual([404, missing.body.error])
    }
    expect((await ask('far', { Object: 'Bills', Keys: { Code: 'c' } })).status).toBe(401)
    expect((await ask('ana', { Object: 'Nothing', Keys: {} })).status).toBe(404)
    const keyless = await ask('ana', { Object: 'Sums', Keys: {} })
    expect([keyless.status, keyless.body.error]).toEqual([
      400,
      "The records of 'Sums' have no timeline, because they have no key of their own",
    ])
  })

  test('begins with the record: nothing is told of one before it with its key', async () => {
    await create({ Code: 'd', Name: 'Former', Area: 'south' })
    await save('ana', 'Bills', { Code: 'd', Name: 'Former too' })
    await remove('d')
    await create({ Code: 'd', Name: 'Later', Area: 'north' })
    const { Entries, Next } = await load('bo', 'd')
    expect([Entries.length, Next]).toEqual([1, null])
    // A cursor that nobody was given leads to nothing either.
    for (const place of [1, 2, 3, 4])
      expect((await load('bo', 'd', { Before: `${place}.1` })).Entries).toEqual([])
  })

  test('is a reading of its record, where reading is logged', async () => {
    const { Keys } = await save('ana', 'Papers', { Name: 'One' })
    const answer = await ask('ana', { Object: 'Papers', Keys })
    expect(kindsOf(answer.body.data)).toEqual(['created'])
    const log = await app.fetch<Reply<{ Entries: object[] }>>(
      '/api/v1/svc/audit?object=Paper&kind=read',
      { as: 'root' },
    )
    expect(log.body.data.Entries).toMatchObject([
      { User: { UserName: 'ana' }, Source: 'Papers', Key: Object.values(Keys ?? {}) },
    ])
  })

  test('is read on by its cursor, each entry once', async () => {
    await create({ Code: 'e', Name: 'First' })
    for (let n = 1; n < 7; n++) await save('ana', 'Bills', { Code: 'e', Name: `N${n}` })
    const namesOf = ({ Entries }: Timeline) => Entries.map(({ Fields }) => Fields[0]?.To)
    const all = namesOf(await load('ana', 'e'))
    const found: unknown[] = []
    let Before: string | null | undefined
    do {
      const page = await load('ana', 'e', { Limit: 2, ...(Before != null && { Before }) })
      expect(page.Entries.length).toBeLessThanOrEqual(2)
      found.push(...namesOf(page))
      Before = page.Next
    } while (Before !== null)
    expect(found).toEqual(all)
    expect(all).toEqual(['N6', 'N5', 'N4', 'N3', 'N2', 'N1', 'First'])
    const tooMany = await ask('ana', { Object: 'Bills', Keys: { Code: 'e' }, Limit: 101 })
    expect(tooMany.status).toBe(400)
  })

  test('tells no stored value that the query of the view covers, and cuts long texts', async () => {
    await create({ Code: 'f', Name: 'Plain', Area: 'x'.repeat(3000) })
    const answer = await ask('ana', { Object: 'covered', Keys: { Code: 'f' } })
    const [created] = answer.body.data.Entries
    expect(created?.Fields.map(({ Field }) => Field)).toEqual(['Area'])
    expect(created?.Fields[0]).toMatchObject({ To: `${'x'.repeat(2000)}…`, IsCut: true })
  })
})

test('the moves of a workflow stand among the changes of its record', async () => {
  const maker = { as: 'maker' }
  const made = await flows.fetch<Reply<Result>>('/api/v1/svc/object/submit', {
    ...maker,
    body: { FormName: 'Requests', Parameters: { Title: 'Desk', Amount: 10 } },
  })
  const list = await flows.fetch<Reply<{ Id: number }[]>>('/api/v1/svc/workflow/instances', maker)
  const path = `/api/v1/svc/workflow/instances/${list.body.data[0]?.Id}/actions/Submit`
  await flows.fetch(path, { ...maker, body: {} })
  const { data } = (await ask('maker', { Object: 'Requests', Keys: made.body.data.Keys }, flows))
    .body
  const moves = data.Entries.filter(({ Kind }) => Kind === 'workflow')
  expect(moves).toMatchObject([
    {
      By: { DisplayName: 'maker' },
      Fields: [
        {
          Field: 'Approval',
          From: 'draft',
          To: 'review',
          FromLabel: 'Draft',
          ToLabel: 'Review',
        },
      ],
    },
  ])
})
