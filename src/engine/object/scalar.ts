/**
 * An authored query asked for one value: defaults, rules. Its first cell, in one step off the event
 * loop.
 */
import type { AuthoredSql, Model } from '../../model/model.ts'
import { planShadows, withShadows } from '../../model/shadow.ts'
import type { SqlArgs, SqlValue } from '../../store/sql.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** Asks for the first cell of the first row; null for none. */
export type Ask = (sql: string, args: SqlArgs, mayBeQuick: boolean) => Promise<SqlValue>

/** Asks the last committed state, in a lane unless the query has shown to be quick. */
export const askReader =
  (reader: Reader): Ask =>
  async (sql, args, mayBeQuick) => {
    const read = { sql, args, quick: mayBeQuick ? ('earned' as const) : ('never' as const) }
    return (await reader.get(read))?.value ?? null
  }

/** Asks inside a write transaction, off the event loop and under its deadline. */
export const askTx =
  (tx: Tx): Ask =>
  async (sql, args, mayBeQuick) =>
    (await tx.ask({ sql, args, quick: mayBeQuick ? 'earned' : 'never' }))?.value ?? null

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
