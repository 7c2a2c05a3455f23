/** The pages of a table: how many rows each takes, its head on each, sums carried over. */
import type { Box } from './boxes.ts'
import { LEADING } from './lines.ts'
import type { Pages } from './pages.ts'
import type { BlockRows, BrokenRow, SetRow } from './table-rows.ts'

const TITLE_SIZE = 10.5
/** Space below a table, and between blocks of the same rows. */
const GAP = 8
/** Rows of each block that a page has at least where all blocks stand on it. */
const STACKED_MIN = 4
/** Share of a page that stays empty at most before a row is broken that would fit the next. */
const EMPTY_MAX = 1 / 3
/** Lines of a row that a page has at least where the row is broken. */
const LINES_MIN = 2

/** Rows that stay together, as each block shows them. */
export interface RowUnit {
  blocks: readonly (readonly SetRow[])[]
  rows: number
  beginsGroup: boolean
  /** Running sums after its last row. */
  carry: readonly string[] | undefined
}

interface FlowParts {
  pages: Pages
  blocks: readonly BlockRows[]
  heading: { title: string; before: () => readonly Box[]; isTurned: boolean }
  breaksGroups: boolean
  /** Called after each page, with the rows that are drawn. */
  onPage: (rows: number) => Promise<void>
}

const heightOf = (rows: readonly SetRow[] = []): number =>
  rows.reduce((sum, { height }) => sum + height, 0)

/** Draws one table. */
export class TableFlow {
  readonly #parts: FlowParts
  readonly #pages: Pages
  readonly #heads: readonly SetRow[]
  /** Each block is a table for itself, on each page anew. */
  readonly #isSplit: boolean
  /** All blocks of some rows are on one page; else each has pages of its own. */
  #isStacked = true
  /** Rows that this page will have, and their height in each block. */
  #chunk: RowUnit[] = []
  #used: number[]
  /** The head is on this page. */
  #isHeaded = false
  /** The table is open, its head was read: further ones are for the eye alone. */
  #isOpen = false
  #title: string
  /** Running sums so far, and those that this page begins with. */
  #carry: readonly string[] | undefined
  #brought: readonly string[] | undefined
  #rows = 0

  constructor(parts: FlowParts) {
    this.#parts = parts
    this.#pages = parts.pages
    this.#heads = parts.blocks.map((block) => block.setHead())
    this.#used = parts.blocks.map(() => 0)
    this.#isSplit = parts.blocks.length > 1
    this.#title = parts.heading.title
  }

  async draw(units: Iterable<RowUnit>): Promise<void> {
    const rest = units[Symbol.iterator]()
    const take = (): RowUnit | undefined => {
      const { value, done } = rest.next()
      return done ? undefined : value
    }
    let [unit, next] = [take(), take()]
    this.#begin([unit, next].filter((each) => each !== undefined))
    while (unit) {
      await this.#place(unit, next === undefined)
      ;[unit, next] = [next, take()]
    }
    await this.#flush(false)
    if (this.#isOpen) this.#close()
    this.#pages.y += GAP
  }

  /** Goes to the page that the table begins on, with the headings before it. */
  #begin(first: readonly RowUnit[]): void {
    const { blocks, heading } = this.#parts
    const pages = this.#pages
    if (heading.isTurned !== pages.isTurned) pages.open(heading.isTurned)
    const rows = blocks.map((_, at) => heightOf(first[0]?.blocks[at]))
    const stacked = this.#demand(rows.map((height) => height * STACKED_MIN))
    this.#isStacked = !this.#isSplit || stacked <= pages.roomMax
    const before = heading.before()
    const least = blocks.map((block, at) => {
      const heights = first.map((unit) => heightOf(unit.blocks[at]))
      const most = pages.roomMax * EMPTY_MAX
      return heights.reduce((sum, height) => sum + (height > most ? block.heightOf(3) : height), 0)
    })
    pages.ensure(before.reduce((sum, { height }) => sum + height, 0) + this.#demand(least))
    for (const box of before) {
      box.draw({ x: pages.left, y: pages.y, width: pages.width })
      pages.y += box.height
    }
  }

  /** The height of a page's part of the table, beside the rows that wait for it. */
  #demand(rows: readonly number[], isHeaded = this.#isHeaded): number {
    const heights = this.#parts.blocks.map((block, at) => {
      const brought = this.#brought ? this.#reservedBy(block) : 0
      const head = isHeaded ? 0 : (this.#heads[at]?.height ?? 0) + brought
      return head + (rows[at] ?? 0) + this.#reservedBy(block)
    })
    const title = this.#title === '' ? 0 : TITLE_SIZE * LEADING + 3
    if (!this.#isStacked) return title + Math.max(...heights)
    return title + heights.reduce((sum, height) => sum + height + GAP, -GAP)
  }

  /** Height of the line with the sums that are carried over. */
  #reservedBy(block: BlockRows | undefined): number {
    return block?.isCarried ? block.heightOf(1) : 0
  }

  #sumsWith(...units: readonly RowUnit[]): number[] {
    return this.#used.map((used, at) =>
      units.reduce((sum, { blocks }) => sum + heightOf(blocks[at]), used),
    )
  }

  async #place(unit: RowUnit, isLast: boolean): Promise<void> {
    const isGroupPage = this.#parts.breaksGroups && unit.beginsGroup
    if (isGroupPage && this.#rows + this.#chunk.length > 0) await this.#goOn(false)
    for (;;) {
      const { room, roomMax } = this.#pages
      if (this.#demand(this.#sumsWith(unit)) <= room) return this.#add(unit)
      const left = room - this.#demand(this.#used)
      const own = unit.blocks.map(heightOf)
      const isTall = this.#demand(own, false) > roomMax
      if (isTall || (left > roomMax * EMPTY_MAX && canBreak(unit))) return this.#drawBroken(unit)
      const held = isLast ? this.#hold(unit) : undefined
      await this.#goOn(true)
      if (held) this.#add(held)
    }
  }

  #add(unit: RowUnit): void {
    this.#used = this.#sumsWith(unit)
    this.#chunk.push(unit)
  }

  /** Takes back the last of several rows, so that the last row of the table has company. */
  #hold(unit: RowUnit): RowUnit | undefined {
    const held = this.#chunk.length > 2 ? this.#chunk.at(-1) : undefined
    if (!held) return undefined
    const both = unit.blocks.map((rows, at) => heightOf(rows) + heightOf(held.blocks[at]))
    if (this.#demand(both, false) > this.#pages.roomMax) return undefined
    this.#chunk.pop()
    this.#used = this.#used.map((used, at) => used - heightOf(held.blocks[at]))
    return held
  }

  /** The next page, with the sums so far at the end of this one and on top of that one. */
  async #goOn(isCarried: boolean): Promise<void> {
    if (this.#pages.isEmpty && this.#chunk.length === 0) return
    await this.#flush(isCarried)
    this.#brought = isCarried ? this.#carry : undefined
    await this.#nextPage()
  }

  async #nextPage(): Promise<void> {
    // An open element keeps its content in memory: it is closed with the rows of its page.
    if (this.#isOpen && !this.#isSplit) this.#parts.pages.file.tags.close()
    this.#pages.open(this.#parts.heading.isTurned)
    if (this.#isOpen && !this.#isSplit) this.#parts.pages.file.tags.open('TBody')
    this.#isHeaded = false
    await this.#parts.onPage(this.#rows)
  }

  /** Draws the rows that wait for this page. */
  async #flush(isCarried: boolean): Promise<void> {
    const units = this.#chunk
    if (units.length === 0) return
    this.#chunk = []
    this.#used = this.#used.map(() => 0)
    const carry = units.findLast((unit) => unit.carry)?.carry ?? this.#carry
    for (const [at, block] of this.#parts.blocks.entries()) {
      await this.#openBlock(at)
      for (const unit of units) for (const row of unit.blocks[at] ?? []) block.draw(row, 'TD')
      if (isCarried && carry) this.#drawCarry(block, this.#pages.head.carried.forward, carry)
      if (this.#isSplit) this.#close()
    }
    this.#carry = carry
    this.#rows += units.reduce((sum, { rows }) => sum + rows, 0)
  }

  /** Rows that no page has room for, or this one leaves too much of: begun where it stands. */
  async #drawBroken(unit: RowUnit): Promise<void> {
    await this.#flush(false)
    for (const at of this.#parts.blocks.keys()) {
      await this.#openBlock(at)
      for (const row of unit.blocks[at] ?? []) await this.#drawLong(at, row, 'TD')
      if (this.#isSplit) this.#close()
    }
    if (unit.carry) this.#carry = unit.carry
    this.#rows += unit.rows
  }

  /** Goes to the place of a block's rows on this page, below its head. */
  async #openBlock(at: number): Promise<void> {
    const pages = this.#pages
    if (this.#isHeaded && !this.#isSplit) return
    if (at > 0 && this.#isStacked) pages.y += GAP
    else if (at > 0) {
      pages.open(this.#parts.heading.isTurned)
      await this.#parts.onPage(this.#rows)
    }
    await this.#drawHead(at)
    const brought = this.#brought
    if (brought) this.#drawCarry(this.#parts.blocks[at], pages.head.carried.brought, brought)
    if (at === this.#parts.blocks.length - 1) this.#brought = undefined
    this.#isHeaded = !this.#isSplit
  }

  /** Draws the head: for screen readers once a table, for the eye on each page. */
  async #drawHead(at: number): Promise<void> {
    const { tags } = this.#pages.file
    if (this.#isOpen) return this.#repeatHead(at)
    tags.open('Table')
    this.#drawTitle()
    const head = this.#heads[at]
    // A caller who may see no column gets the words for an empty table alone.
    if (head && head.cells.length > 0) {
      tags.open('THead')
      await this.#drawLong(at, head, 'TH')
      tags.close()
    }
    tags.open('TBody')
    this.#isOpen = true
  }

  #close(): void {
    const { tags } = this.#pages.file
    tags.close()
    tags.close()
    this.#isOpen = false
  }

  /** A head that leaves no room for rows is not repeated. */
  #repeatHead(at: number): void {
    const head = this.#heads[at]
    const block = this.#parts.blocks[at]
    if (!head || !block) return
    const least = block.heightOf(LINES_MIN) + this.#reservedBy(block)
    if (head.height + least <= this.#pages.roomMax) block.draw(head, 'repeated')
  }

  #drawTitle(): void {
    const { file, left: x, width } = this.#pages
    const title = this.#title
    this.#title = ''
    if (title === '') return
    file.tags.open('Caption')
    file.content(() => {
      const look = { size: TITLE_SIZE, isBold: true }
      this.#pages.y += this.#pages.label(title, { x, y: this.#pages.y, width }, look)
    })
    file.tags.close()
    this.#pages.y += 3
  }

  #drawCarry(block: BlockRows | undefined, label: string, carry: readonly string[]): void {
    if (!block?.isCarried) return
    for (const row of block.set({ kind: 'subtotal', label, cells: carry })) block.draw(row, 'TD')
  }

  /** Draws a row, cut between lines where it is higher than the rest of its page. */
  async #drawLong(at: number, row: SetRow, tag: 'TD' | 'TH'): Promise<void> {
    const block = this.#parts.blocks[at]
    if (!block) return
    let rest = row
    let broken: BrokenRow | undefined
    const end = (): void => {
      block.draw(rest, tag, broken)
      if (broken) block.endBroken(broken)
    }
    for (;;) {
      const room = this.#pages.room - (tag === 'TD' ? this.#reservedBy(block) : 0)
      if (rest.height <= room) return end()
      const most = Math.max(...rest.cells.map(({ lines }) => lines.length))
      // An empty page takes a line in any case: each turn leaves less.
      const fits = Math.max(block.linesIn(room), this.#pages.isEmpty ? 1 : 0)
      if (fits >= most) return end()
      if (fits >= LINES_MIN || this.#pages.isEmpty) {
        broken ??= { cells: [] }
        block.draw(block.part(rest, 0, fits), tag, broken)
        rest = block.part(rest, fits, most)
      }
      await this.#breakRow(at, tag)
    }
  }

  async #breakRow(at: number, tag: 'TD' | 'TH'): Promise<void> {
    this.#pages.open(this.#parts.heading.isTurned)
    if (tag === 'TD') this.#repeatHead(at)
    await this.#parts.onPage(this.#rows)
  }
}

/** Tells whether a row is long enough to be on two pages. */
const canBreak = ({ blocks }: RowUnit): boolean =>
  blocks.flat().some(({ cells }) => cells.some(({ lines }) => lines.length >= 2 * LINES_MIN))
