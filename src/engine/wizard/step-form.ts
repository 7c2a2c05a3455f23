/** The form of a step, as a caller fills it in: fields, values, labels, dependencies. */
import { renderMessage } from '../../kernel/messages.ts'
import type { SqlValue } from '../../store/sql.ts'
import { STEP_KINDS, type StepField } from '../../model/compiled/wizard.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import { isReference } from '../object/form/lookup.ts'
import { findPick } from '../object/form/pick.ts'
import { type Present, takePresent } from '../object/form/present-values.ts'
import { loadDefault } from '../object/read/defaults.ts'
import { describeStepField, describeValidates } from '../object/read/metadata.ts'
import { isStepHidden, mayGiveStep } from '../object/read/permissions.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { parseValue, toWire } from '../object/value.ts'
import { readMembers, readRows } from './given-values.ts'
import { loadNamedFiles } from './held-uploads.ts'
import { loadStepFields } from './queried-fields.ts'
import type { StepForm, SummaryStep } from './schema.ts'
import { listFieldsFor, type StepAccess } from './wizard-access.ts'

/** A step with the values given in it so far, in wire form; undefined: none yet. */
interface FormAccess extends StepAccess<QueryCache> {
  own: unknown
}

/** @throws invalid for a FieldQuery of too many rows */
export async function loadStepForm(
  access: FormAccess,
  summary: readonly SummaryStep[] = [],
): Promise<StepForm> {
  const { step, grant } = access
  const { language } = grant.caller
  const all = await loadStepFields(access, step, access.bound)
  const fields = all.filter((field) => !isStepHidden(grant, field.name))
  const isDescribed = (name: string | undefined) => name === undefined || !isStepHidden(grant, name)
  const scope = { isDescribed, language }
  return {
    Step: step.name,
    Label: renderMessage(step.label, language),
    Kind: step.kind,
    Fields: fields.map((field) =>
      describeStepField({ ...field, readOnly: !mayGiveStep(grant, field) }, scope),
    ),
    Values: await loadValues(access, fields),
    Given: listGiven(access),
    Validates: describeValidates(step.validates, scope),
    Min: step.min,
    Max: step.max ?? null,
    Summary: [...summary],
  }
}

const labelField = ({ name }: StepField): string => `${name}__Label`

/** Values of earlier fields, by name, without those that the caller's roles hide. */
function listGiven({ bound, earlier, grant }: FormAccess): Record<string, unknown> {
  const shown = earlier.filter((field) => !isStepHidden(grant, field.name))
  return Object.fromEntries(
    shown.map((field) => [field.name, toWire(field, bound.get(field.name.toLowerCase()) ?? null)]),
  )
}

async function loadValues(
  access: FormAccess,
  fields: readonly StepField[],
): Promise<Record<string, unknown>> {
  const { step, own } = access
  if (STEP_KINDS[step.kind].isSummary) return {}
  const { values: before } = await loadPresent(access, new Map(), toWireValues(access))
  if (!STEP_KINDS[step.kind].hasRows) return loadFormValues(access, fields, { own, before })
  const rows: Record<string, unknown>[] = []
  for (const row of readRows(own))
    rows.push(await loadFormValues(access, fields, { own: row, before }))
  return { [step.name]: rows }
}

type Values = ReadonlyMap<string, unknown>

/** Loads given values, else the defaults that follow from earlier values, with labels. */
async function loadFormValues(
  access: FormAccess,
  fields: readonly StepField[],
  { own, before }: { own: unknown; before: Values },
): Promise<Record<string, unknown>> {
  const { grant, context, reader } = access
  const open = new Set(fields.filter((field) => mayGiveStep(grant, field)).map(keyOf))
  const given = new Map([...readMembers(own)].filter(([name]) => open.has(name)))
  const present = await loadPresent(access, before, given)
  const owner = { view: ownerOf(access), grant, context, reader, parameters: present.values }
  const values: Record<string, unknown> = {}
  for (const field of fields) {
    const key = keyOf(field)
    const isTaken = given.has(key)
    const value = isTaken ? stored(field, given.get(key)) : await loadDefault(field, owner)
    values[field.name] =
      FIELD_KINDS[field.type].structure === 'files'
        ? await loadNamedFiles(reader, grant.caller, value)
        : toWire(field, value)
    if (!isReference(field)) continue
    const label = isTaken ? present.labels.get(key) : await findPick({ ...owner, field }, value)
    values[labelField(field)] = value === null ? null : (label ?? null)
  }
  return values
}

const keyOf = ({ name }: StepField): string => name.toLowerCase()

function stored(field: StepField, value: unknown): SqlValue {
  const parsed = parseValue(field, value)
  return parsed.fault === undefined ? parsed.value : null
}

const ownerOf = ({ view, wizard, step }: FormAccess) => ({
  name: view.name,
  fieldByName: listFieldsFor(wizard, step),
})

/** Values of earlier steps, in wire form. */
function toWireValues({ wizard, bound }: FormAccess): Values {
  const fields = listFieldsFor(wizard)
  return new Map(
    [...bound].map(([name, value]) => {
      const field = fields.get(name)
      return [name, field ? toWire(field, value) : value]
    }),
  )
}

/** Values that defaults and labels may depend on; of records, those that the caller may pick. */
function loadPresent(access: FormAccess, before: Values, given: Values): Promise<Present> {
  const { grant, context, reader } = access
  const scope = { view: ownerOf(access), grant, context, reader, parents: undefined }
  return takePresent({ ...scope, mayGive: () => true, stored: before }, given)
}
