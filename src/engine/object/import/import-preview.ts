/** POST /import-preview: the head and first rows of a file, and the fields that they could be. */
import { invalid } from '../../../kernel/failure.ts'
import { renderMessage, say } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { isGeneratedKey } from '../../../model/sql/generated-key.ts'
import type { ImportField, ImportPreview } from '../import-schema.ts'
import { type HeaderScope, isGivenByServer, proposeNames, takesValues } from './column-headers.ts'
import { listDetailPlaces } from './import-details.ts'
import type { ImportRequest } from './import-request.ts'
import { findTemplateColumn, listImportFields } from './import-template.ts'
import { type ImportFile, type ImportParts, planWork } from './import-work.ts'
import type { Mutation } from '../mutation.ts'
import { Heads, toHeadKey } from '../read/heads.ts'
import { planSheetColumns } from '../read/sheet-columns.ts'
import type { SheetRow } from '../../sheets/format.ts'

const ROWS_MAX = 20
const CELL_CHARACTERS_MAX = 200

/** Whatever an import may do: the mode is chosen when the file is known. */
const ANY = { mode: 'upsert', keyFields: [], keepKeys: false, takeover: false } as const
const NEW = { ...ANY, mode: 'insert', mapping: new Map<string, null>() } as const

/**
 * Reads the beginning of a file.
 * @throws denied, notFound; invalid for a file without rows, or without the sheet that is named
 */
export async function previewImport(
  mutation: Mutation,
  parts: ImportParts,
  request: ImportRequest,
  file: ImportFile,
): Promise<ImportPreview> {
  const { view, grant, format } = planWork(mutation, parts, request, file)
  const scope: HeaderScope = { view, grant, request: { ...ANY, mapping: new Map() } }
  const fields = planFields(scope, parts.language)
  let sheets: readonly string[] = []
  let names: (string | null)[] | undefined
  let head: SheetRow['cells'] = []
  const rows: SheetRow[] = []
  const options = {
    zone: grant.caller.timeZone,
    columns: planSheetColumns({ view, grant }, view.fields),
    listShown: () => listTextPlaces(names ?? [], fields),
    onSheets: (found: readonly string[]) => {
      sheets = found
    },
  }
  for await (const batch of format.read(file.path, options)) {
    if (!names) {
      head = batch[0]?.cells ?? []
      names = nameColumns({ cells: head, areMembers: batch[0]?.areMembers }, scope)
      continue
    }
    rows.push(...batch.filter(({ cells }) => cells.some((cell) => (cell ?? '') !== '')))
    if (rows.length >= ROWS_MAX) break
  }
  if (!names) throw invalid(say`The file is empty`, { code: 'UNREADABLE_FILE' })
  const own = names
  return {
    Sheets: [...sheets],
    Sheet: request.sheet ?? sheets[0] ?? null,
    Columns: head.map((cell, at) => ({ Head: cell ?? '', Name: own[at] ?? null })),
    Rows: rows.slice(0, ROWS_MAX).map(({ line, cells }) => ({
      Line: line,
      Cells: cells.map((cell) => cell?.slice(0, CELL_CHARACTERS_MAX) ?? null),
    })),
    Fields: [...listOffered(fields, own), ...listDetailFields(own, fields)],
  }
}

/** The fields of heads; a column of a detail is said by its own head. */
function nameColumns(
  { cells, areMembers }: Pick<SheetRow, 'cells' | 'areMembers'>,
  scope: HeaderScope,
): (string | null)[] {
  const details = listDetailPlaces(cells, { ...scope, request: NEW })
  const taken = new Set<string>()
  return proposeNames(cells, scope, areMembers).map((name, at) => {
    const said = details.has(at) ? (cells[at]?.trim() ?? null) : name
    if (said === null || taken.has(said)) return null
    taken.add(said)
    return said
  })
}

/** A field that is offered, and what of it is known beside. */
interface OfferedField {
  wire: ImportField
  isText: boolean
  /** Offered only where a head says it: people rather say what keys are called. */
  isSeldom: boolean
}

function planFields(scope: HeaderScope, language: string): OfferedField[] {
  const { view, grant } = scope
  const heads = new Heads(view, grant)
  const written = listImportFields(view, grant, scope.request)
  const keys = view.keys.filter((field) => !written.includes(field))
  return [...keys, ...written].flatMap((field): OfferedField[] => {
    const label = findTemplateColumn({ view, grant }, field)
    const own = {
      Field: field.name,
      Required: isRequired(field),
      Key: !takesValues(field, { ...scope, request: NEW }),
    }
    const plain = { ...own, Name: field.name, Label: renderMessage(field.label, language) }
    const isText = FIELD_KINDS[field.type].isText
    if (label === field) return [{ wire: plain, isText, isSeldom: false }]
    const called = { ...plain, Name: label.name }
    const isAlike = toHeadKey(field.name) === toHeadKey(plain.Label)
    const keyed = isAlike ? plain : { ...plain, Label: heads.explain({ field, isLabel: false }) }
    return [
      { wire: called, isText: true, isSeldom: false },
      { wire: keyed, isText, isSeldom: true },
    ]
  })
}

/** True when each new record needs a value of the file. */
const isRequired = ({ required, default: preset, column }: Field): boolean =>
  required &&
  preset === undefined &&
  !isGivenByServer(column) &&
  !(column !== undefined && isGeneratedKey(column))

/**
 * Fields for the columns of a file. Where a column names an option or a reference by its key, which
 * people see under the same label, its labels are not offered beside: it takes them, too.
 */
function listOffered(
  fields: readonly OfferedField[],
  names: readonly (string | null)[],
): ImportField[] {
  const said = fields.filter(({ wire }) => names.includes(wire.Name))
  const isSaid = ({ Field, Label }: ImportField): boolean =>
    said.some(({ wire }) => wire.Field === Field && wire.Label === Label)
  return fields
    .filter((each) => said.includes(each) || (!each.isSeldom && !isSaid(each.wire)))
    .map((each) => each.wire)
}

const listDetailFields = (
  names: readonly (string | null)[],
  fields: readonly OfferedField[],
): ImportField[] =>
  names
    .filter((name) => name !== null)
    .filter((name) => !fields.some(({ wire }) => wire.Name === name))
    .map((name) => ({ Name: name, Field: name, Label: name, Required: false, Key: false }))

/** Places of columns whose numbers are read as a workbook shows them. */
const listTextPlaces = (
  names: readonly (string | null)[],
  fields: readonly OfferedField[],
): number[] =>
  names.flatMap((name, at) =>
    fields.some(({ wire, isText }) => isText && wire.Name === name) ? [at] : [],
  )
