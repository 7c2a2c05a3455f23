/**
 * A request that runs after a deploy has changed the tables it was planned with is planned again,
 * as often as it takes: none is answered with a fault of the engine's, or with data that the
 * tables never held.
 */
import { describe, expect, test } from 'bun:test'
import { executeDeploy } from '../../../src/model/deploy/deploy.ts'
import { prepareDeploy } from '../../../src/model/deploy/prepare.ts'
import { type Answer, startApp, type TestApp } from '../../support/app.ts'
import { holdLane, replaceBehind } from '../../support/model-changes.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

interface Shape {
  entity?: string
  name?: string
  code?: string
  /** The column that Name is shown from, as SQL names it. */
  column?: string
}

const planModel = ({ entity = 'Table="items"', name, code, column = 'Name' }: Shape): string => {
  const table = /Table="(\w+)"/.exec(entity)?.[1] ?? ''
  return `<Model>
<Entity Name="Item" ${entity} Display="${column}">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column ${name ?? 'Name="Name"'} Type="Text" MaxLength="40"/>
  <Column ${code ?? 'Name="Code" Type="Text" MaxLength="20"'}/>
</Entity>
<Entity Name="Use" Table="uses">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="ItemId" Type="Integer" References="Item"/>
</Entity>
<ObjectView Name="Items" Entity="Item">
  <RowAction Name="Mark"><Sql>UPDATE ${table} SET ${column} = 'marked' WHERE Id = @Id</Sql></RowAction>
</ObjectView>
<ObjectView Name="Uses" Entity="Use"/>
<StoredProcedure Name="Told"><Sql>SELECT ${column} AS Told FROM ${table} ORDER BY Id</Sql></StoredProcedure>
<Navbar Name="main">
  <Item Name="Items" Object="Items"><Badge>SELECT count(${column}) FROM ${table}</Badge></Item>
  <Item Name="Uses" Object="Uses"><Badge>SELECT count(*) FROM uses</Badge></Item>
</Navbar>
<StoredProcedure Name="Put" Mode="Write"><Sql>UPDATE ${table} SET ${column} = 'put' WHERE Id = 1</Sql></StoredProcedure>
<Rbac><Role Name="Reader"><Grant Resource="Items" Verbs="View List Update"/></Role></Rbac>
</Model>`
}

const APPLICATION: TestApplication = {
  files: [{ name: 'items.xml', body: planModel({}) }],
  ...makePeople('ONE', { sys: 'System', reader: 'Reader' }),
}

const RENAMED: Shape = { name: 'Name="Title" Was="Name"', column: 'Title' }
const DEPLOYS: [string, Shape][] = [
  ['a column is renamed', RENAMED],
  ['a table is renamed', { entity: 'Table="goods"' }],
  ['a table is rebuilt', { code: 'Name="Code" Type="Text" MaxLength="20" Required="true"' }],
]

const BASE = '/api/v1/svc/object'
const READS: [name: string, path: string, body: object | undefined][] = [
  ['table', `${BASE}/Items/table`, {}],
  ['search', `${BASE}/Items/table`, { SearchText: 'firs' }],
  ['form', `${BASE}/Items/form`, { Parameters: { Id: 1 } }],
  ['view', `${BASE}/Items/view`, { Parameters: { Id: 1 } }],
  ['labels', `${BASE}/Uses/table`, {}],
  ['options', `${BASE}/field-dataset`, { FormName: 'Uses', FieldName: 'ItemId' }],
  [
    'explorer',
    '/api/v1/svc/object-explorer/query',
    { ObjectName: 'Items', Fields: ['Id', 'Code'] },
  ],
  ['procedure', '/api/v1/svc/rpc/Told', { Parameters: {} }],
  ['badges', '/api/v1/svc/navbar/badges', undefined],
]
/** Reads but those by key, which end before any deploy can come between. */
const WAITING = READS.filter(([name]) => name !== 'form' && name !== 'view')

const BACK: Shape = { name: 'Name="Name" Was="Title"' }

async function start(settings: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  const app = await startApp({ application: APPLICATION, settings })
  for (const Name of ['first', 'second'])
    await call(app, `${BASE}/submit`, { FormName: 'Items', Parameters: { Name, Code: `C${Name}` } })
  await call(app, `${BASE}/submit`, { FormName: 'Uses', Parameters: { ItemId: 1 } })
  return app
}

const call = (app: TestApp, path: string, body?: object): Promise<Answer<Told>> =>
  app.fetch<Told>(path, { as: 'sys', body })

interface Told {
  code?: string
  data?: Record<string, unknown>
}

/** A deploy that is ready; what it reads in lanes has been read, but for the rows of a rebuild. */
async function prepare(app: TestApp, shape: Shape) {
  const { context, store } = app
  const files = [{ name: 'items.xml', body: planModel(shape) }]
  const preparation = await prepareDeploy(store, files, {})
  expect(preparation.plan.faults).toEqual([])
  return async (within?: () => Promise<void>): Promise<void> => {
    const { isDone } = await executeDeploy(context, preparation, {}, within)
    expect(isDone).toBe(true)
  }
}

type Ask = readonly [path: string, body: object | undefined]

/** Requests that wait for the lane when the deploy is committed, and read after it. */
async function askAcross(app: TestApp, shape: Shape, requests: readonly Ask[]) {
  const deploy = await prepare(app, shape)
  const lane = await holdLane(app)
  const answers = requests.map(([path, body]) => call(app, path, body))
  await lane.isWanted(requests.length)
  await deploy()
  lane.free()
  return Promise.all(answers)
}

/** Requests that come when the deploy begins to commit: some read before it, some after it. */
async function askInCommit(app: TestApp, shape: Shape, requests: readonly Ask[]) {
  const deploy = await prepare(app, shape)
  let answers: Promise<Answer<Told>>[] = []
  app.store.follow({
    follows: () => false,
    begin: (changes) => {
      if (changes === 'all') answers = requests.map(([path, body]) => call(app, path, body))
    },
  })
  await deploy()
  return Promise.all(answers)
}

const toAsk = ([, path, body]: (typeof READS)[number]): Ask => [path, body]

/** Each answer is what the same request gets now. */
async function requireFresh(
  app: TestApp,
  reads: typeof READS,
  ask: (requests: readonly Ask[]) => Promise<Answer<Told>[]>,
): Promise<void> {
  const answers = await ask(reads.map(toAsk))
  expect(answers).toHaveLength(reads.length)
  for (const [at, [name, path, body]] of reads.entries()) {
    const fresh = await call(app, path, body)
    const { status, body: told } = answers[at] ?? fresh
    expect({ name, status, data: without(told) }).toEqual({
      name,
      status: 200,
      data: without(fresh.body),
    })
  }
  expect(listErrors(app)).toEqual([])
}

const listErrors = (app: TestApp): string[] =>
  app.log.filter((line) => /"level":"(?:error|warn)"/.test(line))

describe('a read', () => {
  for (const [what, shape] of DEPLOYS.slice(0, 2))
    test(`that waits for its lane while ${what} is planned again`, async () => {
      await using app = await start({ 'Svc:Cache:MaxBytes': '0' })
      await requireFresh(app, WAITING, (asks) => askAcross(app, shape, asks))
    })
  for (const [what, shape] of DEPLOYS)
    test(`that comes at the commit when ${what} has the tables of its model`, async () => {
      await using app = await start()
      for (let round = 0; round < 3; round++)
        for (const [, path, body] of READS) await call(app, path, body)
      await requireFresh(app, READS, (asks) => askInCommit(app, shape, asks))
    })
})

const CHANGED: [what: string, path: string, body: object][] = [
  ['read', `${BASE}/Items/table`, {}],
  ['write', `${BASE}/submit`, { FormName: 'Items', Parameters: { Id: 1, Code: 'moved' } }],
]

for (const [what, path, body] of CHANGED) {
  test(`a ${what} whose model changes more than once is planned as often`, async () => {
    await using app = await start({ 'Svc:Cache:MaxBytes': '0' })
    using replacing = replaceBehind(app, 5)
    const { status } = await app.fetch<Told>(path, { as: 'reader', body })
    expect([status, replacing.left]).toEqual([200, 0])
  })
  test(`a ${what} whose model changes each time is a 503 by names that its user sees`, async () => {
    await using app = await start({ 'Svc:Cache:MaxBytes': '0' })
    using _ = replaceBehind(app, Infinity)
    const headers = { 'Accept-Language': 'de' }
    const answer = await app.fetch<Told>(path, { as: 'reader', body, headers })
    const { status, headers: given, body: told } = answer
    expect({ status, retry: given.get('Retry-After'), ...told }).toMatchObject({
      status: 503,
      retry: '1',
      code: 'MODEL_CHANGED',
      error: 'Das Modell hat sich inzwischen geändert (Items). Bitte versuchen Sie es noch einmal.',
    })
    const all = await app.fetch<Told>(path, { as: 'sys', body })
    expect(all.text).toContain('(Items, Uses)')
    expect(await app.store.get('SELECT Code FROM items WHERE Id = 1')).toEqual({ Code: 'Cfirst' })
  })
}

describe('a write that is planned while', () => {
  for (const [what, shape] of DEPLOYS)
    test(`${what} is planned again, and so is an export`, async () => {
      await using app = await start()
      const deploy = await prepare(app, shape)
      let answers: Promise<Answer<Told>>[] = []
      await deploy(async () => {
        answers = [...WRITES.map(([path, body]) => call(app, path, body)), importCodes(app)]
        // Long enough for all of them to stand behind the deploy.
        await Bun.sleep(100)
      })
      const told = await Promise.all(answers)
      expect(told.map(({ status, text }) => (status === 200 ? status : text))).toEqual(
        told.map(() => 200),
      )
      const { body } = await call(app, `${BASE}/Items/table`, {})
      const rows = (body.data?.Rows ?? []) as Record<string, unknown>[]
      expect(rows.map((row) => [row.Id, row.Name ?? row.Title ?? null, row.Code])).toEqual([
        [1, 'put', 'new'],
        [2, 'marked', 'Csecond'],
        [3, null, 'imported'],
      ])
      expect(listErrors(app)).toEqual([])
    })
})

const WRITES: Ask[] = [
  [`${BASE}/submit`, { FormName: 'Items', Parameters: { Id: 1, Code: 'new' } }],
  [
    `${BASE}/execute-row-action`,
    { ObjectName: 'Items', ActionName: 'Mark', Parameters: { Id: 2 } },
  ],
  ['/api/v1/svc/rpc/Put', { Parameters: {} }],
  [`${BASE}/delete-row`, { ObjectName: 'Uses', Parameters: { Id: 1 } }],
  [`${BASE}/export-data`, { ObjectName: 'Items', Format: 'csv' }],
]

async function importCodes(app: TestApp): Promise<Answer<Told>> {
  const body = new FormData()
  body.set('objectName', 'Items')
  body.set('file', new File(['Code\nimported\n'], 'items.csv', { type: 'text/csv' }))
  const response = await app.handle(
    new Request(`http://localhost${BASE}/import-data`, {
      method: 'POST',
      body,
      headers: { Authorization: `Bearer ${app.tokens.sys}` },
    }),
  )
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: JSON.parse(text) as Told,
  }
}

test('under load, five deploys that rename a column back and forth fail no request', async () => {
  await using app = await start({ 'Svc:Sql:Lanes': '4' })
  const failed: string[] = []
  let answered = 0
  let isOver = false
  const submit: Ask = [`${BASE}/submit`, { FormName: 'Items', Parameters: { Id: 1, Code: 'x' } }]
  const asks: Ask[] = [...READS.map(toAsk), submit]
  const work = async (worker: number): Promise<void> => {
    for (let at = worker; !isOver; at++) {
      const [path, body] = asks[at % asks.length] ?? submit
      const { status, text } = await call(app, path, body)
      if (status !== 200) failed.push(`${path} ${text}`)
      answered++
    }
  }
  const workers = Array.from({ length: 12 }, (_, worker) => work(worker))
  for (const shape of [RENAMED, BACK, RENAMED, BACK, RENAMED]) {
    const enough = answered + 60
    while (answered < enough) await Bun.sleep(1)
    const deploy = await prepare(app, shape)
    await deploy()
  }
  isOver = true
  await Promise.all(workers)
  expect(failed).toEqual([])
  expect(listErrors(app)).toEqual([])
})

/** The content of an answer but for the instant that it was made at. */
const without = ({ data }: Told): unknown => ({ ...data, FormLoadTime: undefined })
