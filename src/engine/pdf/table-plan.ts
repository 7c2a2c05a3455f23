/**
 * The plan of a table: sheet upright or turned, size of type, and blocks of columns where all of
 * them beside each other are too wide. No column is narrower than its widest number or word.
 */
import type { PrintColumn } from './document.ts'
import type { ColumnNeed, LabelNeed } from './table-measure.ts'

/** Space beside each cell, in points. */
export const PADDING_X = 3
/** Full size of type, the smallest, and the smallest for which a page goes on being upright. */
const SIZE = 8.5
const SIZE_MIN = 6.5
const SIZE_HERE_MIN = 7.5
/** Sizes that blocks are tried at. */
const SIZES = [8.5, 8, 7.5, 7, SIZE_MIN] as const
/** Thousandths of the size that a column of texts gets before sheets turn or type shrinks. */
const COMFORT = 7000
/** Thousandths that a key beside further blocks gets at most, for its texts. */
const KEY_COMFORT = 14_000
/** Shares of the width for the keys beside further blocks. */
const KEYS_MAX = 0.35
const KEYS_LIMIT = 0.6

/** Columns beside each other, by number, and their widths in points. */
export interface BlockPlan {
  columns: readonly number[]
  widths: readonly number[]
}

export interface TableLayout {
  isTurned: boolean
  /** Points. */
  size: number
  blocks: readonly BlockPlan[]
}

/** The page that is open, and the widths of sheets between their margins. */
interface Sheets {
  isEmpty: boolean
  isTurned: boolean
  upright: number
  /** Undefined where sheets are not turned. */
  turned: number | undefined
}

interface PlannedTable {
  columns: readonly PrintColumn[]
  needs: readonly ColumnNeed[]
  labels: readonly LabelNeed[]
  /** Columns at the start that name a row. */
  keys: number
}

/** Plans a table; a sheet turns before type shrinks, and type shrinks before there are blocks. */
export function planTable(table: PlannedTable, sheets: Sheets): TableLayout {
  const needs = widenForLabels(table.needs, table.labels)
  const comfortable = needs.map(toComfortable)
  const { upright, turned } = sheets
  const whole = (isTurned: boolean, size: number, of: readonly ColumnNeed[]): TableLayout => {
    const room = (isTurned ? turned : undefined) ?? upright
    const all = of.map((_, at) => at)
    const widths = fillWidths(table.columns, of, size, room)
    return { isTurned, size, blocks: [{ columns: all, widths }] }
  }
  if (sizeFor(comfortable, upright) >= SIZE)
    return whole(sheets.isTurned && !sheets.isEmpty, SIZE, comfortable)
  if (!sheets.isEmpty && !sheets.isTurned) {
    const size = sizeFor(comfortable, upright)
    if (size >= SIZE_HERE_MIN) return whole(false, size, comfortable)
  }
  const room = turned ?? upright
  const isTurned = turned !== undefined
  for (const of of [comfortable, needs]) {
    const size = Math.min(SIZE, sizeFor(of, room))
    if (size >= SIZE_MIN) return whole(isTurned, size, of)
  }
  return { isTurned, ...planBlocks(table, needs, room) }
}

const toComfortable = ({ least, natural, head }: ColumnNeed): ColumnNeed => ({
  least: Math.max(least, Math.min(natural, COMFORT)),
  natural,
  head,
})

const widthOf = (need: number, size: number): number => (need * size) / 1000 + PADDING_X * 2 + 0.1

/** The size of type at which columns fill a width. */
function sizeFor(needs: readonly ColumnNeed[], room: number): number {
  const sum = total(needs.map(({ least }) => least))
  return ((room - needs.length * (PADDING_X * 2 + 0.1)) * 1000) / Math.max(sum, 1)
}

/** The empty cells that a label spans: from the first one to the next that is not empty. */
export function findRun(isEmpty: readonly boolean[]): [from: number, to: number] | undefined {
  const from = isEmpty.indexOf(true)
  if (from < 0) return undefined
  const to = isEmpty.indexOf(false, from)
  return [from, to < 0 ? isEmpty.length : to]
}

/** Labels of sums fit into the cells that they span. */
function widenForLabels(
  needs: readonly ColumnNeed[],
  labels: readonly LabelNeed[],
): readonly ColumnNeed[] {
  const widened = needs.map((need) => ({ ...need }))
  for (const { isEmpty, width } of labels) {
    const [from, to] = findRun(isEmpty) ?? [0, 0]
    const last = widened[to - 1]
    const lacking = width - total(widened.slice(from, to).map(({ least }) => least))
    if (!last || lacking <= 0) continue
    last.least += lacking
    last.natural = Math.max(last.natural, last.least)
  }
  return widened
}

/** As few blocks as the smallest type allows, in the largest type of so many. */
function planBlocks(
  { columns, keys, labels }: PlannedTable,
  needs: readonly ColumnNeed[],
  room: number,
): Pick<TableLayout, 'size' | 'blocks'> {
  // A key that leaves the others no room is a column like them; the first one is always repeated.
  const fits = (count: number): boolean =>
    total(needs.slice(0, count).map(({ least }) => widthOf(least, SIZE_MIN))) <= room * KEYS_LIMIT
  let named = Math.min(keys, columns.length - 1)
  while (named > 1 && !fits(named)) named--
  const label = Math.max(0, ...labels.map(({ width }) => width))
  const own = needs.map((need, at) => ({
    ...need,
    least: at === 0 && named > 0 ? Math.max(need.least, label) : need.least,
  }))
  const fewest = splitColumns(own, named, room, SIZE_MIN).length
  const size = SIZES.find((each) => splitColumns(own, named, room, each).length === fewest)
  const blocks = splitColumns(own, named, room, size ?? SIZE_MIN)
  return {
    size: size ?? SIZE_MIN,
    blocks: blocks.map((part) => {
      const all = [...own.keys()].slice(0, named).concat(part)
      const of = all.map((at) => own[at] ?? { least: 0, natural: 0, head: 0 })
      const plain = all.map((at) => ({ ...columns[at], weight: undefined }))
      return { columns: all, widths: fillWidths(plain, of, size ?? SIZE_MIN, room) }
    }),
  }
}

/** The columns of each block without the keys, about as wide as each other. */
function splitColumns(
  needs: readonly ColumnNeed[],
  named: number,
  room: number,
  size: number,
): number[][] {
  const keys = needs.slice(0, named)
  const least = total(keys.map((need) => widthOf(need.least, size)))
  const wanted = total(
    keys.map(({ natural, least: own }) =>
      widthOf(Math.max(own, Math.min(natural, KEY_COMFORT)), size),
    ),
  )
  const taken = Math.min(Math.max(least, Math.min(wanted, room * KEYS_MAX)), room * KEYS_LIMIT)
  const widths = needs.map((need) => widthOf(toComfortable(need).least, size))
  const fill = (most: number): number[][] => {
    const blocks: number[][] = []
    let used = Infinity
    for (let at = named; at < needs.length; at++) {
      const width = Math.min(widths[at] ?? 0, room - taken)
      if (used + width > most) {
        blocks.push([])
        used = 0
      }
      blocks.at(-1)?.push(at)
      used += width
    }
    return blocks
  }
  const { length } = fill(room - taken)
  let [low, high] = [0, room - taken]
  for (let turn = 0; turn < 20; turn++) {
    const middle = (low + high) / 2
    if (fill(middle).length > length) low = middle
    else high = middle
  }
  return fill(high)
}

/** Widths that fill `room`: each at least what it needs, where the room is enough for that. */
function fillWidths(
  columns: readonly Partial<PrintColumn>[],
  needs: readonly ColumnNeed[],
  size: number,
  room: number,
): number[] {
  const least = needs.map((need) => widthOf(need.least, size))
  if (total(least) >= room) return limit(least, room)
  if (columns.every(({ weight }) => weight !== undefined))
    return fillByWeight(
      least,
      columns.map(({ weight }) => Math.max(weight ?? 1, 0.01)),
      room,
    )
  const natural = needs.map((need, at) =>
    Math.max(least[at] ?? 0, widthOf(Math.max(need.natural, need.head), size)),
  )
  if (total(natural) > room)
    return raiseTo((level) =>
      natural.map((width, at) => Math.max(least[at] ?? 0, Math.min(width, level))),
    )(room)
  const texts = natural.map((width, at) => (columns[at]?.align === 'start' ? width : 0))
  const more = share(total(texts) > 0 ? texts : natural, room - total(natural))
  return natural.map((width, at) => width + (more[at] ?? 0))
}

/** Widths that are too much for the room: those of wide columns give way. */
const limit = (widths: readonly number[], room: number): number[] =>
  raiseTo((level) => widths.map((width) => Math.min(width, level)))(room)

/** Widths by weight, but none below its least. */
function fillByWeight(
  least: readonly number[],
  weights: readonly number[],
  room: number,
): number[] {
  return raiseTo((level) => weights.map((weight, at) => Math.max(least[at] ?? 0, weight * level)))(
    room,
  )
}

/** Finds the level at which widths together are the room. */
const raiseTo =
  (widthsAt: (level: number) => number[]) =>
  (room: number): number[] => {
    let [low, high] = [0, room * 100]
    for (let turn = 0; turn < 60; turn++) {
      const middle = (low + high) / 2
      if (total(widthsAt(middle)) > room) high = middle
      else low = middle
    }
    return widthsAt(low)
  }

const total = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0)

function share(parts: readonly number[], room: number): number[] {
  const whole = total(parts)
  return parts.map((part) => (whole > 0 ? (part / whole) * room : room / parts.length))
}
