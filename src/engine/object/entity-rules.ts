/** Rules of entities and views, judged on a record as it is stored. */
import type { FieldErrors } from '../../kernel/failure.ts'
import type { AuthoredSql, Entity, Validate } from '../../model/model.ts'
import type { SqlArg, SqlRow, SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { contextValue, isContextName, type Context } from './context.ts'
import { composeScalar } from './scalar.ts'
import { toArg } from './value.ts'
import { holdsRule } from './wire-condition.ts'

/** What rules are judged on: a record as it is stored. */
export interface Judged {
  entity: Entity
  row: SqlRow
  context: Context
  isNew: boolean
}

/** Messages of the rules that do not hold, by field. */
export async function checkRules(
  tx: Tx,
  rules: readonly Validate[],
  { entity, row, context, isNew }: Judged,
): Promise<FieldErrors> {
  const faults: FieldErrors = {}
  const draft = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]))
  const find = (name: string) => entity.columnByName.get(name.toLowerCase())
  const zone = context.caller?.timeZone ?? 'UTC'
  for (const rule of rules) {
    const holds =
      rule.kind === 'compare'
        ? holdsRule(rule, find, draft, zone)
        : await holdsSql(tx, rule.sql, { entity, draft, context, isNew })
    if (!holds) faults[rule.field ?? ''] ??= rule.message
  }
  return faults
}

/** What a rule in SQL is asked with. */
export interface RuleScope {
  entity: Entity
  /** The record by lower-case column name. */
  draft: ReadonlyMap<string, SqlValue>
  context: Context
  isNew: boolean
}

/** A rule holds when its first cell is true: false, NULL or no row is a failure. */
export async function holdsSql(tx: Tx, sql: AuthoredSql, scope: RuleScope): Promise<boolean> {
  const asked = composeScalar(sql, scope.context.model, 'company')
  const args: Record<string, SqlArg> = {}
  for (const name of asked.names) args[name] = ruleValue(name, scope)
  const value = (await tx.authored(asked.sql, args)).rows[0]?.value ?? null
  return isTrue(value)
}

/** The record's company is the rule's; the key of a new record is NULL. */
function ruleValue(name: string, { entity, draft, context, isNew }: RuleScope): SqlArg {
  if (name === 'CurrentCompanyId' && entity.company) {
    return draft.get(entity.company.toLowerCase()) ?? null
  }
  if (isContextName(name)) return contextValue(name, context)
  const column = entity.columnByName.get(name.toLowerCase())
  if (isNew && column?.key) return null
  return toArg(column, draft.get(name.toLowerCase()) ?? null)
}

/** Truth as SQLite has it: a number that is not 0, or a text that begins with one. */
function isTrue(value: SqlValue): boolean {
  const number = typeof value === 'string' ? Number.parseFloat(value) : Number(value)
  return number !== 0 && !Number.isNaN(number)
}
