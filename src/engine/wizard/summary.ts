/** The content of a Summary: the steps that were taken, with labels of their values. */
import { renderMessage } from '../../kernel/messages.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { FieldFeatures } from '../../model/compiled/field-features.ts'
import { type Step, STEP_KINDS } from '../../model/compiled/wizard.ts'
import { isStepHidden } from '../object/read/permissions.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { readGiven } from './given-values.ts'
import type { Position } from './position.ts'
import { loadStepFields } from './queried-fields.ts'
import type { SummaryStep } from './schema.ts'
import { loadStepForm } from './step-form.ts'
import { listEarlier, type WizardAccess } from './wizard-access.ts'

/** Loads steps by the present rights, as their forms show them, without other summaries. */
export async function loadSummary(
  access: WizardAccess<QueryCache>,
  { path, given }: Position,
): Promise<SummaryStep[]> {
  const steps: SummaryStep[] = []
  let after: ReadonlyMap<string, SqlValue> = new Map()
  for (const [at, step] of path.entries()) {
    if (STEP_KINDS[step.kind].isSummary) continue
    const bound = after
    after = new Map([...bound, ...readGiven(step, given[step.name])])
    const earlier = listEarlier(path.slice(0, at))
    const form = await loadStepForm({ ...access, step, bound, earlier, own: given[step.name] })
    const fields = await loadStepFields(access, step, bound)
    const shown = fields.filter((field) => !isStepHidden(access.grant, field.name))
    const { language } = access.grant.caller
    const toCells = (values: Record<string, unknown>) =>
      shown.map((field) => ({
        Name: field.name,
        Label: renderMessage(field.label, language),
        Value: values[field.name] ?? null,
        Text: findText(field, values, language),
      }))
    const rows = STEP_KINDS[step.kind].hasRows ? rowsOf(form.Values, step) : [form.Values]
    const Label = renderMessage(step.label, language)
    steps.push({ Step: step.name, Label, Rows: rows.map(toCells) })
  }
  return steps
}

const rowsOf = (values: Record<string, unknown>, { name }: Step): Record<string, unknown>[] =>
  // The step's form has made this value.
  values[name] as Record<string, unknown>[]

function findText(
  { name, options }: FieldFeatures,
  values: Record<string, unknown>,
  language: string | undefined,
): string | null {
  const value = values[name]
  const label = values[`${name}__Label`]
  if (typeof label === 'string') return label
  const option = options.find((each) => each.value === String(value))
  return option ? renderMessage(option.label, language) : null
}
