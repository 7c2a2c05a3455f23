/**
 * The transaction of an import: staged rows become records chunk by chunk, each with its own
 * after-write pass, and every rule that needs the stored record is validated.
 */
import type { FieldErrors } from '../../../kernel/failure.ts'
import { SqlError } from '../../../store/faults.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Column } from '../../../model/compiled/entity.ts'
import { quote } from '../../../model/sql/quote.ts'
import { noteBulk } from '../after-write/outer-events.ts'
import { NewRecords, reportStagedOutside } from './bulk-records.ts'
import {
  type BulkStatement,
  isRowByRow,
  isServerKey,
  listNewKey,
  planAdding,
  planInsert,
  planUpdate,
} from './bulk-statements.ts'
import { listLinks, markLists, toOwner } from './import-list-log.ts'
import { planBefore, planMarks, planNewRows } from './import-log.ts'
import { goBehindKept } from './import-numbers.ts'
import type { ImportPlan } from './import-plan.ts'
import {
  reportBrokenRules,
  reportLost,
  reportOutside,
  reportUnpickable,
  requireStillValid,
  seesAll,
} from './import-recheck.ts'
import {
  ADDED_ROWS,
  CHUNK_ROWS,
  rangeArgs,
  splitRange,
  STAGED_ROWS,
  type StagedRange,
} from './import-stage.ts'
import type { StagedSql } from './import-unique.ts'
import type { ImportWrite, WrittenRecord } from './import-work.ts'
import { overtaken, toRowFaults, writeEach } from './row-by-row.ts'
import { reportRunning } from './running-workflows.ts'
import { keyValues } from '../record/record.ts'
import { rowId } from '../record/written-row.ts'
import { BrokenRecords, joinName } from '../rules/broken-records.ts'
import { toFieldFailure } from '../rules/constraint.ts'
import { maskErrors, shownFieldsOf } from '../rules/masked-faults.ts'
import { type PlacedRecord, requireDetailRules } from '../write/details.ts'

/** Sources that an import is written from, before it is known how its keys are counted. */
export interface ImportToWrite extends Omit<ImportWrite, 'base' | 'keys'> {
  /** Records have changed since the references of the rows were validated. */
  isPointedMoved: boolean
  /** The transaction may add rows together (`Tx.addRows`). */
  isAdding: boolean
  /** Takes how many rows are done. */
  onProgress: (rows: number) => void
  /** New records may come past the after-write pass. */
  isBulk: boolean
  /** Takes the records of each chunk once they are written. */
  onWritten?: ((records: readonly WrittenRecord[]) => Promise<void>) | undefined
}

/**
 * Writes all rows of the stage; a row that cannot be written is reported, and the rest is written.
 */
export async function writeRows(given: ImportToWrite): Promise<void> {
  const base = await findBase(given)
  await goBehindKept(given.tx, given.plan, given.stage.sql)
  const work: ImportWrite = { ...given, base, keys: new Map() }
  await new ChunkWriter(work, given).run(given)
}

/** No key above it was ever given. */
async function findBase({
  tx,
  plan: { entity },
  stage,
}: ImportToWrite): Promise<number | undefined> {
  const [key] = entity.keys
  if (!key || !isServerKey(entity)) return undefined
  const row = await tx.get<{ Given: number | null; Last: number | null }>(
    `SELECT (SELECT seq FROM main.sqlite_sequence WHERE name = @table) AS Given,
      (SELECT max(${quote(key.name)}) FROM main.${quote(entity.table)}) AS Last`,
    { table: entity.table },
  )
  return Math.max(row?.Given ?? 0, row?.Last ?? 0, await findLastKept(tx, stage.sql, key))
}

/** The greatest key that a row of the file keeps. */
async function findLastKept(tx: Tx, { cells }: StagedSql, key: Column): Promise<number> {
  const cell = cells.get(key.name.toLowerCase())
  if (cell === undefined) return 0
  const row = await tx.get<{ Last: number | null }>(
    `SELECT max(${cell}) AS Last FROM staged.svc_import WHERE isNew = 1`,
  )
  return row?.Last ?? 0
}

/** A record that was written, by its row of the file; a line is the detail of one. */
interface WrittenPlace {
  line: number
  detail: PlacedRecord | undefined
}

function mapPlaces(
  { entity }: Pick<ImportPlan, 'entity'>,
  records: readonly WrittenRecord[],
): Map<string, WrittenPlace> {
  const places = new Map<string, WrittenPlace>()
  for (const { key, line, details = [] } of records) {
    places.set(rowId(entity, key), { line, detail: undefined })
    for (const detail of details) {
      const { access, key: own } = detail.saved
      places.set(rowId(access.entity, keyValues(access.entity, own)), { line, detail })
    }
  }
  return places
}

/** Faults of a line, `Lines[13].Quantity`, without fields that are hidden from the caller. */
function toDetailFaults({ name, saved }: PlacedRecord, faults: FieldErrors): FieldErrors {
  const masked = maskErrors(faults, shownFieldsOf(saved.access))
  return Object.fromEntries(
    Object.entries(masked).map(([field, message]) => [joinName(name, field), message]),
  )
}

class ChunkWriter {
  readonly #work: ImportWrite
  readonly #statements: {
    insert: BulkStatement
    update: BulkStatement | undefined
    before: BulkStatement
  }
  readonly #new: NewRecords
  readonly #isBulk: boolean
  /** Rows are added together, by `Tx.addRows`. */
  readonly #isAdding: boolean
  readonly #isRowByRow: boolean
  readonly #seesAll: boolean
  readonly #hasRules: boolean
  readonly #onWritten: ImportToWrite['onWritten']

  constructor(work: ImportWrite, { onWritten, isBulk, isAdding }: ImportToWrite) {
    const { plan } = work
    this.#work = work
    this.#onWritten = onWritten
    this.#isRowByRow = isRowByRow(plan)
    this.#isBulk = isBulk
    this.#isAdding = isAdding
    this.#statements = {
      insert: isAdding ? planAdding(work) : planInsert(work),
      update: planUpdate(work),
      before: planBefore(work),
    }
    this.#new = new NewRecords(work)
    this.#seesAll = seesAll(plan)
    this.#hasRules = plan.view.validates.some(({ kind }) => kind === 'sql')
  }

  async run({
    isPointedMoved,
    onProgress,
  }: Pick<ImportToWrite, 'isPointedMoved' | 'onProgress'>): Promise<void> {
    const { stage, plan, tx } = this.#work
    const isMany = this.#isBulk && plan.request.mode === 'insert'
    const all = { first: 1, last: stage.count }
    if (plan.request.mode !== 'insert') await requireStillValid(this.#work)
    if (isPointedMoved && (await reportLost(this.#work))) return
    if (await reportRunning(this.#work)) return
    // What points forward is looked at when all is written.
    if (stage.hasCircles) await tx.run('PRAGMA defer_foreign_keys = ON')
    for (const chunk of splitRange(all, isMany ? ADDED_ROWS : CHUNK_ROWS)) {
      await (this.#isRowByRow ? this.#writeEach(chunk) : this.#writeTogether(chunk))
      onProgress(chunk.last)
    }
    await reportUnpickable(this.#work)
    await this.#markRows()
  }

  async #writeEach(chunk: StagedRange): Promise<void> {
    const records = await writeEach(this.#work, chunk)
    await this.#runAfterWrite(() => Promise.resolve(records))
    for (const record of records) await this.#checkDetails(record)
    if (!this.#seesAll) await reportOutside(this.#work, records)
    if (this.#hasRules) await reportBrokenRules(this.#work, records)
    await this.#onWritten?.(records)
  }

  async #checkDetails({ line, details = [] }: WrittenRecord): Promise<void> {
    try {
      await requireDetailRules(details)
    } catch (error) {
      this.#work.report(line, toRowFaults(error))
    }
  }

  async #writeTogether(chunk: StagedRange): Promise<void> {
    const { tx, plan } = this.#work
    await this.#writeAll(chunk)
    this.#noteBulk()
    if (this.#isBulk) await this.#new.afterWrite(chunk)
    if (this.#isBulk && plan.request.mode === 'insert') await tx.takeChangeLog()
    else await this.#runAfterWrite(() => this.#loadRecords(chunk))
    if (!this.#seesAll) await reportStagedOutside(this.#work, chunk)
    for (const part of this.#hasRules ? splitRange(chunk, CHUNK_ROWS) : []) {
      await reportBrokenRules(this.#work, await this.#loadRecords(part))
    }
    for (const part of this.#onWritten ? splitRange(chunk, CHUNK_ROWS) : [])
      await this.#onWritten?.(await this.#loadRecords(part))
    if (plan.request.mode !== 'update' && this.#isBulk) await this.#noteNew(chunk)
  }

  /** New records that are written past the after-write pass; what is updated passes it. */
  #noteBulk(): void {
    const { tx, plan } = this.#work
    if (!this.#isBulk || plan.request.mode === 'update') return
    const { entity, grant } = plan
    const isOfAll = grant.allCompanies || entity.company === undefined
    noteBulk(tx, { entity, company: isOfAll ? undefined : grant.caller.companyId })
  }

  async #writeAll(chunk: StagedRange): Promise<void> {
    const { mode } = this.#work.plan.request
    const { insert, update, before } = this.#statements
    const add = () => this.#write(insert, chunk)
    if (this.#isAdding) await this.#addRows(chunk)
    else if (mode !== 'update') await (this.#isBulk ? this.#work.tx.silently(add) : add())
    if (mode === 'insert' || !update) return
    await this.#run(before, chunk)
    const changed = await this.#write(update, chunk)
    if (changed !== undefined) await this.#requireChanged(chunk, changed)
  }

  async #addRows(chunk: StagedRange): Promise<void> {
    const { tx, base = 0 } = this.#work
    const { sql, args } = this.#statements.insert
    const keys = { first: base + chunk.first, last: base + chunk.last }
    await tx.addRows({ sql, args: { ...args, ...rangeArgs(chunk) }, ...keys })
  }

  /** The rows that it changed; undefined where some could not be written, and were reported. */
  async #write(statement: BulkStatement, chunk: StagedRange): Promise<number | undefined> {
    try {
      return await this.#run(statement, chunk)
    } catch (error) {
      if (!(error instanceof SqlError)) throw error
    }
    if (chunk.last - chunk.first >= CHUNK_ROWS) {
      for (const part of splitRange(chunk, CHUNK_ROWS)) await this.#write(statement, part)
      return undefined
    }
    const { tx, plan, report } = this.#work
    const rows = await tx.all(
      `SELECT s.n, s.line FROM ${STAGED_ROWS} ORDER BY s.n`,
      rangeArgs(chunk),
    )
    for (const { n, line } of rows) {
      try {
        await tx.run(statement.sql, { ...statement.args, _first: Number(n), _last: Number(n) })
      } catch (error) {
        if (!(error instanceof SqlError)) throw error
        report(Number(line), toRowFaults(toFieldFailure(error, plan)))
      }
    }
    return undefined
  }

  async #run({ sql, args }: BulkStatement, chunk: StagedRange): Promise<number> {
    const { tx, plan, from } = this.#work
    const { changes } = await tx.authored(
      sql,
      { ...args, ...rangeArgs(chunk), from },
      plan.view.name,
    )
    return changes
  }

  /** Records that were changed or removed by someone else since they were read. @throws conflict */
  async #requireChanged(chunk: StagedRange, changed: number): Promise<void> {
    const row = await this.#work.tx.get<{ Rows: number }>(
      `SELECT count(*) AS Rows FROM ${STAGED_ROWS} AND s.isNew = 0`,
      rangeArgs(chunk),
    )
    if (row?.Rows === changed) return
    throw overtaken()
  }

  /** The records of a chunk, by their lines. */
  async #loadRecords(chunk: StagedRange): Promise<WrittenRecord[]> {
    const { stage, base } = this.#work
    const [own, stored] = [listNewKey(this.#work), stage.sql.keys.map((cell) => `s.${cell}`)]
    const [newKey, storedKey] = [own, stored].map((cells) => `json_array(${cells.join(', ')})`)
    const key = `CASE s.isNew WHEN 1 THEN ${newKey} ELSE ${storedKey} END`
    const { rows } = await this.#work.tx.authored(
      `SELECT s.line AS Line, s.isNew AS IsNew, ${key} AS RowKey FROM ${STAGED_ROWS}`,
      { ...rangeArgs(chunk), _base: base ?? 0 },
    )
    return rows.map((row) => ({
      line: Number(row.Line),
      isNew: row.IsNew === 1,
      key: JSON.parse(String(row.RowKey)) as SqlValue[],
    }))
  }

  /** Rules that do not hold are reported on the lines of their records. */
  async #runAfterWrite(load: () => Promise<WrittenRecord[]>): Promise<void> {
    const { tx, plan, report } = this.#work
    try {
      await tx.runAfterWrite()
    } catch (error) {
      if (!(error instanceof BrokenRecords)) throw error
      const records = await load()
      const places = mapPlaces(plan, records)
      for (const broken of error.broken) {
        const { entity, key, field, message } = await toOwner(this.#work, broken)
        const place = places.get(rowId(entity, key))
        // What rows do together to another record is not the fault of a single row.
        if (place === undefined) throw error
        const fault = { [field]: message }
        report(place.line, place.detail ? toDetailFaults(place.detail, fault) : fault)
      }
    }
  }

  #noteNew(chunk: StagedRange): Promise<number> {
    return this.#run(planNewRows(this.#work), chunk)
  }

  /** Last of all, what the records have come to. */
  async #markRows(): Promise<void> {
    const { stage, plan, tx, from } = this.#work
    const isNoted = this.#isBulk || this.#isRowByRow || plan.request.mode === 'update'
    const rows = { first: 1, last: isNoted ? 0 : stage.count }
    for (const part of splitRange(rows, CHUNK_ROWS)) await this.#noteNew(part)
    if (plan.request.mode === 'insert' && !this.#isRowByRow) return
    const { lines } = this.#work
    for (let line = 0; line <= lines; line += CHUNK_ROWS) {
      const range = { first: from + line, last: from + line + CHUNK_ROWS - 1 }
      await tx.authored(planMarks(plan.entity), range)
      await markLists(tx, listLinks(plan), range)
    }
  }
}
