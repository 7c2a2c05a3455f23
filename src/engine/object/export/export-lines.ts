/**
 * Lines in an export: fields of one detail, `Lines.Quantity`, in the form that an import reads. A
 * record has a row for each of its lines, and one without any has a row of its own.
 */
import { denied, invalid } from '../../../kernel/failure.ts'
import { renderMessage, say } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { Detail, View } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Shadowed } from '../../../model/sql/shadow.ts'
import { Grant } from '../../../access/rights/grant.ts'
import type { Bindings } from '../bindings.ts'
import { isContextName } from '../context.ts'
import { projectCell, requireExported } from './export-fields.ts'
import { composeJsonArray } from '../read/projection.ts'
import { composeOver } from '../read/row-forms.ts'
import { planSheetColumns } from '../read/sheet-columns.ts'
import { composeOrder, planSort } from '../read/sort.ts'
import { bindNames, findSource } from '../read/source.ts'
import type { ViewUse } from '../view-access.ts'
import type { SheetColumn } from '../../sheets/format.ts'

/** A field of an export: one of the view, or of the detail whose lines it has. */
export type ExportField = { own: Field } | { line: Field }

/** The detail whose lines an export has. */
interface LineScope {
  detail: Detail
  view: View
  grant: Grant
}

const nameOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf('.'))).toLowerCase()

/**
 * The fields of the names, and the detail that some of them name.
 * @throws invalid for unknown ones and for a second detail, denied without Export on its object
 */
export function planNamedFields(
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
  names: readonly string[],
): { fields: ExportField[]; lines: LineScope | undefined } {
  let lines: LineScope | undefined
  const fields = new Map<Field, ExportField>()
  for (const name of names) {
    const detail = view.details.find((each) => each.name.toLowerCase() === nameOf(name))
    if (!detail) {
      const own = requireExported(view, grant, name)
      fields.set(own, { own })
      continue
    }
    lines ??= planScope(detail, grant)
    if (lines.detail !== detail) {
      throw invalid(say`An export can have the lines of one detail. Leave out '${detail.name}'.`)
    }
    const line = requireExported(lines.view, lines.grant, name.slice(detail.name.length + 1))
    fields.set(line, { line })
  }
  return { fields: [...fields.values()], lines }
}

function planScope(detail: Detail, { caller, model, allCompanies }: Grant): LineScope {
  const view = model.views.get(detail.view)
  if (!view) throw new Error(`The view of the detail ${detail.name} is missing`)
  const grant = Grant.require(caller, model, view.resource, ['Export'], { allCompanies })
  if (!grant.reads) throw denied()
  if (!view.query.parameters.every((name) => isContextName(name, model))) {
    throw invalid(say`'${detail.name}' cannot be exported with its records`)
  }
  return { detail, view, grant }
}

/** The columns of fields in their order; those of lines have the detail before their heads. */
export function planColumns(
  { view, grant }: Pick<ViewUse, 'view' | 'grant'>,
  fields: readonly ExportField[],
  lines: LineScope | undefined,
): SheetColumn[] {
  const own = planSheetColumns(
    { view, grant },
    fields.flatMap((each) => ('own' in each ? each.own : [])),
  ).values()
  const ofLines = lines
    ? planSheetColumns(
        lines,
        fields.flatMap((each) => ('line' in each ? each.line : [])),
      ).map((column) => prefix(column, lines))
    : []
  const rest = ofLines.values()
  return fields.flatMap((each) => ('own' in each ? own : rest).next().value ?? [])
}

/** A dot in a label would end the detail's name elsewhere. */
function prefix(column: SheetColumn, { detail, grant }: LineScope): SheetColumn {
  const label = renderMessage(detail.label, grant.caller.language)
  const name = label.includes('.') ? detail.name : label
  return {
    ...column,
    name: `${detail.name}.${column.name}`,
    label: `${name}.${column.label}`,
  }
}

/** The lines as they are joined to their records, in both forms of the statement. */
interface LineJoin {
  /** `LEFT JOIN …`, behind the records as `svc_base`. */
  join: Shadowed
  /** The order of a record's lines. */
  order: string
  /** The cells of the fields, in their order. */
  cells: string[]
}

/** Plans the join; values of the statement are bound. */
export function planLineJoin(
  { view, grant, context }: ViewUse,
  fields: readonly ExportField[],
  { lines, bindings }: { lines: LineScope; bindings: Bindings },
): LineJoin {
  const { detail } = lines
  const source = findSource(lines.view, lines.grant, 'export')
  bindNames(source.names, bindings, context, { view: lines.view, parameters: new Map() })
  const own = fields.flatMap((each) => ('line' in each ? each.line : []))
  const row = composeJsonArray(own.map((field) => projectCell(field, lines.view, lines.grant)))
  const keys = detail.parent.map(({ child }, at) => `${quote(child)} AS svc_k${at}`)
  const order = composeOrder(planSort(lines.view, lines.grant, undefined))
  const numbered = `row_number() OVER (ORDER BY ${order}) AS svc_n`
  const cells = [`${row} AS svc_row`, ...keys, numbered].join(', ')
  const rows = composeOver(
    source,
    (form) => `${form.with}SELECT ${cells} FROM ${form.from} ${form.where([])}`,
  )
  const on = detail.parent
    .map(({ parent }, at) => `svc_line.svc_k${at} = svc_base.${quote(parent)}`)
    .join(' AND ')
  const join = (sql: string): string => `LEFT JOIN (${sql}) AS svc_line ON ${on}`
  let place = 0
  return {
    join: { sql: join(rows.sql), own: rows.own && (() => join(rows.own?.() ?? rows.sql)) },
    order: 'svc_line.svc_n',
    cells: fields.map((each) =>
      'own' in each ? projectCell(each.own, view, grant) : `(svc_line.svc_row -> '$[${place++}]')`,
    ),
  }
}
