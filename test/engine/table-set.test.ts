/** Tables on which a view's answers depend are all that their statements open. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Connection, openReader } from '../../src/store/connection/connection.ts'
import { prepareNative } from '../../src/store/connection/native.ts'
import type { View } from '../../src/model/compiled/view.ts'
import { Grant } from '../../src/access/rights/grant.ts'
import type { Context } from '../../src/engine/object/context.ts'
import { planForm } from '../../src/engine/object/form/form-plan.ts'
import { findSource } from '../../src/engine/object/read/source.ts'
import { planTable } from '../../src/engine/object/read/table.ts'
import { type AppOptions, startApp, type TestApp } from '../support/app.ts'
import { ATTACKED_RECORDS } from '../support/attacked-records.ts'
import { CACHED } from '../support/cache-model.ts'
import { EVENT_TICKETS } from '../support/event-tickets.ts'
import { LOOKUPS } from '../support/lookups.ts'
import { OBJECT_SHOP } from '../support/object-shop.ts'

/** Columns of a step of EXPLAIN: addr, opcode, p1, p2, p3. */
const OPCODE = 1
const ROOT_PAGE = 3
const DATABASE = 4
const MAIN = 0

/** The tables that a statement opens, by SQLite's own word, themselves or by an index. */
function listOpened(connection: Connection, sql: string): string[] {
  const schema = 'SELECT rootpage AS Page, lower(tbl_name) AS Name FROM main.sqlite_schema'
  const rows = connection.statement(schema).all({})
  const names = new Map(rows.map(({ Page, Name }) => [Number(Page), String(Name)]))
  const steps = [...prepareNative(connection.database, `EXPLAIN ${sql}`).iterate({})]
  return steps
    .filter((step) => step[OPCODE] === 'OpenRead' && Number(step[DATABASE]) === MAIN)
    .map((step) => names.get(Number(step[ROOT_PAGE])) ?? 'no table')
}

const applications: [string, AppOptions][] = [
  ['the demo', {}],
  ['the shop', { application: OBJECT_SHOP }],
  ['the vault', { application: ATTACKED_RECORDS }],
  ['the desk', { application: EVENT_TICKETS }],
  ['the collection', { application: LOOKUPS }],
  ['the world of the query cache', { application: CACHED }],
]

/** Every view with every grant that someone has on it. */
async function* listGrants({ context, tokens }: TestApp): AsyncGenerator<[View, Grant]> {
  const model = context.models.get()
  for (const token of Object.values(tokens)) {
    const caller = await context.callers.verify(token)
    for (const view of model.views.values()) {
      for (const allCompanies of [false, true]) {
        const grant = Grant.find(caller, model, view.resource, 'View', { allCompanies })
        if (grant) yield [view, grant]
      }
    }
  }
}

test.each(applications)('%s', async (_, options) => {
  await using app = await startApp(options)
  const connection = openReader(join(app.folder, 'engine.db'))
  const seen = new Set<string>()
  let opened = 0
  for await (const [view, grant] of listGrants(app)) {
    const context: Context = { caller: grant.caller, now: new Date(), model: grant.model }
    const { page, count, more } = planTable(view, { SearchText: 'a' }, grant, context)
    const form = planForm({ view, grant, context }, new Map(), 'View')
    const { tables } = findSource(view, grant, 'read')
    for (const { sql } of [page, count ?? page, more, form]) {
      if (seen.has(`${tables} ${sql}`)) continue
      seen.add(`${tables} ${sql}`)
      const names = listOpened(connection, sql)
      const unknown = names.filter((name) => !tables.includes(name))
      expect({ view: view.name, unknown }).toEqual({ view: view.name, unknown: [] })
      opened += names.length
    }
  }
  expect(opened).toBeGreaterThan(0)
  connection.close()
})
