/** Tells a follower which records a transaction changes: before its commit, and after it. */
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import {
  type BulkChange,
  noteBulk,
  type OuterEvents,
  takeBulk,
  takeOuterEvents,
} from './outer-events.ts'
import type { WrittenRows } from '../record/written-row.ts'

/** A record that a transaction has changed; one that goes to another company changes in both. */
export interface RecordChange {
  entity: Entity
  key: readonly SqlValue[]
  what: 'insert' | 'update' | 'delete'
  /** Undefined: of every company. */
  company: number | undefined
}

/** A follower of changed records. */
export interface RecordFollower {
  /** Tells whether records of an entity are of interest; asked before any work is done for them. */
  follows(entity: Entity): boolean
  /**
   * Called at the end of a transaction, while readers see the records as they were. What it gives
   * is called after the commit, and never where the transaction fails. The writer waits for it.
   */
  prepare(changes: readonly RecordChange[], bulk: readonly BulkChange[]): Promise<() => void>
}

/** Changes of a part of a transaction, which the transaction tells with those of its others. */
export interface GatheredChanges {
  changes: RecordChange[]
  bulk: BulkChange[]
}

declare module '../../../store/store.ts' {
  interface TxFacts {
    /** Of a part: takes what its followers would be told. */
    gathered?: GatheredChanges
    /** Of a transaction: what its parts have gathered. */
    untold?: GatheredChanges
  }
}

/** Changes of records, one for a server; sent to none before `follow` and `addOuter`. */
export class RecordChanges {
  #follower: RecordFollower | undefined
  readonly #outer: OuterEvents[] = []

  /** Adds a receiver of the events that leave the server. */
  addOuter(outer: OuterEvents): void {
    this.#outer.push(outer)
  }

  follow(follower: RecordFollower): void {
    this.#follower = follower
  }

  /** To be called at the end of each transaction that changed records. */
  async prepare(tx: Tx, rows: WrittenRows | undefined): Promise<void> {
    if (tx.facts.origin?.history) noteHistory(tx, rows)
    const allBulk = takeBulk(tx)
    await this.#raiseOuter(tx, rows, allBulk)
    const follower = this.#follower
    if (!follower) return
    const changes: RecordChange[] = []
    const single = tx.facts.origin?.history ? undefined : rows
    for (const { entity, touched, after, changed } of single?.values() ?? []) {
      const { key, what, before } = touched
      const isChange = what !== 'update' || changed.length > 0
      if (!isChange || !follower.follows(entity)) continue
      for (const company of listCompanies(entity, before, after))
        changes.push({ entity, key, what, company })
    }
    const bulk = allBulk.filter(({ entity }) => follower.follows(entity))
    const { gathered, untold } = tx.facts
    if (gathered) {
      gathered.changes.push(...changes)
      gathered.bulk.push(...bulk)
      return
    }
    changes.push(...(untold?.changes.splice(0) ?? []))
    bulk.push(...(untold?.bulk.splice(0) ?? []))
    if (changes.length === 0 && bulk.length === 0) return
    tx.afterCommit(await follower.prepare(changes, bulk))
  }

  /** Raises outer events; changes to history raise none. */
  async #raiseOuter(tx: Tx, rows: WrittenRows | undefined, bulk: readonly BulkChange[]) {
    const { origin } = tx.facts
    if (origin?.history || this.#outer.length === 0) return
    const events = takeOuterEvents(tx, rows, bulk)
    for (const outer of this.#outer) await outer.raise(tx, events, origin)
  }
}

/** Clients learn of history only that rows have changed, so that they read them again. */
function noteHistory(tx: Tx, rows: WrittenRows | undefined): void {
  for (const { entity, touched, after } of rows?.values() ?? [])
    for (const company of listCompanies(entity, touched.before, after))
      noteBulk(tx, { entity, company })
}

/** Companies that a record belonged and belongs to; undefined: every company. */
function listCompanies(
  { company: name }: Entity,
  ...rows: readonly (SqlRow | undefined)[]
): Iterable<number | undefined> {
  const cells = rows.flatMap((row) => (row && name !== undefined ? [row[name]] : []))
  const companies = new Set(cells.map((cell) => (typeof cell === 'number' ? cell : undefined)))
  return companies.size > 0 ? companies : [undefined]
}
