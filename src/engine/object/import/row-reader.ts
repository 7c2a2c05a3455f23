/** The rows of a file read, typed, checked and staged, batch after batch, beside the writer. */
import { invalid } from '../../../kernel/failure.ts'
import { renderMessage, say } from '../../../kernel/messages.ts'
import { Yielder } from '../../../kernel/yielder.ts'
import type { Stage } from '../../../store/store.ts'
import { CellReader, type ImportRow } from './import-cells.ts'
import { RowCheck, type SoundRow } from './import-check.ts'
import { cultureOfRequest } from './import-culture.ts'
import { DayOrders } from './import-day-order.ts'
import { LineReader, planFileColumns, RecordGroups, type RecordRows } from './import-details.ts'
import { type DetailColumns, listShownPlaces, planImport } from './import-plan.ts'
import { listPointedTables } from './import-references.ts'
import type { ImportFaults } from './import-result.ts'
import { ImportStage } from './import-stage.ts'
import type { ImportWork } from './import-work.ts'
import { planSheetColumns } from '../read/sheet-columns.ts'
import type { SheetRow } from '../../sheets/format.ts'

/** Rows that are checked together, and staged by one statement. */
const BATCH_ROWS = 1000

interface Line {
  orders: DayOrders
  cells: CellReader
  check: RowCheck
  imported: ImportStage
  /** Records with their lines, where the file has any. */
  lines: { groups: RecordGroups; reader: LineReader } | undefined
}

/** Takes one file in. */
export class RowReader {
  /** Rows of the file below its head that are not blank. */
  rows = 0
  /** Rows of stored records that have all of it already. */
  unchanged = 0
  /** Names of fields whose values were dropped, since they are not the caller's to write. */
  ignored: readonly string[] = []
  /** Cells of a row as a file with some of the rows has them: see `DayOrders.settle`. */
  settle: DayOrders['settle'] = (cells) => cells
  /** Places of the columns whose numbers are read as a workbook shows them. */
  shownPlaces: readonly number[] = []
  /** Number of the last line. */
  lines = 1
  readonly #work: ImportWork
  readonly #stage: Stage
  readonly #faults: ImportFaults
  /** The batch that is being written to the disk. */
  #staging: Promise<void> = Promise.resolve()

  constructor(work: ImportWork, stage: Stage, faults: ImportFaults) {
    this.#work = work
    this.#stage = stage
    this.#faults = faults
  }

  /** @throws invalid for a file or a head that cannot be used. */
  async run(onProgress: (rows: number) => void): Promise<ImportStage> {
    const { format, file, grant, view } = this.#work
    const options = {
      zone: grant.caller.timeZone,
      columns: planSheetColumns({ view, grant }, view.fields),
      listShown: () => this.shownPlaces,
    }
    const yielder = new Yielder()
    let line: Line | undefined
    try {
      for await (const rows of format.read(file.path, options)) {
        if (!line) line = await this.#begin(rows[0])
        else {
          for (let at = 0; at < rows.length; at += BATCH_ROWS) {
            const batch = rows.slice(at, at + BATCH_ROWS)
            if (line.orders.isNeeded(batch)) await line.orders.load(format.read(file.path, options))
            await this.#take(line, batch)
            await yielder.yieldWhenDue()
          }
        }
        onProgress(this.rows)
      }
      if (line?.lines) await this.#takeRecords(line, line.lines.groups.end())
    } finally {
      await this.#staging.catch(() => undefined)
    }
    await this.#staging
    if (!line) throw invalid(say`The file is empty`, { code: 'UNREADABLE_FILE' })
    const dropped = line.lines?.reader.listDropped() ?? []
    this.ignored = [...line.cells.listDropped(), ...line.check.dropped, ...dropped]
    return line.imported
  }

  async #begin(head: SheetRow | undefined): Promise<Line> {
    const { view, entity, grant, request, mutation, parts } = this.#work
    const { context } = mutation
    const heads = { view, grant, request }
    const { columns, details } = planFileColumns(head ?? { cells: [] }, heads)
    for (const detail of details) await this.#requireUnchecked(detail)
    this.#faults.hasLines = details.length > 0
    const all = [columns, ...details.map((detail) => detail.columns)]
    this.shownPlaces = all.flatMap(listShownPlaces)
    const reader = this.#stage
    const words = request.culture ?? cultureOfRequest(parts.locale, parts.language)
    const values = all.flatMap((each) => each.values)
    const orders = new DayOrders(
      { values, keys: columns.keys },
      { words, isNamed: request.culture !== undefined },
    )
    const cultures = { words, numbers: request.culture ?? (head?.isLocal ? words : undefined) }
    this.settle = (cells) => orders.settle(cells)
    const scope = { view, entity, grant, context, request, columns, details }
    const plan = await planImport(scope, reader)
    const imported = await ImportStage.create(this.#stage, plan)
    const tables = listPointedTables(plan)
    imported.pointed = { tables, stamp: mutation.engine.store.stamp(tables) }
    return {
      cells: new CellReader({ reader, view, grant, context }, plan, { cultures, orders }),
      orders,
      check: new RowCheck(plan, reader),
      imported,
      lines:
        details.length === 0
          ? undefined
          : {
              groups: new RecordGroups(columns.width, details),
              reader: new LineReader(
                details.map((own) => ({
                  own,
                  reader: new CellReader(
                    { reader, view: own.view, grant: own.grant, context },
                    { columns: own.columns, own: [] },
                    { cultures, orders },
                  ),
                })),
              ),
            },
    }
  }

  /** Extensions check records as they are imported, and see no lines there. @throws invalid */
  async #requireUnchecked({ view, detail }: DetailColumns): Promise<void> {
    const { engine, caller } = this.#work.mutation
    if (!(await engine.findRecordCheck?.(view))) return
    const name = renderMessage(detail.label, caller.language)
    throw invalid(say`An extension checks '${name}'. Import it as a file of its own.`)
  }

  async #take(line: Line, batch: readonly SheetRow[]): Promise<void> {
    this.lines = batch.at(-1)?.line ?? this.lines
    if (line.lines) await this.#takeRecords(line, line.lines.groups.push(batch))
    else await this.#takeRows(line, await line.cells.read(batch))
  }

  async #takeRecords(line: Line, records: readonly RecordRows[]): Promise<void> {
    const rows = await line.cells.read(records.map(({ row }) => row))
    const read = await line.lines?.reader.read(records)
    for (const [at, row] of rows.entries()) {
      const { lines = [], faults } = read?.[at] ?? {}
      row.details = lines
      if (faults) row.faults = { ...row.faults, ...faults }
    }
    await this.#takeRows(line, rows)
  }

  async #takeRows({ check, imported }: Line, rows: readonly ImportRow[]): Promise<void> {
    this.rows += rows.length
    const sound: SoundRow[] = []
    for (const row of await check.check(rows)) {
      if ('sound' in row) sound.push(row.sound)
      else if ('faults' in row) this.#faults.add(row.line, row.faults)
      else this.unchanged++
    }
    // While one batch is written the next one is checked.
    await this.#staging
    this.#staging = imported.add(sound)
    this.#staging.catch(() => undefined)
    await this.#noteErrors(imported)
  }

  async #noteErrors(imported: ImportStage): Promise<void> {
    const texts = this.#faults.takeTexts()
    if (texts.length === 0) return
    await this.#staging
    await imported.noteErrors(texts)
  }
}
