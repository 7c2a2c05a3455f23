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
import type { OpenContext } from '../../src/server/open-context.ts'
import { growDemo } from '../grow.ts'
import copiesXml from './copies.xml' with { type: 'text' }
import accessXml from '../../data/demo/access.xml' with { type: 'text' }
import importsXml from './imports.xml' with { type: 'text' }
import reportsXml from './reports.xml' with { type: 'text' }
import runawayXml from './runaway.xml' with { type: 'text' }
import type { BareJob } from './by-hand/server.ts'
import { POOL, POOL_SQL } from './pool.ts'
import { recordReports } from './report-work.ts'
import { planWorks, type Work } from './works.ts'

export const ORDERS = 200_000

/** The sales representative: her rows are one region's of one company. */
export const USER = { UserName: 'dee', Password: 'dee-demo-password' }

/** An update does not bring a RowVersion here: the load cannot know what the last one made. */
export const SETTINGS = {
  'Svc:Objects:RequireRowVersion': 'false',
  'Svc:Tokens:AccessLifetime': '24h',
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

/** Grows the demo, adds the views of the bench, plans the requests of all kinds of work. */
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
  const all = { company: 'all', because: 'a data set for the bench' } as const
  const pool = { count: Math.min(POOL, orders) }
  await context.store.write(
    (tx) => tx.silently(async () => void (await tx.run(POOL_SQL, pool))),
    all,
  )
  // Else each server would make its index while it is measured.
  await new SearchRebuild(context).run()
  const token = await signIn(context)
  const works = await planWorks(context)
  const reports = await recordReports(context, token, works)
  const caller = { company: 1, region: 'Lakes', user: await findUser(context) }
  await context.close()
  cpSync(folder('engine'), folder('bare'), { recursive: true })
  return {
    engineFolder: folder('engine'),
    token,
    works,
    bareJob: { file: join(folder('bare'), 'engine.db'), caller, reports },
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

async function findUser({ store }: OpenContext): Promise<number> {
  const sql = 'SELECT Id FROM svc_users WHERE UserName = @UserName'
  return Number(await store.text({ sql, args: { UserName: USER.UserName }, runs: 'inline' }))
}
