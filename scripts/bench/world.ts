/** The world of a bench: a grown demo, copied once for each server, and the requests on it. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OpenContext } from '../../src/server/open-context.ts'
import { createApp } from '../../src/app.ts'
import type { BareJob } from './by-hand/server.ts'
import { growWorld, keepWorld } from './grow-world.ts'
import { openFolder } from './open-folder.ts'
import { recordReports } from './report-work.ts'
import type { Work } from './work.ts'
import { planWorks } from './works.ts'

export const ORDERS = 200_000

/** The sales representative: her rows are one region's of one company. */
export const USER = { UserName: 'dee', Password: 'dee-demo-password' }

export interface World extends Disposable {
  /** How many it was grown to; more are added for writes. */
  orders: number
  /** A data folder with the engine's own copy of the data. */
  engineFolder: string
  /** An access token of `USER`, good for a day. */
  token: string
  works: Work[]
  /** Arguments of the bare server; its database is a copy of its own. */
  bareJob: BareJob
}

/**
 * A world of its own, gone with `using`; with `isKept` copied from one that stays for the next run.
 */
export async function openWorld(orders = ORDERS, isKept = false): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'appengine-bench-'))
  const folder = (name: string): string => join(home, name)
  if (isKept) cpSync(await keepWorld(orders), folder('engine'), { recursive: true })
  else await growWorld(folder('engine'), orders)
  const context = await openFolder(folder('engine'))
  const token = await signIn(context)
  const works = await planWorks(context, token)
  const reports = await recordReports(context, token, works)
  const caller = { company: 1, region: 'Lakes', user: await findUser(context) }
  await context.close()
  cpSync(folder('engine'), folder('bare'), { recursive: true })
  return {
    orders,
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
