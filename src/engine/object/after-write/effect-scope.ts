/** What effects run with: the values that their statements bind and that their texts name. */
import type { AuthoredSql, Effect, FieldFeatures, Model } from '../../../model/model.ts'
import { composeShadowed, composeShadowedWrite } from '../../../model/shadow.ts'
import { composeRead } from '../../../store/gate-compose.ts'
import type { SqlArg, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx, Reader } from '../../../store/store.ts'
import { mapConstraint, type ConstraintOwner } from '../rules/constraint.ts'
import { contextValue, isContextName, type Context } from '../context.ts'
import { formerValue, type Former } from '../record/former.ts'
import type { Subject } from './outbox.ts'
import type { Dispatch } from '../schema.ts'
import { nextNumber } from '../record/sequence.ts'

/** What effects run with. */
export interface EffectScope {
  tx: Tx
  model: Model
  context: Context
  /** The view or entity that they stand in. */
  owner: ConstraintOwner & { name: string }
  effects: readonly Effect[]
  /** The action or event, as a refusal names it. */
  of: string
  /** `@CurrentCompanyId`, and whose rows statements read. */
  company: SqlValue
  reach: 'company' | 'all'
  /**
   * Values that statements bind by lower-case name: the row's columns and the action's parameters.
   */
  values: Map<string, SqlArg>
  /** What the record was before the mutation; undefined where they are about none. */
  former: Former | undefined
  /** The row as it was before the statements; undefined for an action without one. */
  row: SqlRow | undefined
  /** The row as it is after the statements. */
  reload: () => Promise<SqlRow | undefined>
  subject: Subject
  /** Whether the one who gets the envelopes may see a column. */
  sees: (name: string) => boolean
  /**
   * Whether texts may call what a column or parameter refers to by its name: a value that a caller
   * chose is only told where they could have picked it.
   */
  mayLabel: (of: FieldFeatures) => boolean
  dispatch: (envelope: Dispatch) => void
}

/** What an authored statement runs with; one that only reads, with any reader. */
export type StatementScope<R extends Reader = Tx> = Pick<
  EffectScope,
  'model' | 'context' | 'owner' | 'of' | 'company' | 'reach' | 'values' | 'former'
> & { tx: R }

/** Runs an authored statement, held to the company; a query is set into one of the engine's. */
export async function runStatement(
  scope: StatementScope,
  sql: AuthoredSql,
): Promise<{ rows: SqlRow[]; changes: number }> {
  const { tx, model, context, owner, reach, of } = scope
  const args = await bindStatement(scope, sql)
  const whole =
    sql.writes.length > 0
      ? composeShadowedWrite(model, sql, reach)
      : composeShadowed(model, sql.reads, reach, (head) => composeRead(head, sql.text))
  return mapConstraint({ view: owner, context }, () => tx.authored(whole.sql, args, of, whole.own))
}

/**
 * Context parameters, `@Next_<Sequence>` drawn now, then the row's values and parameters; any other
 * name is NULL, whatever a request says.
 */
export async function bindStatement(
  scope: StatementScope<Reader>,
  sql: AuthoredSql,
): Promise<Record<string, SqlArg>> {
  const { tx, model, context, company, values } = scope
  const args: Record<string, SqlArg> = { CurrentCompanyId: company }
  for (const name of sql.parameters) {
    if (name === 'CurrentCompanyId') continue
    const key = name.toLowerCase()
    if (name.startsWith('Next_')) {
      const sequence = model.sequences.get(name.slice('Next_'.length))?.sequence
      const drawn = { tx, companyId: Number(company ?? 0), now: context.now, values }
      args[name] = sequence ? await nextNumber(sequence, drawn) : null
    } else if (isContextName(name)) args[name] = contextValue(name, context)
    else if (values.has(key)) args[name] = values.get(key) ?? null
    else args[name] = formerOf(scope, name) ?? null
  }
  return args
}

const formerOf = ({ former, owner }: StatementScope<Reader>, name: string): SqlArg | undefined =>
  former && formerValue(name, owner.entity, former)

/** A column of the row as it is after the statements, or a parameter or result of that name. */
export function findCell(
  { values }: Pick<EffectScope, 'values'>,
  row: SqlRow | undefined,
  name: string,
): SqlArg {
  const key = name.toLowerCase()
  const cell = Object.entries(row ?? {}).find(([each]) => each.toLowerCase() === key)
  return cell ? cell[1] : (values.get(key) ?? null)
}

/** A text with its `{Name}`s filled in; nothing stands for no value. */
export function fillText(text: string, find: (name: string) => SqlArg): string {
  return text.replace(/\{([A-Za-z][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = find(name)
    return value === null ? '' : String(value)
  })
}
