/** A table that is drawn as its rows come. */
import type { Box } from './boxes.ts'
import type { PrintMessage, PrintRow, PrintTone } from './document.ts'
import { breakLines, LEADING, type Line, measureText } from './lines.ts'
import { GREY, type Pages, RULE } from './pages.ts'
import { BLACK, type Colour } from './pdf-file.ts'
import { planWidths } from './table-widths.ts'

type TableMessage = Extract<PrintMessage, { do: 'table' }>

const SIZE = 8.5
/** Smallest type that people can read: below it cells wrap instead. */
const SIZE_MIN = 5.5
const PADDING_X = 3
const PADDING_Y = 2.4
/** Rows by which the widths of columns are planned. */
const PLANNED_ROWS = 200

const TONES: Readonly<Record<PrintTone, Colour>> = {
  plain: BLACK,
  strong: BLACK,
  muted: GREY,
  good: [0.05, 0.42, 0.2],
  warning: [0.55, 0.35, 0],
  bad: [0.7, 0.1, 0.1],
}

/** Signs before emphasised cells, so that colour alone never carries the meaning. */
const SIGNS: Partial<Record<PrintTone, string>> = { good: '+', warning: '!', bad: '!!' }

const HEAD_FILL: Colour = [0.94, 0.95, 0.96]

/** A row as lines of its cells. */
interface SetRow {
  row: PrintRow
  cells: readonly SetCell[]
  height: number
}

interface SetCell {
  lines: readonly Line[]
  x: number
  width: number
  align: 'start' | 'end' | 'center'
  colour: Colour
}

/** The kind of a row for a screen reader: cells, a head, or a head that was already read. */
type RowTag = 'TD' | 'TH' | 'repeated'

/** One table of a document. */
export class TableDrawing {
  readonly #pages: Pages
  readonly #table: TableMessage
  readonly #before: readonly Box[]
  #waiting: PrintRow[] | undefined = []
  #widths: readonly number[] = []
  #size = SIZE
  /** The head that repeats at the top of each further page. */
  #repeated: SetRow | undefined
  /** Rows that stay together: heads of groups, a row, sums of it. */
  #together: PrintRow[] = []
  #carry: readonly string[] | undefined
  #drawn = 0
  /** The head is closed, and rows are drawn. */
  #isInBody = false

  /** `before`: headings that go with the table. */
  constructor(pages: Pages, table: TableMessage, before: readonly Box[]) {
    this.#pages = pages
    this.#table = table
    this.#before = before
  }

  add(rows: readonly PrintRow[]): void {
    if (this.#waiting) {
      for (const row of rows) this.#waiting.push(row)
      if (this.#waiting.length >= PLANNED_ROWS) this.#begin()
    } else for (const row of rows) this.#take(row)
  }

  end(emptyText: string): void {
    if (this.#waiting) this.#begin()
    this.#drawTogether()
    if (this.#drawn === 0 && emptyText !== '') {
      const columns = this.#table.columns.length
      this.#drawRow(this.#setSpanning({ kind: 'row', cells: [emptyText] }, columns))
    }
    this.#pages.file.tags.close()
    this.#pages.file.tags.close()
    this.#pages.y += 8
  }

  /** Plans the columns by the first rows, and draws the head. */
  #begin(): void {
    const rows = this.#waiting ?? []
    this.#waiting = undefined
    this.#plan(rows)
    const head = this.#set(
      { kind: 'row', cells: this.#table.columns.map(({ label }) => label) },
      true,
    )
    const first = rows.slice(0, 2).reduce((sum, row) => sum + this.#set(row).height, 0)
    const before = this.#before.reduce((sum, { height }) => sum + height, 0)
    const title = this.#table.title === '' ? 0 : SIZE * 2.2
    this.#pages.ensure(before + title + head.height + first)
    for (const box of this.#before) {
      box.draw({ x: this.#pages.left, y: this.#pages.y, width: this.#pages.width })
      this.#pages.y += box.height
    }
    this.#pages.file.tags.open('Table')
    if (this.#table.title !== '') this.#drawTitle()
    this.#drawHead(head)
    for (const row of rows) this.#take(row)
  }

  #plan(rows: readonly PrintRow[]): void {
    const { columns } = this.#table
    const style = this.#pages.style(SIZE, true)
    const plain = rows.filter(({ kind }) => kind !== 'group').slice(0, PLANNED_ROWS)
    const wanted = columns.map(({ label, align }, at) => {
      const words = label.split(/\s+/).map((word) => measureText(word, style))
      const texts = plain.map(({ cells }) => measureText((cells[at] ?? '').slice(0, 400), style))
      const widest = Math.max(0, ...texts)
      return {
        natural: Math.max(widest, ...words) + PADDING_X * 2 + 1,
        least:
          (align === 'end' ? Math.max(widest, ...words) : Math.min(60, widest)) + PADDING_X * 2,
      }
    })
    const plan = planWidths(columns, wanted, this.#pages.width)
    this.#widths = plan.widths
    this.#size = Math.max(SIZE_MIN, SIZE * plan.scale)
  }

  #drawTitle(): void {
    const { file, left: x, width } = this.#pages
    file.tags.open('Caption')
    file.content(() => {
      this.#pages.y += this.#pages.label(
        this.#table.title,
        { x, y: this.#pages.y, width },
        { size: 10.5, isBold: true },
      )
    })
    file.tags.close()
    this.#pages.y += 3
  }

  #take(row: PrintRow): void {
    const begins = row.kind === 'row' || row.kind === 'group'
    if (begins && this.#together.some(({ kind }) => kind !== 'group')) this.#drawTogether()
    this.#together.push(row)
  }

  #drawTogether(): void {
    const rows = this.#together.map((row) => this.#set(row))
    const [first] = this.#together
    this.#together = []
    if (!first) return
    const height = rows.reduce((sum, row) => sum + row.height, 0)
    const breaks = this.#table.breaksGroups && first.kind === 'group' && this.#drawn > 0
    if (breaks || height + this.#reserved > this.#pages.room) this.#goOn(breaks !== true)
    for (const row of rows) {
      if (row.height + this.#reserved > this.#pages.room) this.#drawTall(row)
      else this.#drawRow(row)
      if (row.row.carry) this.#carry = row.row.carry
      this.#drawn++
    }
  }

  /** Height of the line with the sums that are carried over. */
  get #reserved(): number {
    const isCarried = this.#table.columns.some((column) => column.isCarried)
    return isCarried ? this.#size * LEADING + PADDING_Y * 2 : 0
  }

  /** The next page, with the sums so far at the end of this one and on top of that one. */
  #goOn(isCarried = true): void {
    if (this.#drawn === 0 && this.#pages.room > this.#pages.roomMax * 0.8) return
    const carry = isCarried ? this.#carry : undefined
    const { forward, brought } = this.#pages.head.carried
    if (carry) this.#drawRow(this.#setCarry(forward, carry))
    this.#nextPage()
    if (carry) this.#drawRow(this.#setCarry(brought, carry))
  }

  #setCarry(label: string, carry: readonly string[]): SetRow {
    const { columns } = this.#table
    const cells = columns.map((column, at) => (column.isCarried ? (carry[at] ?? '') : ''))
    const free = cells.findIndex((cell) => cell === '')
    if (free >= 0) cells[free] = label
    return this.#set({ kind: 'subtotal', cells })
  }

  /** Draws a row that is higher than the rest of a page, cut between lines. */
  #drawTall(row: SetRow, tag: RowTag = 'TD'): void {
    let rest: SetRow = row
    for (;;) {
      const step = this.#size * LEADING
      const fits = Math.floor((this.#pages.room - this.#reserved - PADDING_Y * 2) / step)
      const most = Math.max(...rest.cells.map(({ lines }) => lines.length))
      // An empty page takes a line in any case: each turn leaves less.
      const lines = this.#pages.isEmpty ? Math.max(fits, 1) : fits
      if (lines >= most) return this.#drawRow(rest, tag)
      if (lines > 0) this.#drawRow(this.#part(rest, 0, lines), tag)
      rest = this.#part(rest, Math.max(0, lines), most)
      this.#nextPage()
    }
  }

  #part({ row, cells }: SetRow, from: number, to: number): SetRow {
    const cut = cells.map((cell) => ({ ...cell, lines: cell.lines.slice(from, to) }))
    return { row, cells: cut, height: this.#heightOf(cut) }
  }

  /** Draws the head for screen readers; a head that leaves no room for rows is not repeated. */
  #drawHead(head: SetRow): void {
    const { file, room, roomMax } = this.#pages
    file.tags.open('THead')
    if (head.height > room) this.#drawTall(head, 'TH')
    else this.#drawRow(head, 'TH')
    file.tags.close()
    file.tags.open('TBody')
    this.#isInBody = true
    const least = this.#size * LEADING * 2 + PADDING_Y * 2 + this.#reserved
    if (head.height + least <= roomMax) this.#repeated = head
  }

  /** A new page, with the head once more: to the eye alone, it has been read. */
  #nextPage(): void {
    const { tags } = this.#pages.file
    this.#pages.open()
    // An open element keeps its content in memory: it is closed with the rows of its page.
    if (this.#isInBody) {
      tags.close()
      tags.open('TBody')
    }
    if (this.#repeated) this.#drawRow(this.#repeated, 'repeated')
  }

  #set(row: PrintRow, isHead = false): SetRow {
    const { columns } = this.#table
    if (row.kind === 'group') return this.#setSpanning(row, columns.length)
    const isBold = isHead || row.kind !== 'row'
    const cells = columns.map(({ align }, at) => {
      const tone = row.tones?.[at] ?? 'plain'
      const said = row.cells[at] ?? ''
      const sign = said === '' ? undefined : SIGNS[tone]
      const text = sign === undefined ? said : `${sign} ${said}`
      return this.#setCell(text, at, 1, {
        align,
        isBold: isBold || tone === 'strong',
        colour: TONES[tone],
      })
    })
    return { row, cells, height: this.#heightOf(cells) }
  }

  #setSpanning(row: PrintRow, columns: number): SetRow {
    const look = { align: 'start', isBold: row.kind === 'group', colour: BLACK } as const
    const cells = [this.#setCell(row.cells[0] ?? '', 0, columns, look)]
    return { row, cells, height: this.#heightOf(cells) }
  }

  #setCell(
    text: string,
    at: number,
    span: number,
    { align, isBold, colour }: { align: SetCell['align']; isBold: boolean; colour: Colour },
  ): SetCell {
    const { left, width: whole, isRightToLeft } = this.#pages
    const sum = (from: number, to: number): number =>
      this.#widths.slice(from, to).reduce((total, width) => total + width, 0)
    const width = sum(at, at + span)
    const used = sum(0, at)
    const x = isRightToLeft ? left + whole - used - width : left + used
    const lines = breakLines(text, width - PADDING_X * 2, this.#pages.style(this.#size, isBold))
    return { lines, x: x + PADDING_X, width: width - PADDING_X * 2, align, colour }
  }

  #heightOf(cells: readonly SetCell[]): number {
    const lines = Math.max(1, ...cells.map((cell) => cell.lines.length))
    return lines * this.#size * LEADING + PADDING_Y * 2
  }

  #drawRow({ row, cells, height }: SetRow, tag: RowTag = 'TD'): void {
    const { file, y, left, width } = this.#pages
    file.artifact(() => this.#drawGround(row.kind, tag, height))
    if (tag === 'repeated')
      file.artifact(() => cells.forEach((cell) => this.#drawCell(cell, y)), true)
    else this.#drawCells(cells, tag)
    this.#pages.y += height
    file.artifact(() => file.stroke([left, y + height], [left + width, y + height], RULE))
  }

  #drawCells(cells: readonly SetCell[], tag: 'TD' | 'TH'): void {
    const { file, y } = this.#pages
    file.tags.open('TR')
    for (const cell of cells) {
      const spans = cells.length === 1 && this.#widths.length > 1
      const attributes = {
        ...(tag === 'TH' && { A: { O: 'Table', Scope: 'Column' } }),
        ...(spans && { A: { O: 'Table', ColSpan: this.#widths.length } }),
      }
      file.tags.open(tag, attributes)
      file.content(() => this.#drawCell(cell, y), 'Span')
      file.tags.close()
    }
    file.tags.close()
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
