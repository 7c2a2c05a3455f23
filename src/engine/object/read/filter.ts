/**
 * Filters of a request: names looked up in the compiled view, values typed by the field and bound.
 */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Field, Link } from '../../../model/compiled/field.ts'
import { composeShownSql } from '../../../model/fields/decimal.ts'
import { isBlank } from '../../../model/fields/field-kind.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { storageOf } from '../../../model/migrate/column-schema.ts'
import { OPERATOR_NAMES, OPERATORS, type PartMatch } from '../../../model/operators.ts'
import { FILTER_CONDITIONS_MAX, FILTER_DEPTH_MAX, FILTER_VALUES_MAX } from '../filter-schema.ts'
import { refuseNear } from '../misspelt-members.ts'
import { planDatePart } from './date-part-filter.ts'
import { findDayBounds, mayBeDays, planDayFilter, planDayList } from './day-filter.ts'
import { planComparison } from './field-comparison.ts'
import { type FilterScope, misfit, noteHole, type ScopedCondition } from './filter-scope.ts'
import { requireListed } from './find-view.ts'
import { composeValue, findLabelKeys } from './labels.ts'
import { listNamedOptions } from './named-options.ts'
import {
  isMatchable,
  type MatchPlace,
  planTextCondition,
  TEXT_CHARACTERS_MAX,
} from './text-match.ts'
import { composeHas } from './through.ts'
import { parseValue } from '../value.ts'

/**
 * SQL of a filter list or group; '' for none. @throws invalid naming the field, operator or word.
 */
export function planFilters(filters: unknown, scope: FilterScope): string {
  if (filters === undefined || filters === null) return ''
  const budget = { conditions: FILTER_CONDITIONS_MAX }
  if (Array.isArray(filters)) return planList(filters, 'AND', scope, budget, 1)
  return planNode(filters, scope, budget, 1)
}

type Budget = { conditions: number }

function planList(
  list: unknown[],
  join: 'AND' | 'OR',
  scope: FilterScope,
  budget: Budget,
  depth: number,
): string {
  if (depth > FILTER_DEPTH_MAX)
    throw invalid(say`Filters can be nested at most ${FILTER_DEPTH_MAX} levels deep`)
  const parts = list.map((node) => planNode(node, scope, budget, depth)).filter((part) => part)
  return parts.length === 0 ? '' : `(${parts.join(` ${join} `)})`
}

function planNode(node: unknown, scope: FilterScope, budget: Budget, depth: number): string {
  const members = readMembers(node)
  const inner = members.get('filters')
  if (inner !== undefined) {
    if (!Array.isArray(inner)) throw invalid(say`The Filters of a filter group must be a list`)
    const logic = readWord(members.get('logic') ?? 'and')?.toLowerCase()
    if (logic !== 'and' && logic !== 'or')
      throw invalid(say`The Logic of a filter group must be one of: and, or`)
    return planList(inner, logic === 'or' ? 'OR' : 'AND', scope, budget, depth + 1)
  }
  if (--budget.conditions < 0) {
    throw invalid(say`A request can have at most ${FILTER_CONDITIONS_MAX} filter conditions`)
  }
  const condition = readCondition(members, scope)
  const compared = members.get('valuefield') ?? undefined
  return compared === undefined
    ? planCondition(condition, scope)
    : planCompared(condition, compared, scope)
}

/** SQL of a condition whose other side is a field of the same row. */
function planCompared(
  { field, operator, value, part }: ScopedCondition,
  compared: unknown,
  scope: FilterScope,
): string {
  if (typeof compared !== 'string')
    throw misfit(field, operator, say`ValueField must be the name of a field`)
  if (value !== undefined && value !== null)
    throw misfit(field, operator, say`takes a Value or a ValueField, not both`)
  const other = requirePlaced(compared, scope)
  const toPlaced = (each: Field, sql = composeOperand(each, scope)) => ({ field: each, sql })
  return planComparison(operator, toPlaced(field, part), toPlaced(other.field, other.part), scope)
}

const CONDITION_MEMBERS = ['Field', 'Operator', 'Value', 'ValueField']
const GROUP_MEMBERS = ['Logic', 'Filters']

/** @throws invalid for a member that is nearly one of these: it would be passed over */
function requireKnown(members: ReadonlyMap<string, unknown>, known: readonly string[]): void {
  if (members.size <= known.length && known.every((name) => members.has(name.toLowerCase()))) return
  for (const name of members.keys()) {
    if (known.some((each) => each.toLowerCase() === name)) continue
    const failure = refuseNear(name, known)
    if (failure) throw failure
  }
}

function readMembers(node: unknown): Map<string, unknown> {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) {
    throw invalid(say`A filter must be an object with Field, Operator and Value`)
  }
  const members = new Map(
    Object.entries(node).map(([name, value]) => [name.toLowerCase(), value] as const),
  )
  requireKnown(members, members.has('filters') ? GROUP_MEMBERS : CONDITION_MEMBERS)
  return members
}

function readCondition(members: Map<string, unknown>, scope: FilterScope): ScopedCondition {
  const name = members.get('field')
  if (typeof name !== 'string') throw invalid(say`A filter needs a Field`)
  const { field, part } = requirePlaced(name, scope)
  const requested = members.get('operator') ?? 'eq'
  const word = readWord(requested)
  const lower = word?.toLowerCase()
  const operator = OPERATOR_NAMES.find((known) => known.toLowerCase() === lower)
  if (!operator) {
    const shown = word?.slice(0, 40) ?? typeof requested
    throw invalid(say`Filter on '${field.name}': unknown operator '${shown}'`, {
      code: 'UNKNOWN_OPERATOR',
    })
  }
  return { field, operator, value: members.get('value'), part }
}

/** A field, or a part of a date (`OrderedAt:weekday`) as a field of its own. @throws invalid */
function requirePlaced(name: string, scope: FilterScope): Pick<ScopedCondition, 'field' | 'part'> {
  const at = name.lastIndexOf(':')
  if (at <= 0) return { field: requireListed(scope.view, scope.grant, name) }
  const field = requireListed(scope.view, scope.grant, name.slice(0, at))
  return planDatePart(field, name.slice(at + 1), composeOperand(field, scope), scope)
}

/** A request may bring anything where a word belongs; an object may not even turn into a text. */
const readWord = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

type OperandScope = Pick<FilterScope, 'view' | 'grant'>

/**
 * Composes the compared value of a field: the value it shows. A column holds just that; an
 * expression may be a number in a Text field, or have more decimals than its Decimal field.
 */
export function composeOperand(field: Field, { view, grant }: OperandScope): string {
  const name = composeValue(field, grant)
  if (field.labelOf !== undefined) return name
  const key = field.name.toLowerCase()
  const output = view.query.columns.find((column) => column.name.toLowerCase() === key)
  if (field.column || output?.table !== undefined) return name
  if (FIELD_KINDS[field.type].isText) return `CAST(${composeShownSql(name, output?.scale)} AS TEXT)`
  return FIELD_KINDS[field.type].number === 'scaled'
    ? `(${FIELD_KINDS.Decimal.toJsonSql(name, field)})`
    : name
}

/** SQL of one condition. */
function planCondition(condition: ScopedCondition, scope: FilterScope): string {
  const { field, operator, value } = condition
  if (field.link) return planLinked(condition, field.link, scope)
  const name = condition.part ?? composeOperand(field, scope)
  const { takes, match, isEquality, isNegated, order } = OPERATORS[operator]
  if (takes === 'nothing') return composePresence(field, name, isNegated)
  if (takes === 'list') return planMembership(condition, name, scope)
  if (takes === 'pair') return planBetween(condition, scope)
  if (Array.isArray(value)) throw misfit(field, operator, say`needs a single value, not a list`)
  if (match) {
    const found = planText(condition, match, name, scope)
    return isNegated ? `(${found}) IS NOT TRUE` : found
  }
  const day = isBlank(value) ? undefined : planDayFilter(condition, name, scope)
  if (day !== undefined) return day
  const parsed = parseFilterValue(condition, value)
  if (parsed === null) {
    if (isEquality) return composePresence(field, name, isNegated)
    throw misfit(field, operator, say`needs a value`)
  }
  const other = isEquality && findUneven(field, value, parsed)
  if (other) {
    const list = [parsed, other].map((each) => scope.bindings.add(each)).join(', ')
    return isNegated ? `coalesce(${name} NOT IN (${list}), 1)` : `${name} IN (${list})`
  }
  const bound = scope.bindings.add(parsed)
  noteHole(scope, [bound], (another) => rebind(field, another))
  return `${name} ${order?.sql ?? '='} ${bound}`
}

/** Another value of the same comparison. */
function rebind(field: Field, value: unknown): [SqlValue] | undefined {
  if (mayBeDays(field, value)) return undefined
  const parsed = parseValue(field, value)
  if (parsed.fault !== undefined || parsed.value === null) return undefined
  return findUneven(field, value, parsed.value) === undefined ? [parsed.value] : undefined
}

/**
 * A text that is not as texts are stored: some row may hold it all the same, of a database that was
 * taken over.
 */
const findUneven = (field: Field, given: unknown, parsed: SqlValue): string | undefined =>
  FIELD_KINDS[field.type].isText && typeof given === 'string' && given !== parsed
    ? given
    : undefined

/** Composes the test that a column has no value: NULL or an empty text; for Json also `null`. */
function composeNothing(field: Field, name: string): string {
  if (storageOf(field.type) !== 'TEXT') return `${name} IS NULL`
  if (field.labelOf !== undefined) return `coalesce(${name}, '') = ''`
  const blank = FIELD_KINDS[field.type].structure === 'document' ? `IN ('', 'null')` : `= ''`
  return `(${name} IS NULL OR ${name} ${blank})`
}

/** The opposite; every text but the empty one is behind it. */
function composeSomething(field: Field, name: string): string {
  if (storageOf(field.type) !== 'TEXT') return `${name} IS NOT NULL`
  return FIELD_KINDS[field.type].structure === 'document'
    ? `(${name} > '' AND ${name} <> 'null')`
    : `${name} > ''`
}

const composePresence = (field: Field, name: string, isPresent: boolean): string =>
  isPresent ? composeSomething(field, name) : composeNothing(field, name)

/** A list of keys: whether it has one of those given, or any. */
function planLinked(condition: ScopedCondition, link: Link, scope: FilterScope): string {
  const { field, operator, value } = condition
  const { takes, isEquality, isNegated } = OPERATORS[operator]
  const isBlank = isEquality && (value ?? null) === null
  const any = composeHas(link, scope)
  if (takes === 'nothing' || isBlank) return isNegated ? any : `NOT ${any}`
  const isList = takes === 'list'
  if (!isList && !isEquality) {
    throw misfit(field, operator, say`cannot be used with lists of keys`)
  }
  if (Array.isArray(value) !== isList) {
    throw misfit(
      field,
      operator,
      isList ? say`needs a list` : say`needs a single value, not a list`,
    )
  }
  const all = Array.isArray(value) ? value : [value]
  const keys = requireValues(condition, all).map((each) =>
    toJson(parseFilterValue(condition, each)),
  )
  const has = composeHas(link, scope, scope.bindings.add(JSON.stringify(keys)))
  const found = keys.length < all.length ? `(${has} OR NOT ${any})` : has
  return isNegated ? `NOT ${found}` : found
}

const PLACES: Readonly<Record<PartMatch, MatchPlace>> = {
  contains: 'anywhere',
  startsWith: 'start',
  endsWith: 'end',
}

function planText(
  { field, operator, value }: ScopedCondition,
  match: PartMatch,
  name: string,
  scope: FilterScope,
): string {
  if (!FIELD_KINDS[field.type].matchesParts) {
    throw misfit(field, operator, say`can only be used with text fields`)
  }
  if (typeof value !== 'string') throw misfit(field, operator, say`needs a text`)
  if (value.length > TEXT_CHARACTERS_MAX) {
    throw misfit(field, operator, say`can have at most ${TEXT_CHARACTERS_MAX} characters`)
  }
  if (!isMatchable(value)) throw misfit(field, operator, say`the value is not valid for the field`)
  scope.matchesText = true
  const at = PLACES[match]
  const { fits, places, bind } = planTextCondition(value, at, scope.bindings)
  const listNamed = (text: string): string =>
    JSON.stringify(listNamedOptions(field, text, at, scope.grant.caller.language))
  const named = field.options.length > 0 ? scope.bindings.add(listNamed(value)) : undefined
  noteHole(scope, [...places, ...(named === undefined ? [] : [named])], (other) => {
    const isAlike = typeof other === 'string' && isRare(other) === isRare(value)
    if (!isAlike || other.length > TEXT_CHARACTERS_MAX || !isMatchable(other)) return undefined
    const bound = bind(other)
    return bound && [...bound, ...(named === undefined ? [] : [listNamed(other)])]
  })
  if (named !== undefined)
    return `(${fits(name)} OR ${name} IN (SELECT value FROM json_each(${named})))`
  return planKeys(field, fits, value, scope) ?? fits(name)
}

/** Least characters of a rare text; many labels have shorter ones. */
const RARE_CHARACTERS_MIN = 3

const isRare = (text: string): boolean => text.length >= RARE_CHARACTERS_MIN

/**
 * A label by the keys that have it, which are found once; then an index of the key finds the rows.
 * The sign keeps the index out where many keys are to be expected: rows are quicker tried as they
 * come. Undefined for the few rows of a parent, whose labels are quicker looked up.
 */
function planKeys(
  label: Field,
  fits: (value: string) => string,
  text: string,
  { view, grant, isOfParent }: FilterScope,
): string | undefined {
  const found = isOfParent ? undefined : findLabelKeys(label, view, grant)
  if (!found) return undefined
  const sign = isRare(text) ? '' : '+'
  return `${sign}${found.key} IN (${found.keys(fits)})`
}

function planMembership(condition: ScopedCondition, name: string, scope: FilterScope): string {
  const { field, operator, value } = condition
  if (!Array.isArray(value)) throw misfit(field, operator, say`needs a list`)
  const given = requireValues(condition, value)
  const found = planFound(condition, given, name, scope)
  const hasNull = given.length < value.length
  if (!OPERATORS[operator].isNegated)
    return hasNull ? `(${found} OR ${composeNothing(field, name)})` : found
  return hasNull
    ? `(${composeSomething(field, name)} AND NOT ${found})`
    : `(${name} IS NULL OR NOT ${found})`
}

/** Returns the values of a list without the blank ones. */
function requireValues({ field, operator }: ScopedCondition, list: unknown[]): unknown[] {
  if (list.length > FILTER_VALUES_MAX) {
    throw misfit(field, operator, say`can have at most ${FILTER_VALUES_MAX} values`)
  }
  return list.filter((item) => !isBlank(item) || (item && field.keepsBlanks))
}

/** Days and date words of a list mean ranges, other values themselves. */
function planFound(
  condition: ScopedCondition,
  given: readonly unknown[],
  name: string,
  scope: FilterScope,
): string {
  const days = given.map((item) => findDayBounds(condition, item, scope))
  const exact = given.filter((_, at) => !days[at])
  const bound = exact.flatMap((item) => {
    const parsed = parseFilterValue(condition, item)
    return [toJson(parsed), findUneven(condition.field, item, parsed) ?? []].flat()
  })
  const ranges = days.filter((day) => day !== undefined)
  const parts: string[] = []
  if (bound.length > 0 || ranges.length === 0) {
    const list = scope.bindings.add(JSON.stringify(bound))
    parts.push(`${name} IN (SELECT value FROM json_each(${list}))`)
  }
  if (ranges.length > 0) parts.push(planDayList(ranges, name, scope))
  return parts.length > 1 ? `(${parts.join(' OR ')})` : (parts[0] ?? '0')
}

function planBetween(condition: ScopedCondition, scope: FilterScope): string {
  const { field, operator, value, part } = condition
  if (!Array.isArray(value) || value.length !== 2 || value.some((item) => item == null)) {
    throw misfit(field, operator, say`needs a list of two values`)
  }
  const from = planCondition({ field, operator: 'ge', value: value[0], part }, scope)
  const to = planCondition({ field, operator: 'le', value: value[1], part }, scope)
  return `(${from} AND ${to})`
}

function parseFilterValue({ field, operator }: ScopedCondition, value: unknown): SqlValue {
  const parsed = parseValue(field, value)
  if (parsed.fault !== undefined)
    throw misfit(field, operator, say`the value is not valid for the field`)
  return parsed.value
}

function toJson(value: SqlValue): string | number | null {
  return typeof value === 'bigint' ? Number(value) : value instanceof Uint8Array ? null : value
}
