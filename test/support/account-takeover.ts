/** A take-over: tables of another database as files, imported with the keys that they had. */
import { expect } from 'bun:test'
import { Random } from '../../data/demo/random.ts'
import type { Imports } from './imports.ts'

export type Cell = string | number | null

/** A table of the database that is left, and the view that takes its rows. */
export interface SourceTable {
  view: string
  table: string
  columns: readonly string[]
  /** In the order of the file, which is not that of the keys. */
  rows: readonly (readonly Cell[])[]
}

/** Makes the rows of a database: the same seed, the same rows. */
export class SourceMaker {
  readonly random: Random

  constructor(seed: number) {
    this.random = new Random(seed)
  }

  /** Keys as a database has them after years: they begin late and have gaps. */
  keys(count: number): number[] {
    const keys: number[] = []
    for (let key = this.random.int(1, 9); keys.length < count; key += this.random.int(1, 5))
      keys.push(key)
    return keys
  }

  /** The same rows in another order. */
  shuffle<T>(rows: readonly T[]): T[] {
    const shuffled = [...rows]
    for (let at = shuffled.length - 1; at > 0; at--) {
      const other = this.random.int(0, at)
      const [one, two] = [shuffled[at], shuffled[other]]
      if (one !== undefined && two !== undefined) [shuffled[at], shuffled[other]] = [two, one]
    }
    return shuffled
  }

  /** One of these, which must not be empty. */
  pick<T>(list: readonly T[]): T {
    const picked = list[this.random.int(0, list.length - 1)]
    if (picked === undefined) throw new Error('There is nothing to pick from')
    return picked
  }

  /** One of these, or nothing in one case of four. */
  pickOrNull<T>(list: readonly T[]): T | null {
    return this.random.chance(0.25) ? null : this.pick(list)
  }

  /** `2009-03-17` */
  date(): string {
    const pad = (value: number): string => String(value).padStart(2, '0')
    const { random } = this
    return `${random.int(1995, 2013)}-${pad(random.int(1, 12))}-${pad(random.int(1, 28))}`
  }

  /** `2009-03-17T04:05:06.000Z` */
  instant(): string {
    const seconds = this.random.int(0, 86_399)
    return new Date(Date.parse(`${this.date()}T00:00:00Z`) + seconds * 1000).toISOString()
  }

  /** Two decimals, as a number that prints so. */
  price(most: number): number {
    return this.random.int(1, most * 100) / 100
  }

  /** A text that files find hard now and then. */
  text(stem: string, at: number): string {
    const ends = ['', ' & Söhne', ', Ltd.', ' "Live"', ' é\u0301', ' 東京', '; etc.', " O'Neil"]
    return `${stem} ${at}${this.pick(ends)}`
  }
}

const toCell = (cell: Cell): string =>
  cell === null ? '' : `"${String(cell).replaceAll('"', '""')}"`

/** The file of a table, as RFC 4180 has it. */
export const toCsv = ({ columns, rows }: SourceTable): string =>
  [columns.join(','), ...rows.map((row) => row.map(toCell).join(','))].join('\r\n')

/** Imports tables in their order, each with the keys of its rows. */
export async function takeOver(
  imports: Imports,
  as: string,
  tables: readonly SourceTable[],
): Promise<void> {
  for (const table of tables) {
    const file = toCsv(table)
    const fields = { keepKeys: 'true' }
    const taken = await imports.take(as, { objectName: table.view, file, fields })
    expect([table.view, taken.Inserted, taken.Failed]).toEqual([table.view, table.rows.length, 0])
  }
}

/** Compares the stored rows of each table with those of its file, row by row and key by key. */
export async function expectTaken(imports: Imports, tables: readonly SourceTable[]): Promise<void> {
  for (const { table, columns, rows } of tables) {
    const list = columns.map((column) => `"${column}"`).join(', ')
    const stored = await imports.stored(`SELECT ${list} FROM "${table}"`)
    const lines = (all: readonly (readonly unknown[])[]): string[] =>
      all.map((row) => JSON.stringify(row)).sort()
    const found = lines(stored.map((row) => columns.map((column) => row[column] ?? null)))
    expect([table, ...found]).toEqual([table, ...lines(rows)])
  }
}
