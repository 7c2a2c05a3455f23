/**
 * A page that is planned by the shape of its request against the plan that is made anew: the same
 * statements with the same values, or the same refusal.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SqlRead } from '../../src/store/sql.ts'
import { OPERATOR_NAMES } from '../../src/model/operators.ts'
import { Grant } from '../../src/access/rights/grant.ts'
import { newContext } from '../../src/engine/object/context.ts'
import { writeCursor } from '../../src/engine/object/read/cursor.ts'
import { requireView } from '../../src/engine/object/read/find-view.ts'
import { type PageUse, planPage } from '../../src/engine/object/read/page-plans.ts'
import { planTable, type TablePlan } from '../../src/engine/object/read/table.ts'
import type { TableRequest } from '../../src/engine/object/schema.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { ATTACKED_RECORDS } from '../support/attacked-records.ts'
import { scaleCases } from '../support/property.ts'

const BYTES_MAX = 1000

const NOW = new Date('2026-11-21T09:00:00Z')
let app: TestApp

beforeAll(async () => void (app = await startApp({ application: ATTACKED_RECORDS })))
afterAll(() => app[Symbol.asyncDispose]())

async function openUse(who: string, name: string): Promise<Omit<PageUse, 'request'>> {
  const caller = await app.context.callers.verify(app.tokens[who] ?? '')
  const model = app.context.models.get()
  const view = requireView(model, name)
  const grant = Grant.require(caller, model, view.resource, ['View'])
  const context = newContext({ clock: { now: () => NOW } }, caller, model)
  return { view, grant, context, bytesMax: BYTES_MAX }
}

const VALUE = fc.oneof(
  fc.constantFrom<unknown>('', 'a', 'ab', 'abc', 'Übung', 'x\u0000', 'today', 'lastweek', 'soon'),
  fc.constantFrom<unknown>('2026-11-20', '2026-11-31', '2026-11-20T10:00:00Z', '10:30', '0'),
  fc.constantFrom<unknown>(0, 1, -1, 2.5, 1e300, 12_345_678_901_234, true, false, null),
  fc.string(),
  fc.integer(),
)

/** One shape with the values of two requests. */
interface Pair {
  filters: { field: number; operator: string; values: [unknown, unknown] }[]
  isGroup: boolean
  sort: { field: number; isDescending: boolean } | undefined
  after: [unknown[], unknown[]] | undefined
  /** Of a parent. */
  parent: { field: number; values: [unknown, unknown] } | undefined
  mode: 'exact' | 'bounded' | 'none'
}

const SORT_VALUE = fc.constantFrom(null, 'tabc', 't', 'i5', 'i-9007199254740993', 'r1.5', 'rInf')
const SORT_VALUES = fc.array(SORT_VALUE, { minLength: 1, maxLength: 2 })

const PAIR: fc.Arbitrary<Pair> = fc.record({
  filters: fc.array(
    fc.record({
      field: fc.nat(),
      operator: fc.constantFrom(...OPERATOR_NAMES),
      values: fc.oneof(
        { weight: 4, arbitrary: fc.tuple(VALUE, VALUE) },
        fc.tuple(fc.array(VALUE, { maxLength: 3 }), fc.array(VALUE, { maxLength: 3 })),
        fc.tuple(fc.tuple(VALUE, VALUE), fc.tuple(VALUE, VALUE)),
      ),
    }),
    { maxLength: 3 },
  ),
  isGroup: fc.boolean(),
  sort: fc.option(fc.record({ field: fc.nat(), isDescending: fc.boolean() }), { nil: undefined }),
  after: fc.option(fc.tuple(SORT_VALUES, SORT_VALUES), { nil: undefined, freq: 2 }),
  parent: fc.option(fc.record({ field: fc.nat(), values: fc.tuple(VALUE, VALUE) }), {
    nil: undefined,
    freq: 2,
  }),
  mode: fc.constantFrom('exact', 'bounded', 'none'),
})

function toRequest(pair: Pair, which: 0 | 1, use: Omit<PageUse, 'request'>): TableRequest {
  const fields = [...use.view.fieldByName.values(), ...use.view.linked]
  const nameOf = (at: number): string => fields[at % fields.length]?.name ?? ''
  const filters = pair.filters.map(({ field, operator, values }) => ({
    Field: nameOf(field),
    Operator: operator,
    Value: values[which],
  }))
  const request: TableRequest = {
    Filters: pair.isGroup ? { Logic: 'or', Filters: filters } : filters,
    CountMode: pair.mode,
    ...(pair.parent && {
      Parameters: { [nameOf(pair.parent.field)]: pair.parent.values[which] },
    }),
    ...(pair.sort && {
      Sort: [
        { Field: nameOf(pair.sort.field), Direction: pair.sort.isDescending ? 'desc' : 'asc' },
      ],
    }),
  } as TableRequest
  return pair.after ? { ...request, Cursor: cursorOf(request, pair.after[which], use) } : request
}

/** A cursor of the request's own order, where it has one. */
function cursorOf(
  request: TableRequest,
  values: readonly unknown[],
  use: Omit<PageUse, 'request'>,
): string {
  try {
    const bare = { ...request, Filters: [], Parameters: {} }
    const { cursor } = planTable(use.view, bare, use.grant, use.context)
    const all = cursor?.columns.map((_, at) => values[at % values.length] ?? null)
    return writeCursor(cursor?.scope ?? '', all ?? [])
  } catch {
    return 'none'
  }
}

const toRead = (read: SqlRead | undefined) => read && { ...read, own: read.own?.() }

function describe(plan: TablePlan) {
  const { page, count, more, whole, atOnce, source, slots: _, ...rest } = plan
  return {
    ...rest,
    page: toRead(page),
    count: toRead(count),
    more: toRead(more),
    whole: toRead(whole),
    atOnce: toRead(atOnce()),
    from: source.from,
  }
}

function attempt(plan: () => TablePlan): unknown {
  try {
    return describe(plan())
  } catch (error) {
    return String(error)
  }
}

function requireSame(use: Omit<PageUse, 'request'>, request: TableRequest): void {
  const { view, grant, context, bytesMax } = use
  const fresh = attempt(() => planTable(view, request, grant, context, { bytesMax }))
  const given = attempt(() => planPage({ ...use, request }).plan)
  expect(given).toEqual(fresh)
}

const CASES = [
  ['keeper', 'Items'],
  ['guest', 'Items'],
  ['keeper', 'Authored'],
  ['keeper', 'Parts'],
] as const

test.each(CASES)('%s of %s: the values of another request of the shape', async (who, name) => {
  const use = await openUse(who, name)
  fc.assert(
    fc.property(PAIR, (pair) => {
      for (const which of [0, 1, 0] as const) requireSame(use, toRequest(pair, which, use))
    }),
    { numRuns: scaleCases(500) },
  )
})

test('the second request of a shape is planned by the first', async () => {
  const use = await openUse('keeper', 'Items')
  const plan = (Value: string, size = 20) => {
    const Filters = [
      { Field: 'Name', Operator: 'contains', Value },
      { Field: 'At', Operator: 'ge', Value: '2026-11-20T10:00:00Z' },
      { Field: 'Due', Operator: 'lt', Value: '2026-11-20' },
    ]
    return planPage({ ...use, request: { Filters, PageSize: size } }).plan
  }
  const { slots } = plan('abc')
  expect(plan('other').slots).toBe(slots)
  expect(plan('abc', 21).slots).not.toBe(slots)
})

test('the lines of the next parent are planned by those of the first', async () => {
  const use = await openUse('keeper', 'Parts')
  const plan = (ItemId: number) => planPage({ ...use, request: { Parameters: { ItemId } } }).plan
  const { slots } = plan(1)
  expect(plan(2).slots).toBe(slots)
  expect(Object.values(plan(2).page.args)).toContain(2)
})
