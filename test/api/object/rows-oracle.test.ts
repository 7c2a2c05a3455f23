/**
 * Soundness of row filters: random models with data and a user. What the user sees through
 * grid, count, form and view, what badges count, and what a capability reaches by cell and action,
 * is exactly what an oracle in memory says: no row more, none less.
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { startApp, type TestApp } from '../../support/app.ts'
import type { Badges } from '../../support/navigation.ts'
import type { Form, Table } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import { scaleCases } from '../../support/property.ts'
import { orderValues, type Values } from '../../support/soundness/condition.ts'
import { inhabit, type Inhabited } from '../../support/soundness/inhabit.ts'
import { itemName, printWorld, viewName } from '../../support/soundness/world-model.ts'
import { foresee, type Sight } from '../../support/soundness/world-oracle.ts'
import { WORLD } from '../../support/soundness/world.ts'
import type { TestApplication } from '../../support/template.ts'

const WORLDS = scaleCases(100)
/** Worlds that share a data folder and a deploy. */
const BATCH = 100

const EMPTY: TestApplication = {
  files: [],
  ...makePeople('C1 C2', {}),
}

const seed = fc.readConfigureGlobal()?.seed ?? 1

for (let from = 0; from < WORLDS; from += BATCH)
  test(`worlds ${from} to ${from + BATCH - 1}: what is seen is what may be seen`, async () => {
    await using app = await startApp({
      application: EMPTY,
      settings: { 'Svc:Log:Requests': 'false' },
    })
    const worlds = fc.sample(WORLD, { seed: seed + from, numRuns: BATCH })
    for (const inhabited of await inhabit(app, worlds)) await checkWorld(app, inhabited)
  })

async function checkWorld(app: TestApp, inhabited: Inhabited): Promise<void> {
  const { world, userId, stored, at } = inhabited
  const sight = foresee(world, stored, { userId })
  const seen = await see(app, inhabited, sight)
  const expected = {
    status: sight.lists ? 200 : 401,
    keys: sight.lists ? sight.keys : [],
    total: sight.lists ? sight.keys.length : undefined,
    forms: world.asked.map((id) => statusOf(sight.edits, sight, id)),
    views: world.asked.map((id) => statusOf(sight.views, sight, id)),
    badge: foreseeBadge(sight),
    actions: world.asked.map((id) => (sight.approves ? (sight.approved.has(id) ? 200 : 404) : 401)),
  }
  try {
    expect(seen.facts).toEqual(expected)
    for (const row of seen.rows) expectCells(row, sight)
    expectTexts(seen.texts, sight)
  } catch (error) {
    throw new Error(
      `${printWorld(world, at)}\n${JSON.stringify({ world, stored })}\n${String(error)}`,
    )
  }
}

/** Which rows count, as the first badge says it. */
function foreseeBadge({ counted }: Sight): number | undefined {
  if (!counted) return undefined
  return counted.reduce((sum, { Id }) => sum + Id, 0) * 100 + counted.length
}

/** The second badge reads a column: not for whom it is hidden; for others it counts its texts. */
function expectTexts(texts: unknown, { counted, seesB, mayHideB }: Sight): void {
  if (texts === undefined) return expect(counted === undefined || mayHideB).toBe(true)
  expect(seesB).toBe(true)
  expect(texts).toBe(counted?.filter(({ B }) => B !== null).length as never)
}

const statusOf = (isOpen: boolean, { rows }: Sight, id: number): number =>
  isOpen ? (rows.has(id) ? 200 : 404) : 401

function expectCells(row: Values, { rows, seesB, approved }: Sight): void {
  const foreseen = rows.get(Number(row.Id))
  if ('Permit__Approve' in row)
    expect(row.Permit__Approve as unknown).toBe(approved.has(Number(row.Id)))
  for (const [name, value] of Object.entries(foreseen ?? {})) {
    if (name === 'B' && !seesB) expect(row).not.toHaveProperty('B')
    else if (name === 'C') expect(row.C).toBe((value === null ? null : value === 1) as never)
    else expect(toText(row[name])).toBe(toText(value))
  }
}

/** Columns without a Field of their own are Text. */
const toText = (value: unknown): string => (value === null ? 'null' : String(value))

/** The engine's answers: all pages, the count, and the forms and views that are asked for. */
async function see(app: TestApp, { at, world, token }: Inhabited, sight: Sight) {
  const all = world.user.isSystem && world.user.allCompanies ? { AllCompanies: true } : {}
  const call = <T>(route: string, body: object) =>
    app.fetch<T>(`/api/v1/svc/object/${viewName(at)}/${route}`, {
      headers: { Authorization: `Bearer ${token}` },
      body: { ...body, ...all },
    })
  const ask = {
    Sort: sight.sort,
    PageSize: world.pageSize,
  }
  const rows: Values[] = []
  let total: number | undefined
  let status = 0
  for (let page = 1; ; page++) {
    const answer = await call<{ data: Table }>('table', { ...ask, Page: page })
    status = answer.status
    if (status !== 200) break
    rows.push(...(answer.body.data.Rows as Values[]))
    total = answer.body.data.Pagination.TotalRows ?? undefined
    if (!answer.body.data.Pagination.HasNext) break
  }
  const formsOf = async (route: string): Promise<number[]> => {
    const statuses: number[] = []
    for (const Id of world.asked) {
      const answer = await call<{ data: Form }>(route, { Parameters: { Id } })
      statuses.push(answer.status)
      if (answer.status === 200) rows.push(answer.body.data.Values as Values)
    }
    return statuses
  }
  const keys = rows.map(({ Id }) => Number(Id))
  const [forms, views] = [await formsOf('form'), await formsOf('view')]
  const actions: number[] = []
  for (const Id of world.asked) {
    const body = { ObjectName: viewName(at), ActionName: 'Approve', Parameters: { Id }, ...all }
    const headers = { Authorization: `Bearer ${token}` }
    const answer = await app.fetch('/api/v1/svc/object/execute-row-action', { headers, body })
    actions.push(answer.status)
  }
  const headers = { Authorization: `Bearer ${token}` }
  const { body } = await app.fetch<{ data: Badges }>('/api/v1/svc/navbar/badges', { headers })
  const badge = body.data[itemName(at, 'Rows')]?.Value
  const texts = body.data[itemName(at, 'Texts')]?.Value
  return { facts: { status, keys, total, forms, views, badge, actions }, rows, texts }
}

test('the oracle orders as the engine does', () => {
  expect([3, null, 'x'].map((value) => orderValues(null, value))).toEqual([-1, 0, -1])
})
