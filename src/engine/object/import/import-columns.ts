/** Which column of a file is which field, and what is done with it. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { isSeen } from '../lookup/labels.ts'
import { takesValues, findHeads, type HeadScope, type SaidField } from './import-heads.ts'

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
  /** Cells of a row; further ones must be blank. */
  width: number
  /** Places without a head, whose cells must be blank. */
  blank: readonly number[]
}

/** @throws invalid for unknown and doubled heads, for a file without any that could be imported. */
export function planImportColumns(
  heads: readonly (string | null)[],
  scope: HeadScope,
): ImportColumns {
  const found = findColumns(heads, scope)
  const isStored = scope.request.mode !== 'insert'
  const taken = found.filter(({ field }) => takesValues(field, scope))
  const values = taken.filter(({ field }) => !field.link)
  const lists = taken.filter(({ field }) => field.link)
  const keys = isStored ? planKeys(found, scope) : []
  const stamp = isStored ? found.find(({ field }) => field.column?.kind === 'stamp') : undefined
  if (taken.length === 0) {
    throw invalid(say`The file has no column that may be imported`, { code: 'NO_COLUMNS' })
  }
  const blank = heads.flatMap((head, at) => (head === null || head.trim() === '' ? [at] : []))
  return { values, lists, keys, stamp, width: heads.length, blank }
}

function findColumns(heads: readonly (string | null)[], scope: HeadScope): ImportColumn[] {
  const columns = new Map<string, ImportColumn>()
  for (const [at, found] of findHeads(heads, scope).entries()) {
    if (!found) continue
    const before = columns.get(found.field.name)
    if (before && before.isLabel === found.isLabel) {
      const head = (heads[at] ?? '').slice(0, 80)
      throw invalid(say`The head '${head}' stands twice`, { code: 'DOUBLE_HEAD' })
    }
    // What a record is called stands beside its key: the key says it exactly.
    if (!before || before.isLabel) columns.set(found.field.name, { at, ...found })
  }
  return [...columns.values()]
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
