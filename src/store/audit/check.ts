/**
 * Proves the audit log: every entry fits the one before it, and the last one is the one that the
 * head names. Not proven: anyone who may write the file can compute every hash again, head
 * included. A head that was written down elsewhere (`since`) reveals that, for all entries up to
 * it.
 */
import { findAuditBase } from './base.ts'
import {
  type AuditHead,
  type AuditRecord,
  EMPTY_LOG,
  FIND_HEAD,
  hashRecord,
  HEAD_NAME,
  toHead,
} from './record.ts'
import type { SqlRow, SqlValue } from '../sql.ts'
import type { Reader } from '../store.ts'

/** The result of a check. */
export interface AuditReport {
  /** The entries that hold together, from the first one on, and the hash of the last of them. */
  proven: AuditHead
  fault: AuditFault | undefined
}

/** The place where a log is broken. */
export interface AuditFault {
  /** Id of the first entry that does not fit; undefined when entries are missing. */
  id: number | undefined
  /** A sentence for the operator; with an id, its end. */
  what: string
}

const PAGE = 1000
const ENTRIES = `SELECT Id, At, UserId, ImpersonatorId, CompanyId, Source, TraceId, Entity,
    RecordKey, Action, Changes, Hash
  FROM svc_audit WHERE Id > @after ORDER BY Id LIMIT ${PAGE}`
/** The engine gives ids from 1 on. */
const EARLY = 'SELECT Id FROM svc_audit WHERE Id < 1 ORDER BY Id LIMIT 1'

/**
 * Reads the log through from where its archives end, a page at a time; entries written meanwhile do
 * not disturb it. `since` is a head that an earlier check gave.
 */
export async function checkAudit(reader: Reader, since?: AuditHead): Promise<AuditReport> {
  for (;;) {
    const base = await findAuditBase(reader)
    const report = await checkFrom(reader, base, since)
    // Entries that were archived meanwhile could be missed.
    const isSame = (await findAuditBase(reader)).count === base.count
    if (isSame || !report.fault) return report
  }
}

async function checkFrom(
  reader: Reader,
  base: AuditHead,
  since: AuditHead | undefined,
): Promise<AuditReport> {
  const marks = [await findAuditHead(reader), since].filter((mark) => mark !== undefined)
  const log = new Log(marks, base)
  const early = await reader.get({ sql: EARLY, args: {}, runs: 'lane' })
  if (early) return log.report({ id: Number(early.Id), what: BEFORE })
  for (;;) {
    const rows = await reader.all({ sql: ENTRIES, args: { after: log.lastId }, runs: 'lane' })
    for (const row of rows) {
      const fault = log.take(row)
      if (fault) return log.report(fault)
    }
    if (rows.length === 0) break
  }
  // A head is written with its entries: one read after them is never behind them.
  return log.report(log.findEndFault(await findAuditHead(reader)))
}

/**
 * Proves entries that were taken out of the log: those behind `from`, up to `to`. `marks` are heads
 * that the log had there. Undefined where they hold together.
 */
export async function checkArchived(
  entries: AsyncIterable<readonly SqlRow[]>,
  { from, to, marks }: { from: AuditHead; to: AuditHead; marks: readonly AuditHead[] },
): Promise<AuditFault | undefined> {
  const log = new Log([to, ...marks.filter(({ count }) => count <= to.count)], from)
  for await (const rows of entries)
    for (const row of rows) {
      const fault = log.take(row)
      if (fault) return fault
    }
  return log.findEndFault(to)
}

/** The part of the log that was read. */
class Log {
  readonly proven: AuditHead
  lastId = 0
  readonly #marks: readonly AuditHead[]

  /** `marks` are heads that the log had: it must come by each of them that is behind `from`. */
  constructor(marks: readonly AuditHead[], from: AuditHead = EMPTY_LOG) {
    this.#marks = marks
    this.proven = { ...from }
  }

  report(fault: AuditFault | undefined): AuditReport {
    return { proven: this.proven, fault }
  }

  /** The next entry; a fault when it does not fit. */
  take(row: SqlRow): AuditFault | undefined {
    const id = Number(row.Id)
    const hash = hashRecord(this.proven.hash, toRecord(row))
    if (hash !== row.Hash) return { id, what: BROKEN }
    this.lastId = id
    this.proven.count += 1
    this.proven.hash = hash
    const isOther = this.#marks.some(
      (mark) => mark.count === this.proven.count && mark.hash !== hash,
    )
    return isOther ? { id, what: FORGED } : undefined
  }

  /** Finds a fault at the end of the log; `head` was read last. */
  findEndFault(head: AuditHead | undefined): AuditFault | undefined {
    const { count, hash } = this.proven
    const missing = Math.max(...this.#marks.map((mark) => mark.count - count), 0)
    if (missing > 0) return { id: undefined, what: `${missing} ${CUT}` }
    if (!head) return count > 0 ? { id: undefined, what: HEADLESS } : undefined
    if (head.count < count) return { id: this.lastId, what: BEYOND }
    return head.count === count && head.hash !== hash
      ? { id: this.lastId, what: FORGED }
      : undefined
  }
}

const BROKEN =
  'does not follow from the one before it: it was changed or inserted, or one before it was ' +
  'removed, moved or replaced'
const FORGED = 'is not the one that the head names: it, or one before it, was rewritten'
const BEFORE = 'comes before the first one: it was inserted'
const BEYOND = 'comes after the last one that the head names: it was inserted'
const CUT = 'of the last entries are missing: they were removed'
const HEADLESS = 'The head of the log is missing: it was removed'

/** The head as `svc_facts` has it; undefined when it tells none. */
export async function findAuditHead(reader: Reader): Promise<AuditHead | undefined> {
  return toHead(await reader.get({ sql: FIND_HEAD, args: { name: HEAD_NAME }, runs: 'inline' }))
}

/** An entry as its row has it. */
export function toRecord(row: SqlRow): AuditRecord {
  return {
    at: String(row.At),
    userId: toNumber(row.UserId),
    impersonatorId: toNumber(row.ImpersonatorId),
    companyId: toNumber(row.CompanyId),
    source: String(row.Source),
    traceId: row.TraceId === null ? null : String(row.TraceId),
    entity: String(row.Entity),
    recordKey: String(row.RecordKey),
    action: String(row.Action),
    changes: String(row.Changes),
  }
}

const toNumber = (value: SqlValue | undefined): number | null =>
  value === null || value === undefined ? null : Number(value)
