/** The state of one grid: the cell with the focus, and rows that are selected from one another. */
import { computed, signal } from '@preact/signals'
import type { Schemas } from '../../api/wire.ts'
import { addressOf } from '../../state/address.ts'
import {
  type ColumnTotal,
  type GridColumn,
  keepFirstRow,
  keepOpenedLine,
} from '../../state/grid-layout.ts'
import type { GridSource } from '../../state/grid-source.ts'
import { addressOfRow } from '../../state/opened-from.ts'
import { keyText, select, selection } from '../../state/selection.ts'
import type { CellPlace } from '../cell-place.ts'
import type { Sight } from './sight.ts'

/** The row of the heads, as places count it. */
export const HEAD_ROW = -1

/** The width of the column of boxes, in pixels. */
export const BOX_WIDTH = 44

/** A cell that is edited, by its line and the field of its column. */
export interface EditedCell {
  line: number
  field: string
}

/** A cell with a menu, and where in the window it opens, in pixels. */
export interface CellMenuTarget {
  line: number
  column: number
  field: Schemas['MetadataField']
  x: number
  y: number
}

/** A grid as its parts see it. */
export class GridState {
  /** The cell with the focus: lines from 0, columns from 0, the first of them the box. */
  readonly place = signal<CellPlace | undefined>(undefined)
  /** The head with the focus; undefined while it is elsewhere. */
  readonly headPlace = computed(() => {
    const { row, column } = this.place.value ?? {}
    return row === HEAD_ROW ? column : undefined
  })
  /** The cell under the mouse. */
  readonly hovered = signal<CellPlace | undefined>(undefined)
  /** The cell whose menu is open. */
  readonly menu = signal<CellMenuTarget | undefined>(undefined)
  readonly edited = signal<EditedCell | undefined>(undefined)
  /** The column whose end is dragged, and how wide it is by that. */
  readonly dragged = signal<{ at: number; width: number } | undefined>(undefined)
  /** Lines whose change is not stored yet. */
  readonly pending = signal<ReadonlySet<number>>(new Set())
  /** True while the focus is to follow the place. */
  isFollowed = false
  /** True where rows stand in a tree. */
  get isTree(): boolean {
    return this.source.isTree
  }

  /** The line from which Shift selects. */
  #anchor: number | undefined

  /** The column whose text leads to the record: the first that names it. */
  readonly titleColumn: number
  /** Made once: what is the same object is not set again in each line. */
  readonly #places: readonly Readonly<Record<string, string>>[]

  constructor(
    readonly metadata: Schemas['MetadataResult'],
    readonly sight: Sight,
    readonly source: GridSource,
    readonly columns: readonly GridColumn[],
    /** In pixels, of each column. */
    readonly widths: readonly number[],
    /** True where rows are cards: there is no room for columns. */
    readonly isNarrow: boolean,
  ) {
    const { Display } = metadata
    const named = columns.findIndex(({ field }) => Display.includes(field.Name))
    this.titleColumn = Math.max(0, named)
    this.#places = columns.map((_, at) => this.#planPlace(at))
  }

  /** Columns that the focus moves over: the box, and all others or the one of cards. */
  get columnCount(): number {
    return this.isNarrow ? 2 : this.columns.length + 1
  }

  /** The address of a row's record; one of a grid without groups knows its neighbours, too. */
  addressOf(row: Schemas['FieldValues'], line: number): string {
    const { Slug, Keys } = this.metadata
    const key = Keys.map((name) => String(row[name]))
    return this.source.isPlain ? addressOfRow(Slug, key, line) : addressOf(['object', Slug, ...key])
  }

  /** The place of a column in its line, where it stays while others scroll. */
  placeOf(at: number): Readonly<Record<string, string>> {
    return this.#places[at] ?? {}
  }

  #planPlace(at: number): Record<string, string> {
    const track = { gridColumn: String(at + 2) }
    const pin = this.columns[at]?.pin
    if (pin === undefined) return track
    const beside = this.columns.flatMap((column, other) =>
      column.pin === pin && (pin === 'start' ? other < at : other > at)
        ? [this.widths[other] ?? 0]
        : [],
    )
    const offset = beside.reduce((sum, width) => sum + width, pin === 'start' ? BOX_WIDTH : 0)
    return {
      ...track,
      [pin === 'start' ? 'insetInlineStart' : 'insetInlineEnd']: `${offset}px`,
    }
  }

  /** True for a column that is drawn: those in sight, all that stay, and the name of the row. */
  isDrawn(at: number, [first, last]: readonly [number, number]): boolean {
    const stays = this.columns[at]?.pin !== undefined || at === this.titleColumn
    return stays || (at >= first && at < last)
  }

  /** The track before which the name of a group ends: that of the first total. */
  groupSpan(totals: readonly ColumnTotal[]): number {
    const first = this.columns.findIndex(
      ({ field }, at) => at > 0 && totals.some((total) => total.field === field.Name),
    )
    return first < 0 ? -1 : first + 2
  }

  /** Marks a line while its change is not stored yet. */
  markPending(line: number, isPending: boolean): void {
    const next = new Set(this.pending.peek())
    if (isPending) next.add(line)
    else next.delete(line)
    this.pending.value = next
  }

  /** Moves the focus to a cell, and scrolls it into sight. */
  go(place: CellPlace): void {
    this.isFollowed = true
    this.place.value = place
    if (place.row > HEAD_ROW) this.sight.show(place.row)
  }

  /** Has Back lead to this line again. */
  leave(line: number): void {
    keepFirstRow(this.sight.line)
    keepOpenedLine(line)
  }

  /** Goes on where another state of the same grid was. */
  follow(before: GridState): void {
    this.isFollowed = before.isFollowed
    this.place.value = before.place.peek()
    // The menu of a head is about its column, whatever the rows are.
    const menu = before.menu.peek()
    if (menu?.line === HEAD_ROW) this.menu.value = menu
  }

  /** Has the focus return to a line, once it is there. */
  return(line: number): void {
    this.isFollowed = true
    this.place.value = { row: line, column: 1 }
  }

  /** Selects the row of a line, or no longer; with `isRange` all from the last one on. */
  toggle(line: number, isRange = false): void {
    const row = this.source.at(line)?.row
    if (!row) return
    const isSelected = !selection.peek().has(keyText(this.metadata, row))
    const from = isRange && this.#anchor !== undefined ? this.#anchor : line
    const rows: Schemas['FieldValues'][] = []
    for (let at = Math.min(from, line); at <= Math.max(from, line); at++) {
      const between = this.source.at(at)?.row
      if (between) rows.push(between)
    }
    select(this.metadata, rows, isRange || isSelected)
    this.#anchor = line
  }
}
