/**
 * Many entries of the audit log whose texts a SELECT makes, written by one statement. Only what is
 * hashed comes here, as one text: the entries themselves go from table to table.
 */
import { AUDIT_TABLE, type AuditChain } from './audit-chain.ts'
import type { AuditRecord } from './audit-record.ts'
import type { Connection } from './connection.ts'
import type { SqlArgs, SqlRow } from './sql.ts'

/** What entries have alike, and the SELECT that makes the rest of them. */
export interface SelectedAudit {
  shared: Omit<AuditRecord, 'companyId' | 'recordKey' | 'changes'>
  /**
   * Its columns are `Place`, which counts from 0 and may leave some out, `CompanyId`, `RecordKey`
   * and `Changes`; it names its rows in the order of `Place`, and is run twice.
   */
  sql: string
  args: SqlArgs
  /** Places at most. */
  places: number
}

const HASH_CHARS = 64
const LINE_END = 10
const TAB = 9
/** What a text becomes that is no UTF-8: what is hashed would not be what is stored. */
const REPLACED = '\ufffd'

type Writing = { chain: AuditChain; connection: Connection }
type Run = (sql: string, args: SqlArgs) => Promise<{ rows: SqlRow[]; changes: number }>

/** Writes entries behind the last one. Where it throws the transaction is not to be kept. */
export async function appendSelected(
  { chain, connection }: Writing,
  { shared, sql, args, places }: SelectedAudit,
  run: Run,
): Promise<void> {
  const { rows } = await run(composeLines(sql), args)
  const lines = rows[0]?.Lines
  if (typeof lines !== 'string') return
  if (lines.includes(REPLACED)) {
    const entries = (await run(sql, args)).rows.map((row) => ({ ...shared, ...toOwn(row) }))
    chain.append(connection, entries)
    return
  }
  const { hashes, count } = hashLines({ chain, connection }, shared, { lines, places })
  const bound = { ...args, ...nameShared(shared), _hashes: hashes }
  const { changes } = await run(composeInsert(sql), bound)
  if (changes !== count) throw new Error('Entries of the audit log were lost')
}

/** Lines of place, company and the rest of what is hashed, with a tab between. */
const composeLines = (sql: string): string =>
  `SELECT group_concat(Place || char(${TAB}) || coalesce(CompanyId, 'null') || char(${TAB}) || ` +
  `json_quote(RecordKey) || char(${TAB}) || json_quote(Changes), char(${LINE_END})) AS Lines ` +
  `FROM (SELECT * FROM (\n${sql}\n) LIMIT -1 OFFSET 0)`

const toOwn = ({ CompanyId, RecordKey, Changes }: SqlRow) => ({
  companyId: CompanyId === null || CompanyId === undefined ? null : Number(CompanyId),
  recordKey: String(RecordKey),
  changes: String(Changes),
})

/** The hashes of `hashRecord`, each at its place. */
function hashLines(
  { chain, connection }: Writing,
  shared: SelectedAudit['shared'],
  { lines, places }: { lines: string; places: number },
): { hashes: Buffer; count: number } {
  const list = (values: readonly unknown[]): string => JSON.stringify(values).slice(1, -1)
  const { at, userId, impersonatorId, source, traceId, entity, action } = shared
  const before = `",${list([at, userId, impersonatorId])},`
  const middle = `,${list([source, traceId, entity])},`
  const behind = `,${list([action])},`
  const hashes = Buffer.alloc(places * HASH_CHARS)
  let count = 0
  for (const line of lines.split('\n')) {
    const [place, company, key, changes] = line.split('\t')
    const hash = chain.link(connection, (last) =>
      Bun.SHA256.hash(`["${last}${before}${company}${middle}${key}${behind}${changes}]`, 'hex'),
    )
    hashes.write(hash, Number(place) * HASH_CHARS, 'latin1')
    count++
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
