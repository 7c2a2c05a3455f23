/** Badges: what they count for whom, what they cost, and what becomes of one that fails. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Caller } from '../../../src/access/callers/caller.ts'
import { describeBadges, loadBadges } from '../../../src/engine/navbar/badges.ts'
import { startApp } from '../../support/app.ts'
import { Navigation, navigationWith } from '../../support/navigation.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

type Rows = [form: string, values: Record<string, unknown>][]

const ROWS: Rows = [
  ['Orders', { Name: 'one', Region: 'north', Cost: 1 }],
  ['Orders', { Name: 'two', Region: 'south', Cost: 5 }],
  ['Orders', { Name: 'three', Region: 'north', Cost: 9 }],
  ['Clients', { Name: 'ann', Region: 'north' }],
  ['Clients', { Name: 'ben', Region: 'south' }],
  ['Payments', {}],
  ['Payments', {}],
  ['Payments', {}],
]

async function fill(bureau: Navigation): Promise<Navigation> {
  for (const [form, values] of ROWS) await bureau.save('clerk', form, values)
  const scope = { company: 'all', because: 'a test' } as const
  const marks = "INSERT INTO marks (Code, Place, CompanyId) VALUES ('a', 1, 1), ('a', 2, 1)"
  await bureau.app.store.write((tx) => tx.run(marks), scope)
  for (const name of ['four', 'five']) await bureau.save('far', 'Orders', { Name: name })
  return bureau
}

/** A filled application with other items. */
const startWith = async (
  application: TestApplication,
  settings: Record<string, string> = {},
): Promise<Navigation> => fill(await Navigation.start({ application, settings }))

const item = (name: string, badge: string, target = 'Object="Orders"'): string =>
  `<Item Name="${name}" ${target}><Badge>${badge}</Badge></Item>`

const navbar = (...items: string[]): TestApplication =>
  navigationWith(`<Navbar Name="main">${items.join('')}</Navbar>`)

const leftOut = ({ app }: Navigation): string[] =>
  app.log.filter((line) => line.includes('a badge is left out'))

describe('what counts', () => {
  let bureau: Navigation
  beforeAll(async () => {
    bureau = await fill(await Navigation.start())
  })
  afterAll(() => bureau[Symbol.asyncDispose]())

  const cases: [string, string, Record<string, number | boolean>][] = [
    ['System: the whole company', 'root', { Orders: 3, Own: 3, Marks: true, Takings: 3, Help: 5 }],
    ['without row filters: the same', 'clerk', { Orders: 3, Marks: true, Takings: 3, Help: 5 }],
    ['the rows of one’s own row filters', 'agent', { Orders: 2, Marks: true, Help: 1 }],
    ['each user’s own attribute', 'rival', { Orders: 1, Marks: true, Help: 1 }],
    ['the filter of an authored view, by its keys', 'owner', { Own: 2, Help: 0 }],
    ['with View alone', 'reader', { Orders: 3, Help: 0 }],
    [
      'what the item’s report shows whole, and not beside another item',
      'banker',
      {
        Takings: 3,
        Help: 0,
      },
    ],
    ['what one may read nowhere: none of it', 'nobody', { Help: 0 }],
    ['another company: its own', 'far', { Orders: 2, Marks: false, Takings: 0, Help: 0 }],
  ]
  test.each(cases)('%s', async (_, as, values) => {
    expect(await bureau.values(as)).toEqual(values)
  })

  test('a badge has its kind', async () => {
    expect(await bureau.badges('clerk')).toEqual({
      Orders: { Kind: 'Count', Value: 3 },
      Marks: { Kind: 'Dot', Value: true },
      Takings: { Kind: 'Count', Value: 3 },
      Help: { Kind: 'Count', Value: 5 },
    })
  })

  test('it is what the grid shows', async () => {
    for (const as of ['root', 'clerk', 'agent', 'rival', 'reader', 'far']) {
      const answer = await bureau.app.fetch<{ data: { Rows: unknown[] } }>(
        '/api/v1/svc/object/Orders/table',
        { as, body: {} },
      )
      expect((await bureau.values(as)).Orders).toBe(answer.body.data.Rows.length)
    }
  })
})

describe('hidden rows', () => {
  test('do not move a badge, whatever becomes of them', async () => {
    await using bureau = await fill(await Navigation.start())
    const [agent, far] = [await bureau.values('agent'), await bureau.values('far')]
    await bureau.save('clerk', 'Orders', { Name: 'hidden', Region: 'south' })
    await bureau.save('clerk', 'Clients', { Name: 'hidden', Region: 'south' })
    await bureau.save('clerk', 'Payments', {})
    expect(await bureau.values('agent')).toEqual(agent)
    expect(await bureau.values('far')).toEqual(far)
    expect(await bureau.values('rival')).toMatchObject({ Orders: 2, Help: 2 })
    await bureau.removeOrder('clerk', 'hidden')
    expect(await bureau.values('agent')).toEqual(agent)
    expect(await bureau.values('rival')).toMatchObject({ Orders: 1, Help: 2 })
  })

  test('an error of theirs is no answer: own rows alone decide', async () => {
    const badge = "SELECT sum(json_extract(Name, '$.n')) FROM orders"
    await using bureau = await Navigation.start({ application: navbar(item('Sum', badge)) })
    await bureau.save('clerk', 'Orders', { Name: '{"n": 2}', Region: 'north' })
    expect(await bureau.values('agent')).toEqual({ Sum: 2 })
    await bureau.save('clerk', 'Orders', { Name: 'no JSON', Region: 'south' })
    expect(await bureau.values('agent')).toEqual({ Sum: 2 })
    expect(await bureau.values('rival')).toEqual({})
    expect(await bureau.values('far')).toEqual({ Sum: 0 })
  })
})

const TALLIES = `<Entity Name="Tally" Table="tallies" Company="CompanyId">
  <Column Name="Id" Type="Integer" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
</Entity>
<Rows Entity="Tally" Key="Id"><Row Id="1" CompanyId="1"/><Row Id="2" CompanyId="2"/></Rows>
<Rows Entity="Stamp" Key="Id"><Row Id="1"/><Row Id="2"/></Rows>`

const FURTHER = navigationWith(
  `<Navbar Name="main">${[
    item('Dear', 'SELECT count(*) FROM orders WHERE Cost > 4'),
    item('Most', 'SELECT max(Cost) FROM orders', 'Url="/most"'),
    item('Named', 'SELECT count(Name) FROM orders'),
    item('Twice', 'SELECT count(*) FROM orders a, orders b'),
    item(
      'Nested',
      'SELECT count(*) FROM (SELECT Id, 1 FROM ORDERS UNION ALL SELECT Id, 2 FROM "clients")',
    ),
    item('Key', 'SELECT count(*) FROM marks m JOIN marks n ON n.Code = m.Code'),
    item('Tallies', 'SELECT count(*) FROM tallies'),
    item('Stamps', 'SELECT count(*) FROM stamps'),
    item('Me', 'SELECT @CurrentUserId * 100 + @CurrentCompanyId', 'Url="/me"'),
    item('Now', "SELECT count(*) FROM orders WHERE @Now > '2000'"),
  ].join('')}</Navbar>`,
  TALLIES,
)

describe('what the author writes', () => {
  let bureau: Navigation
  beforeAll(async () => {
    bureau = await startWith(FURTHER)
  })
  afterAll(() => bureau[Symbol.asyncDispose]())
  const values = async (as: string, ...names: string[]): Promise<unknown[]> => {
    const all = await bureau.values(as)
    return names.map((name) => all[name])
  }

  test('counts by no column that the caller does not see', async () => {
    expect(await values('clerk', 'Dear', 'Most', 'Named')).toEqual([2, 9, 3])
    expect(await values('agent', 'Dear', 'Most', 'Named')).toEqual([undefined, undefined, 2])
    expect(await values('reader', 'Dear', 'Most', 'Named')).toEqual([2, 9, 3])
  })

  test('is held however it names a table, by a key of two columns too', async () => {
    expect(await values('clerk', 'Twice', 'Nested', 'Key')).toEqual([9, 5, 4])
    expect(await values('agent', 'Twice', 'Nested', 'Key')).toEqual([4, 3, 1])
  })

  test('counts a table without a view whole, for the company where it has one', async () => {
    expect(await values('agent', 'Tallies', 'Stamps')).toEqual([1, 2])
    expect(await values('root', 'Tallies', 'Stamps')).toEqual([1, 2])
  })

  test('binds what the caller is, and no request sets it', async () => {
    expect(await values('clerk', 'Me')).toEqual([201])
    expect(await values('far', 'Me')).toEqual([902])
    const path = '/api/v1/svc/navbar/badges?CurrentUserId=1&@CurrentUserId=1'
    const { body } = await bureau.app.fetch<{ data: Record<string, unknown> }>(path, {
      as: 'clerk',
    })
    expect(body.data.Me).toEqual({ Kind: 'Count', Value: 201 })
  })

  test('is read each time where it names the instant, and only then', async () => {
    await bureau.badges('clerk')
    const { counters } = bureau.app.store
    const before = counters.reads
    for (const _ of [1, 2, 3]) expect(await values('clerk', 'Now')).toEqual([3])
    expect(counters.reads - before).toBe(3)
  })
})

describe('tables that every company has', () => {
  const MODEL = `<Model>
<Entity Name="Place" Table="places"><Column Name="Id" Type="Integer" Key="true"/></Entity>
<Rows Entity="Place" Key="Id"><Row Id="1"/><Row Id="2"/><Row Id="3"/></Rows>
<ObjectView Name="Places" Entity="Place"/>
<ObjectView Name="People" Entity="User"/>
<Navbar Name="main">
  ${item('Places', 'SELECT count(*) FROM places', 'Object="Places"')}
  ${item('People', 'SELECT count(*) FROM svc_users', 'Object="People"')}
</Navbar>
<Rbac>
  <Role Name="All"><Grant Resource="Places" Verbs="View"/><Grant Resource="People" Verbs="View"/></Role>
  <Role Name="Some">
    <Grant Resource="Places" Verbs="View"/><Grant Resource="People" Verbs="View"/>
    <RowFilter Resource="Places">Id &gt; (SELECT min(Id) FROM places)</RowFilter>
    <RowFilter Resource="People">Id IN (SELECT UserId FROM svc_user_roles WHERE Role = 'Some')</RowFilter>
  </Role>
</Rbac>
</Model>`
  const APPLICATION: TestApplication = {
    files: [{ name: 'model.xml', body: MODEL }],
    ...makePeople('ONE TWO', { all: 'All', some: 'Some', other: 'Some in TWO' }),
  }

  test('are held to row filters too, and people to the company', async () => {
    await using bureau = await Navigation.start({ application: APPLICATION })
    expect(await bureau.values('all')).toEqual({ Places: 3, People: 2 })
    expect(await bureau.values('some')).toEqual({ Places: 2, People: 1 })
    expect(await bureau.values('other')).toEqual({ Places: 2, People: 1 })
  })
})

describe('a badge that fails', () => {
  const FAULTY = [
    item('Text', 'SELECT Name FROM orders'),
    item('Json', "SELECT json_extract(Name, '$.n') FROM orders"),
    item('None', 'SELECT Cost FROM orders WHERE 0'),
    item('Good', 'SELECT count(*) FROM orders'),
  ]

  test('is left out; the others are there, and the log says it once for one state', async () => {
    await using bureau = await startWith(navbar(...FAULTY))
    for (const _ of [1, 2, 3]) expect(await bureau.values('clerk')).toEqual({ None: 0, Good: 3 })
    expect(leftOut(bureau).map((line) => JSON.parse(line))).toMatchObject([
      { item: 'Text', reason: 'its query gives no number' },
      { item: 'Json', reason: expect.stringContaining('failed on the values') },
    ])
    expect(leftOut(bureau).join()).not.toMatch(/SELECT|json_extract|three/)
  })

  test('is left out for what it takes, at once the next time; others are not held up', async () => {
    const slow =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i &lt; 1e12) SELECT max(i) FROM n'
    const application = navbar(item('Slow', slow), item('Good', 'SELECT count(*) FROM orders'))
    await using bureau = await startWith(application, { 'Svc:Navbar:BadgeTimeout': '1s' })
    expect(await bureau.values('clerk')).toEqual({ Good: 3 })
    const reads = bureau.app.store.counters.reads
    expect(await bureau.values('clerk')).toEqual({ Good: 3 })
    expect(bureau.app.store.counters.reads).toBe(reads)
    expect(leftOut(bureau)).toHaveLength(1)
    expect(leftOut(bureau)[0]).toContain('Svc:Navbar:BadgeTimeout')
  })
})

describe('what badges cost', () => {
  test('one run for a hundred callers of the same rights, none while tables stand', async () => {
    await using bureau = await fill(await Navigation.start())
    const { counters } = bureau.app.store
    const ask = async (times: number): Promise<number> => {
      const before = counters.reads
      await Promise.all(Array.from({ length: times }, () => bureau.badges('clerk')))
      return counters.reads - before
    }
    expect(await ask(100)).toBe(4)
    expect(await ask(100)).toBe(0)
    await bureau.save('clerk', 'Orders', { Name: 'new' })
    expect(await ask(100)).toBe(1)
    await bureau.tree('root')
    const before = counters.reads
    await bureau.badges('root')
    // Own is root's alone; the rest stands.
    expect(counters.reads - before).toBe(1)
  })
})

describe('all badges of an answer', () => {
  test('are of one state, whatever is written meanwhile', async () => {
    const pair = [
      item('A', 'SELECT count(*) FROM orders'),
      item('B', 'SELECT count(*) FROM clients', 'Object="Clients"'),
      item('C', "SELECT count(*) FROM orders WHERE @Now > '2000'"),
    ]
    await using bureau = await Navigation.start({ application: navbar(...pair) })
    let isWriting = true
    const write = async (): Promise<void> => {
      const scope = { company: 'all', because: 'a test' } as const
      for (let at = 0; at < 40; at++)
        await bureau.app.store.write(async (tx) => {
          await tx.run("INSERT INTO orders (CompanyId, Name) VALUES (1, 'x')")
          await tx.run("INSERT INTO clients (CompanyId, Name) VALUES (1, 'x')")
        }, scope)
      isWriting = false
    }
    const read = async (): Promise<void> => {
      while (isWriting) {
        const { A, B, C } = await bureau.values('clerk')
        expect(B).toBe(A ?? -1)
        expect(C).toBe(A ?? -1)
        await new Promise(setImmediate)
      }
    }
    await Promise.all([write(), read(), read(), read()])
    expect(await bureau.values('clerk')).toEqual({ A: 40, B: 40, C: 40 })
  })
})

describe('for those who push badges', () => {
  test('the tables are those that a caller’s badges read, with those of row filters', async () => {
    await using bureau = await fill(await Navigation.start())
    const { context } = bureau.app
    const callerOf = async (as: string): Promise<Caller> =>
      context.callers.verify(bureau.app.tokens[as] ?? '')
    const [agent, owner] = [await callerOf('agent'), await callerOf('owner')]
    expect([...(await describeBadges(context, agent)).tables]).toEqual([
      ...['clients', 'marks', 'orders', 'payments'],
    ])
    expect([...(await describeBadges(context, owner)).tables]).toEqual([
      'clients',
      'orders',
      'payments',
    ])
    expect(await loadBadges(context, agent)).toEqual({
      Orders: { Kind: 'Count', Value: 2 },
      Marks: { Kind: 'Dot', Value: true },
      Help: { Kind: 'Count', Value: 1 },
    })
  })
})

test('the demo’s badges are those of the caller’s rows', async () => {
  await using app = await startApp()
  const demo = new Navigation(app)
  for (const as of ['ana', 'dee', 'cy']) {
    const filters = [{ Field: 'Status', Operator: 'eq', Value: 'new' }]
    const body = { Filters: filters, PageSize: 500 }
    const answer = await app.fetch<{ data: { Rows: unknown[] } }>(
      '/api/v1/svc/object/Orders/table',
      { as, body },
    )
    expect((await demo.values(as)).Orders).toBe(answer.body.data.Rows.length)
  }
  expect(await demo.values('bo')).toEqual({ Tasks: 0 })
})
