/**
 * Many entries of the audit log whose texts a SELECT makes, written by one statement. Only the
 * hashed text comes here, as one piece: the entries themselves go from table to table.
 */
import { isUtf8 } from 'node:buffer'
import { AUDIT_TABLE, type AuditChain } from './chain.ts'
import type { AuditRecord } from './record.ts'
import type { Connection } from '../connection/connection.ts'
import type { SqlArgs, SqlRow } from '../sql.ts'

/** The shared values of entries, and the SELECT that makes the rest of them. */
export interface SelectedAudit {
  shared: Omit<AuditRecord, 'companyId' | 'recordKey' | 'changes'>
  /**
   * A SELECT with the columns `Place`, which counts from 0 and may leave some out, `CompanyId`,
   * `RecordKey` and `Changes`; it names its rows in the order of `Place`, and is run twice.
   */
  sql: string
  args: SqlArgs
  /** Places at most. */
  places: number
}

const HASH_CHARS = 64
const LINE_END = 10
const TAB = 9
/** The beginning of the hashed text; the hash of the entry before follows. */
const BEGIN = '["'
/** Bytes in front of each line for both, so that they are written where the line lies. */
const FRONT_BYTES = BEGIN.length + HASH_CHARS

type Writing = { chain: AuditChain; connection: Connection }

/** How statements are run within the transaction, off the event loop. */
interface Runs {
  run: (sql: string, args: SqlArgs) => Promise<{ rows: SqlRow[]; changes: number }>
  /** A read of one text. */
  bytes: (sql: string, args: SqlArgs) => Promise<Uint8Array>
}

/** Writes entries behind the last one. Where it throws the transaction is not to be kept. */
export async function appendSelected(
  { chain, connection }: Writing,
  { shared, sql, args, places }: SelectedAudit,
  { run, bytes }: Runs,
): Promise<void> {
  const lines = await bytes(composeLines(sql), { ...args, ...composeShared(shared) })
  if (lines.length === 0) return
  // The hashed text must be the stored one, and a text that is not UTF-8 becomes another one.
  if (!isUtf8(lines)) {
    const entries = (await run(sql, args)).rows.map((row) => ({ ...shared, ...toOwn(row) }))
    chain.append(connection, entries)
    return
  }
  const { hashes, count } = hashLines({ chain, connection }, lines, places)
  const bound = { ...args, ...nameShared(shared), _hashes: hashes }
  const { changes } = await run(composeInsert(sql), bound)
  if (changes !== count) throw new Error('Entries of the audit log were lost')
}

/** Composes lines of a place, a tab, room for the hash before, and the rest of the hashed text. */
const composeLines = (sql: string): string =>
  `SELECT group_concat(concat(Place, char(${TAB}), '${' '.repeat(FRONT_BYTES)}', @_before, ` +
  `coalesce(CompanyId, 'null'), @_middle, json_quote(RecordKey), @_behind, ` +
  `json_quote(Changes), ']'), char(${LINE_END})) ` +
  `FROM (SELECT * FROM (\n${sql}\n) LIMIT -1 OFFSET 0)`

/** Composes the text between the hash before, the company, the key and the changes. */
function composeShared(shared: SelectedAudit['shared']): SqlArgs {
  const { at, userId, impersonatorId, source, traceId, entity, action } = shared
  const list = (...values: unknown[]): string => JSON.stringify(values).slice(1, -1)
  return {
    _before: `",${list(at, userId, impersonatorId)},`,
    _middle: `,${list(source, traceId, entity)},`,
    _behind: `,${list(action)},`,
  }
}

const toOwn = ({ CompanyId, RecordKey, Changes }: SqlRow) => ({
  companyId: CompanyId === null || CompanyId === undefined ? null : Number(CompanyId),
  recordKey: String(RecordKey),
  changes: String(Changes),
})

/** The hashes of `hashRecord`, each at its place. */
function hashLines(
  { chain, connection }: Writing,
  given: Uint8Array,
  places: number,
): { hashes: Buffer; count: number } {
  const lines = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  const hashes = Buffer.alloc(places * HASH_CHARS)
  let count = 0
  for (let at = 0; at < lines.length; count++) {
    const tab = lines.indexOf(TAB, at)
    const next = lines.indexOf(LINE_END, tab)
    const end = next < 0 ? lines.length : next
    const place = Number(lines.toString('latin1', at, tab))
    const hash = chain.link(connection, (last) => {
      const begin = BEGIN + last
      const from = tab + 1 + FRONT_BYTES - begin.length
      lines.write(begin, from, 'latin1')
      return Bun.SHA256.hash(lines.subarray(from, end), 'hex')
    })
    hashes.write(hash, place * HASH_CHARS, 'latin1')
    at = end + 1
  }
  return { hashes, count }
}

const nameShared = (shared: SelectedAudit['shared']): SqlArgs =>
  Object.fromEntries(Object.entries(shared).map(([name, value]) => [`_${name}`, value]))

const composeInsert = (sql: string): string =>
  `INSERT INTO ${AUDIT_TABLE} (At, UserId, ImpersonatorId, CompanyId, Source, TraceId, Entity, ` +
  `Action, RecordKey, Changes, Hash) SELECT @_at, @_userId, @_impersonatorId, CompanyId, ` +
  `@_source, @_traceId, @_entity, @_action, RecordKey, Changes, ` +
  `CAST(substr(@_hashes, Place * ${HASH_CHARS} + 1, ${HASH_CHARS}) AS TEXT) ` +
  `FROM (SELECT * FROM (\n${sql}\n) LIMIT -1 OFFSET 0) ORDER BY Place`
