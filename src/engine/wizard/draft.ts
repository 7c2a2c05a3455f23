/** The values so far of a step that is left by `back`: kept where they fit, not validated. */
import { STEP_KINDS, type StepField } from '../../model/compiled/wizard.ts'
import { mayGiveStep } from '../object/read/permissions.ts'
import { parseValue, toWire } from '../object/value.ts'
import { readMembers, readRows } from './given-values.ts'
import type { Position } from './position.ts'
import { loadStepFields } from './queried-fields.ts'
import { LIST_ROWS_MAX } from './take-step.ts'
import type { WizardAccess } from './wizard-access.ts'

/** The stored form of the values that fit, else the values given before. */
export async function readDraft(
  access: WizardAccess,
  { step, bound }: Pick<Position, 'step' | 'bound'>,
  values: object,
  before: unknown,
): Promise<unknown> {
  if (STEP_KINDS[step.kind].isSummary) return {}
  const fields = await loadStepFields(access, step, bound)
  if (!STEP_KINDS[step.kind].hasRows) return readForm(access, fields, { values, before })
  const rows = readMembers(values).get(step.name.toLowerCase())
  if (!Array.isArray(rows)) return before ?? []
  return readRows(rows)
    .slice(0, step.max ?? LIST_ROWS_MAX)
    .map((row) => readForm(access, fields, { values: row, before: {} }))
}

function readForm(
  { grant }: WizardAccess,
  fields: readonly StepField[],
  { values, before }: { values: unknown; before: unknown },
): Record<string, unknown> {
  const [given, known] = [readMembers(values), readMembers(before)]
  const own = fields.flatMap((field) => {
    const key = field.name.toLowerCase()
    const candidates = mayGiveStep(grant, field) ? [given.get(key), known.get(key)] : []
    for (const candidate of candidates) {
      if (candidate === undefined) continue
      const parsed = parseValue(field, candidate)
      if (parsed.fault === undefined) return [[field.name, toWire(field, parsed.value)] as const]
    }
    return []
  })
  return Object.fromEntries(own)
}
