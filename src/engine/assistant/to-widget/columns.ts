/** The columns of a widget's query: groups with their labels, and figures. */
import { type Message, renderMessage } from '../../../kernel/messages.ts'
import type { FieldType } from '../../../model/compiled/field-features.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { composeUnitsSql, DECIMAL_SCALE_DEFAULT } from '../../../model/fields/decimal.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { quoteText } from '../../../model/sql/quote.ts'
import { isTextOrdered } from '../../../model/sql/text-order.ts'
import { type BuiltRequest, listSent, nameOfAggregate } from '../builtin/decide.ts'
import { composeConditions } from './conditions.ts'
import type { PlacedField, Places } from './places.ts'
import { composePartOf, DATE_PARTS, listWeekdays } from '../../object/date-parts.ts'

/** A column of the dataset. */
export interface WidgetColumn {
  /** Column of the answer that it is. */
  of: string
  /** The same as a name of SQL: a dot or colon is written as `_`. */
  name: string
  label: string
  sql: string
  /** The value by which the answer orders. */
  order: string
  kind: 'group' | 'part' | 'label' | 'figure'
  type: FieldType
  format: string | undefined
  unit: Field['unit']
  /** True where letters decide the order, and not what is stored. */
  isSpelled: boolean
}

/** The texts of a dataset: names as the question says them, labels as the answer has them. */
export interface Wording {
  groups: readonly (Message | string)[]
  figures: readonly (Message | string)[]
  /** The language of the question. */
  asked: string
  /** The language of the labels of the answer. */
  served: string | undefined
}

const toName = (name: string): string => name.replace(/[.:]/g, '_')

const NOTHING = { format: undefined, unit: undefined, isSpelled: false }

/** Plans all columns of a grouped query; undefined where one cannot be said alike. */
export function planColumns(
  request: BuiltRequest,
  places: Places,
  words: Wording,
): WidgetColumn[] | undefined {
  const groups = (request.GroupBy ?? []).map((name, at) =>
    planGroup(name, renderMessage(words.groups[at] ?? name, words.asked), places, words),
  )
  const figures = (request.Aggregates ?? []).map((aggregate, at) =>
    planFigure(aggregate, renderMessage(words.figures[at] ?? '', words.asked), places),
  )
  const all = [...groups, ...figures]
  if (all.length === 0 || all.includes(undefined)) return undefined
  const columns = all.flatMap((each) => each ?? [])
  const names = new Set(columns.map(({ name }) => name.toLowerCase()))
  return names.size === columns.length ? columns : undefined
}

function planGroup(
  name: string,
  label: string,
  places: Places,
  words: Wording,
): WidgetColumn[] | undefined {
  const at = name.lastIndexOf(':')
  const placed = places.find(at < 0 ? name : name.slice(0, at))
  if (!placed || at === 0) return undefined
  const { field } = placed
  const own = { ...NOTHING, of: name, name: toName(name), label, order: toName(name) }
  if (at >= 0) return planPart(name.slice(at + 1), { ...own, placed }, places, words)
  const kind = FIELD_KINDS[field.type]
  if (kind.structure || kind.number === 'scaled' || kind.isDated) return undefined
  const group: WidgetColumn = {
    ...own,
    sql: placed.sql,
    kind: 'group',
    type: field.type,
    isSpelled: isTextOrdered(field),
  }
  if (field.options.length === 0 && !field.references && !field.lookup) return [group]
  const text = composeText(placed, places, words)
  if (text === undefined) return undefined
  const named = { ...group, of: `${name}__Label`, name: `${group.name}__Label`, sql: text }
  return [group, { ...named, kind: 'label', type: 'Text' }]
}

/** The label of a group: of its option, or of the record that it is. */
function composeText(placed: PlacedField, places: Places, { served }: Wording) {
  const { field, sql } = placed
  if (field.references !== undefined || field.lookup) {
    const label = places.label(placed)
    return label && `min(${label})`
  }
  if (!FIELD_KINDS[field.type].isText) return undefined
  const cases = field.options.flatMap(({ value, label }) => {
    const text = renderMessage(label, served)
    return text === value ? [] : [`WHEN ${quoteText(value)} THEN ${quoteText(text)}`]
  })
  return cases.length === 0 ? sql : `CASE ${sql} ${cases.join(' ')} ELSE ${sql} END`
}

function planPart(
  word: string,
  { placed, ...own }: Omit<WidgetColumn, 'sql' | 'kind' | 'type'> & { placed: PlacedField },
  places: Places,
  { served }: Wording,
): WidgetColumn[] | undefined {
  const part = DATE_PARTS.find((each) => each === word)
  if (!part || !FIELD_KINDS[placed.field.type].isDated) return undefined
  const sql = composePartOf(places.local(placed), part)
  const type = part === 'hour' || part === 'weekday' ? 'Integer' : 'Text'
  const group: WidgetColumn = { ...own, sql, kind: 'part', type }
  if (part !== 'weekday') return [group]
  const cases = listWeekdays(served).map((day, at) => `WHEN ${at + 1} THEN ${quoteText(day)}`)
  const text = `CASE ${sql} ${cases.join(' ')} END`
  const named = { ...group, of: `${own.of}__Label`, name: `${own.name}__Label`, sql: text }
  return [group, { ...named, kind: 'label', type: 'Text' }]
}

type SentAggregate = NonNullable<BuiltRequest['Aggregates']>[number]

function planFigure(
  aggregate: SentAggregate,
  label: string,
  places: Places,
): WidgetColumn[] | undefined {
  const { Field: path, Function: fn, Per } = aggregate
  const placed = path ? places.find(path) : undefined
  const condition = composeConditions(listSent(aggregate.Filters), places)
  if (Per || (path && !placed) || condition === undefined) return undefined
  const name = nameOfAggregate(aggregate)
  const found =
    fn === 'share' ? composeShare(placed, condition) : composeFigure(fn, placed, condition)
  if (!found) return undefined
  const isCount = fn === 'count' || fn === 'countDistinct'
  const shown = isCount || fn === 'share' || !placed ? undefined : placed.field
  const isWhole = isCount || (shown !== undefined && scaleOf(shown) === 0 && fn !== 'avg')
  const column: WidgetColumn = {
    ...NOTHING,
    of: name,
    name: toName(name),
    label,
    ...found,
    order: found.order ?? toName(name),
    kind: 'figure',
    type: isWhole ? 'Integer' : 'Decimal',
    format: shown?.format,
    unit: shown?.unit,
  }
  return [column]
}

interface Figure {
  sql: string
  order?: string
}

const scaleOf = ({ type, scale }: Field): number =>
  FIELD_KINDS[type].number === 'scaled' ? (scale ?? DECIMAL_SCALE_DEFAULT) : 0

/** A number in whole units of its last place: sums of them are exact, as the explorer's are. */
function composeUnits({ field, sql }: PlacedField): string {
  const scale = scaleOf(field)
  return scale === 0 ? sql : `CAST(${composeUnitsSql(sql, scale)} AS INTEGER)`
}

const isNumber = ({ field }: PlacedField): boolean => FIELD_KINDS[field.type].number !== undefined

const onlyIf = (condition: string, sql: string): string =>
  condition === '' ? sql : `CASE WHEN ${condition} THEN ${sql} END`

function composeFigure(
  fn: string,
  placed: PlacedField | undefined,
  condition: string,
): Figure | undefined {
  if (!placed) {
    if (fn !== 'count') return undefined
    return { sql: condition === '' ? 'count(*)' : `count(${onlyIf(condition, '1')})` }
  }
  const value = onlyIf(condition, placed.sql)
  if (FIELD_KINDS[placed.field.type].structure) return undefined
  if (fn === 'count') return { sql: `count(${value})` }
  if (fn === 'countDistinct') return { sql: `count(DISTINCT ${value})` }
  if (!isNumber(placed)) return undefined
  if (fn === 'min' || fn === 'max') return { sql: `${fn}(${value})` }
  const scale = scaleOf(placed.field)
  const units = onlyIf(condition, composeUnits(placed))
  if (fn === 'sum') return { sql: scale === 0 ? `sum(${units})` : `sum(${units}) / 1e${scale}` }
  return fn === 'avg' ? composeAverage(units, placed.field, scale) : undefined
}

/** Decimals of the average of whole numbers, and the least of those of Decimals. */
const AVERAGE_SCALE = { whole: 6, scaled: 2 }

/** Rounded half away from zero in whole numbers, as the explorer does it. */
function composeAverage(units: string, { type }: Field, scale: number): Figure {
  const isScaled = FIELD_KINDS[type].number === 'scaled'
  const wanted = isScaled ? Math.max(scale, AVERAGE_SCALE.scaled) : AVERAGE_SCALE.whole
  const twice = `2 * abs(sum(${units})) * ${10 ** (wanted - scale)}`
  const rounded = `(${twice} + count(${units})) / (2 * count(${units}))`
  return {
    sql: `sign(sum(${units})) * (${rounded}) / 1e${wanted}`,
    order: `CAST(sum(${units}) AS REAL) / count(${units})`,
  }
}

/** A percentage: of the rows for which the condition holds, or of all groups. */
function composeShare(placed: PlacedField | undefined, condition: string): Figure | undefined {
  if (placed && !isNumber(placed)) return undefined
  const units = placed ? composeUnits(placed) : '1'
  const part = condition === '' ? units : `CASE WHEN ${condition} THEN ${units} ELSE 0 END`
  const whole = condition === '' ? `sum(sum(${units})) OVER ()` : `sum(${units})`
  return { sql: `round(100.0 * sum(${part}) / nullif(${whole}, 0), 2)` }
}
