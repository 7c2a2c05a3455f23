/** Which column of a file is which field, and what is done with it. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Grant } from '../../../access/grant.ts'
import type { Field, Surface, View } from '../../../model/model.ts'
import { isServed } from '../read/find-view.ts'
import { takesValues, matchHeaders, type HeaderScope, type SaidField } from './column-headers.ts'

/** A column of the file that is a field of the view. */
export interface ImportColumn extends SaidField {
  /** Place in the file's rows. */
  at: number
}

/** What the columns of a file are. */
export interface ImportColumns {
  /** Fields that the caller may set in a new or a stored record. */
  values: readonly ImportColumn[]
  /** Lists of keys (`Through`) that the caller may set, as JSON. */
  lists: readonly ImportColumn[]
  /** By which stored records are found; in insert none. */
  keys: readonly ImportColumn[]
  /** The stamp that a stored record must have. */
  stamp: ImportColumn | undefined
  /** Keys that the server gives, and that are not to be kept: no new record may bring one. */
  unkept: ImportColumn | undefined
  /** Fields that are not the caller's to write: what stands there is dropped, and told. */
  ignored: readonly ImportColumn[]
  /** Cells of a row; further ones must be blank. */
  width: number
  /** Places without a head, whose cells must be blank. */
  blank: readonly number[]
}

/** @throws invalid for unknown and doubled heads, for a file without any that could be imported. */
export function planImportColumns(
  headers: readonly (string | null)[],
  scope: HeaderScope,
): ImportColumns {
  const found = findColumns(headers, scope)
  const isStored = scope.request.mode !== 'insert'
  const taken = found.filter(({ field }) => takesValues(field, scope))
  const values = taken.filter(({ field }) => !field.link)
  const lists = taken.filter(({ field }) => field.link)
  const keys = isStored ? planKeys(found, scope) : []
  const stamp = isStored ? found.find(({ field }) => field.column?.kind === 'stamp') : undefined
  if (taken.length === 0) {
    throw invalid(say`The file has no column that may be imported`, { code: 'NO_COLUMNS' })
  }
  const unkept =
    scope.request.mode === 'update' || scope.request.keepKeys
      ? undefined
      : found.find(({ field }) => field.column?.key && field.column.identity)
  const used = new Set([...taken, ...keys, stamp])
  const ignored = found.filter((each) => !used.has(each) && (each !== unkept || isStored))
  const blank = headers.flatMap((head, at) => (head === null || head.trim() === '' ? [at] : []))
  return { values, lists, keys, stamp, unkept, ignored, width: headers.length, blank }
}

function findColumns(headers: readonly (string | null)[], scope: HeaderScope): ImportColumn[] {
  const columns = new Map<string, ImportColumn>()
  for (const [at, found] of matchHeaders(headers, scope).entries()) {
    if (!found) continue
    const before = columns.get(found.field.name)
    if (before && before.isLabel === found.isLabel) {
      const head = (headers[at] ?? '').slice(0, 80)
      throw invalid(say`The head '${head}' stands twice`, { code: 'DOUBLE_HEAD' })
    }
    // What a record is called stands beside its key: the key says it exactly.
    if (!before || before.isLabel) columns.set(found.field.name, { at, ...found })
  }
  return [...columns.values()]
}

/** Whether the caller may find records by a field: by one whose values the caller gets. */
function namesRecords(view: View, grant: Grant, field: Field): boolean {
  if (!isServed(view, grant, field)) return false
  if (grant.access.masked.has(field.name.toLowerCase())) return false
  if (view.keys.includes(field)) return true
  const isIn = (...surfaces: Surface[]) => surfaces.some((surface) => field.in.has(surface))
  return (grant.may('List') && isIn('Grid')) || (grant.may('View') && isIn('Form', 'View'))
}

function planKeys(
  found: readonly ImportColumn[],
  { view, grant, request }: HeaderScope,
): ImportColumn[] {
  const names = request.keyFields.length > 0 ? request.keyFields : view.keys.map((k) => k.name)
  return names.map((name) => {
    const field = view.fieldByName.get(name.toLowerCase())
    if (!field?.column || field.labelOf !== undefined || !namesRecords(view, grant, field)) {
      throw invalid(say`keyFields: '${name.slice(0, 80)}' is no stored field`)
    }
    const column = found.find((each) => each.field === field)
    if (column) return column
    throw invalid(
      request.keyFields.length > 0
        ? say`keyFields: the file has no column '${field.label}'`
        : say`The file has no key: name the fields that tell a record in keyFields`,
    )
  })
}
