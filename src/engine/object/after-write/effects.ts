/**
 * Effects in document order: statements inside the transaction, envelopes for the client, and what
 * is handed on to be delivered after the commit.
 */
import { invalid } from '../../../kernel/failure.ts'
import { isLanguageTag } from '../../../kernel/languages.ts'
import { plain, renderMessage, say } from '../../../kernel/messages.ts'
import { type SqlArg, SqlReal, type SqlRow } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import {
  type Argument,
  type Effect,
  EFFECT_KINDS,
  type EffectKind,
  type Recipients,
  type TextLabel,
} from '../../../model/compiled/effect.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { ModelText } from '../../../model/model-text.ts'
import { quote } from '../../../model/sql/quote.ts'
import { composeShadowed } from '../../../model/sql/shadow.ts'
import { namedUsers } from '../../../access/users/recipients.ts'
import { enqueueJob } from '../../jobs/enqueue.ts'
import { ownerIn } from '../../jobs/job.ts'
import {
  type NewNotification,
  type NotificationTexts,
  saveNotifications,
  translateTexts,
} from '../../notifications/save-notifications.ts'
import { runStatement, type StatementRun } from './authored-statement.ts'
import { traceMail } from './mail-trace.ts'
import { type EffectSubject, enqueueMail, type NamedRecipients } from './outbox.ts'
import { addOuterEvent } from './outer-events.ts'
import { addDispatch } from './pending-events.ts'
import { contextValue, isContextName } from '../context.ts'
import { keyText } from '../record/written-row.ts'
import type { Dispatch } from '../schema.ts'

/** Inputs of running effects: the values that their statements bind and that their texts name. */
export interface EffectRun extends StatementRun {
  tx: Tx
  effects: readonly Effect[]
  /** The row as it was before the statements; undefined for an action without one. */
  row: SqlRow | undefined
  /** The row as it is after the statements. */
  reload: () => Promise<SqlRow | undefined>
  subject: EffectSubject
  /** Tells whether the caller who gets the envelopes may see a column. */
  sees: (name: string) => boolean
  /**
   * Tells whether texts may name what a column or parameter refers to by its label: the label of a
   * value that a caller chose is for callers who could have picked it.
   */
  mayLabel: (of: FieldFeatures) => boolean
  /** Begins and ends instances; only events of workflows need it. */
  moveInstance?: MoveInstance | undefined
}

/** Begins the instance of a record, or ends it. */
export type MoveInstance = (run: EffectRun, effect: Effect<'workflow'>) => Promise<void>

/** Runs the effects; a statement that fails rolls everything back. */
export async function runEffects(run: EffectRun): Promise<void> {
  let row = run.row
  let isStale = false
  for (const effect of run.effects) {
    const { writesRecord } = EFFECT_KINDS[effect.kind]
    if (isStale && !writesRecord) row = (await run.reload()) ?? row
    isStale = writesRecord
    await runEffect(run, effect, row)
  }
}

type RunEffect<K extends EffectKind> = (
  run: EffectRun,
  effect: Effect<K>,
  row: SqlRow | undefined,
) => Promise<void> | void

const RUNNERS: { readonly [K in EffectKind]: RunEffect<K> } = {
  sql: runSql,
  dispatch: async (run, effect, row) => addDispatch(run.tx, await toDispatch(run, effect, row)),
  notify: notifyUsers,
  mail: enqueueLetter,
  job: enqueueCaused,
  webhook: (run, { event }) => tellOutside(run, event),
  workflow: (run, effect) => run.moveInstance?.(run, effect),
}

const runEffect = <K extends EffectKind>(
  run: EffectRun,
  effect: Effect<K>,
  row: SqlRow | undefined,
): Promise<void> | void => RUNNERS[effect.kind](run, effect, row)

/** `Rows` states how many rows the statement must touch; another number rolls back with Message. */
async function runSql(run: EffectRun, effect: Effect<'sql'>): Promise<void> {
  const { sql, rows: expected, message, into } = effect
  const result = await runStatement(run.tx, run, sql)
  const touched = sql.writes.length > 0 ? result.changes : result.rows.length
  requireRowCount(expected, touched, message)
  if (into === undefined) return
  const first = result.rows[0]
  run.values.set(into.toLowerCase(), first ? (Object.values(first)[0] ?? null) : null)
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
      ? say`The state of the record has changed, so this is no longer possible`
      : plain(message)
  throw invalid(sentence, { code: 'NOT_PERMITTED_NOW' })
}

async function toDispatch(
  run: EffectRun,
  effect: Effect<'dispatch'>,
  row: SqlRow | undefined,
): Promise<Dispatch> {
  const isRefresh = effect.type === 'refreshTable'
  const target = effect.target ?? (isRefresh ? run.owner.name : undefined)
  const visible = effect.labels.filter(({ of }) => run.sees(of.name))
  const labels = await loadTextLabels(run, row, visible)
  const { caller } = run.context
  const find = (name: string) => labels(name, caller?.language) ?? findCell(run, row, name)
  const fill = (text: ModelText) =>
    fillText(renderMessage(text, caller?.language), (name) => (run.sees(name) ? find(name) : null))
  return {
    Type: effect.type,
    ...(target !== undefined && { Target: fill(target) }),
    ...(effect.level !== undefined && { Level: effect.level }),
    ...(effect.message !== undefined && { Message: fill(effect.message) }),
  }
}

/** Webhooks get it with the rest of the transaction, at its end. */
function tellOutside({ tx, context, subject, owner }: EffectRun, name: string): void {
  const { entity, key, company } = subject
  addOuterEvent(tx, {
    name,
    isNamed: true,
    key,
    company,
    entity: entity === undefined ? undefined : context.model.entities.get(entity),
    view: context.model.views.get(owner.name),
  })
}

/**
 * Enqueues a job as the caller who caused it: it runs by the rights that they have then, in the
 * company of the record. What the engine causes is the engine's.
 */
async function enqueueCaused(
  run: EffectRun,
  effect: Effect<'job'>,
  row: SqlRow | undefined,
): Promise<void> {
  const { tx, context, subject, owner } = run
  const { caller, now } = context
  await enqueueJob(tx, {
    name: effect.name,
    arguments: effect.with.length > 0 ? evaluate(run, effect.with, row) : keyArguments(run),
    owner: ownerIn(caller, subject.company === null ? null : Number(subject.company)),
    source: owner.name,
    now,
  })
}

/** Opens the texts of an effect: they are filled with its row; `to` are its recipients. */
async function openTexts(
  run: EffectRun,
  effect: Effect<'notify' | 'mail'>,
  row: SqlRow | undefined,
) {
  const labels = await loadTextLabels(run, row, effect.labels)
  const text = (template: ModelText, language?: string): string =>
    fillText(
      renderMessage(template, language),
      (name) => labels(name, language) ?? findCell(run, row, name),
    )
  const given = (template: ModelText | undefined, language?: string): string | null =>
    template === undefined ? null : text(template, language)
  const { role, user } = effect.recipients
  const to: NamedRecipients = {
    Role: role ?? null,
    User: given(user),
    Users: await findUsers(run, effect, row),
  }
  return { text, given, to }
}

async function notifyUsers(
  run: EffectRun,
  effect: Effect<'notify'>,
  row: SqlRow | undefined,
): Promise<void> {
  const { text, given, to } = await openTexts(run, effect, row)
  const { title, body, level, topic, url } = effect
  const { model, caller } = run.context
  const texts = translateTexts(model, caller?.language, (language) => ({
    title: text(title, language),
    body: given(body, language),
  }))
  return notify(run, { ...texts, level, url: given(url), kind: topic ?? run.owner.name }, to)
}

/** Records a mail for its delivery after the commit. */
async function enqueueLetter(
  run: EffectRun,
  effect: Effect<'mail'>,
  row: SqlRow | undefined,
): Promise<void> {
  const { tx, context, subject } = run
  const { text, given, to } = await openTexts(run, effect, row)
  const write = (language?: string) => ({
    Subject: text(effect.subject, language),
    Body: given(effect.body, language),
  })
  const written = write()
  const texts = context.model.languages
    .map((language) => [language.toLowerCase(), write(language)] as const)
    .filter(([, each]) => each.Subject !== written.Subject || each.Body !== written.Body)
  const language = given(effect.language)?.trim() ?? ''
  const payload = {
    To: given(effect.to),
    ...written,
    ...to,
    Report: effect.report ?? null,
    With: evaluate(run, effect.with, row),
    ...(texts.length > 0 && { Texts: Object.fromEntries(texts) }),
    // A row may hold anything there: for text that is not a tag, the company's stays.
    ...(isLanguageTag(language) && { Language: language }),
  }
  const id = await enqueueMail(tx, { now: context.now, ...subject, payload })
  return traceMail(run, { id, payload, effect }, (name) => findCell(run, row, name))
}

/**
 * Tells users of the record's company; of a record of none, those of the caller's. `Object` is the
 * view by which it was caused.
 */
async function notify(
  { tx, context, subject, owner }: EffectRun,
  told: NotificationTexts & Pick<NewNotification, 'level' | 'url' | 'kind'>,
  to: NamedRecipients,
): Promise<void> {
  const { caller, company, model, now } = context
  const companyId = Number(subject.company ?? caller?.companyId ?? company?.id ?? 0)
  const named = { role: to.Role, user: to.User, ids: to.Users }
  const about = {
    object: model.views.has(owner.name) ? owner.name : null,
    entity: subject.entity ?? null,
    recordKey: subject.key ? keyText(subject.key) : null,
  }
  const from = { fromUserId: caller?.userId ?? null, companyId, now }
  await saveNotifications(tx, { ...told, ...about, ...from }, namedUsers(named, companyId))
}

/** Ids of the users that the Sql child gives now; null without one. */
async function findUsers(
  run: EffectRun,
  { recipients: { sql } }: { recipients: Recipients },
  row: SqlRow | undefined,
): Promise<number[] | null> {
  if (!sql) return null
  const values = new Map(run.values)
  for (const [name, value] of Object.entries(row ?? {})) {
    const key = name.toLowerCase()
    values.set(key, values.get(key) instanceof SqlReal ? toReal(value) : value)
  }
  const { rows } = await runStatement(run.tx, { ...run, values }, sql)
  const ids = rows.map((each) => Number(Object.values(each)[0] ?? Number.NaN))
  return [...new Set(ids.filter(Number.isInteger))]
}

const toReal = (value: SqlRow[string]): SqlArg =>
  typeof value === 'number' ? new SqlReal(value) : value

function evaluate(
  run: EffectRun,
  list: readonly Argument[],
  row: SqlRow | undefined,
): Record<string, string | number | null> {
  const entries = list.map(({ name, column, literal }) => {
    const value = column === undefined ? (literal ?? null) : findCell(run, row, column)
    return [name, toPlain(value)] as const
  })
  return Object.fromEntries(entries)
}

/** The key is what a Job gets that does not say more. */
function keyArguments({ subject, owner }: EffectRun): Record<string, string | number | null> {
  const keys = owner.entity?.keys ?? []
  return Object.fromEntries(
    subject.key ? keys.map(({ name }, at) => [name, toPlain(subject.key?.[at] ?? null)]) : [],
  )
}

function toPlain(value: SqlArg): string | number | null {
  if (value instanceof SqlReal) return value.value
  return value === null || typeof value === 'number' ? value : String(value)
}

/** Finds the value of a name that is one of the requested labels. */
type FindLabel = (name: string, language?: string) => SqlArg | undefined

/**
 * Labels of the values that the row has now: an option's, or that of the record which it refers to,
 * all in one statement. A value without an option or a record is its own label, as in a grid.
 */
async function loadTextLabels(
  run: EffectRun,
  row: SqlRow | undefined,
  labels: readonly TextLabel[],
): Promise<FindLabel> {
  if (labels.length === 0) return () => undefined
  const cells = new Map(labels.map((each) => [each, findCell(run, row, each.of.name)]))
  const mayName = ({ of, labelSql }: TextLabel): boolean =>
    labelSql !== undefined && run.mayLabel(of)
  const requested = labels.filter((each) => mayName(each) && cells.get(each) !== null)
  const found = requested.length > 0 ? await askLabels(run, requested, cells) : undefined
  const named = new Map([...cells.keys()].map((each) => [each.name, each]))
  return (name, language) => {
    const label = named.get(name.toLowerCase())
    if (!label) return undefined
    const value = cells.get(label) ?? null
    const given = found?.[`_l${requested.indexOf(label)}`]
    return given ?? findOptionLabel(label.of, value, language) ?? value
  }
}

async function askLabels(
  { tx, context, company, shadowScope, of }: EffectRun,
  labels: readonly TextLabel[],
  cells: ReadonlyMap<TextLabel, SqlArg>,
): Promise<SqlRow | undefined> {
  const queries = labels.flatMap(({ labelSql }) => labelSql?.query ?? [])
  const args: Record<string, SqlArg> = { CurrentCompanyId: company }
  for (const name of queries.flatMap((query) => query.parameters)) {
    if (isContextName(name, context.model) && name !== 'CurrentCompanyId')
      args[name] = contextValue(name, context)
    else args[name] ??= null
  }
  const columns = labels.map((label, at) => {
    args[`_v${at}`] = cells.get(label) ?? null
    return `@_v${at} AS ${quote(label.of.name)}`
  })
  const list = labels.map(({ labelSql }, at) => `${labelSql?.[shadowScope] ?? 'NULL'} AS _l${at}`)
  const tables = new Set(queries.flatMap((query) => query.reads))
  const sql = composeShadowed(
    context.model,
    tables,
    shadowScope,
    (head) => `${head}SELECT ${list.join(', ')} FROM (SELECT ${columns.join(', ')})`,
  )
  return tx.get({ ...sql, args, runs: 'measured', of: queries.length > 0 ? of : undefined })
}

function findOptionLabel(
  field: FieldFeatures,
  value: SqlArg,
  language: string | undefined,
): string | undefined {
  const stored = value instanceof SqlReal ? value.value : value
  const option = field.options.find(
    (each) =>
      each.value === String(stored) || FIELD_KINDS[field.type].parse(each.value, field) === stored,
  )
  return option && renderMessage(option.label, language)
}

/** A column of the row as it is after the statements, or a parameter or result of that name. */
function findCell(
  { values }: Pick<EffectRun, 'values'>,
  row: SqlRow | undefined,
  name: string,
): SqlArg {
  const key = name.toLowerCase()
  const cell = Object.entries(row ?? {}).find(([each]) => each.toLowerCase() === key)
  return cell ? cell[1] : (values.get(key) ?? null)
}

/** Fills in the `{Name}`s of a text; NULL leaves nothing. */
function fillText(text: string, find: (name: string) => SqlArg): string {
  return text.replace(/\{([A-Za-z][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = find(name)
    return value === null ? '' : String(value)
  })
}
