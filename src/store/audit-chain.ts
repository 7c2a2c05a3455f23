/**
 * The audit log, written here alone. Each entry bears a hash over the one before it and its own
 * content, so that one that is changed, removed, inserted or moved does not fit its neighbours any
 * more (`audit-check.ts`). How many there are and the hash of the last one stand in `svc_facts`
 * too, by which a cut end is noticed.
 */
import { EMPTY_LOG, FIND_HEAD, HEAD_NAME, hashRecord, toHead, writeHead } from './audit-record.ts'
import type { AuditHead, AuditRecord } from './audit-record.ts'
import type { Connection } from './connection.ts'

export const AUDIT_TABLE = 'svc_audit'

const SAVE_HEAD = `INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)
  ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`
const INSERT = `INSERT INTO svc_audit
  (At, UserId, ImpersonatorId, CompanyId, Source, TraceId, Entity, RecordKey, Action, Changes, Hash)
  VALUES (@at, @userId, @impersonatorId, @companyId, @source, @traceId, @entity, @recordKey,
    @action, @changes, @hash)`

/** Entries of one statement. */
const TOGETHER = 200
/** What a list of entries may have alike, and what each has for itself. */
const SHARED = ['at', 'userId', 'impersonatorId', 'companyId', 'source', 'traceId'] as const
const OWN = ['entity', 'recordKey', 'action', 'changes', 'hash'] as const
const INSERT_ALL = `INSERT INTO svc_audit
  (At, UserId, ImpersonatorId, CompanyId, Source, TraceId, Entity, RecordKey, Action, Changes, Hash)
  SELECT ${SHARED.map((name) => `@${name}`).join(', ')},
    ${OWN.map((_, at) => `json_extract(value, '$[${at}]')`).join(', ')}
  FROM json_each(@list) ORDER BY key`

/**
 * The end of the log as the writer moves it. It is read when it is first needed, kept from commit
 * to commit, and saved once in each transaction that moved it: a group of mutations has one.
 */
export class AuditChain {
  /** As the last commit left it; undefined when that has to be looked up. */
  #committed: AuditHead | undefined
  #head: AuditHead | undefined

  /** A transaction begins: whatever became of the one before, this is where the log ends. */
  begin(): void {
    this.#head = this.#committed
  }

  /** Where the log ends now, for `rewind` after a rollback to here. */
  get mark(): AuditHead | undefined {
    return this.#head
  }

  rewind(mark: AuditHead | undefined): void {
    this.#head = mark
  }

  /** Writes entries behind the last one; many by few statements. */
  append(connection: Connection, records: readonly AuditRecord[]): void {
    let { count, hash } = (this.#head ??= readHeadOf(connection))
    const hashed = records.map((record) => {
      hash = hashRecord(hash, record)
      return { ...record, hash }
    })
    const [first] = hashed
    const isAlike = hashed.every((each) => SHARED.every((name) => each[name] === first?.[name]))
    if (first && isAlike && hashed.length > 1) {
      for (let at = 0; at < hashed.length; at += TOGETHER) {
        const list = hashed.slice(at, at + TOGETHER).map((each) => OWN.map((name) => each[name]))
        connection.statement(INSERT_ALL).run({ ...first, list: JSON.stringify(list) })
      }
    } else for (const each of hashed) connection.statement(INSERT).run(each)
    count += hashed.length
    this.#head = { count, hash }
  }

  /** Saves the head, as the last statement before the commit. */
  save(connection: Connection): void {
    const head = this.#head
    if (head !== undefined && head !== this.#committed)
      connection.statement(SAVE_HEAD).run({ name: HEAD_NAME, value: writeHead(head) })
    this.#committed = undefined
  }

  /** The commit that was saved for is on disk. */
  commit(): void {
    this.#committed = this.#head
  }
}

const readHeadOf = (connection: Connection): AuditHead =>
  toHead(connection.statement(FIND_HEAD).get({ name: HEAD_NAME })) ?? EMPTY_LOG
