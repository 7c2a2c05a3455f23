/** Rows of a table, set as lines in the columns of a block, and drawn. */
import { WHOLE_MAX } from './breaks.ts'
import type { PrintColumn, PrintRow, PrintTone } from './document.ts'
import { breakLines, LEADING, type Line } from './lines.ts'
import { GREY, type Pages, RULE } from './pages.ts'
import { BLACK, type Colour } from './pdf-file.ts'
import { isBoldCell, textOfCell } from './table-measure.ts'
import { type BlockPlan, findRun, PADDING_X } from './table-plan.ts'
import type { OpenTag } from './tags.ts'

/** Space above and below each cell, in points. */
const PADDING_Y = 2.4

const TONES: Readonly<Record<PrintTone, Colour>> = {
  plain: BLACK,
  strong: BLACK,
  muted: GREY,
  good: [0.05, 0.42, 0.2],
  warning: [0.55, 0.35, 0],
  bad: [0.7, 0.1, 0.1],
}

const HEAD_FILL: Colour = [0.94, 0.95, 0.96]

/** A row as lines of its cells, in one block. */
export interface SetRow {
  kind: PrintRow['kind']
  cells: readonly SetCell[]
  height: number
}

interface SetCell {
  lines: readonly Line[]
  x: number
  width: number
  align: 'start' | 'end' | 'center'
  colour: Colour
  /** Columns that it takes. */
  span: number
  /** It names its row: a head of it, for a screen reader. */
  isName: boolean
}

/** A row that is drawn in parts, on several pages: one row for a screen reader. */
export interface BrokenRow {
  row?: OpenTag
  cells: OpenTag[]
}

/** The kind of a row for a screen reader: cells, a head, or a head that was already read. */
type RowTag = 'TD' | 'TH' | 'repeated'

interface CellLook {
  align: SetCell['align']
  isBold: boolean
  colour: Colour
  isWhole?: boolean | undefined
  isName?: boolean
}

/** The rows of one block of a table. */
export class BlockRows {
  readonly #pages: Pages
  readonly #columns: readonly PrintColumn[]
  readonly #block: BlockPlan
  readonly #size: number
  readonly #names: number

  /** `names`: columns at the start that are heads of their rows. */
  constructor(
    pages: Pages,
    columns: readonly PrintColumn[],
    { block, size, names }: { block: BlockPlan; size: number; names: number },
  ) {
    this.#pages = pages
    this.#columns = columns
    this.#block = block
    this.#size = size
    this.#names = names
  }

  /** Height of a row of so many lines. */
  heightOf(lines: number): number {
    return lines * this.#size * LEADING + PADDING_Y * 2
  }

  /** Lines of a row that a height has room for. */
  linesIn(height: number): number {
    return Math.floor((height - PADDING_Y * 2) / (this.#size * LEADING))
  }

  /** True where sums of this block are carried over to the next page. */
  get isCarried(): boolean {
    return this.#block.columns.some((at) => this.#columns[at]?.isCarried)
  }

  setHead(): SetRow {
    const cells = this.#block.columns.map((at, place) =>
      this.#setCell(this.#columns[at]?.label ?? '', place, 1, {
        align: this.#columns[at]?.align ?? 'start',
        isBold: true,
        colour: BLACK,
      }),
    )
    return { kind: 'row', cells, height: this.#heightOf(cells) }
  }

  /** A row as this block shows it: with a row above for a label that no cell has room for. */
  set(row: PrintRow): SetRow[] {
    if (row.kind === 'group') return [this.setSpanning(row.cells[0] ?? '', 'group')]
    const { columns } = this.#block
    const run =
      row.label === undefined
        ? undefined
        : findRun(columns.map((at) => (row.cells[at] ?? '') === ''))
    const cells: SetCell[] = []
    for (let place = 0; place < columns.length; place++) {
      if (run?.[0] === place) {
        const look = { align: 'start', isBold: true, colour: BLACK, isName: true } as const
        cells.push(this.#setCell(row.label ?? '', place, run[1] - place, look))
        place = run[1] - 1
      } else cells.push(this.#setOwn(row, place))
    }
    const own = { kind: row.kind, cells, height: this.#heightOf(cells) }
    if (row.label === undefined || run) return [own]
    return [this.setSpanning(row.label, row.kind), { ...own, kind: 'subtotal' }]
  }

  /** A text over all columns. */
  setSpanning(text: string, kind: PrintRow['kind']): SetRow {
    const look = { align: 'start', isBold: kind !== 'row', colour: BLACK } as const
    const cells = [this.#setCell(text, 0, this.#block.columns.length, look)]
    return { kind, cells, height: this.#heightOf(cells) }
  }

  /** The lines of a row from one number to another. */
  part({ kind, cells }: SetRow, from: number, to: number): SetRow {
    const cut = cells.map((cell) => ({ ...cell, lines: cell.lines.slice(from, to) }))
    return { kind, cells: cut, height: this.#heightOf(cut) }
  }

  /** Draws a row, or a part of a broken one, which `endBroken` ends. */
  draw({ kind, cells, height }: SetRow, tag: RowTag, broken?: BrokenRow): void {
    const { file, y, left, width } = this.#pages
    file.artifact(() => this.#drawGround(kind, tag, height))
    if (tag === 'repeated')
      file.artifact(() => cells.forEach((cell) => this.#drawCell(cell, y)), true)
    else this.#drawCells(cells, tag, broken)
    this.#pages.y += height
    file.artifact(() => file.stroke([left, y + height], [left + width, y + height], RULE))
  }

  #setOwn(row: PrintRow, place: number): SetCell {
    const at = this.#block.columns[place] ?? 0
    const column = this.#columns[at]
    const tone = row.tones?.[at] ?? 'plain'
    return this.#setCell(textOfCell(row, at), place, 1, {
      align: column?.align ?? 'start',
      isBold: isBoldCell(row, at),
      colour: TONES[tone],
      isWhole: column?.isWhole,
      isName: place < this.#names,
    })
  }

  #setCell(text: string, place: number, span: number, look: CellLook): SetCell {
    const { left, isRightToLeft } = this.#pages
    const { align, isBold, colour, isWhole = false, isName = false } = look
    const sum = (from: number, to: number): number =>
      this.#block.widths.slice(from, to).reduce((total, width) => total + width, 0)
    const own = sum(place, place + span)
    // The page may not be turned yet: the columns tell how wide it will be.
    const before = isRightToLeft ? sum(place + span, Infinity) : sum(0, place)
    const x = left + before + PADDING_X
    const width = own - PADDING_X * 2
    const glued = isWhole && text.length <= WHOLE_MAX ? text.replaceAll(' ', '\u00a0') : text
    const lines = breakLines(glued, width, this.#pages.style(this.#size, isBold))
    return { lines, x, width, align, colour, span, isName }
  }

  #heightOf(cells: readonly SetCell[]): number {
    return this.heightOf(Math.max(1, ...cells.map((cell) => cell.lines.length)))
  }

  endBroken({ row, cells }: BrokenRow): void {
    const { tags } = this.#pages.file
    for (const cell of cells) {
      tags.resume(cell)
      tags.close()
    }
    if (!row) return
    tags.resume(row)
    tags.close()
  }

  #drawCells(cells: readonly SetCell[], tag: 'TD' | 'TH', broken?: BrokenRow): void {
    const { file, y } = this.#pages
    const { tags } = file
    if (broken?.row) tags.resume(broken.row)
    else tags.open('TR')
    for (const [at, cell] of cells.entries()) {
      const begun = broken?.cells[at]
      if (begun) tags.resume(begun)
      else this.#openCell(cell, tag)
      if (!begun || cell.lines.length > 0) file.content(() => this.#drawCell(cell, y), 'Span')
      if (broken) broken.cells[at] = tags.suspend()
      else tags.close()
    }
    if (broken) broken.row = tags.suspend()
    else tags.close()
  }

  #openCell({ isName, span }: SetCell, tag: 'TD' | 'TH'): void {
    const scope = isName ? 'Row' : tag === 'TH' ? 'Column' : undefined
    const attributes = {
      O: 'Table',
      ...(scope !== undefined && { Scope: scope }),
      ...(span > 1 && { ColSpan: span }),
    }
    const isPlain = scope === undefined && span === 1
    this.#pages.file.tags.open(isName ? 'TH' : tag, isPlain ? {} : { A: attributes })
  }

  #drawGround(kind: PrintRow['kind'], tag: RowTag, height: number): void {
    const { file, y, left, width } = this.#pages
    if (tag !== 'TD' || kind === 'group') file.fill({ x: left, y, width, height }, HEAD_FILL)
    if (tag !== 'TD' || kind === 'total') file.stroke([left, y], [left + width, y], BLACK)
  }

  #drawCell({ lines, x, width, align, colour }: SetCell, y: number): void {
    const size = this.#size
    for (const [at, line] of lines.entries()) {
      const start = this.#pages.placeLine(line.width, { x, width }, align)
      const base = y + PADDING_Y + size + at * size * LEADING
      this.#pages.file.text(line, [start, base], size, colour)
    }
  }
}
