/**
 * Choices that were given in a run, read again by the caller's rows: a record or option that the
 * caller may no longer choose binds nothing and is not shown.
 */
import type { Message } from '../../kernel/messages.ts'
import type { SqlValue } from '../../store/sql.ts'
import { type Step, STEP_KINDS, type StepField } from '../../model/compiled/wizard.ts'
import { checkField } from '../../model/fields/check.ts'
import { isReference } from '../object/form/lookup.ts'
import { isStepHidden, mayGiveStep } from '../object/read/permissions.ts'
import { findFaultyReference } from '../object/rules/references.ts'
import { parseValue } from '../object/value.ts'
import { readMembers, readRows } from './given-values.ts'
import { loadStepFields } from './queried-fields.ts'
import { type Bound, listFieldsFor, type WizardAccess } from './wizard-access.ts'

/** A choice that its caller may no longer make. */
export interface LostChoice {
  step: Step
  /** Name as in `fieldErrors`: `CustomerId`, `Lines[0].ProductId`; '' for a hidden field. */
  field: string
  message: Message
}

/** The stored values of a step, without lost choices. */
interface KeptChoices {
  stored: unknown
  lost: readonly LostChoice[]
  /** Names of fields that a FieldQuery no longer gives. */
  gone: readonly string[]
}

/** A step with the values given before it. */
interface StepAccess extends WizardAccess {
  step: Step
  bound: Bound
  /** True for the step that asks: values that the Where of a lookup names may still be missing. */
  isAsking?: boolean
}

/** @throws invalid for a FieldQuery of too many rows */
export async function keepChoices(access: StepAccess, stored: unknown): Promise<KeptChoices> {
  const { step, bound } = access
  const whole: KeptChoices = { stored, lost: [], gone: [] }
  if (stored === undefined || STEP_KINDS[step.kind].isSummary) return whole
  if (STEP_KINDS[step.kind].asksByQuery) {
    return keepForm(access, await loadStepFields(access, step, bound), { stored, prefix: '' })
  }
  if (!step.fields.some(isReference)) return whole
  if (STEP_KINDS[step.kind].binds === 'fields')
    return keepForm(access, step.fields, { stored, prefix: '' })
  const forms: KeptChoices[] = []
  for (const [at, row] of readRows(stored).entries())
    forms.push(await keepForm(access, step.fields, { stored: row, prefix: `${step.name}[${at}].` }))
  return {
    stored: forms.map((form) => form.stored),
    lost: forms.flatMap(({ lost }) => lost),
    gone: [],
  }
}

/** A choice may be an option only beside another: the loop repeats until none is lost. */
async function keepForm(
  access: StepAccess,
  fields: readonly StepField[],
  { stored, prefix }: { stored: unknown; prefix: string },
): Promise<KeptChoices> {
  const { step } = access
  const names = new Set(fields.map(({ name }) => name.toLowerCase()))
  const members = [...Object.entries(typeof stored === 'object' ? (stored ?? {}) : {})]
  const isGone = (name: string): boolean =>
    STEP_KINDS[step.kind].asksByQuery && !names.has(name.toLowerCase())
  const lost = new Map<string, LostChoice>()
  const draft = new Map([...access.bound, ...readValues(fields, stored)])
  for (let known = -1; known < lost.size;) {
    known = lost.size
    for (const field of fields) {
      const key = field.name.toLowerCase()
      const value = draft.get(key) ?? null
      if (value === null || lost.has(key)) continue
      const message = await findFault(access, field, value, draft)
      if (message === undefined) continue
      const shown = isStepHidden(access.grant, field.name) ? '' : field.name
      lost.set(key, { step, field: `${prefix}${shown}`, message })
      draft.set(key, null)
    }
  }
  const left = members
    .filter(([name]) => !isGone(name))
    .map(([name, value]) => [name, lost.has(name.toLowerCase()) ? null : value] as const)
  return {
    stored: Object.fromEntries(left),
    lost: [...lost.values()],
    gone: members.flatMap(([name]) => (isGone(name) ? [name] : [])),
  }
}

function readValues(fields: readonly StepField[], stored: unknown): Map<string, SqlValue> {
  const members = readMembers(stored)
  const values = fields.map((field) => {
    const key = field.name.toLowerCase()
    const parsed = parseValue(field, members.get(key) ?? null)
    return [key, parsed.fault === undefined ? parsed.value : null] as const
  })
  return new Map(values)
}

async function findFault(
  { view, wizard, step, grant, context, reader, isAsking = false }: StepAccess,
  field: StepField,
  value: SqlValue,
  draft: ReadonlyMap<string, SqlValue>,
): Promise<Message | undefined> {
  if (STEP_KINDS[step.kind].asksByQuery) return checkField(value, field)
  if (!isReference(field)) return undefined
  const fieldByName = listFieldsFor(wizard, step)
  const check = {
    reader,
    grant,
    context,
    company: grant.caller.companyId,
    view: { name: view.name, fieldByName, entity: undefined },
    draft: () => draft,
  }
  const lookup = isAsking && field.lookup ? { ...field.lookup, where: undefined } : field.lookup
  return findFaultyReference(check, { ...field, lookup }, value, mayGiveStep(grant, field))
}
