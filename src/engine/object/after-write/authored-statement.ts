/** Authored statements with the values that they bind: of views, actions, events, procedures. */
import { composeRead } from '../../../store/gate/compose.ts'
import type { SqlArg, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader, Tx } from '../../../store/store.ts'
import type { AuthoredSql } from '../../../model/compiled/authored-sql.ts'
import type { Sequence } from '../../../model/compiled/entity.ts'
import { toShown } from '../../../model/fields/decimal.ts'
import { composeShadowed, composeShadowedWrite } from '../../../model/sql/shadow.ts'
import { type Context, contextValue, isContextName } from '../context.ts'
import { holdsNumber } from '../record/numbered-columns.ts'
import { type Former, formerValue } from '../record/record-values.ts'
import { nextNumber, takeBehindTaken } from '../record/sequence.ts'
import { type ConstraintOwner, findTwice, mapConstraint } from '../rules/constraint.ts'

/** Inputs of running authored statements of one owner. */
export interface StatementRun {
  context: Context
  /** The view, entity or procedure that holds them. */
  owner: ConstraintOwner & { name: string }
  /** The view, action or event, as a refusal names it. */
  of: string
  /** `@CurrentCompanyId`, and whose rows they read. */
  company: SqlValue
  shadowScope: 'company' | 'all'
  /** Values by lower-case name: columns of the record, parameters of the action. */
  values: Map<string, SqlArg>
  /** The record before the mutation; undefined where the statements are about none. */
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
    for (let draws = 1; ; draws++) {
      try {
        const done = await mapConstraint({ view: owner, context }, () =>
          tx.authored(text, args, of, own),
        )
        return { ...done, rows: showRows(sql, done.rows) }
      } catch (error) {
        if (draws === DRAWS_MAX || !(await drawAgain(tx, run, args, error))) throw error
      }
    }
  }
  const read = composeShadowed(context.model, sql.reads, shadowScope, (head) =>
    composeRead(head, sql.text),
  )
  const runs = sql.mayRunInline ? 'measured' : 'lane'
  return { rows: showRows(sql, await tx.all({ ...read, args, runs, of })), changes: 0 }
}

/** Behind all that is taken a number is free at once; a rule of several columns may still hold. */
const DRAWS_MAX = 3

const NEXT = 'Next_'

/** Draws again a value that a statement drew and a unique column of its table holds already. */
async function drawAgain(
  tx: Tx,
  { context, company, values }: StatementRun,
  args: Record<string, SqlArg>,
  error: unknown,
): Promise<boolean> {
  const { table = '', columns = [] } = findTwice(error) ?? {}
  const entity = context.model.entityByTable.get(table.toLowerCase())
  if (!entity) return false
  const others = columns.flatMap((name) => {
    const column = entity.columnByName.get(name.toLowerCase())
    return column && column.name !== entity.company ? [{ entity, column }] : []
  })
  const record = { ...context, companyId: Number(company ?? 0), values }
  let isDrawn = false
  for (const [name, text] of Object.entries(args)) {
    const sequence = findDrawn(context, name)
    if (!sequence || typeof text !== 'string') continue
    const held = await Promise.all(
      others.map((each) => holdsNumber(tx, each, text, record.companyId)),
    )
    if (!held.includes(true)) continue
    args[name] = await takeBehindTaken(tx, sequence, record, others)
    isDrawn = true
  }
  return isDrawn
}

const findDrawn = ({ model }: Context, name: string): Sequence | undefined =>
  name.startsWith(NEXT) ? model.sequences.get(name.slice(NEXT.length))?.sequence : undefined

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
    const sequence = findDrawn(context, name)
    if (sequence) {
      const record = { ...context, companyId: Number(company ?? 0), values }
      args[name] = await nextNumber(reader, sequence, record)
    } else if (isContextName(name, context.model)) args[name] = contextValue(name, context)
    else if (values.has(key)) args[name] = values.get(key) ?? null
    else args[name] = (former && formerValue(name, owner.entity, former)) ?? null
  }
  return args
}
