/**
 * An answer of the assistant as a DataSet and a Widget for the report designer, where it is certain
 * that they say the same to every reader (src/engine/README.md, Assistant).
 */
import { type Message, renderMessage } from '../../../kernel/messages.ts'
import { OPERATORS } from '../../../model/operators.ts'
import { quote } from '../../../model/sql/quote.ts'
import { WIDGET_KINDS, type WidgetKind } from '../../../model/widget-kinds.ts'
import { Grant } from '../../../access/rights/grant.ts'
import type { AssistantCall } from '../assistant-call.ts'
import type { BuiltRequest } from '../builtin/decide.ts'
import { planColumns, type WidgetColumn, type Wording } from './columns.ts'
import { composeConditions } from './conditions.ts'
import { hasRowsOf, meansOwn, type Reading } from './held-rows.ts'
import { Places } from './places.ts'
import { DESIGNER_SQL } from '../../floor.ts'
import { HAVING_OPERATORS } from '../../object-explorer/schema.ts'
import { isContextName } from '../../object/context.ts'
import { DATE_PARTS, type DatePart } from '../../object/date-parts.ts'

/** XML of a report: one child of DataSets, and one of Widgets. */
interface ToWidget {
  DataSet: string
  Widget: string
}

/** A question that was read, in words too. */
interface AnsweredQuestion {
  request: BuiltRequest
  explanation: Message
  /** The groups and figures of the request, as the explanation says them. */
  names: Pick<Wording, 'groups' | 'figures'>
  /** The language that was asked in. */
  language: string
}

/**
 * The widget that says what a query answered; undefined where another reader might see another, and
 * for who may not put it into a report: it names tables and roles.
 */
export function toWidget(by: AssistantCall, found: AnsweredQuestion): ToWidget | undefined {
  if (!Grant.find(by.caller, by.model, 'ReportDefinitions', 'Update')) return undefined
  const { request, language, names } = found
  const words = { ...names, asked: language, served: by.caller.language }
  const planned = planQuery(by, request, words)
  if (!planned) return undefined
  const { columns, lines, roles } = planned
  const [group, ...others] = columns.filter(({ kind }) => kind !== 'figure' && kind !== 'label')
  const figures = columns.filter(({ kind }) => kind === 'figure')
  const kind = chooseKind(group, others.length, figures.length)
  const name = nameWidget(request)
  const { reads, hasCategory, listsRows } = WIDGET_KINDS[kind]
  const mode = reads === 'figure' ? ' Mode="Single"' : ''
  const text = escapeText(lines.map((line) => `\n      ${line}`).join(''), /[&<>]/g)
  const label = group && (columns.find(({ of }) => of === `${group.of}__Label`) ?? group)
  const attributes = {
    Name: name,
    Label: renderMessage(found.explanation, language),
    Kind: kind,
    DataSet: name,
    ...(label && hasCategory && { Category: label.name, CategoryLabel: label.label }),
    ...(roles && { AllowedRoles: roles.join(' ') }),
  }
  const shown = listsRows ? listShown(columns) : figures
  return {
    DataSet: `<DataSet Name="${name}"${mode}><Sql>${text}\n    </Sql></DataSet>`,
    Widget: `<Widget${writeAttributes(attributes)}>${shown.map(writeSeries).join('')}</Widget>`,
  }
}

interface PlannedQuery {
  columns: WidgetColumn[]
  lines: string[]
  roles: string[] | undefined
}

function planQuery(
  by: AssistantCall,
  request: BuiltRequest,
  words: Wording,
): PlannedQuery | undefined {
  const { model, caller } = by
  const view = model.views.get(request.ObjectName)
  const grant = view && Grant.find(caller, model, view.resource, 'List')
  const reading: Reading = { model, sql: by.engine.settings.get(DESIGNER_SQL) }
  if (!grant || !view.entity || asksMore(request)) return undefined
  if (!hasRowsOf(reading, view, view.entity)) return undefined
  const table = quote(view.entity.table)
  const preset = view.presets.find(({ name }) => name === request.Preset)?.where
  if (request.Preset !== undefined) {
    const isFree = preset?.parameters.every((each) => isContextName(each, model)) ?? false
    if (!preset || !isFree || !meansOwn(preset, view, view.entity)) return undefined
  }
  const places = new Places({ view, entity: view.entity, alias: 'o' }, grant, reading)
  const where = composeConditions(request.Filters ?? [], places)
  const columns = planColumns(request, places, words)
  if (!columns) return undefined
  const having = composeHaving(request, columns)
  const order = composeOrder(request, columns)
  if (where === undefined || having === undefined || order === undefined) return undefined
  const groups = columns.flatMap(({ kind }, at) =>
    kind === 'group' || kind === 'part' ? [String(at + 1)] : [],
  )
  const from = preset ? `(SELECT * FROM ${table} WHERE ${preset.text.trim()})` : table
  const lines = [
    `SELECT ${columns.map(({ sql, name }) => `${sql} AS ${quote(name)}`).join(', ')}`,
    `FROM ${from} o`,
    ...places.joins,
    ...(where === '' ? [] : [`WHERE ${where}`]),
    ...(groups.length === 0 ? [] : [`GROUP BY ${groups.join(', ')}`]),
    ...(having === '' ? [] : [`HAVING ${having}`]),
    ...(order === '' ? [] : [`ORDER BY ${order}`]),
    ...(typeof request.Limit === 'number' ? [`LIMIT ${request.Limit}`] : []),
  ]
  return { columns, lines, roles: places.roles }
}

/** Parts of a query that a dataset is not made of. */
const asksMore = (request: BuiltRequest): boolean =>
  [request.Fields, request.With, request.Without, request.Parameters, request.SearchText].some(
    (each) => each !== undefined && each !== null,
  ) || request.AllCompanies === true

function composeHaving(
  { Having = [] }: BuiltRequest,
  columns: readonly WidgetColumn[],
): string | undefined {
  const parts = (Having ?? []).map(({ Field, Operator, Value }) => {
    const column = columns.find(({ of, kind }) => kind === 'figure' && of === Field)
    const sign = HAVING_OPERATORS.find((each) => each === Operator)
    if (!column || !sign || column.sql.includes(' OVER ')) return undefined
    if (typeof Value === 'number') return `${column.sql} ${OPERATORS[sign].order?.sql} ${Value}`
    return Value.length === 2 ? `${column.sql} BETWEEN ${Value.join(' AND ')}` : undefined
  })
  return parts.includes(undefined) ? undefined : parts.join(' AND ')
}

/** The answer's own order. Among the first of many letters may decide: those are left out. */
function composeOrder(
  { Sort, Limit }: BuiltRequest,
  columns: readonly WidgetColumn[],
): string | undefined {
  const groups = columns.filter(({ kind }) => kind === 'group' || kind === 'part')
  if (typeof Limit === 'number' && groups.some(({ isSpelled }) => isSpelled)) return undefined
  const write = ({ order, name, isSpelled }: WidgetColumn, direction: string): string => {
    if (isSpelled) return `lower(${quote(name)})${direction}, ${quote(name)}${direction}`
    return `${order === name ? quote(name) : order}${direction}`
  }
  const sorted = (Sort ?? []).map(({ Field, Direction }) => {
    const column = columns.find(({ of }) => of.toLowerCase() === Field.toLowerCase())
    if (!column || column.kind === 'label') return undefined
    return write(column, Direction?.toLowerCase() === 'desc' ? ' DESC' : '')
  })
  if (sorted.includes(undefined)) return undefined
  const rest = groups.map((group) => write(group, ''))
  return [...new Set([...sorted, ...rest])].join(', ')
}

/** Parts of a date that follow each other, unlike the days of the week. */
const COURSE: ReadonlySet<DatePart> = new Set<DatePart>(
  DATE_PARTS.filter((part) => part !== 'hour' && part !== 'weekday'),
)

function chooseKind(group: WidgetColumn | undefined, others: number, figures: number): WidgetKind {
  if (!group) return figures === 1 ? 'Kpi' : 'Table'
  if (others > 0) return 'Table'
  const part = DATE_PARTS.find((each) => group.of.endsWith(`:${each}`))
  return part && COURSE.has(part) ? 'Line' : 'Bar'
}

/** Of a group with a label the label. */
const listShown = (columns: readonly WidgetColumn[]): WidgetColumn[] =>
  columns.filter(({ of }) => !columns.some((each) => each.of === `${of}__Label`))

/** `OrdersByRegion`. */
function nameWidget({ ObjectName, GroupBy }: BuiltRequest): string {
  const by = (GroupBy ?? []).map((name) => name.replace(/[^A-Za-z0-9_]/g, ''))
  return by.length === 0 ? `${ObjectName}Figure` : `${ObjectName}By${by.join('And')}`
}

function writeSeries({ name, label, format, unit, type, kind }: WidgetColumn): string {
  const attributes = {
    Column: name,
    Label: label,
    ...(kind === 'figure' && { Type: type }),
    ...(kind === 'figure' && format !== undefined && { Format: format }),
    ...(kind === 'figure' && unit !== undefined && { Unit: renderMessage(unit) }),
  }
  return `<Series${writeAttributes(attributes)}/>`
}

const writeAttributes = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeText(value.replace(UNWRITABLE, ' '))}"`)
    .join('')

/** Characters that a label cannot have in XML, or that a parser would change. */
const UNWRITABLE = /[\p{Cc}\p{Cs}\ufffe\uffff]/gu

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

const escapeText = (text: string, signs = /[&<>"]/g): string =>
  text.replace(signs, (sign) => ESCAPES[sign] ?? sign)
