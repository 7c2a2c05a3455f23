/** An action on rows of a view, and its parameters. */
import type { AuthoredCondition } from './authored-sql.ts'
import type { Effect } from './effect.ts'
import type { FieldCondition } from './field-condition.ts'
import type { FieldFeatures } from './field-features.ts'
import type { ModelText } from '../model-text.ts'
import type { Place } from '../parse/element.ts'

/** An argument of a row action, bound as `@Name`. */
export interface ActionParameter extends FieldFeatures {
  /** The value is a list. */
  multiple: boolean
  requiredWhen: FieldCondition | undefined
  visibleWhen: FieldCondition | undefined
  readOnlyWhen: FieldCondition | undefined
}

/** The target to open, as an object, report, wizard or address, and what is handed on to it. */
export interface OpenTarget {
  kind: 'Object' | 'Report' | 'Wizard' | 'Url'
  target: string
  with: string | undefined
  /** Form of a Report: opened as a page, or made into a document. */
  reportKind?: 'Page' | 'Document'
}

export interface RowAction {
  name: string
  label: ModelText
  /** Capability, or the verb Update when none is named. */
  capability: string | undefined
  for: 'Row' | 'Rows' | 'View'
  confirm: ModelText | undefined
  when: AuthoredCondition | undefined
  parameters: readonly ActionParameter[]
  effects: readonly Effect[]
  /** `Object= Report= Wizard= Url=` with its `With`, for the client; then it has no effects. */
  opens: OpenTarget | undefined
  /** The workflow whose transitions it represents: they say what it does, and for whom. */
  workflow?: string
  place: Place
}
