/**
 * Effects in document order: statements inside the transaction, envelopes for the client, and what
 * is handed on to be delivered after the commit.
 */
import { invalid } from '../../../kernel/failure.ts'
import { plain, renderMessage, say } from '../../../kernel/messages.ts'
import type { ModelText } from '../../../model/model-text.ts'
import type { Effect } from '../../../model/model.ts'
import type { SqlRow } from '../../../store/sql.ts'
import { fillText, findCell, runStatement, type EffectScope } from './effect-scope.ts'
import { enqueueEffect } from './enqueue-effect.ts'
import type { Dispatch } from '../schema.ts'
import { loadTextLabels } from './text-labels.ts'

/** Runs the effects; a statement that fails rolls everything back. */
export async function runEffects(scope: EffectScope): Promise<void> {
  let row = scope.row
  let isStale = false
  for (const effect of scope.effects) {
    if (effect.kind === 'sql') {
      await runSql(scope, effect)
      isStale = true
      continue
    }
    if (isStale) row = (await scope.reload()) ?? row
    isStale = false
    if (effect.kind === 'dispatch') scope.dispatch(await toDispatch(scope, effect, row))
    else await enqueueEffect(scope, effect, row)
  }
}

/** `Rows` states how many rows the statement must touch; another number rolls back with Message. */
async function runSql(scope: EffectScope, effect: Extract<Effect, { kind: 'sql' }>): Promise<void> {
  const { sql, rows: expected, message, into } = effect
  const result = await runStatement(scope, sql)
  const touched = sql.writes.length > 0 ? result.changes : result.rows.length
  requireRowCount(expected, touched, message)
  if (into === undefined) return
  const first = result.rows[0]
  scope.values.set(into.toLowerCase(), first ? (Object.values(first)[0] ?? null) : null)
}

/** @throws invalid when a statement touched another number of rows than it says. */
export function requireRowCount(
  expected: number | undefined,
  touched: number,
  message: ModelText | undefined,
): void {
  if (expected === undefined || touched === expected) return
  const sentence =
    message === undefined
      ? say`The record is no longer in the state that this needs`
      : plain(message)
  throw invalid(sentence, { code: 'NOT_PERMITTED_NOW' })
}

async function toDispatch(
  scope: EffectScope,
  effect: Extract<Effect, { kind: 'dispatch' }>,
  row: SqlRow | undefined,
): Promise<Dispatch> {
  const isRefresh = effect.type === 'refreshTable'
  const target = effect.target ?? (isRefresh ? scope.owner.name : undefined)
  const seen = effect.labels.filter(({ of }) => scope.sees(of.name))
  const labels = await loadTextLabels(scope, row, seen)
  const find = (name: string) => labels(name) ?? findCell(scope, row, name)
  const { caller } = scope.context
  const fill = (text: ModelText) =>
    fillText(renderMessage(text, caller?.language), (name) =>
      scope.sees(name) ? find(name) : null,
    )
  return {
    Type: effect.type,
    ...(target !== undefined && { Target: fill(target) }),
    ...(effect.level !== undefined && { Level: effect.level }),
    ...(effect.message !== undefined && { Message: fill(effect.message) }),
  }
}
