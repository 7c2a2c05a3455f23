/** Changes that imports made to records, kept for a time so that they can be undone. */
import { Loop } from '../../../kernel/background.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Log } from '../../../kernel/log.ts'
import { planAuditRecord } from '../../../store/audit/record.ts'
import { getRow, insertRow } from '../../../store/rows.ts'
import { type Store, systemScope, type Tx } from '../../../store/store.ts'
import { imports, LINES_PER_IMPORT } from '../../../store/tables/imports.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import { quote } from '../../../model/sql/quote.ts'
import {
  type BulkRows,
  type BulkStatement,
  composeStoredKey,
  listNewKey,
} from './bulk-statements.ts'
import type { ImportRequest } from './import-request.ts'
import { composeStaged } from './import-stage.ts'
import type { ImportWork } from './import-work.ts'
import { auditSource, type ChangeSource } from '../mutation.ts'
import { STAMP } from '../rules/conflict.ts'

/** `Mode` of a bulk edit, which is undone as an import is. */
export const MANY_MODE = 'submit-many'

/** `Mode` of an entry that keeps the records of a bulk edit: nothing of it can be undone. */
export const SELECTION_MODE = 'selection'

/** The entry by which it can be undone. */
export function noteImport(
  tx: Tx,
  { mutation, request, view, entity, file, parts }: ImportWork,
  { inserted, updated }: { inserted: number; updated: number },
): Promise<number> {
  const { caller, context } = mutation
  return insertRow(tx, imports, {
    UserId: caller.userId,
    CompanyId: caller.companyId,
    ViewName: view.name,
    Entity: entity.name,
    FileName: file.fileName.slice(0, 255),
    Mode: request.mode,
    IsTakeover: request.takeover,
    Inserted: inserted,
    Updated: updated,
    At: context.now.toISOString(),
    ExpiresAt: new Date(context.now.getTime() + parts.undoForMs).toISOString(),
  })
}

/** Tells of the takeover as a whole, also where an entity’s records are not audited. */
export async function auditTakeover(
  tx: Tx,
  { entity, request, file }: Pick<ImportWork, 'entity' | 'request' | 'file'>,
  { origin, counts }: { origin: ChangeSource; counts: { inserted: number; updated: number } },
): Promise<void> {
  const { caller, now } = origin.context
  const by = {
    userId: caller?.userId,
    impersonatorId: caller?.impersonatorId,
    companyId: caller?.companyId,
    source: auditSource(origin),
    traceId: origin.traceId,
  }
  const changes = {
    Mode: [null, request.mode],
    FileName: [null, file.fileName.slice(-255)],
    Inserted: [null, counts.inserted],
    Updated: [null, counts.updated],
  }
  const change = { entity: entity.name, key: [], action: 'takeover', changes }
  await tx.audit(planAuditRecord(now, by, change))
}

/** Notes stored records before they are changed. */
export function planBefore({ plan: { entity, request }, stage }: BulkRows): BulkStatement {
  const keys = entity.keys.map(({ name }) => `t.${quote(name)}`).join(', ')
  return {
    sql:
      `INSERT INTO main.svc_import_rows (Row, RowKey, Before) SELECT @from + s.line, ` +
      `json_array(${keys}), ${composeImage(entity, request)} FROM ${composeStaged(0)} ` +
      `CROSS JOIN main.${quote(entity.table)} t WHERE ${composeStoredKey(entity, stage.sql)}`,
    args: {},
  }
}

/** Which records are new, with what shows whether they change from here on. */
export function planNewRows(work: BulkRows): BulkStatement {
  const { entity } = work.plan
  const key = listNewKey(work)
  const join = entity.keys.map(({ name }, at) => `t.${quote(name)} = ${key[at]}`).join(' AND ')
  return {
    sql:
      `INSERT INTO main.svc_import_rows (Row, RowKey, After) SELECT @from + s.line, ` +
      `json_array(${key.join(', ')}), ${composeMark(entity)} FROM ${composeStaged(1)} ` +
      `CROSS JOIN main.${quote(entity.table)} t WHERE ${join}`,
    args: { _base: work.base ?? 0 },
  }
}

/** The mark of records that were changed, after the after-write pass. */
export const planMarks = (entity: Entity): string =>
  `UPDATE main.svc_import_rows AS r SET After = (SELECT ${composeMark(entity)} FROM ` +
  `main.${quote(entity.table)} t WHERE ${composeRowKey(entity)}) ` +
  `WHERE r.Row BETWEEN @first AND @last AND r.After IS NULL`

/** `t` is the record of the row `r` of an import. */
export const composeRowKey = (entity: Entity): string =>
  entity.keys
    .map(({ name }, at) => `t.${quote(name)} = json_extract(r.RowKey, '$[${at}]')`)
    .join(' AND ')

/** The part of a record `t` that every change moves: its stamp, else all of its columns. */
export const composeMark = (entity: Entity): string =>
  entity.concurrency ? `CAST(t.${STAMP} AS TEXT)` : composeImage(entity, { takeover: false })

/** The columns that are put back, of a record `t`: of history also who changed it, and when. */
export const listImage = (entity: Entity, { takeover }: Pick<ImportRequest, 'takeover'>) =>
  entity.columns.filter(
    ({ kind, key, compute }) =>
      (kind === 'declared' || (takeover && kind === 'tracking')) && !key && !compute,
  )

const CELLS_MAX = 100

/** Their values as a JSON array. */
export function composeImage(entity: Entity, request: Pick<ImportRequest, 'takeover'>): string {
  const cells = listImage(entity, request).map(({ name }) => `t.${quote(name)}`)
  if (cells.length <= CELLS_MAX) return `json_array(${cells.join(', ')})`
  const parts: string[] = []
  for (let at = 0; at < cells.length; at += CELLS_MAX) {
    const text = `json_array(${cells.slice(at, at + CELLS_MAX).join(', ')})`
    parts.push(`substr(${text}, 2, length(${text}) - 2)`)
  }
  return `'[' || ${parts.join(` || ',' || `)} || ']'`
}

/** Rows of one transaction: so few that no other write waits for them. */
const PURGED_ROWS = 500
/** Each may hold two lists of thousands of keys. */
const PURGED_LISTS = 50

/** Transactions of one call: a stop of the server does not wait for a million rows. */
const TURNS_MAX = 100

/** How often it is looked for what has expired. */
const LOOK_MS = 60_000

interface PurgeParts {
  store: Store
  clock: Clock
  log: Log
}

/** Purges at once and then every minute, beside the requests. */
export const openImportPurge = (parts: PurgeParts): Loop =>
  new Loop({
    name: 'imports that expire',
    everyMs: LOOK_MS,
    log: parts.log,
    steps: [() => deleteExpiredImports(parts)],
    failure: 'imports that expired could not be removed',
  })

/** Deletes rows of imports that have expired, up to a bound, and entries that have none left. */
async function deleteExpiredImports({ store, clock }: PurgeParts): Promise<void> {
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    const now = clock.now().toISOString()
    const expired = await getRow(store, imports, 'WHERE ExpiresAt <= @now LIMIT 1', { now })
    if (!expired) return
    await store.write(
      (tx) => deleteImport(tx, expired.Id),
      systemScope('the undo log of an expired import is removed'),
    )
  }
}

/** The entry goes last: as long as it is there, the next look finds the rows that are left. */
async function deleteImport(tx: Tx, id: number): Promise<void> {
  const first = id * LINES_PER_IMPORT
  const range = { first, last: first + LINES_PER_IMPORT - 1 }
  const lists = await tx.run(composePurge('svc_import_lists', PURGED_LISTS), range)
  const rows = await tx.run(composePurge('svc_import_rows', PURGED_ROWS), range)
  if (lists === PURGED_LISTS || rows === PURGED_ROWS) return
  await tx.run('DELETE FROM svc_imports WHERE Id = @id', { id })
}

const composePurge = (table: string, most: number): string =>
  `DELETE FROM main.${table} WHERE rowid IN ` +
  `(SELECT rowid FROM main.${table} WHERE Row BETWEEN @first AND @last ORDER BY Row LIMIT ${most})`
