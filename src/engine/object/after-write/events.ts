/**
 * `On` of entities and views, raised from the after-write pass and so by every path of writing. An
 * event of a view is raised for the records that its TableQuery shows, regardless of who may see
 * them.
 */
import type { SqlArg, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Event } from '../../../model/compiled/effect.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import { findAccess } from '../../../access/rights/resource-access.ts'
import type { Round } from './corrections.ts'
import { type EffectRun, runEffects } from './effects.ts'
import {
  type EventQuery,
  type EventRow,
  type EventSource,
  findSources,
  holdsAny,
  listFormer,
  loadEventRows,
} from './event-rows.ts'
import { addOuterEvent } from './outer-events.ts'
import { type PendingAction, takePending } from './pending-events.ts'
import { companyOf, type Former, formerOf } from '../record/record-values.ts'
import { CHUNK, inChunks } from '../record/stored-rows.ts'
import { keyText, rowId } from '../record/written-row.ts'
import { toArg } from '../value.ts'

/** Something that happened to a record. */
interface Occurrence {
  entity: Entity
  key: readonly SqlValue[]
  event: string
  /** For the event of an action: which one of which view. */
  action: PendingAction | undefined
  company: SqlValue
  isRemoved: boolean
  /** Names of the columns that moved. */
  changed: readonly string[]
  /** True when an event's effect changed the record, which an earlier round has raised. */
  isFurther: boolean
}

const NAMES = { insert: 'created', update: 'updated', delete: 'deleted' } as const

/** Raises the events of a round; the changes they cause are the next round's. */
export async function raiseEvents(round: Round): Promise<void> {
  const occurrences = listOccurrences(round)
  for (const [entity, list] of Map.groupBy(occurrences, (each) => each.entity)) {
    for (const source of findSources(round.context.model, entity)) {
      await raiseAt(round, source, list)
    }
  }
}

function listOccurrences({ tx, context, rows, net }: Round): Occurrence[] {
  const { model } = context
  const found: Occurrence[] = []
  for (const [id, row] of rows) {
    const { entity, touched, after, changed } = row
    const isFurther = net.get(id) !== row
    if (findSources(model, entity).length === 0) continue
    if (touched.what === 'update' && changed.length === 0) continue
    const company = companyOf(entity, after ?? touched.before ?? {}, context)
    const event = NAMES[touched.what]
    const { key } = touched
    const what = { entity, key, event, action: undefined, company }
    found.push({ ...what, isRemoved: !after, changed, isFurther })
  }
  for (const action of takePending(tx)) {
    const { entity } = action.view
    const outer = { name: action.action, isNamed: false, entity, view: action.view }
    addOuterEvent(tx, { ...outer, key: action.key, company: action.company })
    if (!entity || findSources(model, entity).length === 0) continue
    const row = rows.get(rowId(entity, action.key))
    const company = row
      ? companyOf(entity, row.after ?? row.touched.before ?? {}, context)
      : action.company
    const isRemoved = row !== undefined && !row.after
    const { key, action: event } = action
    const changed = row?.changed ?? []
    found.push({ entity, key, event, action, company, isRemoved, changed, isFurther: false })
  }
  return found
}

/** Tells whether an event of a source is what occurred; that of an action is its own view's. */
function isMeant(
  event: Event,
  source: EventSource,
  { action, ...occurrence }: Occurrence,
): boolean {
  if (event.event !== occurrence.event) return false
  const hasMoved = (name: string): boolean => occurrence.changed.includes(name)
  if (event.changed && !event.changed.some(hasMoved)) return false
  // A condition on what was before held in the round of that change, and is not told of it twice.
  const former = occurrence.isFurther ? listFormer(source, event) : []
  if (former.length > 0 && !former.some(hasMoved)) return false
  return !action || !source.view || source.view === action.view
}

async function raiseAt(
  round: Round,
  source: EventSource,
  occurrences: readonly Occurrence[],
): Promise<void> {
  const meant = occurrences.filter((each) => source.events.some((on) => isMeant(on, source, each)))
  const groups = Map.groupBy(meant, ({ company, isRemoved }) => `${company} ${isRemoved}`)
  for (const group of groups.values()) {
    for (const chunk of inChunks(group)) await raiseChunk(round, source, chunk)
  }
}

/** Occurrences of one company, all of records that are there or all of removed ones. */
async function raiseChunk(
  round: Round,
  source: EventSource,
  chunk: readonly Occurrence[],
): Promise<void> {
  const [first, ...others] = chunk
  if (!first) return
  if (source.looksBack && others.length > 0) {
    for (const one of chunk) await raiseChunk(round, source, [one])
    return
  }
  const query: EventQuery = {
    source,
    company: first.company,
    removed: first.isRemoved ? listRemoved(round, chunk) : undefined,
    former: source.looksBack ? findFormerOf(round, first) : undefined,
  }
  const keys = chunk.map(({ key }) => key)
  if (keys.length === 1 && !query.removed) {
    const meant = source.events.filter((event) => isMeant(event, source, first))
    if (!(await holdsAny(round, query, first.key, meant))) return
  }
  const rows = await loadEventRows(round, query, keys)
  for (const occurrence of chunk) {
    const found = rows.get(keyText(occurrence.key))
    if (!found) continue
    for (const [at, event] of source.events.entries()) {
      if (!isMeant(event, source, occurrence) || !found.holds[at]) continue
      await raiseOne(round, query, { event, occurrence, found })
      await round.yielder.yieldWhenDue()
    }
  }
}

/** Finds a record as it was before the mutation. */
function findFormerOf({ net }: Round, { entity, key }: Occurrence): Former | undefined {
  const row = net.get(rowId(entity, key))
  return row && formerOf(row.touched, row.after)
}

/** The removed rows: of the source's own entity those of the chunk alone. */
function listRemoved({ rows }: Round, chunk: readonly Occurrence[]): Map<Entity, SqlRow[]> {
  const own = chunk[0]?.entity
  const ids = new Set(chunk.map(({ entity, key }) => rowId(entity, key)))
  const removed = new Map<Entity, SqlRow[]>()
  for (const [id, { entity, after, touched }] of rows) {
    if (after || !touched.before || (entity === own && !ids.has(id))) continue
    const list = removed.get(entity) ?? []
    removed.set(entity, list)
    if (entity === own || list.length < CHUNK) list.push(touched.before)
  }
  return removed
}

interface Raised {
  event: Event
  occurrence: Occurrence
  found: EventRow
}

/** Runs the effects held to the record's company, in any transaction. */
async function raiseOne(
  round: Round,
  query: EventQuery,
  { event, occurrence, found }: Raised,
): Promise<void> {
  const { tx, context, net } = round
  const { source } = query
  const { entity, key, company } = occurrence
  const { caller, model } = context
  const { view } = source
  const access = view && caller ? findAccess(model, caller, view.resource) : undefined
  // Rows that hide a field do not matter here: no envelope names what one of them hides.
  const sees = (name: string): boolean => !access?.hidden.has(name) && !access?.masked.has(name)
  const reload = async () => (await loadEventRows(round, query, [key])).get(keyText(key))?.row
  const run: EffectRun = {
    tx,
    context,
    owner: source.owner,
    effects: event.effects,
    of: `${source.owner.name}.${event.event}`,
    company,
    shadowScope: 'company',
    values: toValues(source, found.row),
    former: formerOf(net.get(rowId(entity, key))?.touched, found.row),
    row: found.row,
    reload,
    subject: { entity: entity.name, key, company },
    sees: (name) => sees(name.toLowerCase()),
    mayLabel: () => true,
    moveInstance: round.moveInstance,
  }
  if (typeof company === 'number') await tx.within(company, () => runEffects(run))
  else await runEffects(run)
}

function toValues(source: EventSource, row: SqlRow): Map<string, SqlArg> {
  return new Map(
    Object.entries(row).map(([name, value]) => [
      name.toLowerCase(),
      toArg(source.find(name), value),
    ]),
  )
}
