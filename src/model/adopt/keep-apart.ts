/**
 * Rules by which a source tells rows apart, held against the values as they will be stored: two
 * instants of one millisecond are one here. Memory does not grow with the rows.
 */
import { LargeCell, type SourceCell, type SourceFile } from '../../store/file/source-file.ts'
import { type ColumnProfile, describeCell, planRead } from './column-profile.ts'
import { READINGS, type SourceReading } from './readings.ts'
import { orderOf, type SourceTable } from './source-schema.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'

/** Most values that are compared at a time; of more the table is read again. */
const VALUES_MAX = 500_000
/** Most values that are looked at once more. */
const SUSPECTS_MAX = 100

/** The rules of a table that its values do not hold as they are stored. */
export interface MergedRules {
  /** Two keys that would be one. */
  key: string | undefined
  /** Names of unique indexes, with two of their values. */
  indexes: ReadonlyMap<string, string>
}

interface Rule {
  /** Undefined for the key. */
  index: string | undefined
  columns: readonly ColumnProfile[]
}

/**
 * Reads columns as Text where another type would make different values of a key or a unique rule
 * the same, and finds the rules that do not hold even so. @throws SourceError
 */
export async function keepApart(
  source: SourceFile,
  table: SourceTable,
  { rows, columns }: { rows: number; columns: readonly ColumnProfile[] },
): Promise<MergedRules> {
  const indexes = new Map<string, string>()
  let key: string | undefined
  for (const rule of listRules(table, columns)) {
    const merged = await findMerged(source, table, rule, rows)
    if (merged === undefined) continue
    if (rule.index === undefined) key = merged
    else indexes.set(rule.index, merged)
  }
  return { key, indexes }
}

/** Lists the rules whose values are stored otherwise than they are. */
function listRules(table: SourceTable, columns: readonly ColumnProfile[]): Rule[] {
  const find = (names: readonly (string | undefined)[]): ColumnProfile[] =>
    names.flatMap((name) => {
      const key = name?.toLowerCase()
      return columns.filter(({ column }) => column.name.toLowerCase() === key)
    })
  const rules = [
    ...(table.isRowKey ? [] : [{ index: undefined, names: table.keys }]),
    ...table.indexes
      .filter(({ unique, isPartial }) => unique && !isPartial)
      .map((index) => ({ index: index.name, names: index.columns })),
  ]
  return rules
    .map(({ index, names }) => ({ index, names, columns: find(names) }))
    .filter(
      (rule) =>
        rule.columns.length === rule.names.length &&
        rule.columns.some(({ isRewritten }) => isRewritten) &&
        rule.columns.every(({ reading }) => FIELD_KINDS[reading.type].structure !== 'files'),
    )
}

/** Two values of a rule that are the same even as Text; columns become Text on the way. */
async function findMerged(
  source: SourceFile,
  table: SourceTable,
  { columns }: Rule,
  rows: number,
): Promise<string | undefined> {
  const merged = await findTwice(source, table, columns, rows)
  const changed = columns.filter(({ reading, isRewritten }) => isRewritten && !isText(reading))
  if (merged === undefined || changed.length === 0) return merged
  for (const column of changed) {
    column.apart = `${column.reading.type} makes one of ${merged}`
    column.reading = READINGS.text
    column.scale = undefined
    column.misfits = undefined
  }
  return findTwice(source, table, columns, rows)
}

const isText = ({ type }: SourceReading): boolean => FIELD_KINDS[type].isText

/** The values of a row as they are stored, as one text; undefined where one of them is none. */
function readTuple(
  cells: readonly SourceCell[],
  readings: readonly SourceReading[],
): string | undefined {
  const values: (string | number)[] = []
  for (const [at, reading] of readings.entries()) {
    const cell = cells[at] ?? null
    if (cell === null || cell instanceof LargeCell) return undefined
    const value = reading.read(cell)?.value ?? null
    if (value === null) return undefined
    values.push(value)
  }
  return JSON.stringify(values)
}

interface Tuple {
  text: string
  hash: bigint
  cells: readonly SourceCell[]
}

/** Reads the values of these columns by their readings. */
async function* readTuples(
  source: SourceFile,
  table: SourceTable,
  columns: readonly ColumnProfile[],
  readings = columns.map(({ reading }) => reading),
): AsyncGenerator<Tuple> {
  const read = planRead(
    table,
    orderOf(table) ?? [],
    columns.map(({ column }) => column),
  )
  for await (const page of source.pages(read))
    for (const { cells } of page) {
      const text = readTuple(cells, readings)
      if (text !== undefined) yield { text, hash: BigInt(Bun.hash(text)), cells }
    }
}

/** The part of the values that are compared in one go, of as many parts as keep the memory. */
const partsOf = (rows: number): bigint[] =>
  Array.from({ length: Math.max(1, Math.ceil(rows / VALUES_MAX)) }, (_, at) => BigInt(at))

/** Two values of the columns that are stored as the same, in words. */
async function findTwice(
  source: SourceFile,
  table: SourceTable,
  columns: readonly ColumnProfile[],
  rows: number,
): Promise<string | undefined> {
  const suspects = new Set<bigint>()
  const parts = partsOf(rows)
  for (const part of parts) {
    const known = new Set<bigint>()
    for await (const { hash } of readTuples(source, table, columns)) {
      if (hash % BigInt(parts.length) !== part) continue
      if (known.has(hash) && suspects.size < SUSPECTS_MAX) suspects.add(hash)
      known.add(hash)
    }
  }
  return suspects.size === 0 ? undefined : confirmTwice(source, table, columns, suspects)
}

/** Two values of one hash may differ: they are compared themselves. */
async function confirmTwice(
  source: SourceFile,
  table: SourceTable,
  columns: readonly ColumnProfile[],
  suspects: ReadonlySet<bigint>,
): Promise<string | undefined> {
  const first = new Map<string, readonly SourceCell[]>()
  const describe = (cells: readonly SourceCell[]): string => cells.map(describeCell).join(', ')
  for await (const { text, hash, cells } of readTuples(source, table, columns)) {
    if (!suspects.has(hash)) continue
    const other = first.get(text)
    if (other) return `${describe(other)} and ${describe(cells)}`
    first.set(text, cells)
  }
  return undefined
}

/** An empty text refers to nothing. */
const NOTHING = JSON.stringify([''])

/** A column of a table with its rows. */
interface TableColumn {
  table: SourceTable
  rows: number
  column: ColumnProfile
}

/**
 * Tells whether each value of a column is a key as both are stored by the reading of the key.
 * @throws SourceError
 */
export async function holdsAsRead(
  source: SourceFile,
  { child, parent, reading }: { child: TableColumn; parent: TableColumn; reading: SourceReading },
): Promise<boolean> {
  const parts = partsOf(parent.rows)
  for (const part of parts) {
    const known = new Set<bigint>()
    const isOfPart = ({ hash }: Tuple): boolean => hash % BigInt(parts.length) === part
    for await (const tuple of readTuples(source, parent.table, [parent.column], [reading]))
      if (isOfPart(tuple)) known.add(tuple.hash)
    for await (const tuple of readTuples(source, child.table, [child.column], [reading]))
      if (isOfPart(tuple) && tuple.text !== NOTHING && !known.has(tuple.hash)) return false
  }
  return true
}
