/** The plan of an import of a view: the field of each column, and the values written from it. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { Column } from '../../../model/compiled/entity.ts'
import type { Field, Surface } from '../../../model/compiled/field.ts'
import type { Detail, View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import {
  type HeaderScope,
  isErrorHead,
  isGivenByServer,
  keepsKey,
  matchHeaders,
  takesValues,
} from './column-headers.ts'
import type { ImportRequest } from './import-request.ts'
import { isHistory, isHistoryOfStored } from './takeover.ts'
import { loadDefault } from '../read/defaults.ts'
import { isServed } from '../read/find-view.ts'
import { Heads, isAmbiguous, type SaidField } from '../read/heads.ts'
import { isWritable } from '../read/permissions.ts'
import { listLacking } from '../rules/new-record.ts'
import { findReferred } from '../rules/references.ts'
import type { EntityUse } from '../view-access.ts'
import type { SheetRow } from '../../sheets/format.ts'

/** A column of the file that is a field of the view. */
export interface ImportColumn extends SaidField {
  /** Place in the file's rows. */
  at: number
}

/** The columns of a file, by kind. */
export interface ImportColumns {
  /** Fields that the caller may set in a new or a stored record. */
  values: readonly ImportColumn[]
  /** Lists of keys (`Through`) that the caller may set, as JSON. */
  lists: readonly ImportColumn[]
  /** By which stored records are found; in insert none. */
  keys: readonly ImportColumn[]
  /** The stamp that a stored record must have. */
  stamp: ImportColumn | undefined
  /** Keys and numbers that the server gives, and no record keeps: no new record may bring one. */
  unkept: readonly ImportColumn[]
  /** Fields that are not the caller's to write: their values are dropped, the answer names them. */
  ignored: readonly ImportColumn[]
  /** Cells of a row; further ones must be blank. */
  width: number
  /** Places without a head, whose cells must be blank. */
  blank: readonly number[]
  /** True for a file with an Error column: one that an import gave back. */
  isGivenBack: boolean
}

/** The columns of a file that are a detail's. */
export interface DetailColumns {
  detail: Detail
  view: View
  grant: Grant
  columns: ImportColumns
}

/** A line of a record, as it is staged: its values are those of a submit's detail. */
export interface StagedLine {
  /** Name of the detail. */
  detail: string
  /** Line of the file. */
  line: number
  values: Record<string, unknown>
}

/** @throws invalid for unknown and doubled heads, for a file without any that could be imported. */
export function planImportColumns(
  head: Pick<SheetRow, 'cells' | 'areMembers'>,
  scope: HeaderScope,
): ImportColumns {
  const headers = head.cells
  const found = findColumns(head, scope)
  const isStored = scope.request.mode !== 'insert'
  const taken = found.filter(({ field }) => takesValues(field, scope))
  const values = taken.filter(({ field }) => !field.link)
  const lists = taken.filter(({ field }) => field.link)
  const keys = isStored ? planKeys(found, scope) : []
  const stamp = isStored ? found.find(({ field }) => field.column?.kind === 'stamp') : undefined
  if (taken.length === 0) {
    throw invalid(say`The file has no column that can be imported`, { code: 'NO_COLUMNS' })
  }
  const unkept =
    scope.request.mode === 'update' || scope.request.keepKeys
      ? []
      : found.filter(({ field }) => isGivenByServer(field.column))
  const used = new Set([...taken, ...keys, stamp])
  const ignored = found.filter((each) => !used.has(each) && (!unkept.includes(each) || isStored))
  const blank = headers.flatMap((head, at) => (head === null || head.trim() === '' ? [at] : []))
  const isGivenBack = headers.some((head) => isErrorHead(head ?? ''))
  const width = headers.length
  return { values, lists, keys, stamp, unkept, ignored, width, blank, isGivenBack }
}

/**
 * The places of columns whose numbers are read as a workbook shows them: of texts, and of what
 * people call records and options.
 */
export const listShownPlaces = ({ values, lists, keys }: ImportColumns): number[] =>
  [...values, ...lists, ...keys]
    .filter(({ field, isLabel }) => isLabel || FIELD_KINDS[field.type].isText)
    .map(({ at }) => at)

function findColumns(
  { cells: headers, areMembers }: Pick<SheetRow, 'cells' | 'areMembers'>,
  scope: HeaderScope,
): ImportColumn[] {
  const columns = new Map<string, ImportColumn>()
  for (const [at, found] of matchHeaders(headers, scope, areMembers).entries()) {
    if (!found) continue
    const before = columns.get(found.field.name)
    if (before && before.isLabel === found.isLabel) {
      const head = (headers[at] ?? '').slice(0, 80)
      throw invalid(say`The column '${head}' is there twice`, { code: 'DOUBLE_HEAD' })
    }
    // A name column beside a key column is ignored: the key is exact.
    if (!before || before.isLabel) columns.set(found.field.name, { at, ...found })
  }
  return [...columns.values()]
}

/** True when the caller may find records by a field: by one whose values the caller gets. */
function namesRecords(view: View, grant: Grant, field: Field): boolean {
  if (!isServed(view, grant, field)) return false
  if (grant.access.masked.has(field.name.toLowerCase())) return false
  if (view.keys.includes(field)) return true
  const isIn = (...surfaces: Surface[]) => surfaces.some((surface) => field.in.has(surface))
  return (grant.may('List') && isIn('Grid')) || (grant.may('View') && isIn('Form', 'View'))
}

/** The field that a key is named by: by its Name, or by a label that no other such field has. */
function findKey(
  name: string,
  { view, grant, heads }: { view: View; grant: Grant; heads: Heads },
): Field {
  const said = heads.findMember(name) ?? []
  const called = isAmbiguous(said) ? said.map(({ field }) => field) : [said.field]
  const named = view.fieldByName.get(name.toLowerCase())
  const fields = (named ? [named] : called).filter(
    (field) => field.column && field.labelOf === undefined && namesRecords(view, grant, field),
  )
  const [field, ...others] = fields
  if (field && others.length === 0) return field
  const shown = name.slice(0, 80)
  if (!field) throw invalid(say`keyFields: '${shown}' is not a stored field`)
  const sure = fields.map((each) => `'${each.name}'`).join(', ')
  throw invalid(say`keyFields: '${shown}' matches several fields. Use one of: ${sure}`)
}

function planKeys(
  found: readonly ImportColumn[],
  { view, grant, request }: HeaderScope,
): ImportColumn[] {
  const heads = new Heads(view, grant)
  const fields =
    request.keyFields.length > 0
      ? new Set(request.keyFields.map((name) => findKey(name, { view, grant, heads })))
      : view.keys
  return [...fields].map((field) => {
    const column = found.find((each) => each.field === field)
    if (column) return column
    throw invalid(
      request.keyFields.length > 0
        ? say`keyFields: the file has no column '${field.label}'`
        : say`The file has no key column. Name the fields that identify a record in keyFields.`,
    )
  })
}

/**
 * The refusal of keys and numbers that the server gives: under new ones the records would not be
 * those that other files refer to.
 */
export const keysNotKept = ({ field }: ImportColumn) =>
  invalid(
    field.column?.sequence
      ? say`The server assigns '${field.label}'. Send keepKeys=true or no values.`
      : say`The server assigns the key '${field.label}'. Send keepKeys=true or no values.`,
    { code: 'KEYS_NOT_KEPT' },
  )

interface ImportScope extends EntityUse {
  request: Pick<ImportRequest, 'mode' | 'keepKeys' | 'takeover'>
  columns: ImportColumns
  /** Details whose lines come with their records. */
  details: readonly DetailColumns[]
}

/**
 * A field whose values are staged: what the file gives, then defaults that rows decide and keys
 * that are generated.
 */
interface StagedField {
  field: Field
  /** Place in `ImportRow.values`; undefined for a default and for a key that is generated. */
  from: number | undefined
  isInserted: boolean
  isUpdated: boolean
}

/** A reference of the file to records of the same entity: also to those that the file brings. */
export interface OwnReference {
  field: Field
  /** Place in `ImportRow.values` and in `ImportPlan.staged`. */
  from: number
  /** The label of a record comes before its key. */
  isLabel: boolean
  /** Columns of the stage: its value, the text that is still to be found, the row that it names. */
  cell: string
  text: string
  row: string
}

export interface ImportPlan extends ImportScope {
  staged: readonly StagedField[]
  own: readonly OwnReference[]
  /** Values that all new records share: defaults that no row decides, the company. */
  constants: ReadonlyMap<Column, SqlValue>
  /** The same as changes, for rules to look at. */
  preset: ReadonlyMap<Field, SqlValue>
}

/** Plans the values of new and stored records; asks for the defaults that all rows share. */
export async function planImport(scope: ImportScope, reader: Reader): Promise<ImportPlan> {
  const { view, entity, columns, grant, context } = scope
  const { mode } = scope.request
  requireKeepable(scope)
  const given = columns.values.map((column, from) => planGiven(scope, column, from))
  const own = planOwn(scope)
  const plan = { ...scope, staged: given, own, constants: new Map(), preset: new Map() }
  if (mode === 'update') return plan
  const staged = [...given]
  const constants = new Map<Column, SqlValue>()
  const preset = new Map<Field, SqlValue>()
  const inserted = given.filter(({ isInserted }) => isInserted).map(({ field }) => field.column)
  const lacking = listLacking(view, entity, new Set(inserted))
  const defaults = { view, grant, context, reader, parameters: new Map<string, unknown>() }
  for (const field of lacking.fields) {
    if (field.default && isSharedDefault(field)) {
      preset.set(field, await loadDefault(field, defaults))
    }
    const value = preset.get(field)
    if (value === undefined || !field.column || isBarrable(field))
      staged.push({ field, from: undefined, isInserted: true, isUpdated: false })
    else constants.set(field.column, value)
  }
  const company = entity.columns.find(({ name }) => name === entity.company)
  if (company) constants.set(company, grant.caller.companyId)
  for (const column of lacking.columns) constants.set(column, await loadDefault(column, defaults))
  const taken = new Set([...inserted, ...lacking.fields.map(({ column }) => column)])
  requireKeys(scope, taken, constants)
  return { ...scope, staged, own, constants, preset }
}

function planOwn({ entity, columns, context }: ImportScope): OwnReference[] {
  if (entity.keys.length !== 1) return []
  const own = columns.values.flatMap(({ field, isLabel }, from) =>
    findReferred(field, context.model) === entity && field.column ? [{ field, isLabel, from }] : [],
  )
  return own.map((each, at) => ({ ...each, cell: `c${each.from}`, text: `p${at}`, row: `q${at}` }))
}

/** An authored Insert that does not name the key, or the number, cannot keep it. */
function requireKeepable({ view, columns, request }: ImportScope): void {
  if (!request.keepKeys || !view.insert) return
  const named = new Set(view.insert.parameters.map((name) => name.toLowerCase()))
  const given = columns.values.flatMap(({ field: { column } }) => column ?? [])
  const lost = given.find((each) => isGivenByServer(each) && !named.has(each.name.toLowerCase()))
  if (!lost) return
  const message = lost.sequence
    ? say`keepKeys is not possible: '${view.label}' assigns the numbers of new records itself`
    : say`keepKeys is not possible: '${view.label}' assigns the keys of new records itself`
  throw invalid(message, { code: 'KEYS_NOT_KEPT' })
}

function planGiven(scope: ImportScope, { field }: ImportColumn, from: number): StagedField {
  const { view, entity, grant, request } = scope
  const { mode, takeover } = request
  if (takeover) {
    const isInserted =
      mode !== 'update' && isHistory(field) && field.column?.name !== entity.company
    const isUpdated = mode !== 'insert' && isHistoryOfStored(field, entity)
    return { field, from, isInserted, isUpdated }
  }
  return {
    field,
    from,
    isInserted:
      mode !== 'update' && (isWritable(view, field, grant, true) || keepsKey(field, scope)),
    isUpdated: mode !== 'insert' && isWritable(view, field, grant, false),
  }
}

const isSharedDefault = ({ default: preset }: Field): boolean =>
  preset?.kind !== 'query' || preset.dependsOn.length === 0

/** A row may bar the field, and its default with it. */
const isBarrable = ({ visibleWhen, readOnlyWhen }: Field): boolean =>
  visibleWhen !== undefined || readOnlyWhen !== undefined

/** A new record needs its key, where the server does not give it. */
function requireKeys(
  { entity }: ImportScope,
  taken: ReadonlySet<Column | undefined>,
  constants: ReadonlyMap<Column, SqlValue>,
): void {
  for (const key of entity.keys) {
    if (key.identity || key.sequence || taken.has(key) || constants.has(key)) continue
    throw invalid(say`The file has no column '${key.label}'. New records need it as their key.`, {
      code: 'NO_COLUMNS',
    })
  }
}
