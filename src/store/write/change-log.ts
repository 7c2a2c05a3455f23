/** The change log of the running transaction, read and merged to one entry a record. */
import { yieldNow } from '../../kernel/yielder.ts'
import type { Connection } from '../connection/connection.ts'
import type { SqlRow, SqlValue } from '../sql.ts'
import type { LoggedChange, WatchedTable } from '../store.ts'
import { CHANGED_KEYS_MAX, type ChangedRows } from './changed-rows.ts'
import type { Versions } from './versions.ts'
import { LOG_TABLE, LOGGED, loggedColumns, SILENT } from './watch.ts'

/** Rows of the log read at once: a statement may have touched very many. */
const CHUNK = 500

const TABLES =
  `SELECT Entity, min(What) AS What FROM temp.${LOG_TABLE} ` + `WHERE Seq > @from GROUP BY Entity`
const END = `SELECT max(Seq) AS Last FROM temp.${LOG_TABLE}`
const SILENCE =
  `UPDATE temp.${LOG_TABLE} SET What = What + ${SILENT} ` + `WHERE Seq > @from AND What < ${SILENT}`
const CLEAR = `DELETE FROM temp.${LOG_TABLE}`
const NAMES = ['insert', 'update', 'delete'] as const

/** Places in a row of the log as it is read. */
const [SEQ, ENTITY, WHAT, FIRST_CELL] = [0, 1, 2, 3] as const
const ALL_ROWS = 'TRUE'

/** Rows behind `@after` with so many of their cells. */
const planRows = (width: number, where: string): string =>
  `SELECT ${['Seq', 'Entity', 'What', ...listCells(width)].join(', ')} FROM temp.${LOG_TABLE} ` +
  `WHERE Seq > @after AND ${where} ORDER BY Seq LIMIT ${CHUNK}`

const listCells = (width: number): string[] => Array.from({ length: width }, (_, at) => `c${at}`)

/** The log of one writer connection, for the tables that are watched there. */
export class ChangeLog {
  readonly #connection: Connection
  readonly #tables: readonly WatchedTable[]
  readonly #columns: readonly string[][]
  readonly #versions: Versions
  readonly #numbers: ReadonlyMap<string, number>
  /** Cells that the last log had: the next one most likely has as many. */
  #width = 0
  /** Rows up to this one were taken, without a look at them. */
  #from = 0

  constructor(connection: Connection, tables: readonly WatchedTable[], versions: Versions) {
    this.#connection = connection
    this.#tables = tables
    this.#versions = versions
    this.#columns = tables.map(loggedColumns)
    this.#numbers = new Map(tables.map(({ entity }, number) => [entity, number]))
  }

  /** A transaction has begun: it finds the log empty. */
  begin(): void {
    this.#from = 0
  }

  /** How much of the log was taken without a look, for `rewind` after a rollback to here. */
  get mark(): number {
    return this.#from
  }

  rewind(mark: number): void {
    this.#from = mark
  }

  /** Checks that changes of an entity are logged. */
  watches(entity: string): boolean {
    return this.#numbers.has(entity)
  }

  /** Takes the next row of the log, which is known; adds it to `changed`. */
  skip({ entity, key }: LoggedChange, changed: ChangedRows): void {
    const { table, at } = this.#tableOf(this.#numbers.get(entity) ?? -1)
    changed.add(table, at !== undefined && key.every(isPlainKey) ? key : undefined)
    this.#from++
  }

  /**
   * Empties the log behind the last statement of a transaction, of which all was taken. @throws
   * Error where there is more or less in it than was known.
   */
  clear(): void {
    const count = this.#from
    if (count === 0) return
    this.#from = 0
    if (this.#connection.statement(CLEAR).run({}) !== count)
      throw new Error('The change log has other rows than were known')
  }

  /** Adds to `changed` the rows touched since the log was emptied, also in silence; empties it. */
  takeTables(changed: ChangedRows): void {
    if (this.#tables.length === 0) return
    this.#empty(this.#listTables(), changed)
  }

  /**
   * The same, and gives the records that were not touched in silence, each with its net change; by
   * one read where the log is short, else undefined, and nothing is taken.
   */
  takeShort(changed: ChangedRows): LoggedChange[] | undefined {
    if (this.#tables.length === 0) return []
    const rows = this.#readShort()
    if (rows === undefined) return undefined
    const net = new Map<string, LoggedChange>()
    for (const row of rows) if (Number(row[WHAT]) < SILENT) this.#add(net, row)
    for (const [number, own] of Map.groupBy(rows, (row) => Number(row[ENTITY]))) {
      const { table, at } = this.#tableOf(number)
      const keys = at === undefined ? undefined : own.map((row) => row[FIRST_CELL + at])
      changed.add(table, keys?.every(isPlainKey) ? keys : undefined)
    }
    if (rows.length > 0) this.#clearTaken()
    return [...net.values()]
  }

  /** The same of a log of any length. */
  async take(changed: ChangedRows): Promise<LoggedChange[]> {
    if (this.#tables.length === 0) return []
    const touched = this.#listTables()
    const spoken = touched
      .filter((row) => Number(row.What) < SILENT)
      .map((row) => Number(row.Entity))
    const net = new Map<string, LoggedChange>()
    if (spoken.length > 0) await this.#merge(net, this.#widthOf(spoken))
    this.#empty(touched, changed)
    return [...net.values()]
  }

  /** Marks every row as written in silence. */
  silence(): void {
    if (this.#tables.length > 0) this.#connection.statement(SILENCE).run({ from: this.#from })
  }

  /** The current end of the log: rows written from here on have a greater number. */
  end(): number {
    if (this.#tables.length === 0) return 0
    return Number(this.#connection.statement(END).get({})?.Last ?? 0)
  }

  /** The key of the first row of an entity that was inserted behind an end of the log. */
  findInserted(entity: string, after: number): LoggedChange['key'] | undefined {
    const number = this.#tables.findIndex((table) => table.entity === entity)
    const table = this.#tables[number]
    const columns = this.#columns[number]
    if (table === undefined || columns === undefined) return undefined
    const cells = table.keys.map((name) => `c${columns.indexOf(name)}`)
    const row = this.#connection
      .statement(
        `SELECT ${cells.join(', ')} FROM temp.${LOG_TABLE} WHERE Seq > @after ` +
          `AND Entity = @number AND What IN (${LOGGED.insert}, ${LOGGED.insert + SILENT}) ` +
          `ORDER BY Seq LIMIT 1`,
      )
      .get({ after, number })
    return row && cells.map((cell) => toKey(row[cell]))
  }

  /** Adds the tables touched, and the keys of the rows where someone wants to know them. */
  #empty(touched: readonly SqlRow[], changed: ChangedRows): void {
    for (const row of touched) {
      const number = Number(row.Entity)
      const { table, at } = this.#tableOf(number)
      changed.add(table, at === undefined ? undefined : this.#listKeys(number, at))
    }
    if (touched.length > 0) this.#clearTaken()
  }

  #clearTaken(): void {
    this.#connection.statement(CLEAR).run({})
    this.#from = 0
  }

  #listTables(): SqlRow[] {
    return this.#connection.statement(TABLES).all({ from: this.#from })
  }

  /** A table by its number, and the cell of the key where someone wants to know of its rows. */
  #tableOf(number: number): { table: string; at: number | undefined } {
    const watched = this.#tables[number]
    if (watched === undefined) throw new Error('The log names no table')
    const { table, keys } = watched
    const isKnown = this.#versions.isFollowed(table.toLowerCase()) && keys.length === 1
    const at = isKnown ? this.#columns[number]?.indexOf(keys[0] ?? '') : undefined
    return { table, at }
  }

  #listKeys(number: number, at: number): (string | number)[] | undefined {
    const rows = this.#connection
      .statement(
        `SELECT DISTINCT c${at} AS RowKey FROM temp.${LOG_TABLE} ` +
          `WHERE Seq > @from AND Entity = @number LIMIT ${CHANGED_KEYS_MAX + 1}`,
      )
      .all({ from: this.#from, number })
    const values = rows.map((row) => row.RowKey)
    return values.every(isPlainKey) ? values : undefined
  }

  #widthOf(entities: readonly number[]): number {
    return Math.max(0, ...entities.map((entity) => this.#columns[entity]?.length ?? 0))
  }

  /** Reads all rows, with the cells of the widest; undefined for too many. */
  #readShort(): SqlValue[][] | undefined {
    for (;;) {
      const rows = this.#connection
        .statement(planRows(this.#width, ALL_ROWS))
        .cells({ after: this.#from })
      if (rows.length >= CHUNK) return undefined
      const width = this.#widthOf(rows.map((row) => Number(row[ENTITY])))
      const isWide = this.#width >= width
      if (!isWide || this.#width > 2 * width) this.#width = width
      if (isWide) return rows
    }
  }

  async #merge(net: Map<string, LoggedChange>, width: number): Promise<void> {
    const statement = this.#connection.statement(planRows(width, `What < ${SILENT}`))
    for (let after = this.#from; ; await yieldNow()) {
      const rows = statement.cells({ after })
      for (const row of rows) this.#add(net, row)
      if (rows.length < CHUNK) return
      after = Number(rows.at(-1)?.[SEQ])
    }
  }

  #add(net: Map<string, LoggedChange>, row: readonly SqlValue[]): void {
    const number = Number(row[ENTITY])
    const table = this.#tables[number]
    const columns = this.#columns[number]
    if (table === undefined || columns === undefined) throw new Error('The log names no table')
    const key = table.keys.map((name) => toKey(row[FIRST_CELL + columns.indexOf(name)]))
    const what = NAMES[Number(row[WHAT]) - LOGGED.insert] ?? 'update'
    const before = what === 'insert' ? undefined : toImage(row, columns)
    mergeChange(net, `${number}${JSON.stringify(key)}`, {
      entity: table.entity,
      key,
      what,
      before,
    })
  }
}

/** Adds one change to the net changes: what a record's changes come to, in order of the first. */
function mergeChange(net: Map<string, LoggedChange>, id: string, next: LoggedChange): void {
  const first = net.get(id)
  if (first === undefined) net.set(id, next)
  else if (first.what === 'insert') {
    if (next.what === 'delete') net.delete(id)
  } else if (next.what === 'delete') first.what = 'delete'
  else first.what = 'update'
}

function toImage(row: readonly SqlValue[], columns: readonly string[]): SqlRow {
  const image: SqlRow = {}
  for (const [at, column] of columns.entries()) image[column] = row[FIRST_CELL + at] ?? null
  return image
}

const isPlainKey = (value: SqlValue | undefined): value is string | number =>
  typeof value === 'string' || Number.isSafeInteger(value)

function toKey(value: SqlValue | undefined): string | number | null {
  if (value === undefined || value === null) return null
  return typeof value === 'number' || typeof value === 'string' ? value : String(value)
}
