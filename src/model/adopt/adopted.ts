/** A model as it is found in another program's database, before it is written as files. */
import type { ColumnProfile } from './column-profile.ts'
import type { NameLanguage } from './plurals.ts'
import type { TableProfile } from './profile.ts'
import type { SourceReading } from './readings.ts'
import type { FieldType } from '../compiled/field-features.ts'

export interface AdoptedColumn {
  profile: ColumnProfile
  name: string
  /** Undefined where the name in words is right. */
  label: string | undefined
  type: FieldType
  reading: SourceReading
  key: boolean
  identity: boolean
  required: boolean
  unique: boolean
  maxLength: number | undefined
  scale: number | undefined
  default: string | undefined
  /** The values that a rule of the source allows; none: all are. */
  options: readonly string[]
  references: AdoptedReference | undefined
  /** True for what looks like a password, a token or the like: no view serves it. */
  isSecret: boolean
}

interface AdoptedReference {
  /** Name of the source's table, in lower case. */
  target: string
  onDelete: 'Restrict' | 'Cascade' | 'SetNull'
}

interface AdoptedIndex {
  columns: readonly string[]
  unique: boolean
}

export interface AdoptedEntity {
  source: TableProfile
  name: string
  table: string
  view: string
  /** Undefined where the name in words is right. */
  label: string | undefined
  viewLabel: string | undefined
  /** A key added to a table without one: the row's own number under this name. */
  madeKey: string | undefined
  columns: AdoptedColumn[]
  indexes: AdoptedIndex[]
  /** The columns that are a record's label. */
  display: readonly string[]
  /** True when the engine takes the same columns by default. */
  isDisplayUsual: boolean
  parent: string | undefined
  /** Lists of other records, through a table between. */
  lists: { name: string; label: string | undefined; through: string; target: string }[]
  details: { view: string; parent: string }[]
  /** Columns that are grouped under a heading. */
  sections: { label: string; columns: readonly string[] }[]
  /** True when it holds only the pairs of two others. */
  isLink: boolean
  /** True when its key is a secret: it has no view. */
  isSecret: boolean
  /** Fields of the search of the application; undefined without texts. */
  search: { title: string; texts: readonly string[] } | undefined
}

/**
 * A remark about the source, with its table or column: what is another than it was, what has no
 * place in a model, values and rows that are lost, what was found in the data, and what is hidden.
 */
export interface Note {
  kind: 'changed' | 'found' | 'hidden' | 'left' | 'lost'
  /** The table, or with a column behind a dot. */
  of: string
  text: string
}

export interface AdoptedModel {
  /** The language of its names. */
  language: NameLanguage
  entities: AdoptedEntity[]
  notes: Note[]
}

/** The entity that was made of a table. */
export const findEntity = (
  { entities }: Pick<AdoptedModel, 'entities'>,
  table: string,
): AdoptedEntity | undefined =>
  entities.find(({ source }) => source.table.name.toLowerCase() === table.toLowerCase())

/** The column that was made of a column. */
export const findAdopted = (entity: AdoptedEntity, column: string): AdoptedColumn | undefined =>
  entity.columns.find(({ profile }) => profile.column.name.toLowerCase() === column.toLowerCase())

/** The columns of the key, in order. */
export const keysOf = ({ columns }: Pick<AdoptedEntity, 'columns'>): readonly AdoptedColumn[] =>
  columns.filter(({ key }) => key)
