/** What stored values are called: `<Field>__Label`, as expressions over a row of a view. */
import type { Column, Entity, Field, LabelSql, OutputColumn, View } from '../model.ts'
import { quote } from '../quote.ts'
import type { Compilation } from './compilation.ts'

/** Labels of labels (a Display that is a reference itself) are followed this far. */
const DEPTH_MAX = 3

/**
 * A label field for each field that refers to records, unless the query puts one out itself. What
 * it is made of is known once every view stands.
 */
export function listLabels(
  c: Compilation,
  view: () => View | undefined,
  fields: readonly Field[],
  outputs: readonly OutputColumn[],
): Field[] {
  const taken = new Set(outputs.map((output) => output.name.toLowerCase()))
  return fields.flatMap((field) => {
    const name = `${field.name}__Label`
    const isTold = field.references !== undefined || field.lookup !== undefined
    if (!isTold || taken.has(name.toLowerCase())) return []
    const label = makeLabelField(field, name)
    c.whenViewed(() => {
      const own = view()
      if (own) label.labelSql = planLabel(c, field, own)
    })
    return [label]
  })
}

/** Read-only, a Text, and served where its field is. */
function makeLabelField(field: Field, name: string): Field {
  return {
    ...field,
    name,
    type: 'Text',
    labelOf: field.name,
    column: undefined,
    readOnly: true,
    required: false,
    maxLength: undefined,
    scale: undefined,
    min: undefined,
    max: undefined,
    pattern: undefined,
    options: [],
    default: undefined,
    lookup: undefined,
    dataSet: undefined,
    references: undefined,
    requiredWhen: undefined,
    visibleWhen: undefined,
    readOnlyWhen: undefined,
    searchable: false,
  }
}

/** By the lookup's columns, else by the Display of the entity that it refers to. */
function planLabel(c: Compilation, field: Field, view: View): LabelSql | undefined {
  const value = quote(field.link ? LINKED_VALUE : field.name)
  const looked = field.lookup && c.viewByKey.get(field.lookup.view.toLowerCase())
  const entity = looked?.entity ?? c.entities.get(field.references ?? '')
  if (!entity) return undefined
  const named = field.lookup?.label ?? []
  const columns = named.length > 0 ? ownColumns(looked, named) : displayOf(entity)
  const isTenant = view.entity?.company !== undefined
  if (columns) return planEntityLabel(c, { entity, columns, value, isTenant })
  return looked && planViewLabel(looked, named, value)
}

/** How the value of a list of keys is called inside of its query. */
export const LINKED_VALUE = '_value'

/** The columns behind a view's fields; undefined when one is no column of its entity. */
function ownColumns(view: View | undefined, names: readonly string[]): Column[] | undefined {
  const columns = names.flatMap((name) => view?.fieldByName.get(name.toLowerCase())?.column ?? [])
  return columns.length === names.length ? columns : undefined
}

const displayOf = (entity: Entity): Column[] =>
  entity.display.flatMap((name) => entity.columnByName.get(name.toLowerCase()) ?? [])

interface EntityLabel {
  entity: Entity
  columns: readonly Column[]
  /** The referring value, quoted. */
  value: string
  /** Whether the row that refers is a company's own. */
  isTenant: boolean
}

function planEntityLabel(c: Compilation, label: EntityLabel): LabelSql {
  const reads = new Set<string>()
  const texts = (['company', 'all'] as const).map((scope) => compose(c, label, scope, 1, reads))
  return { company: texts[0] ?? '', all: texts[1] ?? '', reads: [...reads], query: undefined }
}

/**
 * A scalar subquery by the key. Its inner names begin with `_`, as no column of a model does, so
 * that the referring value is always the row's own.
 */
function compose(
  c: Compilation,
  { entity, columns, value, isTenant }: EntityLabel,
  scope: 'company' | 'all',
  depth: number,
  reads: Set<string>,
): string {
  const key = entity.keys[0]
  if (!key) return 'NULL'
  reads.add(entity.table)
  const inner = columns.map((column, at) => `${quote(column.name)} AS _d${depth}_${at}`)
  const company = entity.company !== undefined ? [`${quote(entity.company)} AS _c${depth}`] : []
  const parts = columns.map((column, at) => {
    const name = `_d${depth}_${at}`
    const next = depth < DEPTH_MAX ? c.entities.get(column.references ?? '') : undefined
    if (!next) return column.type === 'Text' ? name : `CAST(${name} AS TEXT)`
    const nested = { entity: next, columns: displayOf(next), value: name, isTenant }
    return compose(c, nested, scope, depth + 1, reads)
  })
  const list = [`${quote(key.name)} AS _k${depth}`, ...inner, ...company].join(', ')
  return (
    `(SELECT ${joinTexts(parts)} FROM (SELECT ${list} FROM main.${quote(entity.table)}) ` +
    `WHERE _k${depth} = ${value}${planCompany(entity, scope, isTenant, depth)})`
  )
}

/**
 * A record of another company has no label. A user who has left stays known to the records of the
 * company that they served; records that all companies share tell of the company's users alone.
 */
function planCompany(
  entity: Entity,
  scope: 'company' | 'all',
  isTenant: boolean,
  depth: number,
): string {
  if (scope === 'all') return ''
  if (entity.company !== undefined) return ` AND _c${depth} = @CurrentCompanyId`
  if (!entity.builtIn || isTenant) return ''
  const members = 'SELECT UserId FROM main.svc_user_companies WHERE CompanyId = @CurrentCompanyId'
  return ` AND _k${depth} IN (${members})`
}

/** Labels that only the looked-up view's query knows. */
function planViewLabel(view: View, names: readonly string[], value: string): LabelSql | undefined {
  const key = view.keys[0]
  if (!key) return undefined
  const inner = names.map((name, at) => `${quote(name)} AS _d${at}`)
  const parts = names.map((_, at) => `CAST(_d${at} AS TEXT)`)
  const list = [`${quote(key.name)} AS _k`, ...inner].join(', ')
  const text =
    `(SELECT ${joinTexts(parts)} FROM (SELECT ${list} FROM (\n${view.query.text}\n)) ` +
    `WHERE _k = ${value})`
  return { company: text, all: text, reads: [], query: view.query }
}

const joinTexts = (parts: readonly string[]): string =>
  parts.length === 1 ? (parts[0] ?? 'NULL') : `concat_ws(' ', ${parts.join(', ')})`
