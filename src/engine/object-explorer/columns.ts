/** The columns of a grouped query: groups and aggregates, by the names that they answer under. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { FieldType } from '../../model/compiled/field-features.ts'
import type { Field } from '../../model/compiled/field.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import type { ModelText } from '../../model/model-text.ts'
import { quote, quoteText } from '../../model/sql/quote.ts'
import { composeTextOrder, isTextOrdered } from '../../model/sql/text-order.ts'
import { isAggregable, planAggregate, planMean, planShare } from './aggregate.ts'
import { isJoined } from './joined-view.ts'
import {
  type Aggregate,
  AGGREGATE_FUNCTIONS,
  AGGREGATES_MAX,
  GROUPS_MAX,
  type QueryRequest,
} from './schema.ts'
import {
  composePart,
  DATE_PARTS,
  listWeekdays,
  PART_TYPES,
  TIME_PARTS,
} from '../object/date-parts.ts'
import type { FilterScope } from '../object/read/filter-scope.ts'
import { composeOperand, planFilters } from '../object/read/filter.ts'
import { findPeriod, requireListed } from '../object/read/find-view.ts'
import { composeValue, findLabel, isSeen } from '../object/read/labels.ts'
import { composeOptionLabel } from '../object/read/option-labels.ts'

/** A column of the result. */
export interface QueryResultColumn {
  name: string
  label: ModelText
  type: FieldType
  /** SQL over a row of the view; undefined for a count of rows. */
  operand: string | undefined
  /** SQL over a row of the view for the whole that a share is of; undefined for all groups. */
  whole?: string | undefined
  /** SQL over the rows of a group; undefined for the columns that they are grouped by. */
  over: ((operand: string, whole: string | undefined) => string) | undefined
  /** SQL over the row of a group, by the column's own name there. */
  order: string
  json: string
}

/** Groups first, each with its label behind it, then aggregates. @throws invalid. */
export function planColumns(scope: FilterScope, request: QueryRequest): QueryResultColumn[] {
  const { GroupBy, Aggregates } = request
  if ((GroupBy?.length ?? 0) > GROUPS_MAX)
    throw invalid(say`GroupBy can have at most ${GROUPS_MAX} fields`)
  if ((Aggregates?.length ?? 0) > AGGREGATES_MAX)
    throw invalid(say`A query can have at most ${AGGREGATES_MAX} Aggregates`)
  const columns = [
    ...(GroupBy ?? []).flatMap((name) => planGroup(scope, name)),
    ...(Aggregates ?? []).map((aggregate) => planOver(scope, aggregate)),
  ]
  const seen = new Set<string>()
  for (const { name } of columns) {
    const key = name.toLowerCase()
    if (seen.has(key))
      throw invalid(say`The result has two columns named '${name}'. Rename one of them with As.`)
    seen.add(key)
  }
  return columns
}

function planGroup(scope: FilterScope, name: string): QueryResultColumn[] {
  const at = name.lastIndexOf(':')
  const date = at === 0 ? requirePeriod(scope, name) : name.slice(0, at)
  if (at >= 0) return planDateGroup(scope, date, name.slice(at + 1))
  const field = requireListed(scope.view, scope.grant, name)
  if (field.link || FIELD_KINDS[field.type].structure)
    throw invalid(say`GroupBy of '${field.name}': a list or a document cannot be grouped`)
  const column = quote(field.name)
  const group: QueryResultColumn = {
    name: field.name,
    label: field.label,
    type: field.type,
    operand: composeOperand(field, scope),
    over: undefined,
    order: isTextOrdered(field) ? composeTextOrder(column) : column,
    json: field.labelOf === undefined ? FIELD_KINDS[field.type].toJsonSql(column, field) : column,
  }
  return [group, ...planLabel(scope, field)]
}

/** The date that a part without a name is of: `:month`. @throws invalid */
function requirePeriod({ view, grant }: FilterScope, name: string): string {
  const period = findPeriod(view, grant)
  if (period) return period.name
  throw invalid(say`GroupBy of '${name}': ${view.name} has no Period; name the date before it`)
}

/** The label of the groups of a reference, or of a field with options. */
function planLabel(scope: FilterScope, field: Field): QueryResultColumn[] {
  const { view, grant } = scope
  const label = findLabel(view, field)
  const isTold = label?.labelSql !== undefined && isSeen(grant, label)
  const sql = isTold ? composeValue(label, grant) : composeOption(field, scope)
  if (sql === undefined) return []
  if (label && isTold && isJoined(label)) return [planJoinedLabel(label)]
  return [
    {
      name: `${field.name}__Label`,
      label: field.label,
      type: 'Text',
      operand: undefined,
      over: undefined,
      order: composeTextOrder(sql),
      json: sql,
    },
  ]
}

/** The label of a joined row: each row has it, the same in all of a group. */
function planJoinedLabel({ name, label }: Field): QueryResultColumn {
  const column = quote(name)
  return {
    name,
    label,
    type: 'Text',
    order: composeTextOrder(column),
    json: column,
    operand: column,
    over: (operand: string) => `min(${operand})`,
  }
}

function composeOption(field: Field, { grant }: FilterScope): string | undefined {
  if (field.options.length === 0 || field.labelOf !== undefined) return undefined
  return composeOptionLabel(field, grant, quote(field.name))
}

function planDateGroup(scope: FilterScope, name: string, word: string): QueryResultColumn[] {
  const field = requireListed(scope.view, scope.grant, name)
  const part = DATE_PARTS.find((each) => each === word.toLowerCase())
  if (!part)
    throw invalid(
      say`GroupBy of '${field.name}': the part of a date must be one of: ${DATE_PARTS.join(', ')}`,
    )
  if (!FIELD_KINDS[field.type].isDated)
    throw invalid(say`GroupBy of '${field.name}': only dates can be grouped by a part`)
  if (FIELD_KINDS[field.type].moment === 'day' && TIME_PARTS.has(part))
    throw invalid(say`GroupBy of '${field.name}': a date without time has no ${part}`)
  const own = `${field.name}:${part}`
  const column = quote(own)
  const group: QueryResultColumn = {
    name: own,
    label: field.label,
    type: PART_TYPES[part],
    operand: composePart(composeOperand(field, scope), field.type, part, scope.zone),
    over: undefined,
    order: column,
    json: column,
  }
  return part === 'weekday' ? [group, planWeekday(group, scope)] : [group]
}

/** The names of the days of the week in the caller's language. */
function planWeekday(
  { name, label, order }: QueryResultColumn,
  scope: FilterScope,
): QueryResultColumn {
  const { bindings, grant } = scope
  const names = listWeekdays(grant.caller.language)
  const cases = names.map((day, at) => `WHEN ${at + 1} THEN ${bindings.add(day)}`)
  return {
    name: `${name}__Label`,
    label,
    type: 'Text',
    operand: undefined,
    over: undefined,
    order,
    json: `CASE ${order} ${cases.join(' ')} END`,
  }
}

const ALIAS = /^[A-Za-z][A-Za-z0-9_]{0,63}$/

function planOver(scope: FilterScope, aggregate: Aggregate): QueryResultColumn {
  const word = aggregate.Function.toLowerCase()
  const fn = AGGREGATE_FUNCTIONS.find((each) => each.toLowerCase() === word)
  if (!fn)
    throw invalid(
      say`The Function of an aggregate must be one of: ${AGGREGATE_FUNCTIONS.join(', ')}`,
      {
        code: 'UNKNOWN_FUNCTION',
      },
    )
  const field = aggregate.Field
    ? requireListed(scope.view, scope.grant, aggregate.Field)
    : undefined
  if (aggregate.Per && fn !== 'avg') throw invalid(say`${fn} cannot have Per: only avg can`)
  if (!field && fn !== 'count' && fn !== 'share' && !aggregate.Per)
    throw invalid(say`The aggregate ${fn} needs a Field`)
  if (field && (field.link || !isAggregable(fn, field.type)))
    throw invalid(say`${fn} of '${field.name}': not available for this type of field`)
  const name = aggregate.As ?? (field ? `${fn}_${field.name.replaceAll('.', '_')}` : fn)
  if (!ALIAS.test(name))
    throw invalid(say`As must start with a letter, followed by letters, digits or underscores`)
  const operand = field && composeOperand(field, scope)
  const condition = planFilters(aggregate.Filters, scope)
  const [per] = aggregate.Per ? planGroup(scope, aggregate.Per) : []
  const given = composeIf(condition, operand)
  const plan = per?.operand
    ? planMean(field, given, per.operand)
    : fn === 'share'
      ? planShare(field, operand, condition)
      : planAggregate(fn, field, given)
  const column = quote(name)
  return {
    name,
    label: name,
    type: plan.type,
    operand: plan.operand,
    whole: plan.whole,
    over: plan.over,
    order: plan.order(column),
    json: plan.toJson(column),
  }
}

/** The operand of the rows for which a condition holds; of rows themselves, 1. */
const composeIf = (condition: string, operand: string | undefined): string | undefined =>
  condition === '' ? operand : `CASE WHEN ${condition} THEN ${operand ?? '1'} END`

/** Name and value of a column as arguments of `json_object`. */
export const projectColumn = ({ name, json }: QueryResultColumn): string =>
  `${quoteText(name)},${json}`
