/** A file to fill in: the headers that an import takes, with examples of their values. */
import { invalid } from '../../../kernel/failure.ts'
import { type Message, renderMessage, say } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { ModelText } from '../../../model/model-text.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { MadeFiles } from '../../files/generated-files.ts'
import { type HeaderScope, takesValues } from './column-headers.ts'
import { findLabel } from '../read/labels.ts'
import { findOptionLabel } from '../read/option-labels.ts'
import { tellsOptions } from '../read/option-texts.ts'
import { planSheetColumns } from '../read/sheet-columns.ts'
import type { ObjectActionResult } from '../schema.ts'
import { describeFile, planMadeFor, planSheet, writeSheet } from '../sheet-file.ts'
import type { ViewUse } from '../view-access.ts'
import type { SheetColumn } from '../../sheets/format.ts'
import type { Formats } from '../../sheets/formats.ts'

/** Formats that have heads to be filled in below. */
const FORMATS: readonly string[] = ['xlsx', 'csv']

/** Options that a comment lists; a template has them all to choose from. */
const OPTIONS_LISTED = 30

const NEW_RECORDS = {
  mode: 'insert',
  keyFields: [],
  mapping: new Map<string, null>(),
  keepKeys: false,
  takeover: false,
} as const

/**
 * The fields that an import takes of the caller, in the order of the view; by default one of new
 * records.
 */
export const listImportFields = (
  view: View,
  grant: Grant,
  request: HeaderScope['request'] = NEW_RECORDS,
): Field[] =>
  view.listed.filter((field) => {
    const { labelOf, link, hidden, column } = field
    if (labelOf !== undefined || !takesValues(field, { view, grant, request })) return false
    return link !== undefined || !hidden || column?.key === true
  })

/** Makes the template and answers where it is. */
export async function makeImportTemplate(
  parts: { formats: Formats; files: MadeFiles },
  requested: ViewUse,
  request: { format: string | undefined; language: string },
): Promise<ObjectActionResult> {
  const name = (request.format ?? 'xlsx').toLowerCase()
  if (!FORMATS.includes(name))
    throw invalid(say`Format must be one of: ${FORMATS.join(', ')}`, { code: 'UNKNOWN_FORMAT' })
  const format = parts.formats.requireExport(name)
  const { view, grant } = requested
  const columns = planTemplateColumns({ view, grant }, request.language)
  if (columns.length === 0) throw invalid(say`Records of this object cannot be imported`)
  const word = renderMessage(say`template`, request.language)
  const made = { ...planMadeFor(requested, format, word), isReused: true }
  // One time for all of a day: what is alike has the same bytes.
  const madeAt = new Date(requested.context.now.toISOString().slice(0, 10))
  const sheet = { ...planSheet(requested, columns), isTemplate: true, madeAt }
  const file = await parts.files.make(made, (path) =>
    writeSheet(format, sheet, path, () => Promise.resolve()),
  )
  return {
    Action: 'import-template',
    Keys: null,
    Ignored: [],
    Dispatch: [],
    File: describeFile(parts.files, file, 0),
  }
}

function planTemplateColumns(
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
  language: string,
): SheetColumn[] {
  const fields = listImportFields(view, grant)
  const columns = fields.map((field) => findTemplateColumn({ view, grant }, field))
  return planSheetColumns({ view, grant }, columns).map((column, at) => {
    const field = fields[at]
    return { ...column, comment: field && composeComment(field, language) }
  })
}

/** People fill in what records and options are called, where that tells them. */
export function findTemplateColumn(
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
  field: Field,
): Field {
  const label = tellsOptions(grant, field, true) ? findOptionLabel(view, field) : undefined
  return label ?? findLabel(view, field) ?? field
}

/** The note on a field whose value is chosen; none for one that is just typed. */
function composeComment(field: Field, language: string): string | undefined {
  const render = (message: ModelText): string => renderMessage(message, language)
  const { options, required, references, lookup } = field
  const isChosen = options.length > 0 || references !== undefined || lookup !== undefined
  const lines = [
    ...(field.help === undefined ? [] : [render(field.help)]),
    ...(required ? [render(say`${field.label} is required`)] : []),
    ...(isChosen ? [render(planChoice(field))] : []),
    ...options
      .slice(0, OPTIONS_LISTED)
      .map(({ value, label }) => ({ value, label: render(label) }))
      .map(({ value, label }) => (label === value ? value : `${value}: ${label}`)),
  ]
  return lines.length === 0 ? undefined : lines.join('\n')
}

const planChoice = ({ options, multiple }: Field): Message =>
  multiple
    ? say`A list of keys, for example [1, 2]`
    : options.length > 0
      ? say`One of these:`
      : say`The name of a record`
