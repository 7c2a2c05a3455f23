/** Imports of the bare server: prepared inserts in one transaction, into the engine's tables. */
import type { Database } from 'libsql'

/** Rows of a CSV with its heads in the first line; a cell in quotes may have commas. */
function* readRows(csv: string): Generator<string[]> {
  let from = csv.indexOf('\n') + 1
  while (from < csv.length) {
    const end = csv.indexOf('\n', from)
    yield readCells(csv.slice(from, end < 0 ? csv.length : end))
    from = end < 0 ? csv.length : end + 1
  }
}

const readCells = (line: string): string[] =>
  line.includes('"')
    ? Array.from(line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g), ([, quoted, plain]) => {
        return quoted ?? plain ?? ''
      })
    : line.split(',')

/** Adds the rows of a CSV of measures to a table, all or none; resolves to how many. */
export function planImport(database: Database, table: string, company: number) {
  const insert = database.prepare(
    `INSERT INTO ${table} (Code, Name, GroupCode, Status, TakenOn, Amount, Pieces, CompanyId)
     VALUES (?, ?, ?, ?, ?, ?, ?, ${company})`,
  )
  const [begin, commit, rollback] = ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK'].map((sql) =>
    database.prepare(sql),
  )
  return (csv: string): number => {
    let rows = 0
    begin?.run()
    try {
      for (const [code, name, group, status, takenOn, amount, pieces] of readRows(csv)) {
        insert.run(code, name, group, status, takenOn, Number(amount), Number(pieces))
        rows++
      }
      commit?.run()
    } catch (error) {
      rollback?.run()
      throw error
    }
    return rows
  }
}
