/** SQL that finds the label of a stored value. */
import type { AuthoredSql } from './authored-sql.ts'

/** The label of a stored value, as an SQL expression over a row of the view. */
export interface LabelSql {
  /** Held to the caller's company. */
  company: string
  /** Over all companies. */
  all: string
  /** Tables that it reads by their full names. */
  reads: readonly string[]
  /** The same, with the rows that each record of them is in the label of. */
  steps: readonly LabelStep[]
  /** The query of the looked-up view, where the label contains it: read through shadows. */
  query: AuthoredSql | undefined
  /**
   * The same by joins to the rows, which takes half the time; undefined where only a query tells.
   */
  join: { company: LabelJoin; all: LabelJoin } | undefined
}

/** A label beside rows that are joined to what it is made of. */
export interface LabelJoin {
  /** `LEFT JOIN …`, each of which finds one row at most. */
  joins: readonly string[]
  /** The label as SQL over the joined rows. */
  text: string
  /**
   * A query of the keys of all records that may be meant, which further conditions go behind, and
   * what each is called as SQL over its rows.
   */
  keys: { rows: string; label: string }
}

/**
 * A table that a label reads, and the condition on a row of the view that its label contains a
 * record of it with a key in the JSON array `@_changed`.
 */
export interface LabelStep {
  table: string
  condition: string
}
