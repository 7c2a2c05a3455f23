/**
 * An entry of the audit log, and the hash that chains it to the one before it. By this file the
 * chain can be computed again, in any language.
 */
import type { SqlRow } from '../sql.ts'

/** An audit entry: who changed what, when, from what to what. */
export interface AuditRecord {
  /** Instant in ISO form. */
  at: string
  userId: number | null
  /** The user who acted as that user. */
  impersonatorId: number | null
  companyId: number | null
  /** The view, route, command, or the engine's own reason. */
  source: string
  traceId: string | null
  entity: string
  /** Key values as a JSON array. */
  recordKey: string
  action: string
  /** JSON: column to `[from, to]`. */
  changes: string
}

/** The author of a change, and the way it came; an absent user is no one. */
export interface AuditAuthor extends Pick<AuditRecord, 'source'> {
  userId?: number | null | undefined
  /** The user who acts as that user. */
  impersonatorId?: number | null | undefined
  companyId?: number | null | undefined
  traceId?: string | null | undefined
}

/** A change of a record, or of an entity as a whole. */
export interface AuditChange extends Pick<AuditRecord, 'entity' | 'action'> {
  /** Key values of the record; empty for an entity as a whole. */
  key: readonly unknown[]
  /** Column to `[from, to]`. */
  changes: Readonly<Record<string, unknown>>
}

/** Plans the audit entry of an author's change. */
export const planAuditRecord = (
  at: Date,
  by: AuditAuthor,
  { entity, key, action, changes }: AuditChange,
): AuditRecord => ({
  at: at.toISOString(),
  userId: by.userId ?? null,
  impersonatorId: by.impersonatorId ?? null,
  companyId: by.companyId ?? null,
  source: by.source,
  traceId: by.traceId ?? null,
  entity,
  recordKey: JSON.stringify(key),
  action,
  changes: JSON.stringify(changes),
})

/** The end of a log: how many entries it has, and the hash of the last one. */
export interface AuditHead {
  count: number
  hash: string
}

/** The log without any entry. */
export const EMPTY_LOG: AuditHead = { count: 0, hash: '0'.repeat(64) }

/** The head, with `HEAD_NAME` as `@name`. */
export const FIND_HEAD = 'SELECT Value FROM svc_facts WHERE Name = @name'
export const HEAD_NAME = 'AuditHead'

/** The head in a row of `svc_facts`; undefined when that tells none. */
export function toHead(row: SqlRow | undefined): AuditHead | undefined {
  return typeof row?.Value === 'string' ? readHead(row.Value) : undefined
}

/** A head as it is written down: `<count>:<hash>`; undefined for any other text. */
export function readHead(text: string): AuditHead | undefined {
  const [, count, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  return count === undefined || hash === undefined ? undefined : { count: Number(count), hash }
}

/** A head as it is written down. */
export const writeHead = ({ count, hash }: AuditHead): string => `${count}:${hash}`

/**
 * SHA-256, in hexadecimal, of the UTF-8 of the JSON array `[hash before, At, UserId,
 * ImpersonatorId, CompanyId, Source, TraceId, Entity, RecordKey, Action, Changes]`: an array of
 * texts, numbers and nulls has one form only.
 */
export function hashRecord(before: string, record: AuditRecord): string {
  const canonical = JSON.stringify([
    before,
    record.at,
    record.userId,
    record.impersonatorId,
    record.companyId,
    record.source,
    record.traceId,
    record.entity,
    record.recordKey,
    record.action,
    record.changes,
  ])
  return Bun.SHA256.hash(canonical, 'hex')
}
