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

/** All that a wizard asks of a kind of step. */
interface StepFacets {
  /** The way of its values to later steps: each by its field, or all as JSON by the step's name. */
  binds: 'fields' | 'whole' | 'nothing'
  /** Takes rows of its fields, and not values of each. */
  hasRows: boolean
  /** Its fields are the rows of a query. */
  asksByQuery: boolean
  /** Shows what was given, and takes nothing. */
  isSummary: boolean
}

const FORM: StepFacets = { binds: 'fields', hasRows: false, asksByQuery: false, isSummary: false }

const KINDS = {
  /** A form of its fields. */
  Fields: FORM,
  /** A list of rows of them (`Repeat`). */
  List: { ...FORM, binds: 'whole', hasRows: true },
  /** A form whose fields are the rows of a query (`FieldQuery`). */
  Query: { ...FORM, binds: 'whole', asksByQuery: true },
  /** A page that shows what was given (`Summary`). */
  Summary: { ...FORM, binds: 'nothing', isSummary: true },
} satisfies Readonly<Record<string, StepFacets>>

export type StepKind = keyof typeof KINDS

/** One row a kind; the only place that lists them. */
export const STEP_KINDS: Readonly<Record<StepKind, StepFacets>> = KINDS

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
