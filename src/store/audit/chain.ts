/**
 * The audit log, written here alone. Each entry bears a hash over the one before it and its own
 * content, so that one that is changed, removed, inserted or moved does not fit its neighbours any
 * more (`audit/check.ts`). The count of entries and the hash of the last one are in `svc_facts`
 * too, by which a cut end is noticed.
 */
import {
  type AuditHead,
  type AuditRecord,
  EMPTY_LOG,
  FIND_HEAD,
  hashRecord,
  HEAD_NAME,
  toHead,
  writeHead,
} from './record.ts'
import type { Connection } from '../connection/connection.ts'

export const AUDIT_TABLE = 'svc_audit'

const SAVE_HEAD = `INSERT INTO svc_facts (Name, Value) VALUES (@name, @value)
  ON CONFLICT (Name) DO UPDATE SET Value = excluded.Value`
const INSERT = `INSERT INTO svc_audit
  (At, UserId, ImpersonatorId, CompanyId, Source, TraceId, Entity, RecordKey, Action, Changes, Hash)
  VALUES (@at, @userId, @impersonatorId, @companyId, @source, @traceId, @entity, @recordKey,
    @action, @changes, @hash)`

/** Entries of one statement. */
const TOGETHER = 25
/** Members that a list of entries may share, and the ones that each has for itself. */
const SHARED = [
  ...(['at', 'userId', 'impersonatorId', 'companyId', 'source', 'traceId'] as const),
  ...(['entity', 'action'] as const),
]
const OWN = ['recordKey', 'changes', 'hash'] as const
const shared = SHARED.map((name) => `@${name}`).join(', ')
const own = (at: number): string => OWN.map((name) => `@${name}_${at}`).join(', ')
const lists = Array.from({ length: TOGETHER }, (_, at) => `(${shared}, ${own(at)})`)
const INSERT_MANY = `INSERT INTO svc_audit
  (At, UserId, ImpersonatorId, CompanyId, Source, TraceId, Entity, Action, RecordKey, Changes, Hash)
  VALUES ${lists.join(', ')}`

type HashedRecord = AuditRecord & { hash: string }

/** Writes as many as one statement takes, which have alike what a list may have. */
function insertMany(connection: Connection, list: readonly HashedRecord[]): void {
  const args: Record<string, string | number | null> = {}
  for (const name of SHARED) args[name] = list[0]?.[name] ?? null
  for (const [at, each] of list.entries())
    for (const name of OWN) args[`${name}_${at}`] = each[name]
  connection.statement(INSERT_MANY).run(args)
}

/**
 * The end of the log as the writer moves it. It is read when it is first needed, kept from commit
 * to commit, and saved once in each transaction that moved it: a group of mutations has one.
 */
export class AuditChain {
  /** The head of the last commit; undefined when it must be looked up. */
  #committed: AuditHead | undefined
  #head: AuditHead | undefined

  /** A transaction begins: whatever became of the one before, this is where the log ends. */
  begin(): void {
    this.#head = this.#committed
  }

  /** The current end of the log, for `rewind` after a rollback to here. */
  get mark(): AuditHead | undefined {
    return this.#head
  }

  rewind(mark: AuditHead | undefined): void {
    this.#head = mark
  }

  /** Writes entries behind the last one; many by few statements. */
  append(connection: Connection, records: readonly AuditRecord[]): void {
    let { count, hash } = (this.#head ??= readHeadOf(connection))
    const hashed: HashedRecord[] = records.map((record) => {
      hash = hashRecord(hash, record)
      return { ...record, hash }
    })
    const [first] = hashed
    const isAlike = hashed.every((each) => SHARED.every((name) => each[name] === first?.[name]))
    let at = 0
    for (; isAlike && at + TOGETHER <= hashed.length; at += TOGETHER)
      insertMany(connection, hashed.slice(at, at + TOGETHER))
    for (const each of hashed.slice(at)) connection.statement(INSERT).run({ ...each })
    count += hashed.length
    this.#head = { count, hash }
  }

  /** Puts an entry behind the last one, whose hash is given. */
  link(connection: Connection, hash: (last: string) => string): string {
    const { count, hash: last } = (this.#head ??= readHeadOf(connection))
    const next = hash(last)
    this.#head = { count: count + 1, hash: next }
    return next
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
