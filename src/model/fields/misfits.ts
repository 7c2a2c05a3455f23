/** Checks the values that a run of a wizard holds against the wizard as it is now. */
import { STEP_KINDS, type StepField, type Wizard } from '../compiled/wizard.ts'
import { FieldFault } from './field-kind.ts'
import { FIELD_KINDS } from './kinds.ts'

/** Something that was given and does not fit any more. */
interface Misfit {
  step: string
  /** `Phone`; of a row of a List `[0].Quantity`. */
  field: string
  /** Reason: the step or the field is gone, or the field has another type now. */
  reason: 'gone' | 'value'
}

/**
 * Lists values of a run that its wizard has no place for: of steps and fields that are gone, or of
 * another type. `given` has the values by step, as the run stores them. Answers of a FieldQuery are
 * left out: its rows say which fields it has.
 */
export function listMisfits(
  { steps }: Pick<Wizard, 'steps'>,
  given: Readonly<Record<string, unknown>>,
): Misfit[] {
  return Object.entries(given).flatMap(([name, stored]) => {
    const step = steps.find((each) => each.name === name)
    if (step && STEP_KINDS[step.kind].asksByQuery) return []
    const rows = Array.isArray(stored) ? (stored as unknown[]) : undefined
    // A List that became a form has no place for its rows, and the other way.
    const fields = step && STEP_KINDS[step.kind].hasRows === (rows !== undefined) ? step.fields : []
    const inForm = (members: unknown, prefix: string): Misfit[] =>
      listFormMisfits(fields, members).map(({ field, reason }) => ({
        step: name,
        field: `${prefix}${field}`,
        reason,
      }))
    return rows ? rows.flatMap((members, at) => inForm(members, `[${at}].`)) : inForm(stored, '')
  })
}

type FormMisfit = Pick<Misfit, 'field' | 'reason'>

/** The same of one form, which is a step or a row of a List. */
function listFormMisfits(fields: readonly StepField[], members: unknown): FormMisfit[] {
  if (typeof members !== 'object' || members === null) return []
  return Object.entries(members).flatMap(([name, value]: [string, unknown]): FormMisfit[] => {
    if (value === null) return []
    const field = fields.find((each) => each.name.toLowerCase() === name.toLowerCase())
    if (!field) return [{ field: name, reason: 'gone' }]
    return isTaken(field, value) ? [] : [{ field: name, reason: 'value' }]
  })
}

const isTaken = (field: StepField, value: unknown): boolean =>
  !(FIELD_KINDS[field.type].parse(value, field) instanceof FieldFault)

/** `Contact.Phone`, `Lines[0].Quantity`. */
export const joinMisfit = (step: string, field: string): string =>
  field.startsWith('[') ? `${step}${field}` : `${step}.${field}`
