/**
 * A table: its rows are put aside until the last is known, so that no column is too narrow for any
 * of them, and drawn page by page. Columns that do not fit beside each other are drawn in blocks of
 * the same rows.
 */
import type { Box } from './boxes.ts'
import type { PrintMessage, PrintRow } from './document.ts'
import type { Pages } from './pages.ts'
import { RowShelf } from './row-shelf.ts'
import { type RowUnit, TableFlow } from './table-flow.ts'
import { TableMeasure } from './table-measure.ts'
import { planTable, type TableLayout } from './table-plan.ts'
import { BlockRows } from './table-rows.ts'

type TableMessage = Extract<PrintMessage, { do: 'table' }>

/** Tools to draw a table with. */
interface TableParts {
  pages: Pages
  /** Headings that go with it, for the width that it has. */
  before: () => readonly Box[]
  /** Where its rows may be put aside. */
  path: string
  /** Called after each page, with the rows that are drawn. */
  onPage: (rows: number) => Promise<void>
}

/** One table of a document. */
export class TableDrawing {
  readonly #table: TableMessage
  readonly #parts: TableParts
  readonly #shelf: RowShelf
  readonly #measure: TableMeasure

  constructor(table: TableMessage, parts: TableParts) {
    this.#table = table
    this.#parts = parts
    this.#shelf = new RowShelf(parts.path)
    this.#measure = new TableMeasure(table.columns, parts.pages.faces)
  }

  get rows(): number {
    return this.#shelf.rows
  }

  add(rows: readonly PrintRow[]): void {
    for (const row of rows) this.#measure.add(row)
    this.#shelf.add(rows)
  }

  /** Draws it. */
  async end(emptyText: string): Promise<void> {
    const { pages, before, onPage } = this.#parts
    const { columns, keys: named, title, breaksGroups = false } = this.#table
    const keys = named ?? 1
    const plan = this.#plan(keys)
    const names = named ?? (plan.blocks.length > 1 ? keys : 0)
    const blocks = plan.blocks.map(
      (block) => new BlockRows(pages, columns, { block, size: plan.size, names }),
    )
    const heading = { title, before, isTurned: plan.isTurned }
    const flow = new TableFlow({ pages, blocks, heading, breaksGroups, onPage })
    try {
      await flow.draw(this.#listUnits(blocks, emptyText))
    } finally {
      this.#shelf.close()
    }
  }

  close(): void {
    this.#shelf.close()
  }

  #plan(keys: number): TableLayout {
    const { pages } = this.#parts
    const { columns } = this.#table
    if (columns.some(({ isCarried }) => isCarried)) {
      const cells = columns.map(({ isCarried }) => (isCarried ? '0' : ''))
      const { forward, brought } = pages.head.carried
      for (const label of [forward, brought]) this.#measure.addLabel(label, cells)
    }
    const { needs, labels } = this.#measure
    const { isEmpty, isTurned, uprightWidth: upright, turnedWidth: turned } = pages
    return planTable({ columns, needs, labels, keys }, { isEmpty, isTurned, upright, turned })
  }

  /** Rows that stay together: heads of groups, a row, sums of it. */
  *#listUnits(blocks: readonly BlockRows[], emptyText: string): Generator<RowUnit> {
    let together: PrintRow[] = []
    for (const row of this.#shelf.read()) {
      const begins = row.kind === 'row' || row.kind === 'group'
      if (begins && together.some(({ kind }) => kind !== 'group')) {
        yield toUnit(together, blocks)
        together = []
      }
      together.push(row)
    }
    if (together.length > 0) yield toUnit(together, blocks)
    if (this.#shelf.rows > 0 || emptyText === '') return
    const none = blocks.map((block) => [block.setSpanning(emptyText, 'row')])
    yield { blocks: none, rows: 0, beginsGroup: false, carry: undefined }
  }
}

const toUnit = (rows: readonly PrintRow[], blocks: readonly BlockRows[]): RowUnit => ({
  blocks: blocks.map((block) => rows.flatMap((row) => block.set(row))),
  rows: rows.length,
  beginsGroup: rows[0]?.kind === 'group',
  carry: rows.findLast(({ carry }) => carry)?.carry,
})
