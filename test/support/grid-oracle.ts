/** Random items to attack, and what a grid over them must answer, worked out in memory. */
import fc from 'fast-check'
import type { SqlArgs } from '../../src/store/sql.ts'
import { compareTexts } from './text-order.ts'

export const NOW = '2026-03-29T00:30:00.000Z'
export const ITEMS_MAX = 80
export const ZONES = ['UTC', 'Europe/Berlin', 'Pacific/Kiritimati', 'America/New_York'] as const

type Cell = string | number | boolean | null

export interface Item extends Record<string, Cell> {
  Id: number
  CompanyId: number
  Name: string | null
  Region: string | null
  Price: number | null
  Amount: number | null
  At: string | null
  Due: string | null
  Flag: boolean | null
}

/** Few values, so that there are ties, blanks and texts that differ by case alone. */
const NAMES = [
  '',
  'a',
  'A',
  'ab',
  'Straße',
  'STRASSE',
  'ÉCOLE',
  'école',
  'K',
  'ſ',
  '*',
  'x[y',
  'σς',
  'Äpfel',
  'apple',
  'b',
]
const texts = fc.option(fc.constantFrom(...NAMES.slice(1)))
const prices = fc.option(fc.integer({ min: -300, max: 300 }).map((cents) => cents / 100))
const amounts = fc.option(fc.integer({ min: -3, max: 3 }))
const days = fc
  .integer({ min: -40, max: 40 })
  .map((at) => new Date(Date.parse(NOW) + at * 86_400_000).toISOString().slice(0, 10))
const instants = fc
  .integer({ min: -100, max: 100 })
  .map((hours) => new Date(Date.parse(NOW) + hours * 3_600_000).toISOString())

export const ITEM: fc.Arbitrary<Item> = fc.record({
  Id: fc.constant(0),
  CompanyId: fc.constantFrom(1, 1, 1, 2),
  Name: texts,
  Region: fc.option(fc.constantFrom('north', 'south')),
  Price: prices,
  Amount: amounts,
  At: fc.option(instants),
  Due: fc.option(days),
  Flag: fc.option(fc.boolean()),
})

export function planInsert(item: Item, at: number): [string, SqlArgs] {
  const { Id: _, Flag, ...rest } = item
  const values = { ...rest, Flag: Flag === null ? null : Number(Flag), Code: `code ${at}` }
  const names = Object.keys(values)
  const bound = names.map((name) => `@${name}`)
  return [`INSERT INTO items (${names.join(', ')}) VALUES (${bound.join(', ')})`, values]
}

export interface Leaf {
  Field: string
  Operator: string
  Value: Cell | Cell[]
}
export type FilterNode = Leaf | { Logic: 'and' | 'or'; Filters: FilterNode[] }

const VALUES: Readonly<Record<string, fc.Arbitrary<Cell>>> = {
  Name: fc.constantFrom(...NAMES.slice(1)),
  Region: fc.constantFrom('north', 'south', 'North'),
  Price: prices.map((price) => price ?? 0),
  Amount: amounts.map((amount) => amount ?? 0),
  At: fc.oneof(instants, days, fc.constantFrom('today', 'lastWeek', 'last7Days')),
  Due: fc.oneof(days, fc.constantFrom('today', 'thisMonth', 'next30Days', 'lastQuarter')),
  Flag: fc.boolean(),
}
const FIELDS = Object.keys(VALUES)
const ORDERS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge']

const TEXT_OPERATORS = ['contains', 'startsWith', 'endsWith'].flatMap((operator) => [
  operator,
  `not${operator[0]?.toUpperCase()}${operator.slice(1)}`,
])

const leaf: fc.Arbitrary<Leaf> = fc.constantFrom(...FIELDS).chain((Field) => {
  const value = VALUES[Field] ?? fc.constant(null)
  const of = (operators: string[], values: fc.Arbitrary<Cell | Cell[]>) =>
    fc.record({ Field: fc.constant(Field), Operator: fc.constantFrom(...operators), Value: values })
  const kinds = [
    of(ORDERS, value),
    of(['isNull', 'isNotNull'], fc.constant(null)),
    of(['eq', 'ne'], fc.constant(null)),
    of(['in', 'notIn'], fc.array(fc.option(value), { maxLength: 4 })),
    of(['between'], fc.tuple(value, value)),
  ]
  const matched = fc.constantFrom('a', 'S', 'ss', 'K', 'É', '*', '[', 'ß', 'Σ')
  if (Field === 'Name') kinds.push(of(TEXT_OPERATORS, matched))
  return fc.oneof(...kinds)
})

export function filterOf(depth: number): fc.Arbitrary<FilterNode> {
  if (depth === 0) return leaf
  const group = fc.record({
    Logic: fc.constantFrom('and' as const, 'or' as const),
    Filters: fc.array(filterOf(depth - 1), { maxLength: 3 }),
  })
  return fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 1, arbitrary: group })
}

/** A group of nothing asks for nothing. */
export function holdsNode(node: FilterNode, item: Item, zone: string): boolean {
  if (!('Filters' in node)) return holdsLeaf(node, item, zone)
  const parts = node.Filters.filter((part) => !isEmpty(part))
  if (parts.length === 0) return true
  const holds = (part: FilterNode) => holdsNode(part, item, zone)
  return node.Logic === 'or' ? parts.some(holds) : parts.every(holds)
}

const isEmpty = (node: FilterNode): boolean => 'Filters' in node && node.Filters.every(isEmpty)

function holdsLeaf({ Field, Operator, Value }: Leaf, item: Item, zone: string): boolean {
  const cell = item[Field] ?? null
  const one = (operator: string, value: Cell) => compare({ Field, cell, operator, value, zone })
  if (Operator === 'isNull') return isNothing(cell)
  if (Operator === 'isNotNull') return !isNothing(cell)
  if (Array.isArray(Value)) {
    if (Operator === 'between') return one('ge', Value[0] ?? null) && one('le', Value[1] ?? null)
    const isIn = Value.some((value) => one('eq', value))
    return Operator === 'in' ? isIn : !isIn
  }
  if (Operator.startsWith('not') && TEXT_OPERATORS.includes(Operator)) {
    const [, first = '', rest = ''] = /^not(.)(.*)$/.exec(Operator) ?? []
    const positive = `${first.toLowerCase()}${rest}`
    return !holdsLeaf({ Field, Operator: positive, Value }, item, zone)
  }
  if (TEXT_OPERATORS.includes(Operator)) {
    const sought = String(Value).replace(/[*[\]]/g, '\\$&')
    const start = Operator === 'startsWith' ? '^' : ''
    return (
      cell !== null &&
      new RegExp(`${start}${sought}${Operator === 'endsWith' ? '$' : ''}`, 'iu').test(String(cell))
    )
  }
  return one(Operator, Value)
}

/** An empty text is no value either. */
const isNothing = (cell: Cell): boolean => cell === null || cell === ''

interface Comparison {
  Field: string
  cell: Cell
  operator: string
  value: Cell
  zone: string
}

function compare({ Field, cell, operator, value, zone }: Comparison): boolean {
  if (operator === 'ne') return !compare({ Field, cell, operator: 'eq', value, zone })
  if (isNothing(value)) return operator === 'eq' && isNothing(cell)
  if (cell === null || value === null) return false
  const isDay = (Field === 'At' || Field === 'Due') && !String(value).includes('T')
  const [from, to] = isDay ? daysOf(String(value), zone) : [value, value]
  const own = isDay && Field === 'At' ? dayOf(String(cell), zone) : cell
  if (operator === 'eq') return order(own, from) >= 0 && order(own, to) <= 0
  if (operator === 'lt') return order(own, from) < 0
  if (operator === 'ge') return order(own, from) >= 0
  if (operator === 'le') return order(own, to) <= 0
  return order(own, to) > 0
}

/** The calendar day of an instant, by the platform's own calendar. */
const dayOf = (instant: string, zone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(new Date(instant))

function daysOf(word: string, zone: string): [string, string] {
  const today = dayOf(NOW, zone)
  const shift = (days: number) =>
    new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10)
  const monday = -((new Date(today).getUTCDay() + 6) % 7)
  if (word === 'today') return [today, today]
  if (word === 'lastWeek') return [shift(monday - 7), shift(monday - 1)]
  if (word === 'last7Days') return [shift(-6), today]
  if (word === 'next30Days') return [today, shift(29)]
  if (word === 'thisMonth') return ['2026-03-01', '2026-03-31']
  return word === 'lastQuarter' ? ['2025-10-01', '2025-12-31'] : [word, word]
}

function order(a: Cell, b: Cell): number {
  if (typeof a === 'string' && typeof b === 'string') {
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  }
  return Number(a) - Number(b)
}

export interface SortItem {
  Field: string
  Direction: 'asc' | 'desc'
}

export const SORT: fc.Arbitrary<SortItem> = fc.record({
  Field: fc.constantFrom(...FIELDS, 'Id'),
  Direction: fc.constantFrom('asc' as const, 'desc' as const),
})

/**
 * Blanks come first, as the least; a field counts once; the key comes last, in the last direction.
 */
export function orderRows(items: readonly Item[], sort: readonly SortItem[]): Item[] {
  const named = sort.filter(({ Field }, at) => sort.findIndex((s) => s.Field === Field) === at)
  const all = [...named, { Field: 'Id', Direction: named.at(-1)?.Direction ?? ('asc' as const) }]
  return [...items].sort((a, b) => {
    for (const { Field, Direction } of all) {
      const difference = orderCells(a[Field] ?? null, b[Field] ?? null)
      if (difference !== 0) return Direction === 'desc' ? -difference : difference
    }
    return 0
  })
}

function orderCells(a: Cell, b: Cell): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : order(a, b)
}
