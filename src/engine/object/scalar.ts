/**
 * An authored query asked for one value: defaults, rules. Its first cell, in one step off the event
 * loop.
 */
import type { AuthoredSql, Model } from '../../model/model.ts'
import { planShadows, withShadows } from '../../model/shadow.ts'
import type { SqlArgs, SqlRead, SqlValue } from '../../store/sql.ts'
import type { Reader, TxReader } from '../../store/store.ts'

/** Asks for the first cell of the first row; null for none. */
export type Ask = (sql: string, args: SqlArgs, query: AskedQuery) => Promise<SqlValue>

/** Of the query: whether it may earn the serving thread, and what it belongs to. */
export interface AskedQuery {
  mayBeQuick: boolean
  of: string
}

/** Asks the last committed state, in a lane unless the query has shown to be quick. */
export const askReader =
  (reader: Reader): Ask =>
  async (sql, args, query) =>
    (await reader.get(planAsk(sql, args, query)))?.value ?? null

/** Asks inside a write transaction, off the event loop and under its deadline. */
export const askTx =
  (tx: TxReader): Ask =>
  async (sql, args, query) =>
    (await tx.ask(planAsk(sql, args, query)))?.value ?? null

const planAsk = (sql: string, args: SqlArgs, { mayBeQuick, of }: AskedQuery): SqlRead => ({
  sql,
  args,
  quick: mayBeQuick ? 'earned' : 'never',
  of,
})

/** The statement that gives an authored query's value, held to the company. */
export function composeScalar(
  sql: AuthoredSql,
  model: Model,
  scope: 'company' | 'all',
): { sql: string; names: readonly string[] } {
  const shadows = withShadows(planShadows(model, sql.reads, scope))
  const names = new Set(sql.parameters)
  if (shadows.includes('@CurrentCompanyId')) names.add('CurrentCompanyId')
  return { sql: `${shadows}SELECT (\n${sql.text}\n) AS value`, names: [...names] }
}
