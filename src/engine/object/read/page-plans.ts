/**
 * Plans of pages, kept by the parts that requests share: fields, operators, sort, columns, size of
 * the page. The next request of that shape has its values bound, and nothing planned.
 */
import { Lru } from '../../../kernel/lru.ts'
import type { SqlArg, SqlRead } from '../../../store/sql.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { type Context, isContextName } from '../context.ts'
import { isBindable, readCursor } from './cursor.ts'
import { namesInstant } from './query-cache.ts'
import { readShape, type RequestShape } from './request-shape.ts'
import { findSource } from './source.ts'
import { planTable, type TablePlan } from './table.ts'
import type { TableRequest } from '../schema.ts'
import type { ViewUse } from '../view-access.ts'

/** A request of a grid's page, and `Svc:Results:MaxBytes`. */
export interface PageUse extends ViewUse {
  request: TableRequest
  bytesMax: number
}

/** A plan and how long it is good. */
export interface TimedPlan {
  plan: TablePlan
  /** The minute of the clock that it was made for; undefined where it did not ask for the time. */
  minute: number | undefined
}

const MINUTE_MS = 60_000

const minuteOf = ({ now }: Context): number => Math.floor(now.getTime() / MINUTE_MS)

/** Tells whether a plan is still current. */
export const isOfNow = ({ minute }: TimedPlan, context: Context): boolean =>
  minute === undefined || minute === minuteOf(context)

/**
 * Plans are made of the grant and the request, and of the day and the offset of the caller's zone,
 * which change with a minute. A request that names the instant itself is planned each time.
 */
const shapes = new Lru<string, TimedPlan>(2 * 1024 * 1024)
const SHAPE_CHARACTERS_MAX = 1000

/** The plan of a page. @throws invalid as `planTable` does. */
export function planPage(use: PageUse): TimedPlan {
  const shape = takesParameters(use) ? undefined : readShape(use.request)
  if (!shape || shape.key.length > SHAPE_CHARACTERS_MAX) return planAnew(use)
  const { grant, view, bytesMax, context, request } = use
  const name = `${numberOf(grant)} ${bytesMax} ${view.name} ${shape.key}`
  const known = shapes.find(name)
  if (known && isOfNow(known, context)) {
    const plan = fill(known.plan, shape, request)
    if (plan) return { plan, minute: known.minute }
  }
  const planned = planAnew(use)
  const { plan } = planned
  if (plan.slots.filters.length === shape.values.length && !namesInstant(plan.page.args))
    shapes.keep(name, planned, name.length + plan.page.sql.length)
  return planned
}

/** Tells whether a value of the request may be used elsewhere than in narrowing the rows. */
const takesParameters = ({ view, grant }: PageUse): boolean =>
  view.parameters.size > 0 ||
  !findSource(view, grant, 'read').names.every((name) => isContextName(name, grant.model))

function planAnew({ view, request, grant, context, bytesMax }: PageUse): TimedPlan {
  const clock = watchClock(context)
  const plan = planTable(view, request, grant, clock.context, { bytesMax })
  return { plan, minute: clock.wasAsked ? minuteOf(context) : undefined }
}

const numbers = new WeakMap<Grant, number>()
let next = 0

/** Returns the number that tells a grant apart in a key. */
export function numberOf(grant: Grant): number {
  return numbers.getOrInsertComputed(grant, () => ++next)
}

/** Wraps a context, to note whether its instant was read. */
function watchClock(context: Context): { context: Context; readonly wasAsked: boolean } {
  let wasAsked = false
  const watched: Context = {
    ...context,
    get now() {
      wasAsked = true
      return context.now
    },
  }
  return {
    context: watched,
    get wasAsked() {
      return wasAsked
    },
  }
}

type Given = Record<string, SqlArg | undefined>

/**
 * A plan with the values of another request of its shape; undefined where one of them asks for
 * another statement, or fits nothing. @throws invalid for a cursor that is not the grid's
 */
function fill(
  plan: TablePlan,
  { values }: RequestShape,
  { Cursor }: TableRequest,
): TablePlan | undefined {
  const given: Given = {}
  for (const [at, { names, bind }] of plan.slots.filters.entries()) {
    const bound = bind(values[at])
    if (bound === undefined) return undefined
    for (const [place, name] of names.entries()) given[name] = bound[place]
  }
  const { count, more, page } = plan
  const counted = count && withArgs(count, given)
  if (Cursor && !fillCursor(plan, Cursor, given)) return undefined
  const filled = withArgs(page, given)
  return {
    ...plan,
    page: filled,
    count: counted,
    more: withArgs(more, given),
    atOnce: () => ({ ...plan.atOnce(), args: filled.args }),
  }
}

const withArgs = (read: SqlRead, given: Given): SqlRead => ({
  ...read,
  args: { ...read.args, ...given },
})

/** False where a value asks for another statement: see `AfterCursor`. */
function fillCursor({ cursor, slots }: TablePlan, text: string, given: Given): boolean {
  const after = readCursor(text, cursor?.scope, cursor?.columns.length ?? 0)
  for (const [at, value] of after.entries()) {
    const slot = slots.after[at]
    if (slot === undefined) return false
    if (typeof slot !== 'string') {
      if (slot.value !== value) return false
    } else if (isBindable(value)) given[slot] = value
    else return false
  }
  return true
}
