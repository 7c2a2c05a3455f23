/**
 * New keys of stored rows, and the references that follow them: who pointed at a row points at the
 * same row afterwards (src/model/README.md, Migration).
 */
import { storageOf } from './column-schema.ts'
import { findQueryFill, projectColumn } from './projection.ts'
import { type ColumnMatch, newKey, oldKey, type TableMatch } from './schema-match.ts'
import type { Diagnostic } from '../parse/element.ts'
import { isGeneratedKey } from '../sql/generated-key.ts'
import { quote } from '../sql/quote.ts'

/** Returns a name that no table of the model has, since theirs hold no dot. */
const mapName = (table: string): string => `${table}.keys`

interface KeyChanges {
  tables: TableMatch[]
  rekeyed: TableMatch[]
  faults: Diagnostic[]
}

/** Finds the tables whose rows get another key, and what refers to them. Pure. */
export function matchKeyChanges(matched: readonly TableMatch[]): KeyChanges {
  const changed = findChanged(matched)
  if (changed.size === 0) return { tables: [...matched], rekeyed: [], faults: [] }
  const tables = matched.map((table) => withKeyChange(table, matched, changed))
  const rekeyed = tables.filter((table) => table.keyChange !== undefined)
  const ordered = orderByParents(rekeyed)
  const faults = rekeyed.flatMap(keyFaults)
  if (ordered.length < rekeyed.length)
    for (const { entity } of rekeyed.filter((table) => !ordered.includes(table)))
      faults.push({
        place: entity.place,
        message: `The key of ${entity.name} refers to itself in a circle, so it cannot be replaced`,
      })
  return { tables, rekeyed: ordered, faults }
}

/** Finds changed keys: other key columns or values, or a reference to rows with another key. */
function findChanged(matched: readonly TableMatch[]): Set<TableMatch> {
  const changed = new Set(matched.filter(hasOwnChange))
  let before: number
  do {
    before = changed.size
    for (const table of matched)
      if (keysOf(table).some((key) => hasChangedParent(key, matched, changed))) changed.add(table)
  } while (changed.size > before)
  return changed
}

const keysOf = ({ wanted, columns }: TableMatch): ColumnMatch[] =>
  wanted.keys.flatMap((name) => columns.find((one) => one.wanted.name === name) ?? [])

function hasOwnChange(table: TableMatch): boolean {
  if (table.stored === undefined) return false
  const keys = keysOf(table)
  const names = keys.map((key) => key.stored?.name)
  return names.join() !== table.stored.keys.join() || keys.some((key) => !projectColumn(key).isSame)
}

/** The parent of a reference that stays one to the same entity, where its rows get another key. */
function findChangedParent(
  { stored, wanted }: ColumnMatch,
  matched: readonly TableMatch[],
  changed: ReadonlySet<TableMatch>,
): TableMatch | undefined {
  const [from, to] = [stored?.references, wanted.references]
  if (!from || !to) return undefined
  const parent = matched.find((table) => table.wanted.table === to.table)
  return parent?.stored?.table === from.table && changed.has(parent) ? parent : undefined
}

/** A stored column becomes a reference to rows that get another key. */
function isNewReference(
  { stored, wanted }: ColumnMatch,
  matched: readonly TableMatch[],
  changed: ReadonlySet<TableMatch>,
): boolean {
  const parent = matched.find((table) => table.wanted.table === wanted.references?.table)
  return stored !== undefined && parent !== undefined && changed.has(parent)
}

const hasChangedParent = (...of: Parameters<typeof findChangedParent>): boolean =>
  findChangedParent(...of) !== undefined

function withKeyChange(
  table: TableMatch,
  matched: readonly TableMatch[],
  changed: ReadonlySet<TableMatch>,
): TableMatch {
  const columns = table.columns.map((column) => {
    const parent = findChangedParent(column, matched, changed)
    if (parent) return { ...column, follows: mapName(parent.wanted.table) }
    return { ...column, isAmbiguous: isNewReference(column, matched, changed) }
  })
  const { stored } = table
  if (stored === undefined || !changed.has(table)) return { ...table, columns }
  const former = stored.keys.flatMap((key) => stored.columns.find(({ name }) => name === key) ?? [])
  return { ...table, columns, keyChange: { table: mapName(table.wanted.table), stored: former } }
}

/** Orders tables, each after those that its own key follows; leaves out those of a circle. */
function orderByParents(rekeyed: readonly TableMatch[]): TableMatch[] {
  const ordered: TableMatch[] = []
  const done = new Set<string>()
  let before: number
  do {
    before = ordered.length
    for (const table of rekeyed) {
      const isReady = keysOf(table).every(({ follows }) => !follows || done.has(follows))
      const name = table.keyChange?.table ?? ''
      if (!isReady || done.has(name)) continue
      ordered.push(table)
      done.add(name)
    }
  } while (ordered.length > before)
  return ordered
}

function keyFaults(table: TableMatch): Diagnostic[] {
  return keysOf(table)
    .filter((key) => findQueryFill(key) !== undefined)
    .map(({ column }) => ({
      place: column.place,
      message:
        `The key column ${column.name} of ${table.entity.name} cannot be filled by a query, as ` +
        `references follow the key at once: give it a Fill="…" over the stored row, or deploy ` +
        `the column first, and the key after it`,
    }))
}

/**
 * SQL that makes the map of a rekeyed table and fills it from `rows`, a FROM item with the stored
 * columns and the row number as `.row`. An identity numbers the rows in their order; a Guid is
 * given at random.
 */
export function planKeyMap(match: TableMatch, rows: string): string[] {
  const { keyChange } = match
  if (keyChange === undefined) return []
  const old = keyChange.stored.map(({ name, type }, at) => ({
    column: `${oldKey(at)} ${storageOf(type)} NOT NULL`,
    value: quote(name),
  }))
  const now = keysOf(match).map((key, at) => ({
    column: `${newKey(at)} ${storageOf(key.wanted.type)} NOT NULL`,
    value: newKeyValue(key),
  }))
  const all = [...old, ...now]
  const columns = all.map(({ column }) => column)
  const primary = old.map((_, at) => oldKey(at)).join(', ')
  const table = quote(keyChange.table)
  return [
    `CREATE TABLE ${table} (${columns.join(', ')}, PRIMARY KEY (${primary}))`,
    `INSERT INTO ${table} SELECT ${all.map(({ value }) => value).join(', ')} FROM ${rows}`,
  ]
}

function newKeyValue(key: ColumnMatch): string {
  const { value } = projectColumn(key)
  if (value === undefined) return `row_number() OVER (ORDER BY ".row")`
  return isGivenGuid(key) ? RANDOM_GUID : value
}

/** True when stored rows are given a Guid, as the new key has no other source. */
export const isGivenGuid = (key: ColumnMatch): boolean =>
  key.stored === undefined && isGeneratedKey(key.column) && projectColumn(key).value === 'NULL'

/** RFC 9562, version 4. */
const RANDOM_GUID =
  `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || ` +
  `substr(hex(randomblob(2)), 2) || '-' || substr('89ab', 1 + (random() & 3), 1) || ` +
  `substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`
