/** Which column of a file is which field: by name, by label in any language, or as mapped. */
import type { Grant } from '../../../access/grant.ts'
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Field, View } from '../../../model/model.ts'
import { isWritable } from '../settle/changes.ts'
import { isSeen } from '../lookup/labels.ts'
import { toHeadKey, type ImportRequest } from './import-request.ts'

/** A column of the file that is a field of the view. */
export interface ImportColumn {
  /** Place in the file's rows. */
  at: number
  field: Field
  /** Its texts are what records are called, rather than their keys. */
  isLabel: boolean
}

/** What the columns of a file are. */
export interface ImportColumns {
  /** Fields that the caller may set in a new or a stored record. */
  values: readonly ImportColumn[]
  /** By which stored records are found; in insert none. */
  keys: readonly ImportColumn[]
  /** The stamp that a stored record must have. */
  stamp: ImportColumn | undefined
  /** Cells of a row; further ones must be blank. */
  width: number
  /** Places without a head, whose cells must be blank. */
  blank: readonly number[]
}

/** Heads that a file with errors adds, in the languages of the engine. */
export const ERROR_HEADS: readonly string[] = ['Error', 'Fehler']

/** What heads are looked up in. */
export interface HeadScope {
  view: View
  grant: Grant
  /** The same view in each of the model's languages. */
  translations: readonly View[]
  request: Pick<ImportRequest, 'mode' | 'keyFields' | 'mapping'>
}

/** @throws invalid for unknown and doubled heads, for a file without any that could be imported. */
export function planImportColumns(
  heads: readonly (string | null)[],
  scope: HeadScope,
): ImportColumns {
  const found = findColumns(heads, scope)
  const { view, grant, request } = scope
  const isNew = request.mode !== 'update'
  const isStored = request.mode !== 'insert'
  const values = found.filter(
    ({ field }) =>
      field.type !== 'File' &&
      ((isNew && isWritable(view, field, grant, true)) ||
        (isStored && isWritable(view, field, grant, false))),
  )
  const keys = isStored ? planKeys(found, scope) : []
  const stamp = isStored ? found.find(({ field }) => field.column?.kind === 'stamp') : undefined
  if (values.length === 0) {
    throw invalid(say`The file has no column that may be imported`, { code: 'NO_COLUMNS' })
  }
  const blank = heads.flatMap((head, at) => (head === null || head.trim() === '' ? [at] : []))
  return { values, keys, stamp, width: heads.length, blank }
}

function findColumns(heads: readonly (string | null)[], scope: HeadScope): ImportColumn[] {
  const known = listHeads(scope)
  const columns = new Map<string, ImportColumn>()
  for (const [at, head] of heads.entries()) {
    if (head === null || head.trim() === '') continue
    const found = findHead(head, known, scope)
    if (!found) continue
    const before = columns.get(found.field.name)
    if (before && before.isLabel === found.isLabel) {
      throw invalid(say`The head '${head.slice(0, 80)}' stands twice`, { code: 'DOUBLE_HEAD' })
    }
    // What a record is called stands beside its key: the key says it exactly.
    if (!before || before.isLabel) columns.set(found.field.name, { at, ...found })
  }
  return [...columns.values()]
}

type Known = ReadonlyMap<string, Omit<ImportColumn, 'at'>>

function findHead(
  head: string,
  known: Known,
  { request, view }: HeadScope,
): Omit<ImportColumn, 'at'> | undefined {
  const key = toHeadKey(head)
  const mapped = request.mapping.get(key)
  if (mapped === null) return undefined
  const found = known.get(mapped === undefined ? key : toHeadKey(mapped))
  if (found) return found
  if (mapped === undefined && ERROR_HEADS.some((each) => toHeadKey(each) === key)) return undefined
  throw invalid(say`'${view.label}' has no field '${(mapped ?? head).slice(0, 80)}'`, {
    code: 'UNKNOWN_HEAD',
  })
}

/**
 * Everything that a head may say. Names come before labels, labels of this language before others;
 * a label that two fields bear says neither, but a record's label goes with its key.
 */
function listHeads({ view, grant, translations }: HeadScope): Known {
  const known = new Map<string, Omit<ImportColumn, 'at'>>()
  const own = (name: string) => view.fieldByName.get(name.toLowerCase())
  const all = [...view.fieldByName.values()].filter((field) => isSeen(grant, field))
  for (const field of all) {
    if (field.labelOf === undefined) known.set(toHeadKey(field.name), { field, isLabel: false })
  }
  for (const field of all) {
    const of = field.labelOf === undefined ? undefined : own(field.labelOf)
    const key = toHeadKey(field.name)
    if (of && !known.has(key)) known.set(key, { field: of, isLabel: true })
  }
  for (const each of [view, ...translations]) addLabels(known, each, { own, grant })
  return known
}

function addLabels(
  known: Map<string, Omit<ImportColumn, 'at'>>,
  view: View,
  { own, grant }: { own: (name: string) => Field | undefined; grant: Grant },
): void {
  const labels = new Map<string, Set<Field>>()
  const labelled = new Set<string>()
  for (const field of view.fieldByName.values()) {
    const of = own(field.labelOf ?? field.name)
    if (!of || !isSeen(grant, field)) continue
    const key = toHeadKey(field.label)
    labels.set(key, (labels.get(key) ?? new Set()).add(of))
    if (field.labelOf !== undefined) labelled.add(key)
    const long = toHeadKey(`${field.label} (${field.name})`)
    if (!known.has(long)) known.set(long, { field: of, isLabel: field.labelOf !== undefined })
  }
  for (const [key, fields] of labels) {
    const [field] = fields
    if (!field || fields.size > 1 || known.has(key)) continue
    known.set(key, { field, isLabel: labelled.has(key) })
  }
}

function planKeys(
  found: readonly ImportColumn[],
  { view, grant, request }: HeadScope,
): ImportColumn[] {
  const names = request.keyFields.length > 0 ? request.keyFields : view.keys.map((k) => k.name)
  return names.map((name) => {
    const field = view.fieldByName.get(name.toLowerCase())
    if (!field?.column || field.labelOf !== undefined || !isSeen(grant, field)) {
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
