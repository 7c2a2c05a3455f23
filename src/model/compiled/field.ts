/** A field of a view. */
import type { Column, Entity } from './entity.ts'
import type { FieldCondition } from './field-condition.ts'
import type { FieldFeatures } from './field-features.ts'
import type { LabelSql } from './label-sql.ts'

export type Surface = 'Grid' | 'Form' | 'View' | 'Export'

export interface Field extends FieldFeatures {
  /** The entity's column behind it; undefined for other output columns of the query. */
  column: Column | undefined
  readOnly: boolean
  searchable: boolean
  in: ReadonlySet<Surface>
  /** Key, company and stamp of a view: served, but not meant to be shown. */
  hidden: boolean
  requiredWhen: FieldCondition | undefined
  visibleWhen: FieldCondition | undefined
  readOnlyWhen: FieldCondition | undefined
  section: string | undefined
  tab: string | undefined
  multiple: boolean
  through: string | undefined
  /** The middle entity of a `Through`. */
  link: Link | undefined
  /** Name of the field whose label it is: `<Field>__Label`, in `fieldByName` alone. */
  labelOf: string | undefined
  /** The labels of its values, for a label and for a list of keys. */
  labelSql: LabelSql | undefined
}

/** A list of keys through a middle entity: its columns that refer to this side and to the other. */
export interface Link {
  entity: Entity
  own: Column
  other: Column
}
