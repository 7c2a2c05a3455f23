/** A wizard: what its steps ask for, and what its end does. */
import type { ActionParameter } from './action.ts'
import type { AuthoredCondition, AuthoredSql } from './authored-sql.ts'
import type { Effect } from './effect.ts'
import type { Entity } from './entity.ts'
import type { Validate } from './validate.ts'
import type { ModelText } from '../model-text.ts'
import type { Place } from '../parse/element.ts'

/** A field of a step; what comes is bound as `@Name`. */
export interface StepField extends ActionParameter {
  /** Shown with its default, and never taken from a request. */
  readOnly: boolean
}

/**
 * The kind of a step: a form of its fields; a list of rows of them (`Repeat`), bound as a JSON
 * array under the step's name; a form whose fields are the rows of a query (`FieldQuery`), bound as
 * a JSON object under the step's name; a page that shows what was given (`Summary`).
 */
export type StepKind = 'Fields' | 'List' | 'Query' | 'Summary'

export interface Step {
  name: string
  label: ModelText
  kind: StepKind
  /** Over values of earlier steps; undefined for a step that always comes. */
  when: AuthoredCondition | undefined
  fields: readonly StepField[]
  /** The rows of a List hold each of them. */
  validates: readonly Validate[]
  /** Query of a step: `Name`, and further columns for each field. */
  query: AuthoredSql | undefined
  /** Rows that a List takes. */
  min: number
  max: number | undefined
  place: Place
}

export interface Wizard {
  /** The entity of the wizard: fields inherit from its columns, its new record is the result. */
  entity: Entity | undefined
  steps: readonly Step[]
  effects: readonly Effect[]
}
