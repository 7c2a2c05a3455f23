/** Sound rows of an import in their stage, and what is wrong with others. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import type { SqlArgs, SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Stage } from '../../../store/store.ts'
import type { SoundRow } from './import-check.ts'
import type { ImportPlan } from './import-plan.ts'
import { planUnique, ROWS, type StagedSql } from './import-unique.ts'
import type { TableVersions } from '../read/query-cache.ts'

const BAD = 'staged.svc_import_bad'
const ERRORS = 'staged.svc_import_errors'
const PAGE = 2000

/** Takes what is wrong with the row of a line. */
export type ReportFaults = (line: number, faults: FieldErrors) => void

/** The fault of a line, as the file of errors says it. */
export interface LineText {
  line: number
  text: string
}

/** The stage of one import. */
export class ImportStage {
  readonly sql: StagedSql
  readonly plan: ImportPlan
  readonly #stage: Stage
  /** Adds the rows of a JSON text, in the form that `#toList` gives them. */
  readonly #insert: string
  readonly #toList: (row: SoundRow) => unknown[]
  /** Some rows point to each other in a circle: no order has each behind those it points to. */
  hasCircles = false
  /** The tables that say what rows may point to, and their state before any row was validated. */
  pointed: TableVersions | undefined
  #count = 0

  private constructor(stage: Stage, plan: ImportPlan) {
    this.#stage = stage
    this.plan = plan
    this.sql = {
      cells: new Map(
        plan.staged.map(({ field }, at) => [
          (field.column?.name ?? field.name).toLowerCase(),
          `c${at}`,
        ]),
      ),
      keys: plan.entity.keys.map((_, at) => `k${at}`),
      lists: plan.columns.lists.map((_, at) => `l${at}`),
    }
    const { keys, cells, lists } = this.sql
    const isAllNew = plan.request.mode === 'insert'
    const names = [
      ...(isAllNew ? [] : ['isNew', 'stamp', 'basis', 'output', ...keys]),
      ...cells.values(),
      ...lists,
      ...plan.own.map(({ text }) => text),
      ...listDetailCells(plan),
    ]
    const picks = names.map((_, at) => `value ->> ${at + 1}`)
    this.#insert =
      `INSERT INTO ${ROWS} (${['n', 'line', ...names].join(', ')}) ` +
      `SELECT ${['@after + key', `value ->> 0`, ...picks].join(', ')} FROM json_each(@rows)`
    const none = keys.map(() => null)
    const hasDetails = plan.details.length > 0
    this.#toList = ({ line, key, stamp, basis, output, values, lists: links, own, details }) =>
      isAllNew
        ? [line, ...values.map(toPlain), ...links, ...own, ...(hasDetails ? [details] : [])]
        : [
            ...[line, key ? 0 : 1, stamp, basis, output, ...(key ?? none), ...values].map(toPlain),
            ...[...links, ...own],
          ]
  }

  static async create(stage: Stage, plan: ImportPlan): Promise<ImportStage> {
    const made = new ImportStage(stage, plan)
    const { keys: own, cells, lists } = made.sql
    const pending = plan.own.flatMap(({ text, row }) => [`${text} TEXT`, `${row} INTEGER`])
    const columns = [...own, ...cells.values(), ...lists, ...pending, ...listDetailCells(plan)]
    await stage.run(
      `CREATE TABLE ${ROWS} ` +
        `(n INTEGER PRIMARY KEY, line INTEGER, isNew INTEGER DEFAULT 1, stamp, basis TEXT, ` +
        `output TEXT, ${columns.join(', ')})`,
    )
    if (plan.request.mode !== 'insert') {
      const keys = made.sql.keys.join(', ')
      await stage.run(`CREATE INDEX staged.svc_import_key ON svc_import (${keys}) WHERE isNew = 0`)
    }
    await stage.run(`CREATE TABLE ${ERRORS} (line INTEGER PRIMARY KEY, text TEXT)`)
    await stage.run(`CREATE TABLE ${BAD} (n INTEGER PRIMARY KEY, line INTEGER, rule INTEGER)`)
    return made
  }

  /** How many numbers are taken; some of their rows may have been put out again. */
  get count(): number {
    return this.#count
  }

  get path(): string {
    return this.#stage.path
  }

  /** Adds rows off the event loop. */
  async add(rows: readonly SoundRow[]): Promise<void> {
    if (rows.length === 0) return
    const after = this.#count + 1
    this.#count += rows.length
    await this.#stage.run(this.#insert, { after, rows: JSON.stringify(rows.map(this.#toList)) })
  }

  /** New and stored records among the rows. */
  async countKinds(): Promise<{ inserted: number; updated: number }> {
    const [row] = await this.#stage.run(
      `SELECT count(*) AS Rows, coalesce(sum(isNew), 0) AS New FROM ${ROWS}`,
    )
    const inserted = Number(row?.New ?? 0)
    return { inserted, updated: Number(row?.Rows ?? 0) - inserted }
  }

  /** A statement over the rows of the stage, off the event loop. */
  run(sql: string, args: SqlArgs = {}): Promise<SqlRow[]> {
    return this.#stage.run(sql, args)
  }

  /** Pages of rows of a SELECT that ends in its WHERE, in the order of its column `by`. */
  async *pages(select: string, by: 'n' | 'line'): AsyncGenerator<SqlRow[]> {
    for (let after = -1; ;) {
      const sql = `${select} AND ${by} > @after ORDER BY ${by} LIMIT ${PAGE}`
      const rows = await this.#stage.run(sql, { after })
      yield rows
      if (rows.length < PAGE) return
      after = Number(rows.at(-1)?.[by])
    }
  }

  /**
   * Removes rows that collide with others, of the file or the table, and reports each: by
   * rules that look at references among the rows (`own`), or by the others.
   */
  async rejectDuplicates(kind: 'own' | 'other', report: ReportFaults): Promise<void> {
    const rules = planUnique(this.plan, this.sql).filter((rule) => rule.kind === kind)
    if (rules.length === 0) return
    // Those of an earlier call are out already, and their rules are not these.
    await this.#stage.run(`DELETE FROM ${BAD}`)
    for (const [at, rule] of rules.entries()) {
      for (const { sql, before } of rule.statements) {
        if (before !== undefined && (await this.#stage.run(before)).length === 0) continue
        await this.#stage.run(`INSERT OR IGNORE INTO ${BAD} (n, line, rule) ${sql}`, {
          rule: at,
          company: this.plan.grant.caller.companyId,
        })
      }
    }
    for await (const rows of this.pages(`SELECT n, line, rule FROM ${BAD} WHERE true`, 'n')) {
      for (const row of rows) {
        const rule = rules[Number(row.rule)]
        if (rule) report(Number(row.line), { [rule.field]: rule.message })
      }
    }
  }

  /** Stores what is wrong with lines, for the file that says it. */
  async noteErrors(list: readonly LineText[]): Promise<void> {
    for (let at = 0; at < list.length; at += PAGE) {
      const rows = list.slice(at, at + PAGE).map(({ line, text }) => [line, text])
      await this.#stage.run(
        `INSERT INTO ${ERRORS} SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]')
         FROM json_each(@rows) WHERE true
         ON CONFLICT (line) DO UPDATE SET text = text || '; ' || excluded.text`,
        { rows: JSON.stringify(rows) },
      )
    }
  }

  /** Yields the errors in the order of the lines. */
  async *errors(): AsyncGenerator<LineText> {
    for await (const rows of this.pages(`SELECT line, text FROM ${ERRORS} WHERE true`, 'line')) {
      for (const row of rows) yield { line: Number(row.line), text: String(row.text) }
    }
  }
}

/** The column of lines, where the file has details: then all its records are new. */
export const listDetailCells = ({ details }: Pick<ImportPlan, 'details'>): string[] =>
  details.length > 0 ? ['d'] : []

/** Digits that no double can represent are not a value of a field, nor is a blob. */
const toPlain = (value: SqlValue | number): unknown =>
  typeof value === 'bigint' ? value.toString() : value

/** Rows that `rejectDuplicates` has reported. */
export const IS_DUPLICATE = `n IN (SELECT n FROM ${BAD})`

/** Rows of the lines in the JSON array `@lines`. */
export const IS_ONE_OF = `line IN (SELECT value FROM json_each(@lines))`

/** The value of a column of a row `s`, where `@_base` is bound for keys to come. */
export function composeCell(plan: ImportPlan, cell: string): string {
  const own = plan.own.find((each) => each.cell === cell)
  if (!own) return `s.${cell}`
  return `coalesce(s.${cell}, @_base + s.${own.row})`
}

/** Rows of the stage by number, for statements of the writer. */
export const STAGED_ROWS = `${ROWS} s WHERE s.n BETWEEN @_first AND @_last`

/** Numbers of rows that are written, or looked at, together. */
export interface StagedRange {
  first: number
  last: number
}

/** A range as `STAGED_ROWS` and `composeStaged` take it, by names that no authored text has. */
export const rangeArgs = ({ first, last }: StagedRange): { _first: number; _last: number } => ({
  _first: first,
  _last: last,
})

/** Rows of one statement: few enough that what is loaded of them is little. */
export const CHUNK_ROWS = 500

/**
 * Rows of one statement that only adds records. SQLite keeps every page as it was before a
 * statement first changes it, to take it back by: the fewer statements, the fewer such copies.
 */
export const ADDED_ROWS = 10_000

/** A range in parts of at most `rows`. */
export function* splitRange({ first, last }: StagedRange, rows: number): Iterable<StagedRange> {
  for (let at = first; at <= last; at += rows) {
    yield { first: at, last: Math.min(at + rows - 1, last) }
  }
}

/**
 * The same as a small table `s` of new (1) or stored (0) records. Its LIMIT shows SQLite how small,
 * so that it looks up the other table by it, and not the other way round for every record there is.
 */
export const composeStaged = (isNew: 0 | 1): string =>
  `(SELECT * FROM ${ROWS} WHERE n BETWEEN @_first AND @_last AND +isNew = ${isNew} ` +
  `LIMIT ${isNew === 1 ? ADDED_ROWS : CHUNK_ROWS}) AS s`
