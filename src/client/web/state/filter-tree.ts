/**
 * Conditions of a grid and groups of them: as an address has them, `[["Status","eq","new"]]`, and
 * as requests and saved views bear them.
 */
import type { Schemas } from '../api/wire.ts'

/** How a condition compares. */
export type FilterOperator = Schemas['FilterOperator']

/** A value that a condition compares with; a blank text in a list means rows without one. */
export type FilterScalar = string | number | boolean

/** One condition of a grid. */
export interface GridFilter {
  Field: string
  Operator: FilterOperator
  /** A list for operators that take several; null for those that take none. */
  Value: FilterScalar | readonly FilterScalar[] | null
  /** Another field of the row, in place of the value. */
  ValueField?: string
}

/** Conditions of which all hold, or any. */
export interface FilterGroup {
  Logic: 'and' | 'or'
  Filters: readonly FilterNode[]
}

/** A condition or a group. */
export type FilterNode = GridFilter | FilterGroup

/** Levels of groups that the server takes, the outermost list being the first. */
export const FILTER_DEPTH_MAX = 10

/** Conditions that the server takes in all. */
export const FILTER_CONDITIONS_MAX = 200

/** The number of values that an operator takes. */
type Taken = 'nothing' | 'one' | 'pair' | 'list'

interface OperatorFacets {
  takes: Taken
  /** True where it may compare with another field. */
  comparesFields: boolean
}

const ORDER: OperatorFacets = { takes: 'one', comparesFields: true }
const MATCH: OperatorFacets = { takes: 'one', comparesFields: false }
const LIST: OperatorFacets = { takes: 'list', comparesFields: false }
const PRESENCE: OperatorFacets = { takes: 'nothing', comparesFields: false }

/** Facets of each operator. */
export const OPERATORS: Readonly<Record<FilterOperator, OperatorFacets>> = {
  eq: ORDER,
  ne: ORDER,
  lt: ORDER,
  le: ORDER,
  gt: ORDER,
  ge: ORDER,
  contains: MATCH,
  notContains: MATCH,
  startsWith: MATCH,
  notStartsWith: MATCH,
  endsWith: MATCH,
  notEndsWith: MATCH,
  in: LIST,
  notIn: LIST,
  between: { takes: 'pair', comparesFields: false },
  isNull: PRESENCE,
  isNotNull: PRESENCE,
}

const OPERATOR_BY_KEY = new Map(
  (Object.keys(OPERATORS) as FilterOperator[]).map((name) => [name.toLowerCase(), name]),
)

/** True for a group. */
export const isGroup = (node: FilterNode): node is FilterGroup => 'Filters' in node

/** A part that is read: the levels it may still have, and the conditions left to all. */
interface Budget {
  depth: number
  left: { conditions: number }
}

const newBudget = (): Budget => ({
  depth: FILTER_DEPTH_MAX,
  left: { conditions: FILTER_CONDITIONS_MAX },
})

/**
 * The filters of an address: triples, `["Stock","lt",{"field":"Level"}]` and
 * `{"or": [...]}`. A part that is no filter is passed over, and the others hold.
 */
export function readFilters(text: string): FilterNode[] {
  try {
    return readEntries(JSON.parse(text), newBudget())
  } catch {
    // An address that was typed wrongly shows all rows; the chips say what holds.
    return []
  }
}

const readEntries = (value: unknown, budget: Budget): FilterNode[] =>
  Array.isArray(value) ? value.flatMap((entry) => readEntry(entry, budget) ?? []) : []

function readEntry(entry: unknown, budget: Budget): FilterNode | undefined {
  if (Array.isArray(entry))
    return entry.length === 3 ? readTriple(entry as [unknown, unknown, unknown], budget) : undefined
  if (typeof entry !== 'object' || entry === null) return undefined
  const [[Logic, inner] = []] = Object.entries(entry)
  return Logic === 'and' || Logic === 'or'
    ? readGroup(Logic, budget, (below) => readEntries(inner, below))
    : undefined
}

/** A group with what it holds; undefined where that is nothing, or too deep. */
function readGroup(
  Logic: FilterGroup['Logic'],
  { depth, left }: Budget,
  read: (budget: Budget) => FilterNode[],
): FilterGroup | undefined {
  if (depth <= 1) return undefined
  const Filters = read({ depth: depth - 1, left })
  return Filters.length === 0 ? undefined : { Logic, Filters }
}

function readTriple(
  [field, operator, value]: [unknown, unknown, unknown],
  budget: Budget,
): GridFilter | undefined {
  const isField = typeof value === 'object' && value !== null && !Array.isArray(value)
  const named = isField ? Object.entries(value).find(([name]) => name === 'field')?.[1] : undefined
  return readCondition({ field, operator, value: isField ? null : value, named, isField }, budget)
}

interface Condition {
  field: unknown
  operator: unknown
  value: unknown
  /** The other field, where `isField`. */
  named: unknown
  isField: boolean
}

function readCondition(
  { field, operator, value, named, isField }: Condition,
  { left }: Budget,
): GridFilter | undefined {
  if (typeof field !== 'string' || typeof operator !== 'string') return undefined
  const Operator = OPERATOR_BY_KEY.get(operator.toLowerCase())
  if (Operator === undefined) return undefined
  const { takes, comparesFields } = OPERATORS[Operator]
  const Value = isField ? null : READERS[takes](value)
  if (Value === undefined) return undefined
  if (isField && (typeof named !== 'string' || !comparesFields)) return undefined
  if (--left.conditions < 0) return undefined
  return { Field: field, Operator, Value, ...(isField && { ValueField: String(named) }) }
}

const isScalar = (value: unknown): value is FilterScalar =>
  ['string', 'number', 'boolean'].includes(typeof value)

/** A list of scalars; null in it is a blank text, which means the same. */
function readList(value: unknown): FilterScalar[] | undefined {
  if (!Array.isArray(value)) return undefined
  const list = value.map((item: unknown) => item ?? '')
  return list.every(isScalar) ? list : undefined
}

const READERS: Readonly<Record<Taken, (value: unknown) => GridFilter['Value'] | undefined>> = {
  nothing: () => null,
  one: (value) => (isScalar(value) || value === null ? value : undefined),
  pair: (value) => {
    const list = readList(value)
    return list?.length === 2 ? list : undefined
  },
  list: readList,
}

/** Filters as an address has them; undefined for none. */
export const writeFilters = (filters: readonly FilterNode[]): string | undefined =>
  filters.length === 0 ? undefined : JSON.stringify(filters.map(writeEntry))

function writeEntry(node: FilterNode): unknown {
  if (isGroup(node)) return { [node.Logic]: node.Filters.map(writeEntry) }
  const { Field, Operator, Value, ValueField } = node
  return [Field, Operator, ValueField === undefined ? Value : { field: ValueField }]
}

/** Filters of a saved view, however its maker has sent them: a list, a group, a condition. */
export function readSentFilters(sent: unknown): FilterNode[] {
  const budget = newBudget()
  if (Array.isArray(sent)) return readSentList(sent, budget)
  const node = readSent(sent, { ...budget, depth: budget.depth + 1 })
  if (!node) return []
  return isGroup(node) && node.Logic === 'and' ? [...node.Filters] : [node]
}

const readSentList = (list: readonly unknown[], budget: Budget): FilterNode[] =>
  list.flatMap((each) => readSent(each, budget) ?? [])

function readSent(sent: unknown, budget: Budget): FilterNode | undefined {
  if (typeof sent !== 'object' || sent === null) return undefined
  const members = new Map(
    Object.entries(sent).map(([name, value]): [string, unknown] => [name.toLowerCase(), value]),
  )
  const inner = members.get('filters')
  const logic = String(members.get('logic') ?? 'and').toLowerCase()
  if (Array.isArray(inner))
    return readGroup(logic === 'or' ? 'or' : 'and', budget, (below) => readSentList(inner, below))
  const named = members.get('valuefield') ?? undefined
  const condition = {
    field: members.get('field'),
    operator: members.get('operator') ?? 'eq',
    value: members.get('value') ?? null,
    named,
    isField: named !== undefined,
  }
  return readCondition(condition, budget)
}

type SentFilter = Schemas['Filter'] | Schemas['FilterGroup']

/** Filters as requests bear them. */
export const toSentFilters = (filters: readonly FilterNode[]): SentFilter[] =>
  filters.map((node) => {
    if (isGroup(node)) return { Logic: node.Logic, Filters: toSentFilters(node.Filters) }
    const { Field, Operator, Value, ValueField } = node
    if (ValueField !== undefined) return { Field, Operator, ValueField }
    return { Field, Operator, Value: isList(Value) ? [...Value] : Value }
  })

/** True for several values. */
export const isList = (value: unknown): value is readonly FilterScalar[] => Array.isArray(value)
