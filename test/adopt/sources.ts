/**
 * Databases of other programs, made for tests: in the shapes of Chinook, Sakila and Northwind, and
 * whatever else a file can bring.
 */
import { writeFileSync } from 'node:fs'
import Database from 'libsql'

/** Makes a database by SQL; it is closed and whole when this returns. */
export function makeSource(path: string, sql: string): void {
  writeFileSync(path, '')
  const database = new Database(path)
  database.exec(sql)
  database.close()
}

/** `count` rows of values that `row` gives for the numbers from 1. */
export const insertRows = (
  table: string,
  count: number,
  row: (at: number) => readonly (string | number | null)[],
): string => {
  const lines = Array.from(
    { length: count },
    (_, at) =>
      `(${row(at + 1)
        .map(literal)
        .join(', ')})`,
  )
  return `INSERT INTO ${table} VALUES\n${lines.join(',\n')};\n`
}

/** A value as SQL has it; what begins with `x'` is bytes. */
function literal(value: string | number | null): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  return /^x'[0-9a-f]*'$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`
}
