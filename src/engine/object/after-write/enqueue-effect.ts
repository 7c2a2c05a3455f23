/** Notify, Mail and Job: their texts filled, their recipients as declared, put into the outbox. */
import { renderMessage } from '../../../kernel/messages.ts'
import type { ModelText } from '../../../model/model-text.ts'
import type { Argument, Effect, Recipients } from '../../../model/model.ts'
import { SqlReal, type SqlArg, type SqlRow } from '../../../store/sql.ts'
import { fillText, findCell, runStatement, type EffectScope } from './effect-scope.ts'
import { enqueue } from './outbox.ts'
import { loadTextLabels } from './text-labels.ts'

type EnqueuedEffect = Extract<Effect, { kind: 'notify' | 'mail' | 'job' }>

/** Records one effect for its delivery after the commit. */
export async function enqueueEffect(
  scope: EffectScope,
  effect: EnqueuedEffect,
  row: SqlRow | undefined,
): Promise<void> {
  const { tx, context, subject } = scope
  const base = { now: context.now, ...subject }
  const labels = await loadTextLabels(scope, row, effect.kind === 'job' ? [] : effect.labels)
  const find = (name: string) => labels(name) ?? findCell(scope, row, name)
  const { caller } = context
  const text = (template: ModelText) => fillText(renderMessage(template, caller?.language), find)
  const given = (template: ModelText | undefined) =>
    template === undefined ? null : text(template)
  const arguments_ = () => evaluate(scope, effect.kind === 'notify' ? [] : effect.with, row)
  if (effect.kind === 'job') {
    const With = effect.with.length > 0 ? arguments_() : keyArguments(scope)
    return enqueue(tx, { ...base, kind: 'job', payload: { Name: effect.name, With } })
  }
  const { role, user } = effect.recipients
  const to = { Role: role ?? null, User: given(user), Users: await findUsers(scope, effect, row) }
  if (effect.kind === 'notify') {
    const { title, body, level, topic, url } = effect
    const shown = { Title: text(title), Body: given(body), Level: level, Url: given(url) }
    const payload = { ...shown, Kind: topic ?? scope.owner.name, ...to }
    return enqueue(tx, { ...base, kind: 'notify', payload })
  }
  const mail = { To: given(effect.to), Subject: text(effect.subject), Body: given(effect.body) }
  const payload = { ...mail, ...to, Report: effect.report ?? null, With: arguments_() }
  return enqueue(tx, { ...base, kind: 'mail', payload })
}

/** Ids of the users that the Sql child gives, asked now; null without one. */
async function findUsers(
  scope: EffectScope,
  { recipients: { sql } }: { recipients: Recipients },
  row: SqlRow | undefined,
): Promise<number[] | null> {
  if (!sql) return null
  const values = new Map(scope.values)
  for (const [name, value] of Object.entries(row ?? {})) {
    const key = name.toLowerCase()
    values.set(key, values.get(key) instanceof SqlReal ? toReal(value) : value)
  }
  const { rows } = await runStatement({ ...scope, values }, sql)
  const ids = rows.map((each) => Number(Object.values(each)[0] ?? Number.NaN))
  return [...new Set(ids.filter(Number.isInteger))]
}

const toReal = (value: SqlRow[string]): SqlArg =>
  typeof value === 'number' ? new SqlReal(value) : value

function evaluate(
  scope: EffectScope,
  list: readonly Argument[],
  row: SqlRow | undefined,
): Record<string, string | number | null> {
  const entries = list.map(({ name, column, literal }) => {
    const value = column === undefined ? (literal ?? null) : findCell(scope, row, column)
    return [name, toPlain(value)] as const
  })
  return Object.fromEntries(entries)
}

/** The key is what a Job gets that does not say more. */
function keyArguments({ subject, owner }: EffectScope): Record<string, string | number | null> {
  const keys = owner.entity?.keys ?? []
  return Object.fromEntries(
    subject.key ? keys.map(({ name }, at) => [name, toPlain(subject.key?.[at] ?? null)]) : [],
  )
}

function toPlain(value: SqlArg): string | number | null {
  if (value instanceof SqlReal) return value.value
  return value === null || typeof value === 'number' ? value : String(value)
}
