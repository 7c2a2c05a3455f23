/** The rows of a file read, typed, checked and staged, batch after batch, beside the writer. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { Yielder } from '../../../kernel/yielder.ts'
import type { Stage } from '../../../store/store.ts'
import { CellReader } from './import-cells.ts'
import { RowCheck, type SoundRow } from './import-check.ts'
import { cultureOfRequest } from './import-culture.ts'
import { DayOrders } from './import-day-order.ts'
import { listShownPlaces, planImport, planImportColumns } from './import-plan.ts'
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
    } finally {
      await this.#staging.catch(() => undefined)
    }
    await this.#staging
    if (!line) throw invalid(say`The file is empty`, { code: 'UNREADABLE_FILE' })
    this.ignored = [...line.cells.listDropped(), ...line.check.dropped]
    return line.imported
  }

  async #begin(head: SheetRow | undefined): Promise<Line> {
    const { view, entity, grant, request, mutation, parts } = this.#work
    const { context } = mutation
    const columns = planImportColumns(head ?? { cells: [] }, { view, grant, request })
    this.shownPlaces = listShownPlaces(columns)
    const reader = this.#stage
    const words = request.culture ?? cultureOfRequest(parts.locale, parts.language)
    const orders = new DayOrders(columns, { words, isNamed: request.culture !== undefined })
    const cultures = { words, numbers: request.culture ?? (head?.isLocal ? words : undefined) }
    this.settle = (cells) => orders.settle(cells)
    const scope = { view, entity, grant, context, request, columns }
    const plan = await planImport(scope, reader)
    const imported = await ImportStage.create(this.#stage, plan)
    const tables = listPointedTables(plan)
    imported.pointed = { tables, stamp: mutation.engine.store.stamp(tables) }
    return {
      cells: new CellReader({ reader, view, grant, context }, plan, { cultures, orders }),
      orders,
      check: new RowCheck(plan, reader),
      imported,
    }
  }

  async #take({ cells, check, imported }: Line, batch: readonly SheetRow[]): Promise<void> {
    const rows = await cells.read(batch)
    this.rows += rows.length
    this.lines = batch.at(-1)?.line ?? this.lines
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
