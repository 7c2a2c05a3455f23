/**
 * Rows of one file that point to each other, in any order: by key, by a unique column, by label.
 * Records of the table are known when a row is checked; the rest is found here, in the stage.
 */
import { type Message, noun, say } from '../../../kernel/messages.ts'
import { Yielder } from '../../../kernel/yielder.ts'
import type { SqlRow } from '../../../store/sql.ts'
import type { Column } from '../../../model/compiled/entity.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { displayOf } from '../../../model/sql/label.ts'
import { NUMBER_KEY } from './import-cells.ts'
import type { ImportPlan, OwnReference } from './import-plan.ts'
import type { ImportStage, ReportFaults } from './import-stage.ts'

const ROWS = 'staged.svc_import'
const NAMES = 'staged.svc_import_names'
const ORDER = 'staged.svc_import_order'
const REMOVED = 'staged.svc_import_removed'
const PAGE = 5000

/** The first meaning of a text: a key, a value that only one record has, a label. */
const RANKS = { key: 1, unique: 2, label: 3 } as const

/** More than one row, of the file and the table together, has the name. */
const MANY = -1

/** The references of an import's rows to its own rows. */
export class SelfReferences {
  readonly #stage: ImportStage
  readonly #own: readonly OwnReference[]
  readonly #report: ReportFaults
  #isResolved = false

  constructor(stage: ImportStage, report: ReportFaults) {
    this.#stage = stage
    this.#own = stage.plan.own
    this.#report = report
  }

  /** Finds the rows that texts name; puts out what names none, or more than one. */
  async resolve(): Promise<void> {
    if (this.#own.length === 0) return
    const pending = this.#own.map(({ text }) => `${text} IS NOT NULL`).join(' OR ')
    const [any] = await this.#run(`SELECT 1 AS found FROM ${ROWS} WHERE ${pending} LIMIT 1`)
    if (!any) return
    this.#isResolved = true
    await this.#nameRows()
    for (const own of this.#own) await this.#find(own)
    await this.#run(`CREATE TABLE ${REMOVED} (n INTEGER PRIMARY KEY)`)
    for (const own of this.#own) await this.#putOut(own)
    await this.removeWith('1')
  }

  /** Puts out rows for which a condition holds, and with them those that point to them. */
  async removeWith(condition: string, args: Readonly<Record<string, string>> = {}): Promise<void> {
    const removed = this.#isResolved ? ` OR n IN (SELECT n FROM ${REMOVED})` : ''
    const isGiven = condition !== '1'
    if (!this.#isResolved) {
      if (isGiven) await this.#run(`DELETE FROM ${ROWS} WHERE ${condition}`, args)
      return
    }
    const pointing = this.#own.map(
      ({ row }) => `SELECT r.n FROM bad JOIN ${ROWS} r ON r.${row} = bad.n`,
    )
    const first = `SELECT n FROM ${ROWS} WHERE ${isGiven ? `(${condition})` : '0'}${removed}`
    await this.#run(
      `INSERT OR IGNORE INTO ${REMOVED} WITH RECURSIVE bad(n) AS ` +
        `(${[first, ...pointing].join(' UNION ')}) SELECT n FROM bad`,
      args,
    )
    for (const own of this.#own) {
      await this.#reportAll(
        own,
        `${own.row} IN (SELECT n FROM ${REMOVED})`,
        missing(this.#plan, own),
      )
    }
    await this.#run(`DELETE FROM ${ROWS} WHERE n IN (SELECT n FROM ${REMOVED})`)
    await this.#run(`DELETE FROM ${REMOVED}`)
  }

  /**
   * Renumbers the rows, so that the ones that others refer to come first; whether some point to
   * each other in a circle, so that no order has them first.
   */
  async arrange(): Promise<boolean> {
    if (!this.#isResolved) return false
    const forward = this.#own.map(({ row }) => `${row} >= n`).join(' OR ')
    const [any] = await this.#run(`SELECT 1 AS found FROM ${ROWS} WHERE ${forward} LIMIT 1`)
    if (!any) return false
    const order = new RowOrder(this.#stage.count)
    await this.#eachPointing((n, targets) => order.point(n, targets))
    await order.arrange()
    await this.#run(`CREATE TABLE ${ORDER} (old INTEGER PRIMARY KEY, new INTEGER)`)
    for (const moved of order.listMoved()) {
      await this.#run(
        `INSERT INTO ${ORDER} SELECT value ->> 0, value ->> 1 FROM json_each(@moved)`,
        { moved: JSON.stringify(moved) },
      )
    }
    for (const { row } of this.#own) {
      const at = `SELECT new FROM ${ORDER} WHERE old = ${row}`
      await this.#run(`UPDATE ${ROWS} SET ${row} = coalesce((${at}), ${row}) WHERE ${row} > 0`)
    }
    const at = `SELECT new FROM ${ORDER} o WHERE o.old = n`
    await this.#run(`UPDATE ${ROWS} SET n = -(${at}) WHERE n IN (SELECT old FROM ${ORDER})`)
    await this.#run(`UPDATE ${ROWS} SET n = -n WHERE n < 0`)
    await this.#run(`DROP TABLE ${ORDER}`)
    return order.hasCircles
  }

  get #plan(): ImportPlan {
    return this.#stage.plan
  }

  #run(sql: string, args: Readonly<Record<string, string | number>> = {}): Promise<SqlRow[]> {
    return this.#stage.run(sql, args)
  }

  /** By what each row may be named. */
  async #nameRows(): Promise<void> {
    await this.#run(
      `CREATE TABLE ${NAMES} (text TEXT, rank INTEGER, n INTEGER, ` +
        `PRIMARY KEY (text, rank, n)) WITHOUT ROWID`,
    )
    const { entity } = this.#plan
    const add = (sql: string, rank: number) =>
      this.#run(
        `INSERT OR IGNORE INTO ${NAMES} SELECT CAST(${sql} AS TEXT), ${rank}, n FROM ${ROWS} ` +
          `WHERE ${sql} IS NOT NULL`,
      )
    const key = entity.keys[0]
    const isNumber = key !== undefined && FIELD_KINDS[key.type].number === 'whole'
    const name = this.#composeKey()
    await add(isNumber ? `char(${NUMBER_KEY.charCodeAt(0)}) || ${name}` : name, RANKS.key)
    for (const column of entity.columns) {
      const cell = column.unique && column !== key ? this.#cellOf(column) : undefined
      if (cell !== undefined) await add(cell, RANKS.unique)
    }
    const shown = displayOf(entity)
    const label = shown.flatMap((column) =>
      column.references === undefined ? (this.#cellOf(column) ?? []) : [],
    )
    if (label.length === 0 || label.length < shown.length) return
    const text = label.length === 1 ? label[0] : `concat_ws(' ', ${label.join(', ')})`
    await add(text ?? 'NULL', RANKS.label)
  }

  /** The key of a row, as far as it is known before the row is written. */
  #composeKey(): string {
    const { sql } = this.#stage
    const [key] = this.#plan.entity.keys
    const cell = (key && this.#cellOf(key)) ?? 'NULL'
    return `(CASE isNew WHEN 0 THEN ${sql.keys[0]} ELSE ${cell} END)`
  }

  #cellOf(column: Column): string | undefined {
    return this.#stage.sql.cells.get(column.name.toLowerCase())
  }

  async #find({ text, row, cell, isLabel }: OwnReference): Promise<void> {
    const best = `SELECT ${isLabel ? 'max' : 'min'}(b.rank) FROM ${NAMES} b WHERE b.text = ${text}`
    const named =
      `SELECT CASE count(*) WHEN 0 THEN NULL WHEN 1 THEN max(a.n) ELSE ${MANY} END ` +
      `FROM ${NAMES} a WHERE a.text = ${text} AND a.rank = (${best})`
    await this.#run(`UPDATE ${ROWS} SET ${row} = (${named}) WHERE ${text} IS NOT NULL`)
    // A record of the table with the same name: the same record, or the name is ambiguous.
    const same = `SELECT 1 FROM ${ROWS} t WHERE t.n = s.${row} AND t.isNew = 0 AND t.k0 = s.${cell}`
    await this.#run(
      `UPDATE ${ROWS} AS s SET ${row} = CASE WHEN EXISTS (${same}) THEN NULL ELSE ${MANY} END ` +
        `WHERE ${text} IS NOT NULL AND ${cell} IS NOT NULL AND ${row} IS NOT NULL`,
    )
    await this.#run(`CREATE INDEX staged.svc_import_${row} ON svc_import (${row}) WHERE ${row} > 0`)
  }

  async #putOut(own: OwnReference): Promise<void> {
    const { text, row, cell, field } = own
    const many = say`${field.label}: more than one record has this name`
    const lost = `${text} IS NOT NULL AND ${cell} IS NULL AND ${row} IS NULL`
    await this.#reportAll(own, `${row} = ${MANY}`, many)
    await this.#reportAll(own, lost, missing(this.#plan, own))
    await this.#run(
      `INSERT OR IGNORE INTO ${REMOVED} SELECT n FROM ${ROWS} WHERE ${row} = ${MANY} OR (${lost})`,
    )
    const key = this.#composeKey()
    await this.#run(
      `UPDATE ${ROWS} AS s SET ${cell} = (SELECT ${key} FROM ${ROWS} t WHERE t.n = s.${row}) ` +
        `WHERE ${row} > 0`,
    )
  }

  async #reportAll({ field }: OwnReference, condition: string, message: Message): Promise<void> {
    const select = `SELECT line FROM ${ROWS} WHERE (${condition})`
    for await (const rows of this.#stage.pages(select, 'line')) {
      for (const { line } of rows) this.#report(Number(line), { [field.name]: message })
    }
  }

  async #eachPointing(take: (n: number, targets: number[]) => void): Promise<void> {
    const names = this.#own.map(({ row }) => row)
    const points = names.map((row) => `${row} > 0`).join(' OR ')
    const select = `SELECT n, ${names.join(', ')} FROM ${ROWS} WHERE (${points})`
    for await (const rows of this.#stage.pages(select, 'n')) {
      for (const row of rows) {
        const targets = names.map((name) => Number(row[name] ?? 0)).filter((at) => at > 0)
        take(Number(row.n), targets)
      }
    }
  }
}

const missing = ({ entity }: ImportPlan, { field }: OwnReference): Message =>
  say`${field.label}: there is no such ${noun(entity.label)}`

const VISITED_IN_A_TURN = 10_000

/** Rows by number in an order that has first what others point to. */
class RowOrder {
  hasCircles = false
  readonly #count: number
  readonly #targets = new Map<number, number[]>()
  /** New numbers by the old ones; 0: not placed. */
  readonly #places: Int32Array
  #placed = 0

  constructor(count: number) {
    this.#count = count
    this.#places = new Int32Array(count + 1)
  }

  point(n: number, targets: number[]): void {
    this.#targets.set(n, targets)
  }

  async arrange(): Promise<void> {
    const yielder = new Yielder()
    for (let n = 1; n <= this.#count; n++) {
      if (this.#places[n] === 0) this.#place(n)
      if (n % VISITED_IN_A_TURN === 0) await yielder.yieldWhenDue()
    }
  }

  /** Pages of the rows that have another number now. */
  *listMoved(): Iterable<[number, number][]> {
    let page: [number, number][] = []
    for (let n = 1; n <= this.#count; n++) {
      const place = this.#places[n] ?? n
      if (place === n) continue
      if (page.push([n, place]) < PAGE) continue
      yield page
      page = []
    }
    if (page.length > 0) yield page
  }

  /** Places what the row points to, then the row; without recursion, since chains may be long. */
  #place(start: number): void {
    const open = new Set([start])
    const stack = [{ n: start, next: 0 }]
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const target = this.#targets.get(top.n)?.[top.next++]
      if (target === undefined) {
        stack.pop()
        open.delete(top.n)
        this.#places[top.n] = ++this.#placed
      } else if (open.has(target)) this.hasCircles = true
      else if (this.#places[target] === 0) {
        open.add(target)
        stack.push({ n: target, next: 0 })
      }
    }
  }
}
