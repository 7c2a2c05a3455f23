/** Authored statements with the values that they bind: of views, actions, events, procedures. */
import type { AuthoredSql } from '../../../model/compiled/authored-sql.ts'
import { toShown } from '../../../model/fields/decimal.ts'
import { composeShadowed, composeShadowedWrite } from '../../../model/shadow.ts'
import { composeRead } from '../../../store/gate-compose.ts'
import type { SqlArg, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx, Reader } from '../../../store/store.ts'
import { mapConstraint, type ConstraintOwner } from '../rules/constraint.ts'
import { contextValue, isContextName, type Context } from '../context.ts'
import { formerValue, type Former } from '../record/record-values.ts'
import { nextNumber } from '../record/sequence.ts'

/** What authored statements of one owner run with. */
export interface StatementRun {
  context: Context
  /** The view, entity or procedure that they stand in. */
  owner: ConstraintOwner & { name: string }
  /** The view, action or event, as a refusal names it. */
  of: string
  /** `@CurrentCompanyId`, and whose rows they read. */
  company: SqlValue
  shadowScope: 'company' | 'all'
  /** Values by lower-case name: columns of the record, parameters of the action. */
  values: Map<string, SqlArg>
  /** What the record was before the mutation; undefined where they are about none. */
  former: Former | undefined
}

/** Runs an authored statement, held to the company; a query is set into one of the engine's. */
export async function runStatement(
  tx: Tx,
  run: StatementRun,
  sql: AuthoredSql,
): Promise<{ rows: SqlRow[]; changes: number }> {
  const { context, owner, shadowScope, of } = run
  const args = await bindStatement(tx, run, sql)
  if (sql.writes.length > 0) {
    const write = composeShadowedWrite(context.model, sql, shadowScope)
    const { sql: text, own } = write
    const done = await mapConstraint({ view: owner, context }, () =>
      tx.authored(text, args, of, own),
    )
    return { ...done, rows: showRows(sql, done.rows) }
  }
  const read = composeShadowed(context.model, sql.reads, shadowScope, (head) =>
    composeRead(head, sql.text),
  )
  const runs = sql.mayRunInline ? 'measured' : 'lane'
  return { rows: showRows(sql, await tx.all({ ...read, args, runs, of })), changes: 0 }
}

/** The rows with their sums as they are shown: what follows says and stores them. */
function showRows({ columns }: AuthoredSql, rows: SqlRow[]): SqlRow[] {
  const reckoned = columns.filter(({ scale }) => scale !== undefined)
  if (reckoned.length === 0) return rows
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(
      reckoned.map(({ name, scale }) => [name, toShown(row[name] ?? null, scale)]),
    ),
  }))
}

/**
 * Context parameters, `@Next_<Sequence>` generated now, then the row's values and parameters; any
 * other name is NULL, whatever a request says.
 */
export async function bindStatement(
  reader: Reader,
  { context, owner, company, values, former }: StatementRun,
  sql: AuthoredSql,
): Promise<Record<string, SqlArg>> {
  const args: Record<string, SqlArg> = { CurrentCompanyId: company }
  for (const name of sql.parameters) {
    if (name === 'CurrentCompanyId') continue
    const key = name.toLowerCase()
    if (name.startsWith('Next_')) {
      const sequence = context.model.sequences.get(name.slice('Next_'.length))?.sequence
      const record = { companyId: Number(company ?? 0), now: context.now, values }
      args[name] = sequence ? await nextNumber(reader, sequence, record) : null
    } else if (isContextName(name)) args[name] = contextValue(name, context)
    else if (values.has(key)) args[name] = values.get(key) ?? null
    else args[name] = (former && formerValue(name, owner.entity, former)) ?? null
  }
  return args
}
