/** The match that a migration is planned from: each wanted table with its stored origin. */
import type { Column, Entity } from '../compiled/entity.ts'
import type { ColumnSchema } from './column-schema.ts'
import type { TableSchema } from './table-schema.ts'
import type { Diagnostic } from '../parse/element.ts'

/** A table as the last deploy left it. */
export interface StoredTable extends TableSchema {
  /** True when its SQL differs from what the last deploy left: it is then rebuilt. */
  isDrifted: boolean
}

export interface ColumnMatch {
  column: Column
  wanted: ColumnSchema
  stored: ColumnSchema | undefined
  /** A reference whose rows get a new key: the table that maps their old keys to the new ones. */
  follows: string | undefined
  /** True when it becomes a reference in the deploy that gives the other rows a new key. */
  isAmbiguous: boolean
}

export interface TableMatch {
  entity: Entity
  wanted: TableSchema
  stored: StoredTable | undefined
  columns: readonly ColumnMatch[]
  removed: readonly ColumnSchema[]
  /** Set where the stored rows get another key. */
  keyChange: KeyChange | undefined
}

export interface SchemaMatch {
  tables: readonly TableMatch[]
  /** Stored tables whose entity is removed. */
  removed: readonly StoredTable[]
  /** Tables whose rows get another key, each after the tables that its own key refers to. */
  rekeyed: readonly TableMatch[]
  faults: readonly Diagnostic[]
}

/** A table of old and new keys, by `oldKey` and `newKey`, that exists while a deploy runs. */
interface KeyChange {
  table: string
  /** The stored key columns, in their order. */
  stored: readonly ColumnSchema[]
}

/** Column of a map of keys, as SQL. It holds a dot, as no column of the model does. */
export const oldKey = (at: number): string => `".o${at}"`
/** Returns the same as `oldKey`, for the key that the deploy gives. */
export const newKey = (at: number): string => `".n${at}"`
