/** An entity: its columns, computed ones among them, indexes and sequences. */
import type { AuthoredSql } from './authored-sql.ts'
import type { Event } from './effect.ts'
import type { FieldFeatures } from './field-features.ts'
import type { Validate } from './validate.ts'
import type { ModelText } from '../model-text.ts'
import type { Place } from '../parse/element.ts'
import type { SequencePeriod } from '../sequence-periods.ts'

/** `declared` by the author, or the engine's: the `stamp` RowVersion, four `tracking` columns. */
type ColumnKind = 'declared' | 'stamp' | 'tracking'

export interface Column extends FieldFeatures {
  kind: ColumnKind
  key: boolean
  identity: boolean
  unique: boolean
  onDelete: 'Restrict' | 'Cascade' | 'SetNull'
  sequence: string | undefined
  compute: Compute | undefined
  was: string | undefined
  /** The source of stored rows' values: an expression over the row, or a query asked for each. */
  fill: { kind: 'expression' | 'query'; sql: string; place: Place } | undefined
}

/** The query of a computed column, and which written records make it run again. */
interface Compute {
  sql: AuthoredSql
  /** Names of entities. */
  from: readonly string[]
  links: readonly ComputeLink[]
}

/**
 * A link from a written record of a From entity to the records whose column it may change: the one
 * that its own column refers to (`child`), the ones that refer to it (`parent`), or, without a
 * reference between them that the query names, every record of the company (`all`).
 */
export type ComputeLink =
  { kind: 'child' | 'parent'; entity: string; column: string } | { kind: 'all'; entity: string }

/** A computed column with its entity. */
export interface ComputedColumn {
  entity: Entity
  column: Column
  compute: Compute
}

export interface Index {
  columns: readonly string[]
  unique: boolean
  where: string | undefined
  place: Place
}

export interface Sequence {
  name: string
  format: string
  reset: SequencePeriod
  perCompany: boolean
  /** The first number where no column holds one. */
  start: number
  was: string | undefined
}

/** An entity: a table. */
export interface Entity {
  name: string
  table: string
  label: ModelText
  /** Other words for it, separated by commas. */
  synonyms?: ModelText | undefined
  display: readonly string[]
  concurrency: boolean
  /** Name of the tenant column. */
  company: string | undefined
  audit: boolean
  /** `Audit="Reads"`: who is shown which of its records is logged too. */
  logsReads: boolean
  tracking: boolean
  /** People may comment on its records. */
  comments: boolean
  parent: string | undefined
  /** Name of the column that "per month" means. */
  period?: string | undefined
  columns: readonly Column[]
  /** Columns by lower-case name: SQL and requests ignore case. */
  columnByName: ReadonlyMap<string, Column>
  keys: readonly Column[]
  indexes: readonly Index[]
  sequences: readonly Sequence[]
  validates: readonly Validate[]
  events: readonly Event[]
  was: string | undefined
  /** `User`: a table of the engine, readable through its published name, never written. */
  builtIn: boolean
  place: Place
}
