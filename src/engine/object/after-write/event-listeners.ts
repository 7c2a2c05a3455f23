/**
 * Events for code beside the model: the events of a transaction are written as jobs for the
 * listeners, in the same transaction.
 */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Model } from '../../../model/model.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { enqueueJob } from '../../jobs/enqueue.ts'
import { ownerIn } from '../../jobs/job.ts'
import type { Pass } from './corrections.ts'
import type { PendingAction } from './pending-events.ts'
import { visibleFields } from '../read/projection.ts'
import { findSource } from '../read/source.ts'
import { companyOf } from '../record/record-values.ts'
import { rowId, toKey } from '../record/written-row.ts'
import { toWire } from '../value.ts'

/** A listener for an event of an entity's records. */
export interface EventListener {
  /** The name of its jobs. */
  job: string
  queue: string
  attempts: number | undefined
  /** Under which it knows the records; undefined for a listener to all views. */
  view: View | undefined
  /** created, updated, deleted or the name of an action, in lower case; `*`: every one. */
  event: string
}

/** All listeners of an entity. */
export type FindListeners = (model: Model, entity: Entity) => readonly EventListener[]

/** Input of a listener's job. */
interface HeardEvent {
  Entity: string
  /** Name of the view; null for a listener to all. */
  Object: string | null
  /** created, updated, deleted or the name of an action. */
  Action: string
  /** Key of each record, in the order of the entity's keys. */
  Keys: (string | number | null)[][]
  /** Deleted records as they were, with the fields that the user who deleted them saw. */
  Values: (Record<string, unknown> | null)[] | null
  /** Length of the chain of events that led to it. */
  Depth: number
}

/** Records that one job tells of. */
const RECORDS_MAX = 100

/** Events that lead to each other, one from the other; in a transaction as well as over jobs. */
export const EVENT_DEPTH_MAX = 20

/** The code of a 400 for events that raise each other without end. */
export const EVENTS_ENDLESS = 'EVENTS_ENDLESS'

/** Refusal of events whose changes raise events again without an end. */
export const endlessEvents = () =>
  invalid(say`The events of this change trigger each other more than ${EVENT_DEPTH_MAX} times`, {
    code: EVENTS_ENDLESS,
  })

/** Something that happened to a record. */
interface Occurrence {
  entity: Entity
  key: readonly SqlValue[]
  action: string
  /** The view of the event of an action. */
  view: View | undefined
  company: SqlValue
  /** The row of a removed record. */
  before: SqlRow | undefined
}

const NAMES = { insert: 'created', update: 'updated', delete: 'deleted' } as const

/** Event listeners, one for a server; none before `listen`. */
export class EventListeners {
  #find: FindListeners = () => []

  listen(find: FindListeners): void {
    this.#find = find
  }

  /** True when an entity has listeners. */
  isHeard(model: Model, entity: Entity): boolean {
    return this.#find(model, entity).length > 0
  }

  /** Enqueues the jobs of listeners for the events and actions of a pass. */
  async raise(pass: Pass, actions: readonly PendingAction[]): Promise<void> {
    const { model } = pass.context
    const all = listOccurrences(pass, actions)
    for (const [entity, own] of Map.groupBy(all, (each) => each.entity))
      for (const listener of this.#find(model, entity)) {
        const heard = own.filter((each) => isMeant(listener, each))
        const groups = Map.groupBy(heard, ({ action, company }) => `${action} ${company}`)
        for (const group of groups.values())
          for (let at = 0; at < group.length; at += RECORDS_MAX)
            await tell(pass, listener, group.slice(at, at + RECORDS_MAX))
      }
  }
}

function listOccurrences({ context, net }: Pass, actions: readonly PendingAction[]): Occurrence[] {
  const found: Occurrence[] = []
  for (const { entity, touched, after, changed } of net.values()) {
    const { key, what, before } = touched
    if (what === 'update' && changed.length === 0) continue
    const company = companyOf(entity, after ?? before ?? {}, context)
    const removed = after ? undefined : before
    found.push({
      entity,
      key,
      company,
      action: NAMES[what],
      view: undefined,
      before: removed,
    })
  }
  for (const { view, key, action, company } of actions) {
    const { entity } = view
    if (!entity) continue
    const row = net.get(rowId(entity, key))
    if (row && !row.after) continue
    found.push({ entity, key, company, action, view, before: undefined })
  }
  return found
}

/** The event of an action is that of its own view. */
function isMeant({ event, view }: EventListener, occurrence: Occurrence): boolean {
  if (event !== '*' && event !== occurrence.action.toLowerCase()) return false
  return !view || !occurrence.view || view === occurrence.view
}

/** Writes the jobs of one listener, as work of the caller who caused the event. */
async function tell(
  { tx, context, origin }: Pass,
  { job, queue, attempts, view }: EventListener,
  group: readonly Occurrence[],
): Promise<void> {
  const [first] = group
  if (!first) return
  const depth = (origin.eventDepth ?? 0) + 1
  if (depth > EVENT_DEPTH_MAX) throw endlessEvents()
  const { caller } = context
  const event: HeardEvent = {
    Entity: first.entity.name,
    Object: view?.name ?? null,
    Action: first.action,
    Keys: group.map(({ key }) => key.map(toKey)),
    Values:
      first.before && view ? group.map(({ before }) => valuesOf(view, before, context)) : null,
    Depth: depth,
  }
  await enqueueJob(tx, {
    name: job,
    arguments: { ...event },
    owner: ownerIn(
      caller,
      typeof first.company === 'number' ? first.company : (caller?.companyId ?? null),
    ),
    source: origin.source,
    now: context.now,
    queue,
    attemptsMax: attempts,
  })
}

/**
 * A removed record as its remover saw it. Whether a row filter reached it cannot be told when it is
 * gone: who has one, and the engine, see nothing of it.
 */
function valuesOf(
  view: View,
  before: SqlRow | undefined,
  { caller, model }: Pass['context'],
): Record<string, unknown> | null {
  const grant = caller && Grant.find(caller, model, view.resource, 'View')
  if (!grant || !before || findSource(view, grant, 'read').filter !== '') return null
  const { masked } = grant.access
  const shown = visibleFields(view, grant, 'Form').filter(
    ({ name, column }) => column?.kind === 'declared' && !masked.has(name.toLowerCase()),
  )
  return Object.fromEntries(
    shown.map((field) => [field.name, toWire(field, before[field.column?.name ?? ''] ?? null)]),
  )
}

/** Actions that wait to be raised; listeners get these as well. */
export const listPending = ({ facts }: Tx): readonly PendingAction[] => [...(facts.raised ?? [])]
