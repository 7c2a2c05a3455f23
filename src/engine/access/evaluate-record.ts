/** Evaluates whether a right reaches one record, by the statements that the engine runs. */
import { invalid } from '../../kernel/failure.ts'
import { type Message, say } from '../../kernel/messages.ts'
import type { SqlRead, SqlValue } from '../../store/sql.ts'
import type { AuthoredCondition } from '../../model/compiled/authored-sql.ts'
import type { Field } from '../../model/compiled/field.ts'
import { isOfMany } from '../../model/compiled/role.ts'
import type { View } from '../../model/compiled/view.ts'
import { quote } from '../../model/sql/quote.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import type { RowFilters } from '../../access/rights/resource-access.ts'
import type { LocalizedSource } from './principals.ts'
import type { ExplainRequest, Explanation } from './schema.ts'
import { Bindings } from '../object/bindings.ts'
import { readParameters } from '../object/parameters.ts'
import { isServed } from '../object/read/find-view.ts'
import { namesWord } from '../object/read/masked.ts'
import { composeOver } from '../object/read/row-forms.ts'
import {
  bindNames,
  composeCondition,
  findSource,
  planSource,
  purposeOf,
  type Source,
} from '../object/read/source.ts'
import { parseKey } from '../object/value.ts'

/** The outcome for a right on a record, or without one. */
export interface RecordEvaluation {
  readonly decision: Explanation['Decision']
  readonly reasons: readonly Message[]
  /** Result for the record by condition; a condition that was not evaluated is absent. */
  readonly passes: ReadonlyMap<AuthoredCondition, boolean>
  readonly isEvaluated: boolean
}

/** Sources of an explanation, and the caller that it is for. */
export interface ExplainSource extends LocalizedSource {
  readonly caller: Caller
  readonly now: Date
}

/** A right on a resource, with the conditions that it sets for a record. */
export interface RequestedRight {
  /** Undefined for a resource that no view bears: a report, a procedure. */
  readonly view: View | undefined
  readonly resource: string
  /** A verb or capability. */
  readonly right: string
  readonly condition: AuthoredCondition | undefined
}

type Key = readonly { field: Field; value: SqlValue }[]

/** Evaluates the record of the keys; without keys, the part that needs no record. */
export async function evaluateRecord(
  source: ExplainSource,
  grant: Grant,
  requested: RequestedRight,
  keys: ExplainRequest['Keys'],
): Promise<RecordEvaluation> {
  const filters = listFilters(grant, requested.right)
  const unknown = (reasons: readonly Message[]): RecordEvaluation => {
    const isOpen = filters.every((each) => each === undefined) && !requested.condition
    const decision = isOpen ? 'allowed' : 'dependsOnRecord'
    return { decision, reasons, passes: new Map(), isEvaluated: false }
  }
  const { view } = requested
  if (!keys || !view || requested.right === 'Create') {
    if (!isOfMany(requested.right)) return unknown([])
    const isNarrowed = filters.some((each) => each !== undefined)
    const reasons = isNarrowed ? [say`Row filters limit which records this applies to`] : []
    return { ...unknown(reasons), decision: 'allowed' }
  }
  const key = readKeys(view, keys)
  const sameCompany = source.caller.companyId === grant.caller.companyId
  const own = sameCompany ? await findOwnGrant(source, view, key) : undefined
  if (!own)
    return unknown([
      say`You cannot see this record yourself, so it was left out of the explanation`,
    ])
  const conditions = listConditions(filters, requested)
  if (conditions.some((each) => namesHidden(each, view, own)))
    return unknown([say`A condition uses a field that is hidden from you`])
  return evaluate(source, { view, key, grant, requested, filters, conditions })
}

/** The filters that the engine holds a record to for the right, besides one another. */
function listFilters(grant: Grant, right: string): RowFilters[] {
  if (grant.caller.isSystem) return []
  if (right === 'Create') return [...grant.checkFilters(), grant.filters('Create')]
  const read = grant.reads ? [grant.readFilters()] : []
  return READS.has(right) ? read : [...read, grant.filters(right)]
}

/** Rights to see a record: every record that may be read is one that they reach. */
const READS: ReadonlySet<string> = new Set(['List', 'View'])

function listConditions(
  filters: readonly RowFilters[],
  { condition }: RequestedRight,
): AuthoredCondition[] {
  const authored = filters.flatMap((alternatives) => alternatives?.flat() ?? [])
  return [...new Set(condition ? [...authored, condition] : authored)]
}

/** @throws invalid for a key that is missing or does not fit its field. */
function readKeys(view: View, keys: Readonly<Record<string, unknown>>): Key {
  const given = readParameters(keys)
  if (view.keys.length === 0)
    throw invalid(say`'${view.name}' has no key, so its records cannot be changed`)
  return view.keys.map((field) => {
    const value = given.get(field.name.toLowerCase())
    if (value === undefined || value === null || value === '')
      throw invalid(say`Parameter '${field.name}': ${say`This is required`}`)
    const parsed = parseKey(field, value)
    if (parsed.fault !== undefined) throw invalid(say`Parameter '${field.name}': ${parsed.fault}`)
    return { field, value: parsed.value }
  })
}

/** The caller's own grant, where they see the record themselves. */
async function findOwnGrant(
  { reader, model, now, caller }: ExplainSource,
  view: View,
  key: Key,
): Promise<Grant | undefined> {
  const own = Grant.find(caller, model, view.resource, 'View')
  if (!own) return undefined
  const read = composeRead(
    findSource(view, own, 'read'),
    { view, key, context: { caller, now, model } },
    '1',
  )
  return (await reader.text(read)) === '1' ? own : undefined
}

/** True when a condition could reveal a value that the caller does not get. */
function namesHidden({ text }: AuthoredCondition, view: View, own: Grant): boolean {
  const unserved = view.fields.filter((field) => !isServed(view, own, field))
  const names = [...unserved.map(({ name }) => name), ...own.access.masked.keys()]
  return names.some((name) => namesWord(text, name))
}

/** The question for a record: its keys, the grant and the conditions. */
interface RecordQuestion {
  view: View
  key: Key
  grant: Grant
  requested: RequestedRight
  filters: readonly RowFilters[]
  conditions: readonly AuthoredCondition[]
}

async function evaluate(
  { reader, model, now }: ExplainSource,
  { view, key, grant, requested, filters, conditions }: RecordQuestion,
): Promise<RecordEvaluation> {
  const at = { view, key, context: { caller: grant.caller, now, model } }
  const all = planSource(view, grant, [], { further: conditions })
  const cells = conditions.map((each) => `(coalesce(${composeCondition(each)}, 0) <> 0)`)
  const text = await reader.text(composeRead(all, at, cells.join(` || ',' || `) || '1'))
  const holds = text.split(',')
  const passes = new Map(conditions.map((each, index) => [each, holds[index] === '1'] as const))
  const source =
    requested.right === 'Export'
      ? planSource(view, grant, filters)
      : findSource(view, grant, READS.has(requested.right) ? 'read' : purposeOf(requested.right))
  const isReached = (await reader.text(composeRead(source, at, '1'))) === '1'
  const isPermitted = !requested.condition || passes.get(requested.condition) === true
  const decision = !isReached ? 'notFound' : isPermitted ? 'allowed' : 'notPermittedNow'
  return { decision, reasons: [REASONS[decision]], passes, isEvaluated: true }
}

const REASONS = {
  allowed: say`The record matches all filters and conditions`,
  notFound: say`Row filters hide this record from the user`,
  notPermittedNow: say`This is not possible in the current state of the record`,
} as const

function composeRead(
  source: Source,
  { view, key, context }: { view: View; key: Key; context: Parameters<typeof bindNames>[2] },
  select: string,
): SqlRead {
  const bindings = new Bindings()
  const parameters = new Map(key.map(({ field, value }) => [field.name.toLowerCase(), value]))
  bindNames(source.names, bindings, context, { view, parameters })
  const keys = key.map(({ field, value }) => `${quote(field.name)} = ${bindings.add(value)}`)
  const sql = composeOver(
    source,
    (form) => `${form.with}SELECT ${select} FROM ${form.from} ${form.where([], keys)} LIMIT 1`,
  )
  return { ...sql, args: bindings.args(), runs: 'lane', of: source.of }
}
