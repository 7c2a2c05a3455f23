/** The answer of a read in a transaction: its first row, or all of them. */
import type { Statement } from '../connection/statement.ts'
import type { SqlArgs, SqlRow } from '../sql.ts'

/** Forms of an answer: of a read at once, and of all rows that ran off the event loop. */
export interface AnswerForm<T> {
  atOnce: (statement: Statement, args: SqlArgs) => T
  pick: (rows: SqlRow[]) => T
}

export const FIRST: AnswerForm<SqlRow | undefined> = {
  atOnce: (statement, args) => statement.get(args),
  pick: ([row]) => row,
}
export const ALL: AnswerForm<SqlRow[]> = {
  atOnce: (statement, args) => statement.all(args),
  pick: (rows) => rows,
}
