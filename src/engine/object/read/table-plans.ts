/** Plans of grids' pages, with the cache keys of their answers. */
import type { Grant } from '../../../access/grant.ts'
import { Lru } from '../../../kernel/lru.ts'
import type { Context } from '../context.ts'
import type { QueryCache } from './query-cache.ts'
import type { TableRequest } from '../schema.ts'
import { planTable, type TablePlan } from './table.ts'
import type { ViewAccess } from '../view-access.ts'

/** A request of a grid's page. */
export interface TableAccess extends ViewAccess<QueryCache> {
  request: TableRequest
}

/** A plan with the cache key of its answer. */
export interface CachedPlan extends TablePlan {
  key: string | undefined
  /** The minute of the clock that it was made for; undefined where it did not ask for the time. */
  minute?: number | undefined
}

const MINUTE_MS = 60_000

/**
 * Plans are made of the grant and the request, and of the day and the offset of the caller's zone,
 * which change with a minute. What names the instant itself has no key and is planned each time.
 */
const plans = new Lru<string, CachedPlan>(2 * 1024 * 1024)
const REQUEST_CHARACTERS_MAX = 1000

const numbers = new WeakMap<Grant, number>()
let next = 0

/** The plan of a page, with the cache key of its answer. @throws invalid as `planTable` does. */
export function findPlan(access: TableAccess): CachedPlan {
  const { reader, view, request, grant, context } = access
  const asked = JSON.stringify(request)
  const mayKeep = asked.length <= REQUEST_CHARACTERS_MAX
  const name = `${numberOf(grant)} ${view.name} ${asked}`
  const minute = Math.floor(context.now.getTime() / MINUTE_MS)
  const known = mayKeep ? plans.find(name) : undefined
  if (known && (known.minute ?? minute) === minute) return known
  const clock = watchClock(context)
  const planned = planTable(view, request, grant, clock.context, {
    bytesMax: reader.answerBytesMax,
  })
  const key = planKey(reader, planned)
  const plan = { ...planned, key, minute: clock.wasAsked ? minute : undefined }
  if (mayKeep && key !== undefined) plans.keep(name, plan, name.length + plan.page.sql.length)
  return plan
}

function numberOf(grant: Grant): number {
  const known = numbers.get(grant)
  if (known !== undefined) return known
  numbers.set(grant, ++next)
  return next
}

/** The same context, which tells whether its instant was asked for. */
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

/** The page's statement says its rows; the rest is what else goes into the answer. */
function planKey(reader: QueryCache, plan: TablePlan): string | undefined {
  const page = reader.keyOf(plan.page)
  return page && `${plan.countMode} ${plan.number} ${plan.cursorScope ?? ''} ${page}`
}
