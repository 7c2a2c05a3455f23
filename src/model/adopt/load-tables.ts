/** Takes the rows of an adopted model over, key by key, and proves that all of them came. */
import { yieldNow } from '../../kernel/yielder.ts'
import {
  LargeCell,
  type SourceCell,
  type SourceFile,
  type SourceRow,
} from '../../store/file/source-file.ts'
import type { SqlArg } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { AdoptedColumn, AdoptedEntity, AdoptedModel } from './adopted.ts'
import { describeCell, planRead } from './column-profile.ts'
import { FileLoader, isFileColumn, type LoadTarget } from './load-files.ts'
import type { ReadValue, ValueEffect } from './readings.ts'
import { findRowId, orderOf } from './source-schema.ts'
import { quote, quoteText } from '../sql/quote.ts'

/** The rows of the source do not come to what they should: nothing of them stays. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
}

/** The rows taken of a table. */
export interface TakenTable {
  entity: AdoptedEntity
  rows: number
  /** Values that are another one now, by column and by what was done to them. */
  effects: ReadonlyMap<AdoptedColumn, ReadonlyMap<ValueEffect, EffectCount>>
}

/** The number of values that an effect has, and the first of them: `1.500 became 1.5`. */
interface EffectCount {
  values: number
  example: string
}

/**
 * Reads every row of the source as it will be stored, and writes it. Memory does not grow with the
 * rows.
 * @throws LoadError, SourceError.
 */
export async function loadTables(
  source: SourceFile,
  { entities }: Pick<AdoptedModel, 'entities'>,
  target: LoadTarget,
): Promise<TakenTable[]> {
  const taken: TakenTable[] = []
  for (const entity of entities) taken.push(await loadTable(source, entity, target))
  return taken
}

async function loadTable(
  source: SourceFile,
  entity: AdoptedEntity,
  target: LoadTarget,
): Promise<TakenTable> {
  const { table, rows: found } = entity.source
  const tally = new RowTally(entity)
  const columns = entity.columns.map(({ profile }) => profile.column)
  const rowId = entity.madeKey === undefined ? undefined : findRowId(table)
  const keys = rowId === undefined ? (orderOf(table) ?? []) : [rowId]
  const insert = composeInsert(entity)
  const read = planRead(table, keys, columns)
  const files = new FileLoader(source, entity, read)
  const sized = read.columns.map((column, at) => {
    const adopted = entity.columns[at]
    return { ...column, isSized: adopted !== undefined && isFileColumn(adopted) }
  })
  for await (const page of source.pages({ ...read, columns: sized })) {
    for (const row of page) {
      const values = tally.read(row)
      await files.save(target, row, values)
      await save(target.tx, entity, { insert, values, row })
    }
    await yieldNow()
  }
  source.requireSame()
  if (tally.rows !== found)
    throw new LoadError(`${table.name}: ${found} rows were counted, but ${tally.rows} were read`)
  await requireStored(target.tx, entity, tally)
  await keepNumbers(source, entity, target.tx)
  return { entity, rows: tally.rows, effects: tally.effects }
}

/** Reads rows as they will be stored, and counts them. */
class RowTally {
  rows = 0
  readonly effects = new Map<AdoptedColumn, Map<ValueEffect, EffectCount>>()
  /** Values of each column that are not null. */
  readonly filled: number[]
  readonly #entity: AdoptedEntity

  constructor(entity: AdoptedEntity) {
    this.#entity = entity
    this.filled = entity.columns.map(() => 0)
  }

  /** The values in the order of the table's columns. */
  read({ key, cells }: SourceRow): SqlArg[] {
    this.rows++
    const values: SqlArg[] = this.#entity.madeKey ? [this.#findNumber(key)] : []
    this.#entity.columns.forEach((column, at) => {
      const cell = cells[at] ?? null
      const read = readCell(column, cell)
      if (read === undefined) throw unread(this.#entity, column, cell)
      if (read.value !== null) this.filled[at] = (this.filled[at] ?? 0) + 1
      if (read.change) this.#count(column, read.change, [cell, read.value])
      if (read.loss) this.#count(column, read.loss, [cell, read.value])
      values.push(read.value)
    })
    return values
  }

  /** The number of a row without a key: that of SQLite, else its place. */
  #findNumber(key: readonly SourceCell[]): number {
    const { source } = this.#entity
    return source.table.hasRowId ? toNumber(this.#entity, key[0] ?? null) : this.rows
  }

  #count(
    column: AdoptedColumn,
    effect: ValueEffect,
    [from, to]: readonly [SourceCell, string | number | null],
  ): void {
    let known = this.effects.get(column)
    if (!known) this.effects.set(column, (known = new Map<ValueEffect, EffectCount>()))
    const count = known.get(effect)
    if (count) count.values++
    else {
      const stored = to === null ? 'no value' : describeCell(to)
      known.set(effect, { values: 1, example: `${describeCell(from)} became ${stored}` })
    }
  }
}

/** Reads a value by its column; one that is too large is left out, whatever the column. */
function readCell({ reading }: AdoptedColumn, cell: SourceCell): ReadValue | undefined {
  if (cell === null) return { value: null }
  return cell instanceof LargeCell ? { value: null, loss: 'tooLarge' } : reading.read(cell)
}

function toNumber({ source }: AdoptedEntity, cell: SourceCell): number {
  if (typeof cell === 'number') return cell
  throw new LoadError(`${source.table.name}: a row has a number that is too large for a key`)
}

const unread = ({ source }: AdoptedEntity, column: AdoptedColumn, cell: SourceCell): LoadError =>
  new LoadError(
    `${source.table.name}.${column.profile.column.name}: ` +
      `${describeCell(cell)} is no ${column.type}`,
  )

const namesOf = ({ madeKey, columns }: AdoptedEntity): string[] => [
  ...(madeKey ? [madeKey] : []),
  ...columns.map(({ name }) => name),
]

function composeInsert(entity: AdoptedEntity): string {
  const names = namesOf(entity)
  const values = names.map((_, at) => `?${at + 1}`).join(', ')
  const columns = names.map(quote).join(', ')
  return `INSERT INTO main.${quote(entity.table)} (${columns}) VALUES (${values})`
}

async function save(
  tx: Tx,
  entity: AdoptedEntity,
  { insert, values, row }: { insert: string; values: SqlArg[]; row: SourceRow },
): Promise<void> {
  try {
    await tx.insert(insert, values)
  } catch (error) {
    const key = row.key.map(describeCell).join(', ')
    const reason = error instanceof Error ? error.message : String(error)
    const message = `${entity.source.table.name}: the row ${key} cannot be stored: ${reason}`
    throw new LoadError(message, { cause: error })
  }
}

/** Checks that as many rows, and in each column as many values, were stored as were read. */
async function requireStored(tx: Tx, entity: AdoptedEntity, tally: RowTally): Promise<void> {
  const counts = entity.columns.map(({ name }, at) => `count(${quote(name)}) AS n${at}`)
  const table = `main.${quote(entity.table)}`
  const stored = await tx.get(`SELECT ${['count(*) AS n', ...counts].join(', ')} FROM ${table}`)
  const isWhole =
    Number(stored?.n) === tally.rows &&
    tally.filled.every((count, at) => Number(stored?.[`n${at}`]) === count)
  if (isWhole) return
  const text = `${tally.rows} rows were read, but ${Number(stored?.n)} are stored`
  throw new LoadError(`${entity.source.table.name}: ${text}, or values of them are missing`)
}

const SEQUENCE = 'sqlite_sequence'

/** The number of a record that was deleted in the source does not come again here either. */
async function keepNumbers(source: SourceFile, entity: AdoptedEntity, tx: Tx): Promise<void> {
  if (!entity.columns.some(({ identity }) => identity)) return
  const [known] = await source.all(
    `SELECT 1 AS n FROM main.sqlite_schema WHERE name = '${SEQUENCE}' AND type = 'table'
       AND rootpage > 0 AND sql GLOB 'CREATE TABLE *'`,
  )
  if (!known) return
  const [row] = await source.all(
    `SELECT seq FROM main.${SEQUENCE} WHERE name = ${quoteText(entity.source.table.name)}`,
  )
  const last = Number(row?.seq ?? 0)
  if (!Number.isSafeInteger(last) || last <= 0) return
  const name = entity.table
  const moved = await tx.run(`UPDATE ${SEQUENCE} SET seq = max(seq, @last) WHERE name = @name`, {
    last,
    name,
  })
  if (moved === 0)
    await tx.run(`INSERT INTO ${SEQUENCE} (name, seq) VALUES (@name, @last)`, { name, last })
}
