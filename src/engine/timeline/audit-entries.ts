/** Entries of the audit log that are about one record, or a workflow that it goes through. */
import type { SqlRow, SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import { READ } from '../audit/read-entry.ts'
import type { RecordName } from '../audit/record-names.ts'

/** Names by which entries are found, and the company that they must be of. */
export interface EntryScope {
  names: readonly RecordName[]
  /** Undefined for records that all companies share. */
  companyId: number | undefined
}

/** An entry as the log has it. */
export interface RecordEntry extends SqlRow {
  Id: number
  At: string
  UserId: number | null
  ImpersonatorId: number | null
  TraceId: string | null
  Entity: string
  RecordKey: string
  Action: string
  Changes: string
}

const SHOWN = `Action <> '${READ}'`

const COLUMNS = 'Id, At, UserId, ImpersonatorId, TraceId, Entity, RecordKey, Action, Changes'

/** Loads the newest entries before one: of each name its newest are found by the index. */
export function loadEntries(
  reader: Reader,
  scope: EntryScope,
  { before, limit }: { before: number; limit: number },
): Promise<RecordEntry[]> {
  const conditions = `Id < @before AND ${SHOWN}`
  const found = scope.names.map(
    (_, n) =>
      `SELECT Id FROM (SELECT Id FROM svc_audit INDEXED BY svc_audit_record
        WHERE ${isOf(n, scope)} AND ${conditions} ORDER BY Id DESC LIMIT @limit)`,
  )
  const sql = `SELECT ${COLUMNS} FROM svc_audit WHERE Id IN (${found.join(' UNION ALL ')})
    ORDER BY Id DESC LIMIT @limit`
  return reader.all({ sql, args: { ...argsOf(scope), before, limit }, runs: 'lane' })
}

const listIds = (scope: EntryScope, condition: string): string =>
  scope.names
    .map(
      (_, n) =>
        `SELECT Id FROM svc_audit INDEXED BY svc_audit_record
          WHERE ${isOf(n, scope)} AND ${SHOWN} AND ${condition}`,
    )
    .join(' UNION ALL ')

/**
 * Finds the place of an entry among those of its record, from the oldest on: unlike its id, it says
 * nothing about what else is in the log.
 */
export async function findPlace(reader: Reader, scope: EntryScope, id: number): Promise<number> {
  const sql = `SELECT count(*) AS Place FROM (${listIds(scope, 'Id <= @id')})`
  const row = await reader.get({ sql, args: { ...argsOf(scope), id }, runs: 'lane' })
  return Number(row?.Place)
}

/** Finds the id of the entry at a place; undefined where there are fewer. */
export async function findAtPlace(
  reader: Reader,
  scope: EntryScope,
  place: number,
): Promise<number | undefined> {
  const sql = `SELECT Id FROM (${listIds(scope, '1')}) ORDER BY Id LIMIT 1 OFFSET @offset`
  const args = { ...argsOf(scope), offset: place - 1 }
  const row = await reader.get({ sql, args, runs: 'lane' })
  return row && Number(row.Id)
}

/**
 * Tells whether a record of one of the names began or ended at an entry or after it: what is before
 * is of another record, which had the same key.
 */
export async function hasBoundary(reader: Reader, scope: EntryScope, id: number): Promise<boolean> {
  const found = scope.names.map(
    (_, n) =>
      `SELECT 1 FROM svc_audit INDEXED BY svc_audit_record
        WHERE ${isOf(n, scope)} AND Id >= @id AND Action IN ('insert', 'delete')`,
  )
  const sql = `SELECT 1 AS Found WHERE EXISTS (${found.join(' UNION ALL ')})`
  const args = { ...argsOf(scope), id }
  return (await reader.get({ sql, args, runs: 'lane' })) !== undefined
}

const isOf = (n: number, { companyId }: EntryScope): string =>
  `Entity = @entity${n} AND RecordKey = @key${n} AND Id > @after${n} AND Id <= @upTo${n}` +
  (companyId === undefined ? '' : ' AND CompanyId = @company')

function argsOf({ names, companyId }: EntryScope): Record<string, SqlValue> {
  const args: Record<string, SqlValue> = companyId === undefined ? {} : { company: companyId }
  for (const [n, { entity, keys, after, upTo }] of names.entries()) {
    args[`entity${n}`] = entity
    args[`key${n}`] = keys[0] ?? null
    args[`after${n}`] = after
    args[`upTo${n}`] = upTo
  }
  return args
}
