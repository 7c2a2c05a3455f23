/**
 * The badges of a caller, computed together: each is cached by its statement, its values and the
 * versions of its tables, so that an unchanged one costs nothing, whichever caller asks.
 */
import { Failure } from '../../kernel/failure.ts'
import type { Log } from '../../kernel/log.ts'
import { Lru } from '../../kernel/lru.ts'
import type { Settings } from '../../kernel/settings.ts'
import type { SqlRead } from '../../store/sql.ts'
import { type CurrentModel, isReplaced } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { NAVBAR_BADGE_TIMEOUT } from '../floor.ts'
import { type BadgeStatement, bindBadge, parseBadge } from './badge-statement.ts'
import { findNavigation, type NavigationEngine } from './navigation.ts'
import type { NavbarBadges } from './schema.ts'
import { newContext } from '../object/context.ts'
import { type TableSet, toTableSet } from '../object/read/table-set.ts'

/** The parts that badges are computed with. */
interface BadgeEngine extends NavigationEngine {
  readonly models: CurrentModel
  readonly settings: Settings
  readonly log: Log
}

/** A badge as it is read now. */
interface BoundBadge {
  badge: BadgeStatement
  read: SqlRead
}

/** The engine that badges are read from, and the model they were planned with. */
interface Planned {
  engine: BadgeEngine
  model: Model
}

/** The text of a badge that is left out. */
const LEFT_OUT = ''

/**
 * The badges of the items that show for a caller, all of one state of the data. One that fails or
 * takes longer than `Svc:Navbar:BadgeTimeout` is left out, and the log says why. Rejects where one
 * fails because a deploy has replaced the model in between.
 */
export async function loadBadges(
  engine: BadgeEngine,
  caller: Caller,
  model: Model = engine.models.get(),
): Promise<NavbarBadges> {
  const { badges } = await findNavigation(engine, { caller, model })
  const context = newContext(engine, caller, model)
  const bound = badges.map((badge) => ({ badge, read: bindBadge(badge, context) }))
  const texts = await readTogether({ engine, model }, bound)
  const found: NavbarBadges = {}
  for (const [at, { name, kind }] of badges.entries()) {
    const text = texts[at] ?? LEFT_OUT
    const value = text === LEFT_OUT ? undefined : parseBadge(kind, text)
    if (value !== undefined) found[name] = { Kind: kind, Value: value }
  }
  return found
}

/** Causes for a caller's badges to change. */
interface BadgeCauses {
  /** The tables that they read. */
  tables: TableSet
  /** True when a badge names the day or the instant. */
  isTimed: boolean
}

const TIMED = new Set(['Now', 'Today', 'MonthStart', 'YearStart', 'UtcOffsetMinutes'])

/** Describes the changes on which a caller's badges depend. */
export async function describeBadges(
  engine: BadgeEngine,
  caller: Caller,
  model: Model = engine.models.get(),
): Promise<BadgeCauses> {
  const { tables, badges } = await findNavigation(engine, { caller, model })
  return { tables, isTimed: badges.some(({ names }) => names.some((name) => TIMED.has(name))) }
}

/**
 * Reads badges side by side through the cache; where a commit came between, reads those that were
 * done in time again in one snapshot, which all callers of that moment share.
 */
async function readTogether(planned: Planned, bound: readonly BoundBadge[]): Promise<string[]> {
  const { queryCache } = planned.engine
  const whole = toTableSet(bound.flatMap(({ badge }) => badge.tables))
  const before = queryCache.versionsOf(whole)
  const texts = await Promise.all(bound.map((each) => readOne(planned, each)))
  if (bound.length <= 1 || queryCache.holds(before)) return texts
  const isThere = (at: number): boolean => texts[at] !== LEFT_OUT
  const there = bound.filter((_, at) => isThere(at))
  const keys = there.map(({ read }) => queryCache.keyOf(read))
  const key = keys.includes(undefined) ? undefined : `badges ${keys.join(' ')}`
  const versions = queryCache.versionsOf(whole)
  const load = (): Promise<string> => readSnapshot(planned, there)
  try {
    const again = JSON.parse(
      await queryCache.answer(key, versions, load, { area: 'badges' }),
    ) as string[]
    const next = again.values()
    return texts.map((text, at) => (isThere(at) ? (next.next().value ?? LEFT_OUT) : text))
  } catch (failure) {
    await requireSameModel(planned, failure)
    // Each badge is exact for a moment of its own, which is better than none.
    return texts
  }
}

async function readSnapshot(planned: Planned, bound: readonly BoundBadge[]): Promise<string> {
  const name = ['badges', ...bound.map(({ read }) => read.sql)].join('\n')
  const texts = await planned.engine.store.snapshot(name, async (reader) => {
    const found: string[] = []
    for (const each of bound)
      found.push(await runBadge(planned, each, () => reader.text(each.read)))
    return found
  })
  return JSON.stringify(texts)
}

/** Instants until which a late badge is not tried again, by `restKey`. */
const resting = new WeakMap<BadgeEngine['queryCache'], Lru<string, number>>()
const RESTING_MAX = 1000
const REST_MS = 60_000

async function readOne(planned: Planned, each: BoundBadge): Promise<string> {
  const { queryCache, store, settings } = planned.engine
  const rests = resting.getOrInsertComputed(queryCache, () => new Lru<string, number>(RESTING_MAX))
  const key = restKey(each)
  if ((rests.find(key) ?? 0) > performance.now()) return LEFT_OUT
  const run = (): Promise<string> => {
    const milliseconds = settings.get(NAVBAR_BADGE_TIMEOUT)
    const deadline = { setting: NAVBAR_BADGE_TIMEOUT.name, milliseconds }
    return runBadge(planned, each, () => store.text({ ...each.read, deadline }))
  }
  const { tables } = each.badge
  const versions = queryCache.versionsOf(tables)
  try {
    return await queryCache.answer(queryCache.keyOf(each.read), versions, run, { area: 'badges' })
  } catch (failure) {
    await requireSameModel(planned, failure)
    if (isLate(failure)) rests.keep(key, performance.now() + REST_MS)
    return LEFT_OUT
  }
}

/** @throws the failure where a deploy has changed the tables in between: all is planned again */
async function requireSameModel({ engine, model }: Planned, failure: unknown): Promise<void> {
  if (await isReplaced(engine, model)) throw failure
}

/** The instant would make each try another one. */
const restKey = ({ read }: BoundBadge): string =>
  `${read.sql}\n${JSON.stringify({ ...read.args, Now: null })}`

/** The text of a badge; it is left out where its rows are at fault. @throws other failures */
async function runBadge(
  planned: Planned,
  { badge: { name, kind } }: BoundBadge,
  read: () => Promise<string>,
): Promise<string> {
  const { log } = planned.engine
  try {
    const text = await read()
    if (parseBadge(kind, text) !== undefined) return text
    log.warn('a badge is left out', { item: name, reason: 'its query gives no number' })
  } catch (failure) {
    await requireSameModel(planned, failure)
    const reason = failure instanceof Error ? failure.message : String(failure)
    log.warn('a badge is left out', { item: name, reason })
    if (!isOfRows(failure)) throw failure
  }
  return LEFT_OUT
}

/** True for a failure that the same rows would cause again. */
const isOfRows = (failure: unknown): boolean =>
  failure instanceof Failure &&
  (failure.kind === 'invalid' || failure.kind === 'validation') &&
  failure.code !== 'SQL_TIMEOUT'

const isLate = (failure: unknown): boolean =>
  failure instanceof Failure && failure.code === 'SQL_TIMEOUT'
