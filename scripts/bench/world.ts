/** What a bench runs on: the demo grown to many orders, copied once for each server. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configure, createApp } from '../../src/app.ts'
import { SearchRebuild } from '../../src/engine/global-search/rebuild.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { createLog } from '../../src/kernel/log.ts'
import { deployModel } from '../../src/model/deploy.ts'
import { openContext } from '../../src/server/open-context.ts'
import { SqlReal } from '../../src/store/sql.ts'
import type { SqlArgs } from '../../src/store/sql.ts'
import type { OpenContext } from '../../src/server/open-context.ts'
import { growDemo } from '../grow.ts'
import copiesXml from './copies.xml' with { type: 'text' }
import accessXml from '../../data/demo/access.xml' with { type: 'text' }
import importsXml from './imports.xml' with { type: 'text' }
import reportsXml from './reports.xml' with { type: 'text' }
import runawayXml from './runaway.xml' with { type: 'text' }
import { recordRequests } from './record.ts'
import { planReportWork, splitAtRows } from './report-work.ts'
import { COMMON_TEXTS, planSearchTexts, toSearch } from './search-texts.ts'
import type { RecordedRequest } from './record.ts'
import type { BareArgs, BareJob, BareStatement } from './bare.ts'

export const ORDERS = 200_000

/** The sales representative: her rows are one region's of one company. */
export const USER = { UserName: 'dee', Password: 'dee-demo-password' }

/** An update does not bring a RowVersion here: the load cannot know what the last one made. */
export const SETTINGS = {
  'Svc:Objects:RequireRowVersion': 'false',
  'Svc:Tokens:AccessLifetime': '24h',
}

export const OBJECTS = '/api/v1/svc/object'

/** The requests of one kind, and the statements that the engine runs for each. */
export interface Work {
  name: 'page' | 'walk' | 'search' | 'common' | 'form' | 'update' | 'report'
  requests: RecordedRequest[]
}

export interface World extends Disposable {
  /** A data folder with the engine's own copy of the data. */
  engineFolder: string
  /** An access token of `USER`, good for a day. */
  token: string
  works: Work[]
  /** What the bare server is given; its database is a copy of its own. */
  bareJob: BareJob
}

/** A data folder of the bench. */
export async function openFolder(folder: string): Promise<OpenContext> {
  const settings = configure({ dataFolder: folder, env: {}, flags: SETTINGS })
  return openContext({
    folder,
    settings,
    clock: systemClock,
    log: createLog(systemClock, () => {}),
  })
}

/** Whoever imports measures in the bench: a row filter holds, as it does for others. */
const METER = `<Role Name="Meter">
  <Grant Resource="Measures" Verbs="View List Create Update Delete Import"/>
  <Grant Resource="ProductGroups" Verbs="View List"/>
  <RowFilter Resource="Measures">Amount &lt; 900000</RowFilter>
</Role>`

/** The user may read the reports of the bench, in the region. */
const REPORTS = `<Grant Resource="BenchPage" Verbs="View List"/>
  <Grant Resource="BenchRows" Verbs="View List"/>
  <RowFilter Resource="BenchPage">Region = @User_Region</RowFilter>`

const planAccess = (): string =>
  String(accessXml)
    .replace('</Rbac>', `${METER}</Rbac>`)
    .replace(/<Role Name="SalesRep"[^>]*>/, (role) => role + REPORTS)

/** Grows the demo, adds the runaway views, plans the requests, records their statements. */
export async function openWorld(orders = ORDERS): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'appengine-bench-'))
  const folder = (name: string): string => join(home, name)
  await growDemo(folder('engine'), orders)
  const context = await openFolder(folder('engine'))
  const views = [
    { name: 'runaway.xml', body: String(runawayXml) },
    { name: 'copies.xml', body: String(copiesXml) },
    { name: 'imports.xml', body: String(importsXml) },
    { name: 'reports.xml', body: String(reportsXml) },
    { name: 'access.xml', body: planAccess() },
  ]
  const { plan } = await deployModel(context.store, context.models, views, {}, systemClock)
  if (plan.faults.length > 0) throw new Error(JSON.stringify(plan.faults))
  // Else each server would make its index while it is measured.
  await new SearchRebuild(context).run()
  const token = await signIn(context)
  const works = planWorks(await loadOrders(context))
  await context.close()
  cpSync(folder('engine'), folder('bare'), { recursive: true })
  cpSync(folder('engine'), folder('recorded'), { recursive: true })
  const bareJob = await planBareJob(folder('recorded'), token, works)
  rmSync(folder('recorded'), { recursive: true })
  return {
    engineFolder: folder('engine'),
    token,
    works,
    bareJob: { ...bareJob, file: join(folder('bare'), 'engine.db') },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}

async function signIn(context: OpenContext): Promise<string> {
  const answer = await createApp(context).handle(
    new Request('http://localhost/api/v1/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(USER),
    }),
  )
  const { data } = (await answer.json()) as { data: { AccessToken: string } }
  return data.AccessToken
}

interface OrderFacts {
  Id: number
  Status: string
  OrderedAt: string
  [column: string]: number | string
}

/** Every 50th order of the user's region and company, and all new ones. */
function loadOrders({ store }: OpenContext): Promise<OrderFacts[]> {
  const sql =
    `SELECT Id, Status, OrderedAt FROM orders WHERE CompanyId = 1 AND Region = 'Lakes'` +
    ` AND (Id % 50 = 0 OR Status = 'new') ORDER BY Id`
  return store.all<OrderFacts>({ sql, args: {}, runs: 'lane' })
}

const PAGES = 64
/** Pages of some grids one after another: more of them than are kept, with few counts. */
const FILTERS_WALKED = 32
const WALKED = 60
const FORMS = 2000
const UPDATED_ORDERS = 200
const UPDATES = 2000

const tableRequest = (body: object): RecordedRequest => ({
  path: `${OBJECTS}/orders/table`,
  body: JSON.stringify(body),
})

function planWorks(orders: readonly OrderFacts[]): Work[] {
  const at = (index: number): OrderFacts => {
    const order = orders[index % orders.length]
    if (!order) throw new Error('The user has no orders')
    return order
  }
  const filtered = Array.from({ length: PAGES }, (_, index) => ({
    Filters: [
      { Field: 'Status', Operator: 'eq', Value: index % 2 ? 'shipped' : 'approved' },
      { Field: 'OrderedAt', Operator: 'ge', Value: at(index * 7).OrderedAt },
    ],
    Sort: [{ Field: 'OrderedAt', Direction: 'desc' }],
    PageSize: 50,
  }))
  const walk = Array.from({ length: WALKED }, (_, page) =>
    filtered.slice(0, FILTERS_WALKED).map((body) => ({ ...body, Page: page + 1 })),
  )
  const form = Array.from({ length: FORMS }, (_, index) => ({
    path: `${OBJECTS}/orders/form`,
    body: JSON.stringify({ Parameters: { Id: at(index * 13).Id } }),
  }))
  const open = orders.filter(({ Status }) => Status === 'new').slice(-UPDATED_ORDERS)
  const update = Array.from({ length: UPDATES }, (_, index) => ({
    path: `${OBJECTS}/submit`,
    body: JSON.stringify({
      FormName: 'orders',
      Parameters: { Id: open[index % open.length]?.Id, Reference: `PO ${10_000 + index}` },
    }),
  }))
  return [
    { name: 'page', requests: filtered.map(tableRequest) },
    { name: 'walk', requests: walk.flat().map(tableRequest) },
    {
      name: 'search',
      requests: planSearchTexts().map((SearchText) => tableRequest({ SearchText })),
    },
    {
      name: 'common',
      requests: COMMON_TEXTS.map((SearchText) => tableRequest({ SearchText })),
    },
    { name: 'form', requests: form },
    { name: 'update', requests: update },
    planReportWork(),
  ]
}

/** Values as the package takes them, and as JSON carries them. */
function toBareArgs(args: SqlArgs): BareArgs {
  const bare: BareArgs = {}
  for (const [name, value] of Object.entries(args)) {
    if (value instanceof SqlReal) bare[name] = value.value
    else if (typeof value === 'bigint') bare[name] = Number(value)
    else if (typeof value === 'number' || typeof value === 'string') bare[name] = value
  }
  return bare
}

const readSearchText = (body: string): string | undefined =>
  (JSON.parse(body) as { SearchText?: string }).SearchText

/** The statements of all requests, each text once. */
async function planBareJob(
  folder: string,
  token: string,
  works: readonly Work[],
): Promise<Omit<BareJob, 'file'>> {
  const context = await openFolder(folder)
  const texts = new Map<string, number>()
  const numberOf = (sql: string): number => {
    if (!texts.has(sql)) texts.set(sql, texts.size)
    return texts.get(sql) ?? 0
  }
  const job: Record<Work['name'], BareStatement[][]> = {
    ...{ page: [], walk: [], search: [], common: [], form: [], update: [], report: [] },
  }
  let reportTexts: string[][] = []
  try {
    for (const { name, requests } of works) {
      const searched = requests.map(({ body }) => readSearchText(body))
      // A search is that of the plain grid with a condition more, however the engine does it.
      const asked = requests.map((request, at) =>
        searched[at] === undefined ? request : tableRequest({}),
      )
      const recorded = await recordRequests(context, token, asked)
      if (name === 'report') reportTexts = recorded.map(({ answer }) => splitAtRows(answer))
      job[name] = recorded.map(({ statements }, at) =>
        statements.map((statement) => {
          const text = searched[at]
          const { sql, args, rows } = text === undefined ? statement : toSearch(statement, text)
          return { text: numberOf(sql), args: toBareArgs(args), rows }
        }),
      )
    }
  } finally {
    await context.close()
  }
  return { ...job, reportTexts, texts: [...texts.keys()] }
}
