/** Effects in document order: statements inside the transaction, envelopes for the client. */
import type { Grant } from '../../access/grant.ts'
import { invalid } from '../../kernel/failure.ts'
import type { AuthoredSql, Effect, View } from '../../model/model.ts'
import { composeWrite, planShadows } from '../../model/shadow.ts'
import type { SqlArg, SqlRow } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import { mapConstraint } from './constraint.ts'
import type { Context } from './context.ts'
import type { Dispatch } from './schema.ts'
import { bindWrite } from './statement.ts'

/** What effects run with. */
export interface EffectScope {
  tx: Tx
  view: View
  grant: Grant
  context: Context
  effects: readonly Effect[]
  /**
   * Values that statements bind by lower-case name: the row's columns and the action's parameters.
   */
  values: Map<string, SqlArg>
  parameters: ReadonlyMap<string, unknown>
  /** The row as it is after the statements; undefined for an action without a row. */
  reload: (() => Promise<SqlRow | undefined>) | undefined
}

/** Runs the effects; a statement that fails rolls everything back. */
export async function runEffects(scope: EffectScope, dispatch: Dispatch[]): Promise<void> {
  let row: SqlRow | undefined
  for (const effect of scope.effects) {
    if (effect.kind === 'sql') {
      await runSql(scope, effect)
      row = undefined
    } else if (effect.kind === 'dispatch') {
      row ??= await scope.reload?.()
      dispatch.push(toDispatch(scope, effect, row))
    }
  }
}

/** `Rows` states how many rows the statement must touch; another number rolls back with Message. */
async function runSql(scope: EffectScope, effect: Extract<Effect, { kind: 'sql' }>): Promise<void> {
  const { sql, rows: expected } = effect
  const result = await runStatement(scope, sql)
  if (expected !== undefined && result.changes !== expected) {
    throw invalid(effect.message ?? 'The record is no longer in the state that this needs', {
      code: 'NOT_PERMITTED_NOW',
    })
  }
  if (effect.into !== undefined) {
    const first = result.rows[0]
    scope.values.set(effect.into.toLowerCase(), first ? (Object.values(first)[0] ?? null) : null)
  }
}

async function runStatement(scope: EffectScope, sql: AuthoredSql) {
  const { tx, grant, view, context } = scope
  const args = await bindWrite(scope, sql, scope.values, scope.parameters)
  const shadows = planShadows(grant.model, sql.reads, grant.allCompanies ? 'all' : 'company')
  const record = { tx, view, grant, context }
  return mapConstraint(record, () => tx.authored(composeWrite(sql, shadows), args))
}

function toDispatch(
  scope: EffectScope,
  effect: Extract<Effect, { kind: 'dispatch' }>,
  row: SqlRow | undefined,
): Dispatch {
  const isRefresh = effect.type === 'refreshTable'
  const target = effect.target ?? (isRefresh ? scope.view.name : undefined)
  return {
    Type: effect.type,
    ...(target !== undefined && { Target: target }),
    ...(effect.level !== undefined && { Level: effect.level }),
    ...(effect.message !== undefined && { Message: fillText(effect.message, scope, row) }),
  }
}

/** `{Name}` is a column of the row as it is after the statements, or a parameter. */
export function fillText(text: string, scope: EffectScope, row: SqlRow | undefined): string {
  const columns = new Map(
    Object.entries(row ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  )
  return text.replace(/\{([A-Za-z][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const key = name.toLowerCase()
    if (!scope.grant.sees(name)) return ''
    const value = (columns.has(key) ? columns.get(key) : scope.values.get(key)) ?? null
    return value === null ? '' : String(value)
  })
}
