/** Features that columns, fields, steps, filters and parameters have in common. */
import type { RE2JS } from 're2js'
import type { AuthoredCondition, AuthoredSql } from './authored-sql.ts'
import type { FIELD_KINDS } from '../fields/kinds.ts'
import type { ModelText } from '../model-text.ts'
import type { Place } from '../parse/element.ts'

/** The name of a kind of field, as models write it in `Type`. */
export type FieldType = keyof typeof FIELD_KINDS

export interface Option {
  value: string
  label: ModelText
  synonyms?: ModelText | undefined
}

/** A literal, a context parameter by name, or a query asked with the fields that it depends on. */
export type Default =
  | { kind: 'literal'; value: string }
  | { kind: 'context'; parameter: string }
  | { kind: 'query'; sql: AuthoredSql; dependsOn: readonly string[] }

export interface Lookup {
  view: string
  /** Place where the view is named. */
  place: Place
  search: readonly string[]
  where: AuthoredCondition | undefined
  /** The values of the record that its Where names. */
  dependsOn: readonly string[]
  /** Field to fill, from column of the looked-up row. */
  fill: readonly { field: string; from: string }[]
  /** Columns of the looked-up view that are the label; none: the Display of its entity. */
  label: readonly string[]
}

export interface DataSet {
  dependsOn: readonly string[]
  sql: AuthoredSql
}

export interface Pattern {
  source: string
  message: ModelText | undefined
  /** Pattern of a linear engine, so that no value can stall the server; matches the whole value. */
  regex: RE2JS
}

/** Features that columns, fields, steps, filters and parameters have in common. */
export interface FieldFeatures {
  name: string
  label: ModelText
  /** Other words for it, separated by commas. */
  synonyms?: ModelText | undefined
  type: FieldType
  required: boolean
  /** Most characters of a Text; undefined for other types, and for fields that are only read. */
  maxLength: number | undefined
  /** True when a Text keeps the blanks at its ends. */
  keepsBlanks?: boolean | undefined
  /** Decimal places; 2 for a Decimal without Scale. */
  scale: number | undefined
  /** Bounds as written; compared by the type. */
  min: string | undefined
  max: string | undefined
  pattern: Pattern | undefined
  options: readonly Option[]
  format: string | undefined
  unit: ModelText | undefined
  help: ModelText | undefined
  default: Default | undefined
  lookup: Lookup | undefined
  dataSet: DataSet | undefined
  /** Name of the entity that its values refer to (`User` is built in). */
  references: string | undefined
  maxCount: number | undefined
  maxBytes: number | undefined
  accept: readonly string[]
  place: Place
}
