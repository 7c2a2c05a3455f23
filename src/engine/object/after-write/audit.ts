/**
 * Audit records: who changed what from what to what, in the transaction of the change, and what its
 * references were called then.
 */
import { type AuditAuthor, type AuditRecord, planAuditRecord } from '../../../store/audit/record.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import type { Model } from '../../../model/model.ts'
import { composeLabel, displayOf } from '../../../model/sql/label.ts'
import { auditSource, type ChangeSource } from '../mutation.ts'
import type { WrittenRow } from '../record/written-row.ts'

/** Writes one record's audit entry; an update that moved nothing has no entry. */
export async function writeAudit(tx: Tx, row: WrittenRow, origin: ChangeSource): Promise<void> {
  const entry = await planAudit(tx, row, origin)
  if (entry) await tx.audit(entry)
}

/** Plans the audit record of a row, for callers that write many together. */
async function planAudit(
  tx: Tx,
  row: WrittenRow,
  origin: ChangeSource,
): Promise<AuditRecord | undefined> {
  const { entity, touched, after } = row
  const { caller, now } = origin.context
  const names = entity.columns.filter((c) => c.kind === 'declared').map((c) => c.name)
  const changes = planChanges(names, touched.before, after)
  if (touched.what === 'update' && Object.keys(changes).length === 0) return undefined
  await addLabels(tx, origin.context.model, { entity, before: touched.before, after }, changes)
  const company = entity.company ? (after ?? touched.before)?.[entity.company] : caller?.companyId
  const { key, what: action } = touched
  const change = { entity: entity.name, key, action, changes }
  return planAuditRecord(now, planAuthor(origin, company ?? null), change)
}

/** Plans the author of an entry about a record of a company. */
export function planAuthor(origin: ChangeSource, company: SqlValue): AuditAuthor {
  const { caller } = origin.context
  return {
    userId: caller?.userId,
    impersonatorId: caller?.impersonatorId,
    companyId: typeof company === 'number' ? company : null,
    source: auditSource(origin),
    traceId: origin.traceId,
  }
}

/** Column to `[from, to]`, for what differs. */
function planChanges(
  names: readonly string[],
  before: SqlRow | undefined,
  after: SqlRow | undefined,
): Record<string, [unknown, unknown]> {
  const changes: Record<string, [unknown, unknown]> = {}
  for (const name of names) {
    const from = before?.[name] ?? null
    const to = after?.[name] ?? null
    if (from !== to) changes[name] = [toJson(from), toJson(to)]
  }
  return changes
}

function toJson(value: SqlValue): string | number | null {
  if (typeof value === 'bigint') return value.toString()
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value
}

/** Columns with their old and new values, as an audit entry holds them. */
type Changes = Record<string, [unknown, unknown]>

const texts = new WeakMap<Column, readonly string[]>()

/**
 * Adds `<Column>__Label` for each reference that moved: its record may be removed when it is read.
 */
async function addLabels(
  tx: Tx,
  model: Pick<Model, 'entities'>,
  {
    entity,
    before,
    after,
  }: { entity: Entity; before?: SqlRow | undefined; after?: SqlRow | undefined },
  changes: Changes,
): Promise<void> {
  const moved = entity.columns.filter(
    ({ name, references }) => references !== undefined && Object.hasOwn(changes, name),
  )
  if (moved.length === 0) return
  const requested = moved.map((column) => {
    const [from, to] = [before?.[column.name] ?? null, after?.[column.name] ?? null]
    return { column, from, to }
  })
  const values = requested.flatMap(({ column, from, to }) => [
    { column, value: from },
    { column, value: to },
  ])
  const find = await loadLabels(tx, model, values)
  for (const { column, from, to } of requested) {
    const labels: [unknown, unknown] = [find(column, from), find(column, to)]
    if (labels.some((label) => label !== null)) changes[`${column.name}__Label`] = labels
  }
}

interface LabelRequest {
  column: Column
  value: SqlValue
}

type Labels = Map<string, string | null>

declare module '../../../store/store.ts' {
  interface TxFacts {
    auditLabels?: Labels
  }
}

const keyOf = ({ column, value }: LabelRequest): string => `${column.references} ${String(value)}`

/** Asked once a transaction for each value, those of a record together: many refer to few. */
async function loadLabels(
  tx: Tx,
  model: Pick<Model, 'entities'>,
  values: readonly LabelRequest[],
): Promise<(column: Column, value: SqlValue) => string | null> {
  const known = (tx.facts.auditLabels ??= new Map())
  const wanted = values.filter(({ value }) => value !== null)
  const found: Labels = new Map()
  const missing = new Map<string, LabelRequest>()
  for (const each of wanted) {
    const label = known.get(keyOf(each))
    if (label === undefined) missing.set(keyOf(each), each)
    else found.set(keyOf(each), label)
  }
  const list = [...missing.values()]
  const args = Object.fromEntries(list.map(({ value }, at) => [`v${at}`, value]))
  const cells = list.map(({ column }, at) => `${labelText(model, column, `@v${at}`)} AS l${at}`)
  const row = list.length > 0 ? await tx.get(`SELECT ${cells.join(', ')}`, args) : undefined
  for (const [at, each] of list.entries()) {
    const label = row?.[`l${at}`]
    const text = typeof label === 'string' ? label : null
    found.set(keyOf(each), text)
    if (known.size < LABELS_MAX) known.set(keyOf(each), text)
  }
  return (column, value) => (value === null ? null : (found.get(keyOf({ column, value })) ?? null))
}

/** Labels that a transaction keeps. */
const LABELS_MAX = 10_000

/** SQL for the label of the record that an SQL value refers to: a text or NULL. */
export function labelText(model: Pick<Model, 'entities'>, column: Column, value: string): string {
  let parts = texts.get(column)
  if (parts === undefined) {
    const entity = model.entities.get(column.references ?? '')
    const label = entity && { entity, columns: displayOf(entity), value: '@value', isTenant: true }
    const text = label ? composeLabel(model.entities, label, 'all', []) : 'NULL'
    // No name of a model holds an @, so the parameter is all that is cut out.
    texts.set(column, (parts = text.split('@value')))
  }
  return parts.join(value)
}
