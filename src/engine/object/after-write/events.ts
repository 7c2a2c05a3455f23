/**
 * `On` of entities and views, raised from the after-write pass and so by every path of writing. An
 * event of a view is raised for the records that its TableQuery shows, whoever may see them.
 */
import { findAccess } from '../../../access/resource-access.ts'
import type { Entity, Event } from '../../../model/model.ts'
import type { SqlArg, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { EffectScope } from './effect-scope.ts'
import { runEffects } from './effects.ts'
import {
  findSources,
  loadEventRows,
  type EventRow,
  type EventRowsScope,
  type EventSource,
} from './event-rows.ts'
import { formerOf } from '../record/former.ts'
import type { ChangeSource } from '../mutation.ts'
import type { WorkPace } from '../work-pace.ts'
import { addDispatch, takePending, type PendingAction } from './pending-events.ts'
import { companyOf } from '../record/record-values.ts'
import { keyText, rowId, type WrittenRows } from '../record/written-row.ts'
import { CHUNK, inChunks } from '../record/stored-rows.ts'
import { toArg } from '../value.ts'

/** The records of one round of the after-write pass. */
export interface EventsScope {
  tx: Tx
  origin: ChangeSource
  rows: WrittenRows
  /** What all rounds so far have come to. */
  net: WrittenRows
  yielder: WorkPace
}

/** Something that happened to a record. */
interface Occurrence {
  entity: Entity
  key: readonly SqlValue[]
  event: string
  /** For the event of an action: which one of which view. */
  action: PendingAction | undefined
  company: SqlValue
  isGone: boolean
}

const NAMES = { insert: 'created', update: 'updated', delete: 'deleted' } as const

/** Raises what a round has brought; what that changes is the next round's. */
export async function raiseEvents(scope: EventsScope): Promise<void> {
  const occurrences = listOccurrences(scope)
  for (const [entity, list] of Map.groupBy(occurrences, (each) => each.entity)) {
    for (const source of findSources(scope.origin.context.model, entity)) {
      await raiseAt(scope, source, list)
    }
  }
}

function listOccurrences({ tx, origin, rows }: EventsScope): Occurrence[] {
  const { context } = origin
  const { model } = context
  const found: Occurrence[] = []
  for (const { entity, touched, after, changed } of rows.values()) {
    if (findSources(model, entity).length === 0) continue
    if (touched.what === 'update' && changed.length === 0) continue
    const company = companyOf(entity, after ?? touched.before ?? {}, context)
    const event = NAMES[touched.what]
    found.push({ entity, key: touched.key, event, action: undefined, company, isGone: !after })
  }
  for (const action of takePending(tx)) {
    const { entity } = action.view
    if (!entity || findSources(model, entity).length === 0) continue
    const row = rows.get(rowId(entity, action.key))
    const company = row
      ? companyOf(entity, row.after ?? row.touched.before ?? {}, context)
      : action.company
    const isGone = row !== undefined && !row.after
    found.push({ entity, key: action.key, event: action.action, action, company, isGone })
  }
  return found
}

/** Whether an event of a source is what occurred; that of an action is its own view's. */
function isMeant(
  event: Event,
  source: EventSource,
  { action, ...occurrence }: Occurrence,
): boolean {
  if (event.event !== occurrence.event) return false
  return !action || !source.view || source.view === action.view
}

async function raiseAt(
  scope: EventsScope,
  source: EventSource,
  occurrences: readonly Occurrence[],
): Promise<void> {
  const meant = occurrences.filter((each) => source.events.some((on) => isMeant(on, source, each)))
  const groups = Map.groupBy(meant, ({ company, isGone }) => `${company} ${isGone}`)
  for (const group of groups.values()) {
    for (const chunk of inChunks(group)) await raiseChunk(scope, source, chunk)
  }
}

/** Occurrences of one company, all of records that are there or all of such that are gone. */
async function raiseChunk(
  scope: EventsScope,
  source: EventSource,
  chunk: readonly Occurrence[],
): Promise<void> {
  const [first] = chunk
  if (!first) return
  const { tx, origin, yielder } = scope
  const requested: EventRowsScope = {
    tx,
    context: origin.context,
    source,
    company: first.company,
    conditions: source.events.map((event) => event.when),
    gone: first.isGone ? listGone(scope, chunk) : undefined,
  }
  const rows = await loadEventRows(
    requested,
    chunk.map(({ key }) => key),
  )
  for (const occurrence of chunk) {
    const found = rows.get(keyText(occurrence.key))
    if (!found) continue
    for (const [at, event] of source.events.entries()) {
      if (!isMeant(event, source, occurrence) || !found.holds[at]) continue
      await raiseOne(scope, requested, { event, occurrence, found })
      await yielder.yieldWhenDue()
    }
  }
}

/** The rows that are gone: of the source's own entity those of the chunk alone. */
function listGone({ rows }: EventsScope, chunk: readonly Occurrence[]): Map<Entity, SqlRow[]> {
  const own = chunk[0]?.entity
  const ids = new Set(chunk.map(({ entity, key }) => rowId(entity, key)))
  const gone = new Map<Entity, SqlRow[]>()
  for (const [id, { entity, after, touched }] of rows) {
    if (after || !touched.before || (entity === own && !ids.has(id))) continue
    const list = gone.get(entity) ?? []
    gone.set(entity, list)
    if (entity === own || list.length < CHUNK) list.push(touched.before)
  }
  return gone
}

interface Raised {
  event: Event
  occurrence: Occurrence
  found: EventRow
}

/** Runs the effects held to the record's company, whoever's transaction it is. */
async function raiseOne(
  { tx, origin, net }: EventsScope,
  requested: EventRowsScope,
  { event, occurrence, found }: Raised,
): Promise<void> {
  const { source } = requested
  const { entity, key, company } = occurrence
  const { caller, model } = origin.context
  const { view } = source
  const access = view && caller ? findAccess(model, caller, view.resource) : undefined
  // Whose rows hide a field is no matter here: it is told of none of them.
  const sees = (name: string): boolean => !access?.hidden.has(name) && !access?.masked.has(name)
  const reload = async () => (await loadEventRows(requested, [key])).get(keyText(key))?.row
  const scope: EffectScope = {
    tx,
    model,
    context: origin.context,
    owner: source.owner,
    effects: event.effects,
    of: `${source.owner.name}.${event.event}`,
    company,
    reach: 'company',
    values: toValues(source, found.row),
    former: formerOf(net.get(rowId(entity, key))?.touched, found.row),
    row: found.row,
    reload,
    subject: { entity: entity.name, key, company },
    sees: (name) => sees(name.toLowerCase()),
    mayLabel: () => true,
    dispatch: (envelope) => addDispatch(tx, envelope),
  }
  if (typeof company === 'number') await tx.within(company, () => runEffects(scope))
  else await runEffects(scope)
}

function toValues(source: EventSource, row: SqlRow): Map<string, SqlArg> {
  return new Map(
    Object.entries(row).map(([name, value]) => [
      name.toLowerCase(),
      toArg(source.find(name), value),
    ]),
  )
}
