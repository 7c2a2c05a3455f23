/** While a database is gone a refusal is true: either nothing is stored, or it says so. */
import { expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../../src/store/store.ts'
import type { TestApp } from '../../support/app.ts'
import { OWN, type Recipe } from '../../support/tenant-keys.ts'
import { RECIPES } from '../../support/tenant-recipes.ts'
import { ask, type Call, dump, startWorld } from '../../support/tenant-world.ts'

/** Tables written beside the work: counts of tries, and entries of facts that were read. */
const ASIDE = new Set(['svc_throttles', 'svc_facts'])
const READS = new Set<unknown>(['export', 'report', 'call'])

function withoutReads(table: string, rows: string): string {
  if (table !== 'svc_audit') return rows
  const entries = JSON.parse(rows) as { Action: unknown; Id: number }[]
  return JSON.stringify(entries.filter(({ Action }) => !READS.has(Action)).map(({ Id }) => Id))
}

async function read(app: TestApp): Promise<unknown> {
  const all = await Promise.all(
    [app.store, app.context.state].map((store: Store) => dump({ ...app, store }, 'all')),
  )
  return all.map((tables) =>
    Object.entries(tables)
      .filter(([name]) => !ASIDE.has(name))
      .map(([name, rows]) => withoutReads(name, rows)),
  )
}

/** The boss may do most; where a recipe asks none, whoever it names. */
const askers = ({ as }: Recipe) => as.map((group) => (group.includes('boss') ? 'boss' : group[0]))

const requests = (recipe: Recipe): Call[] =>
  askers(recipe).flatMap((who) =>
    recipe.calls({ ...OWN, session: 'x' }).map((call) => ({ ...call, ...(who && { as: who }) })),
  )

test.each(['engine.db', 'state.db'])(
  'a write that is refused while %s is gone is not stored, or its refusal says that it may be',
  async (name) => {
    await using app = await startWorld('full')
    const file = join(app.folder, name)
    renameSync(file, `${file}.away`)
    const untrue: object[] = []
    const codes = new Set<string | undefined>()
    for (const recipe of Object.values(RECIPES)) {
      if (recipe.isRead) continue
      for (const call of requests(recipe)) {
        const before = await read(app)
        const { status, text } = await ask(app, call)
        if (status < 500) continue
        const code = /"code":"(\w+)"/.exec(text)?.[1]
        codes.add(code)
        const isStored = !Bun.deepEquals(before, await read(app))
        if (status !== 503 || (isStored && code !== 'OUTCOME_UNKNOWN'))
          untrue.push({ call, status, text })
      }
    }
    renameSync(`${file}.away`, file)
    expect(untrue).toEqual([])
    const known = name === 'engine.db' ? ['STORAGE_FAILED'] : ['STORAGE_FAILED', 'OUTCOME_UNKNOWN']
    expect([...codes].sort()).toEqual(known.sort())
  },
)
