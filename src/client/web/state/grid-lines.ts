/** Lines of a grid: rows of a query, and heads of groups with the rows that they hold. */
import type { Schemas } from '../api/wire.ts'
import type { ColumnTotal } from './grid-layout.ts'
import type { RowPages } from './row-pages.ts'

type Row = Schemas['FieldValues']

/** The column of a group that counts its rows. */
export const COUNT_NAME = 'Count_'

/** The column of a group that a total stands in. */
export const totalName = (total: ColumnTotal): string => `${total.function}_${total.field}`

/** A group of rows, as the server counted and summed it up. */
export interface RowGroup {
  /** The field that it groups by, with its part of a date: `OrderedAt:month`. */
  name: string
  /** Its columns: the field, its label, `Count_`, and sums by `totalName`. */
  facts: Row
  isOpen: boolean
  toggle(): void
}

/** The row of a tree that others are below. */
interface Branch {
  isOpen: boolean
  toggle(): void
}

/** A line of a grid: a row, the head of a group, or a row that is not loaded yet. */
export interface GridLine {
  level: number
  row?: Row
  group?: RowGroup
  branch?: Branch
  /** The pages that the row stands in, and its number there. */
  place?: { pages: RowPages; at: number }
  /** Says that there are more groups than are shown. */
  isCut?: boolean
}

/** Lines that follow each other. */
export interface Segment {
  length: number
  lineAt(at: number): GridLine
  /** Has lines loaded, by their numbers in it. */
  load?(first: number, last: number): void
}

/** A part of a grid: rows, or groups. */
export interface LineBlock {
  list(): Segment[]
  /** The rows that are loaded. */
  rows(): Generator<Row>
  /** Has all of it asked for again. */
  renew(): void
  close(): void
}

/** The line that stands for nothing but itself. */
export const oneLine = (line: GridLine): Segment => ({ length: 1, lineAt: () => line })

/** Segments one after the other. */
export class LineList {
  #segments: readonly Segment[] = []
  /** The number of the first line of each. */
  #starts: number[] = []
  length = 0

  /** Takes the segments that are shown now. */
  set(segments: readonly Segment[]): void {
    this.#segments = segments
    this.#starts = []
    this.length = 0
    for (const { length } of segments) {
      this.#starts.push(this.length)
      this.length += length
    }
  }

  /** The line with this number, from 0. */
  at(line: number): GridLine | undefined {
    const found = this.#find(line)
    const segment = this.#segments[found]
    if (!segment || line < 0 || line >= this.length) return undefined
    return segment.lineAt(line - (this.#starts[found] ?? 0))
  }

  /** Has the lines from one to another loaded. */
  load(first: number, last: number): void {
    for (let found = Math.max(0, this.#find(first)); found < this.#segments.length; found++) {
      const start = this.#starts[found] ?? 0
      const segment = this.#segments[found]
      if (!segment || start > last) return
      segment.load?.(Math.max(0, first - start), Math.min(segment.length - 1, last - start))
    }
  }

  /** The segment that holds a line: the last that begins at or before it. */
  #find(line: number): number {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#starts[middle] ?? 0) <= line) low = middle
      else high = middle - 1
    }
    return low
  }
}
