/** Events of a transaction for systems outside of the application. */
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { ChangeSource } from '../mutation.ts'
import type { WrittenRows } from '../record/written-row.ts'

/** Records that were written by one statement, past the after-write pass. */
export interface BulkChange {
  entity: Entity
  /** Undefined: of any company. */
  company: number | undefined
}

/** Something that happened to a record, or was said by an effect. */
export interface OuterEvent {
  /** `created`, `updated`, `deleted`, an action; of an effect its Event. */
  name: string
  /** True when the name is an effect's own, and not one of a view. */
  isNamed: boolean
  entity: Entity | undefined
  /** The view of an action or effect; undefined: each view of the entity. */
  view: View | undefined
  /** In the order of the entity's keys; undefined for an event without a record. */
  key: readonly SqlValue[] | undefined
  company: SqlValue
}

/** Sender of outer events: called at the end of a transaction, and part of it. */
export interface OuterEvents {
  raise(tx: Tx, events: readonly OuterEvent[], origin: ChangeSource | undefined): Promise<void>
}

declare module '../../../store/store.ts' {
  interface TxFacts {
    /** Actions that ran and events of effects, to be told with what has changed. */
    outer?: OuterEvent[]
    bulk?: BulkChange[]
  }
}

/** Has an event told at the end of the transaction. */
export function addOuterEvent({ facts }: Tx, event: OuterEvent): void {
  ;(facts.outer ??= []).push(event)
}

const NAMES = { insert: 'created', update: 'updated', delete: 'deleted' } as const

/** The bulk changes since the last time; a transaction may have several after-write passes. */
export const takeBulk = ({ facts }: Tx): BulkChange[] => facts.bulk?.splice(0) ?? []

/**
 * All of an after-write pass: its changed records, then actions and effects since the last time.
 */
export function takeOuterEvents(
  tx: Tx,
  rows: WrittenRows | undefined,
  bulk: readonly BulkChange[],
): OuterEvent[] {
  const events: OuterEvent[] = []
  for (const { entity, touched, after, changed } of rows?.values() ?? []) {
    if (touched.what === 'update' && changed.length === 0) continue
    const company = entity.company ? (after ?? touched.before)?.[entity.company] : null
    const name = NAMES[touched.what]
    const base = { name, isNamed: false, entity, view: undefined, key: touched.key }
    events.push({ ...base, company: company ?? null })
  }
  return [...events, ...bulk.map(toEvent), ...(tx.facts.outer?.splice(0) ?? [])]
}

/** One event for all records that one statement created, without their keys. */
const toEvent = ({ entity, company }: BulkChange): OuterEvent => ({
  name: 'created',
  isNamed: false,
  entity,
  view: undefined,
  key: undefined,
  company: company ?? null,
})

/** Records of an entity were written by one statement, past the after-write pass. */
export function noteBulk(tx: Tx, { entity, company }: BulkChange): void {
  const known = (tx.facts.bulk ??= [])
  const isKnown = known.some((each) => each.entity === entity && each.company === company)
  if (!isKnown) known.push({ entity, company })
}
