/**
 * The records of the demo, kept by replaying the audit: seeds, then every entry in its order. Where
 * the tables differ from it, a change came without its entry, or an entry without its change.
 */
import type { Database } from 'bun:sqlite'
import type { Ledger, Write } from './ledger.ts'

type Cell = string | number | null
type Row = Record<string, Cell>

/** Tables that the engine keeps by itself and does not audit. */
const UNAUDITED = new Set(['RowVersion', 'CreatedAt', 'CreatedBy', 'ChangedAt', 'ChangedBy'])

const TABLES: Readonly<Record<string, string>> = {
  Order: 'orders',
  OrderLine: 'order_lines',
  Product: 'products',
  StockMovement: 'stock_movements',
}

interface AuditRow {
  Id: number
  TraceId: string | null
  Entity: string
  RecordKey: string
  Action: 'insert' | 'update' | 'delete'
  Changes: string
}

interface MirroredTable {
  name: string
  columns: string[]
  rows: Map<number, Row>
}

export class Mirror {
  readonly #tables = new Map<string, MirroredTable>()
  /** Last number of a sequence by company and year. */
  readonly #numbers = new Map<string, number>()
  #lastAudit = 0

  /** Begins with the tables as they are. */
  constructor(database: Database) {
    for (const [entity, name] of Object.entries(TABLES)) {
      const found = database.query(`SELECT name FROM pragma_table_info('${name}')`).all()
      const columns = (found as { name: string }[])
        .map((column) => column.name)
        .filter((column) => !UNAUDITED.has(column))
      const rows = new Map(readRows(database, name, columns).map((row) => [Number(row.Id), row]))
      this.#tables.set(entity, { name, columns, rows })
    }
    this.#lastAudit = readNumber(database, 'SELECT max(Id) FROM svc_audit')
    for (const [key, last] of readSequences(database)) this.#numbers.set(key, last)
  }

  get orders(): ReadonlyMap<number, Row> {
    return this.#tables.get('Order')?.rows ?? new Map()
  }

  /**
   * Replays what the audit has since the last time, and holds it against the ledger and the tables.
   * `isWhole` compares every row, not only those that were touched.
   */
  check(database: Database, ledger: Ledger, isWhole: boolean): Findings {
    const findings = new Findings()
    const entries = database
      .query(
        `SELECT Id, TraceId, Entity, RecordKey, Action, Changes FROM svc_audit
         WHERE Id > ? ORDER BY Id`,
      )
      .all(this.#lastAudit) as AuditRow[]
    const found = new Map<string, Record<string, number>>()
    const touched = new Map<string, Set<number>>()
    for (const entry of entries) {
      this.#lastAudit = entry.Id
      const table = this.#tables.get(entry.Entity)
      if (table === undefined) continue
      const effects = found.get(entry.TraceId ?? '') ?? {}
      const effect = `${entry.Entity} ${entry.Action}`
      effects[effect] = (effects[effect] ?? 0) + 1
      found.set(entry.TraceId ?? '', effects)
      const [id] = JSON.parse(entry.RecordKey) as [number]
      if (!touched.has(entry.Entity)) touched.set(entry.Entity, new Set())
      touched.get(entry.Entity)?.add(id)
      this.#replay(table, id, entry, findings)
    }
    checkWrites(ledger, found, findings)
    for (const [entity, table] of this.#tables)
      compareTable(database, table, isWhole ? undefined : (touched.get(entity) ?? []), findings)
    this.#checkNumbers(database, findings)
    checkStamps(database, [...(touched.get('Order') ?? [])], findings)
    return findings
  }

  #replay(table: MirroredTable, id: number, entry: AuditRow, findings: Findings): void {
    const changes = JSON.parse(entry.Changes) as Record<string, [Cell, Cell]>
    const row = table.rows.get(id)
    const told = `${entry.Entity} ${id} (${entry.Action}, audit ${entry.Id})`
    if ((row === undefined) !== (entry.Action === 'insert')) {
      findings.half.push(`${told}: the record ${row ? 'was' : 'was not'} there before`)
      return
    }
    const next: Row = row ? { ...row } : emptyRow(table.columns)
    for (const [column, [from, to]] of Object.entries(changes)) {
      // Labels of references have columns of their own, for people who read the audit.
      if (!Object.hasOwn(next, column)) continue
      if (next[column] !== from)
        findings.half.push(`${told}: ${column} was ${next[column]}, the entry says ${from}`)
      next[column] = to
    }
    if (entry.Action === 'delete') table.rows.delete(id)
    else table.rows.set(id, next)
    if (entry.Entity === 'Order' && entry.Action === 'insert') this.#count(next, findings)
  }

  /** Numbers are drawn in the transaction that uses them: each is the one after the last. */
  #count(order: Row, findings: Findings): void {
    const [, year, number] = /^SO-(\d+)-(\d+)$/.exec(String(order.Number)) ?? []
    const key = `${order.CompanyId} ${year}`
    const last = this.#numbers.get(key) ?? 0
    if (Number(number) !== last + 1)
      findings.half.push(`Order ${order.Id} has the number ${order.Number} after ${last}`)
    this.#numbers.set(key, Number(number))
  }

  #checkNumbers(database: Database, findings: Findings): void {
    for (const [key, last] of readSequences(database)) {
      const drawn = this.#numbers.get(key) ?? 0
      if (drawn !== last) findings.half.push(`Sequence ${key}: at ${last}, used up to ${drawn}`)
    }
  }
}

/** Findings of a check; all lists are empty when nothing is amiss. */
export class Findings {
  /** Acknowledged and not there. */
  readonly lost: string[] = []
  /** There in part, twice, or without its traces. */
  readonly half: string[] = []
  /** Answered with a 5xx, or refused with no reason that the ledger knows. */
  readonly strange: string[] = []
  /** Not acknowledged, yet there as a whole: the process ended between commit and answer. */
  unansweredDone = 0

  get all(): string[] {
    return [
      ...this.lost.map((text) => `lost: ${text}`),
      ...this.half.map((text) => `half: ${text}`),
      ...this.strange.map((text) => `strange: ${text}`),
    ]
  }
}

function checkWrites(
  ledger: Ledger,
  found: Map<string, Record<string, number>>,
  findings: Findings,
): void {
  for (const write of ledger.writes) {
    const effects = found.get(write.trace)
    found.delete(write.trace)
    checkWrite(write, effects, findings)
  }
  for (const [trace, effects] of found)
    findings.half.push(`nobody asked for ${JSON.stringify(effects)} (trace ${trace})`)
}

function checkWrite(
  write: Write,
  effects: Record<string, number> | undefined,
  findings: Findings,
): void {
  const told = `${write.what} ${write.trace} ${write.outcome}`
  const isWhole = Bun.deepEquals(effects, write.expects)
  if (write.outcome === 'failed') findings.strange.push(`${told}: ${write.reason}`)
  if (effects === undefined) {
    if (write.outcome === 'acked') findings.lost.push(told)
  } else if (write.outcome === 'refused' || write.outcome === 'failed' || !isWhole)
    findings.half.push(
      `${told}: ${JSON.stringify(effects)} instead of ${JSON.stringify(write.expects)}`,
    )
  else if (write.outcome === 'unanswered') findings.unansweredDone++
}

function compareTable(
  database: Database,
  { name, columns, rows }: MirroredTable,
  touched: Iterable<number> | undefined,
  findings: Findings,
): void {
  const count = readNumber(database, `SELECT count(*) FROM ${name}`)
  if (count !== rows.size)
    findings.half.push(`${name} has ${count} rows, the audit tells of ${rows.size}`)
  const ids = touched === undefined ? undefined : [...touched]
  const stored = new Map(readRows(database, name, columns, ids).map((row) => [Number(row.Id), row]))
  for (const id of new Set([...(ids ?? rows.keys()), ...stored.keys()])) {
    const [is, should] = [stored.get(id), rows.get(id)]
    if (!Bun.deepEquals(is, should))
      findings.half.push(
        `${name} ${id} is ${JSON.stringify(is)}, by the audit ${JSON.stringify(should)}`,
      )
  }
}

/** Each audited update of an order has its stamp, and the last of them is the record's. */
function checkStamps(database: Database, ids: number[], findings: Findings): void {
  const found = database
    .query(
      `WITH o AS (
         SELECT o.Id, o.RowVersion, '[' || o.Id || ']' AS RecordKey FROM orders o
         WHERE o.Id IN (SELECT value FROM json_each(?)))
       SELECT o.Id FROM o WHERE
         (SELECT count(*) FROM svc_stamps s WHERE s.Entity = 'Order' AND s.RecordKey = o.RecordKey)
         <> (SELECT count(*) FROM svc_audit a
             WHERE a.Entity = 'Order' AND a.RecordKey = o.RecordKey AND a.Action = 'update')
         OR o.RowVersion < (SELECT max(Stamp) FROM svc_stamps s
             WHERE s.Entity = 'Order' AND s.RecordKey = o.RecordKey)`,
    )
    .all(JSON.stringify(ids)) as { Id: number }[]
  for (const { Id } of found) findings.half.push(`Order ${Id}: its stamps do not fit its changes`)
}

const emptyRow = (columns: readonly string[]): Row =>
  Object.fromEntries(columns.map((column) => [column, null]))

function readRows(
  database: Database,
  table: string,
  columns: readonly string[],
  ids?: readonly number[],
): Row[] {
  const names = columns.map((column) => `"${column}"`).join(', ')
  const where = ids === undefined ? '' : ' WHERE Id IN (SELECT value FROM json_each(?))'
  const query = database.query(`SELECT ${names} FROM ${table}${where}`)
  return (ids === undefined ? query.all() : query.all(JSON.stringify(ids))) as Row[]
}

const readNumber = (database: Database, sql: string): number =>
  Number(database.query(sql).values()[0]?.[0] ?? 0)

const readSequences = (database: Database): [string, number][] =>
  database
    .query(`SELECT CompanyId || ' ' || Period, Last FROM svc_sequences WHERE Name = 'OrderNumber'`)
    .values() as [string, number][]
