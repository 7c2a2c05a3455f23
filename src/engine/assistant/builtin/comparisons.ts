/** Figures of two periods beside each other: before, after, and how much they changed. */
import { roundDecimal } from '../../../model/fields/decimal.ts'
import { type BuiltRequest, completeComparison, listGroups, nameOfAggregate } from './decide.ts'
import type { Draft } from './draft.ts'
import { dateOf } from './period-date.ts'
import type { Period } from './periods.ts'
import type { PeriodComparison, TableItem } from '../item.ts'

type Row = TableItem['Rows'][number]

/** Two periods that are compared, as the groups of a request. */
export interface ComparedPeriods {
  /** The group: `OrderedAt:year`. */
  column: string
  /** Its value for the earlier period, and for the later one. */
  before: string
  after: string
}

/** The two periods of a question, where each is one group; undefined for others. */
export function findCompared(draft: Draft): ComparedPeriods | undefined {
  const [one, other, ...more] = draft.show === 'compare' ? completeComparison(draft) : []
  const date = dateOf(draft, draft.periods[0])
  const isAlike = one?.span !== undefined && one.span === other?.span && more.length === 0
  if (!date || !other || !isAlike) return undefined
  const column = `${date.path}:${one.span}`
  if (listGroups(draft)[0] !== column) return undefined
  const [before, after] = [one, other].map(toGroup).sort()
  return before === undefined || after === undefined ? undefined : { column, before, after }
}

/** The value of the group that a period is. */
function toGroup({ span, from }: Period): string {
  const { year, month, weekOfYear = 0, yearOfWeek = year } = Temporal.PlainDate.from(from)
  if (span === 'year') return from.slice(0, 4)
  if (span === 'month') return from.slice(0, 7)
  if (span === 'quarter') return `${year}-Q${Math.ceil(month / 3)}`
  return span === 'week' ? `${yearOfWeek}-W${String(weekOfYear).padStart(2, '0')}` : from
}

/** Functions whose figure over no rows is 0. */
const COUNTING: ReadonlySet<string> = new Set(['count', 'countDistinct', 'sum'])

/** The figures of the rows by their other groups, in the order in which those come. */
export function compareRows(
  { column, before, after }: ComparedPeriods,
  { Aggregates = [] }: Pick<BuiltRequest, 'Aggregates'>,
  rows: readonly Row[],
): PeriodComparison {
  const figures = (Aggregates ?? []).map((each) => ({
    name: nameOfAggregate(each),
    none: COUNTING.has(each.Function) ? 0 : null,
  }))
  const own = new Set([column, ...figures.map(({ name }) => name)])
  const groups = new Map<string, { group: Row; of: Map<unknown, Row> }>()
  for (const row of rows) {
    const group = Object.fromEntries(Object.entries(row).filter(([name]) => !own.has(name)))
    const key = JSON.stringify(group)
    const { of } = groups.getOrInsertComputed(key, () => ({ group, of: new Map() }))
    of.set(row[column], row)
  }
  const listFigures = ({ group, of }: { group: Row; of: ReadonlyMap<unknown, Row> }) =>
    figures.map(({ name, none }) => {
      const read = (period: string): number | null => {
        const value = of.get(period)?.[name]
        return typeof value === 'number' ? value : none
      }
      return { Column: name, Group: group, ...tellChange(read(before), read(after)) }
    })
  const all = groups.size === 0 ? [{ group: {}, of: new Map<unknown, Row>() }] : groups.values()
  return { Before: before, After: after, Figures: [...all].flatMap(listFigures) }
}

/** Decimals of a percentage. */
const PERCENT_SCALE = 2

/** The difference of two figures; without one of them nothing, from nothing no percentage. */
function tellChange(before: number | null, after: number | null) {
  const Difference = before === null || after === null ? null : subtract(after, before)
  const hasPercent = Difference !== null && before !== null && before > 0
  const Percent = hasPercent ? round((100 * Difference) / before, PERCENT_SCALE) : null
  return { Before: before, After: after, Difference, Percent }
}

const subtract = (one: number, other: number): number =>
  round(one - other, Math.max(decimalsOf(one), decimalsOf(other)))

const decimalsOf = (value: number): number => String(value).split('.')[1]?.length ?? 0

const round = (value: number, scale: number): number => {
  const rounded = Number(roundDecimal(String(value), scale) ?? value)
  return rounded === 0 ? 0 : rounded
}
