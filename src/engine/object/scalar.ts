/**
 * An authored query asked for one value: defaults, rules. Its first cell, in one step off the event
 * loop.
 */
import type { AuthoredSql, Model } from '../../model/model.ts'
import { composeShadowed, type Shadowed } from '../../model/shadow.ts'
import type { Own, SqlArgs, SqlRead, SqlValue } from '../../store/sql.ts'
import type { Reader, TxReader } from '../../store/store.ts'

/** Asks for the first cell of the first row; null for none. */
export type Ask = (sql: string, args: SqlArgs, query: AskedQuery) => Promise<SqlValue>

/** Of the query: whether it may earn the serving thread, and what it belongs to. */
export interface AskedQuery {
  mayBeQuick: boolean
  of: string
  own: Own | undefined
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

const planAsk = (sql: string, args: SqlArgs, { mayBeQuick, of, own }: AskedQuery): SqlRead => ({
  sql,
  own,
  args,
  quick: mayBeQuick ? 'earned' : 'never',
  of,
})

/** The statement that gives an authored query's value, held to the company. */
export function composeScalar(
  sql: AuthoredSql,
  model: Model,
  scope: 'company' | 'all',
): Shadowed & { names: readonly string[] } {
  const compose = (head: string): string => `${head}SELECT (\n${sql.text}\n) AS value`
  const whole = composeShadowed(model, sql.reads, scope, compose)
  const names = new Set(sql.parameters)
  if (whole.own !== undefined) names.add('CurrentCompanyId')
  return { ...whole, names: [...names] }
}
