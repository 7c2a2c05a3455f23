/** Reading the database with or without a transaction, for what a deploy does in both ways. */
import type { SqlRow } from '../../store/sql.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** All rows of a SELECT of the engine's own, which has no parameters. */
export type Ask = (sql: string) => Promise<SqlRow[]>

/** Asks the last committed state, beside the serving thread. */
export const askReader =
  (reader: Reader): Ask =>
  (sql) =>
    reader.all({ sql, args: {}, quick: 'never' })

/** Asks from within a transaction. */
export const askTx =
  (tx: Tx): Ask =>
  (sql) =>
    tx.all(sql)
