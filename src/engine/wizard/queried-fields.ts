/** Fields of a step from a FieldQuery: each of its rows is one. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { Option } from '../../model/compiled/field-features.ts'
import type { Step, StepField } from '../../model/compiled/wizard.ts'
import { DECIMAL_SCALE_DEFAULT } from '../../model/fields/decimal.ts'
import { FIELD_KINDS, FIELD_TYPES } from '../../model/fields/kinds.ts'
import { TEXT_LENGTH_DEFAULT } from '../../model/fields/text.ts'
import { isTrue } from '../object/rules/entity-rules.ts'
import { type Bound, planRead, type WizardAccess } from './wizard-access.ts'

/** Most fields of one form. */
const QUERIED_FIELDS_MAX = 200

const NAME_CHARACTERS_MAX = 200

/** Types of a queried field; any other type of its row is a Text. */
const TYPES = FIELD_TYPES.filter((type) => FIELD_KINDS[type].structure === undefined)

/**
 * Loads the fields of a step: those of the model, or the rows of its query as the caller's company
 * has them now. @throws invalid for more rows than a form has fields
 */
export async function loadStepFields(
  access: WizardAccess,
  step: Step,
  bound: Bound,
): Promise<readonly StepField[]> {
  const { query } = step
  if (!query) return step.fields
  const read = planRead(access, query, bound, (head) => {
    return `${head}SELECT * FROM (\n${query.text}\n) LIMIT ${QUERIED_FIELDS_MAX + 1}`
  })
  const rows = await access.reader.all({ ...read, of: `${access.view.name}.${step.name}` })
  if (rows.length > QUERIED_FIELDS_MAX)
    throw invalid(say`The step ${step.label} has more than ${QUERIED_FIELDS_MAX} fields`)
  const fields = new Map<string, StepField>()
  for (const row of rows) {
    const field = toField(row, step)
    if (field && !fields.has(field.name.toLowerCase())) fields.set(field.name.toLowerCase(), field)
  }
  return [...fields.values()]
}

/** Undefined for a row without a name. */
function toField(row: SqlRow, { place }: Step): StepField | undefined {
  const name = textOf(row.Name)?.slice(0, NAME_CHARACTERS_MAX)
  if (name === undefined) return undefined
  const type = TYPES.find((each) => each === row.Type) ?? 'Text'
  const none = undefined
  return {
    name,
    label: textOf(row.Label) ?? name,
    type,
    required: isTrue(row.Required ?? null),
    maxLength: FIELD_KINDS[type].isText ? TEXT_LENGTH_DEFAULT : none,
    scale: FIELD_KINDS[type].number === 'scaled' ? DECIMAL_SCALE_DEFAULT : none,
    options: readOptions(row.Options),
    help: textOf(row.Help),
    place,
    min: none,
    max: none,
    pattern: none,
    format: none,
    unit: none,
    default: none,
    lookup: none,
    dataSet: none,
    references: none,
    maxCount: none,
    maxBytes: none,
    requiredWhen: none,
    visibleWhen: none,
    readOnlyWhen: none,
    accept: [],
    multiple: false,
    readOnly: false,
  }
}

const textOf = (cell: SqlRow[string] | undefined): string | undefined =>
  cell === null || cell === undefined || cell === '' ? undefined : String(cell)

/** A JSON list of values, or of `{Value, Label}`; any other text offers nothing. */
function readOptions(cell: SqlRow[string] | undefined): Option[] {
  const list = parseJson(textOf(cell))
  if (!Array.isArray(list)) return []
  return list.flatMap((each: unknown) => {
    if (typeof each === 'string' || typeof each === 'number')
      return [{ value: String(each), label: String(each) }]
    const value: unknown = Reflect.get(Object(each), 'Value')
    const label: unknown = Reflect.get(Object(each), 'Label')
    if (typeof value !== 'string' && typeof value !== 'number') return []
    return [{ value: String(value), label: typeof label === 'string' ? label : String(value) }]
  })
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
