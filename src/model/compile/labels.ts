/**
 * Labels of stored values: `<Field>__Label` over a row of a view, `{Column__Label}` in the texts of
 * effects.
 */
import type { Compilation } from './compilation.ts'
import type { OutputColumn } from '../compiled/authored-sql.ts'
import type { TextLabel } from '../compiled/effect.ts'
import type { Column } from '../compiled/entity.ts'
import type { FieldFeatures } from '../compiled/field-features.ts'
import type { Field, Link } from '../compiled/field.ts'
import type { LabelSql, LabelStep } from '../compiled/label-sql.ts'
import type { View } from '../compiled/view.ts'
import {
  composeJoinedLabel,
  composeLabel,
  displayOf,
  isJoined,
  joinTexts,
  type RecordLabel,
} from '../sql/label.ts'
import { quote } from '../sql/quote.ts'

/**
 * Lists a label field for each field that refers to records, unless the query has one itself. Its
 * parts are known once every view is compiled.
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
    const isReference = field.references !== undefined || field.lookup !== undefined
    if (!isReference || taken.has(name.toLowerCase())) return []
    const label = makeLabelField(field, name)
    c.whenViewed(() => {
      const own = view()
      if (!own) return
      checkLooked(c, field)
      composeOnRequest(label, () => planLabel(c, field, own.entity?.company !== undefined))
    })
    return [label]
  })
}

/** A Lookup shows the records that the reference means. */
function checkLooked(c: Compilation, { name, lookup, references }: Field): void {
  if (!lookup) return
  const looked = c.viewByKey.get(lookup.view.toLowerCase())
  if (!looked?.entity || references === undefined || looked.entity.name === references) return
  const message = `${looked.name} shows ${looked.entity.name}, but ${name} refers to ${references}`
  c.faults.add(lookup.place, `Lookup: ${message}`)
}

/** Most views of a large model are not opened for a long time: a start does not wait for theirs. */
function composeOnRequest(
  label: { labelSql: LabelSql | undefined },
  compose: () => LabelSql | undefined,
): void {
  let made: { sql: LabelSql | undefined } | undefined
  const get = (): LabelSql | undefined => (made ??= { sql: compose() }).sql
  Object.defineProperty(label, 'labelSql', { get, enumerable: true, configurable: true })
}

/** Read-only, a Text, and served where its field is. */
export function makeLabelField(field: Field, name: string): Field {
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

/**
 * Plans a label by the lookup's columns, else by the Display of the referenced entity; over a row
 * that has the value under the name of its field.
 */
function planLabel(
  c: Compilation,
  field: FieldFeatures & { link?: Link | undefined },
  isTenant: boolean,
): LabelSql | undefined {
  const value = quote(field.link ? LINKED_VALUE : field.name)
  const looked = field.lookup && c.viewByKey.get(field.lookup.view.toLowerCase())
  const entity = looked?.entity ?? c.entities.get(field.references ?? '')
  if (!entity) return undefined
  const named = field.lookup?.label ?? []
  const columns = named.length > 0 ? ownColumns(looked, named) : displayOf(entity)
  if (columns) return planEntityLabel(c, { entity, columns, value, isTenant }, field)
  return looked && planViewLabel(looked, named, value)
}

/** Name of a value of a list of keys inside of its query. */
const LINKED_VALUE = '_value'

/** Finds the columns behind a view's fields; undefined if one is not a column of its entity. */
function ownColumns(view: View | undefined, names: readonly string[]): Column[] | undefined {
  const columns = names.flatMap((name) => view?.fieldByName.get(name.toLowerCase())?.column ?? [])
  return columns.length === names.length ? columns : undefined
}

function planEntityLabel(
  c: Compilation,
  label: RecordLabel,
  field: FieldFeatures & { link?: Link | undefined },
): LabelSql {
  const steps: LabelStep[] = []
  const company = composeLabel(c.entities, label, 'company', steps)
  const join = (scope: 'company' | 'all') =>
    composeJoinedLabel(c.entities, label, scope, field.name)
  return {
    company,
    all: composeLabel(c.entities, label, 'all', []),
    reads: [...new Set(steps.map(({ table }) => table))],
    steps,
    query: undefined,
    join:
      isJoined(label.entity) && !field.link
        ? { company: join('company'), all: join('all') }
        : undefined,
  }
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
  return { company: text, all: text, reads: [], steps: [], query: view.query, join: undefined }
}

/** Features that have labels in texts: columns of the row, parameters. */
export interface LabelScope {
  features: () => Iterable<FieldFeatures>
  /** True when the row is a company's own. */
  isTenant: boolean
}

/** The scope without labelled values. */
export const NO_LABELS: LabelScope = { features: () => [], isTenant: true }

/** Returns the name of the label of a column or parameter. */
const labelName = (name: string): string => `${name}__Label`

/** Lists the names of labels: of options, and of records that are referred to. */
export function listLabelNames(scope: LabelScope): string[] {
  return listLabelled(scope).map(({ name }) => labelName(name))
}

/** The labels that some texts name, each once; composed when the first of them is filled in. */
export function planTextLabels(
  c: Compilation,
  scope: LabelScope,
  named: ReadonlySet<string>,
): TextLabel[] {
  if (![...named].some((name) => name.endsWith('__label'))) return []
  const found = new Map<string, TextLabel>()
  for (const feature of listLabelled(scope)) {
    const name = labelName(feature.name).toLowerCase()
    if (!named.has(name) || found.has(name)) continue
    const label: TextLabel = { name, of: feature, labelSql: undefined }
    if (isReference(feature)) composeOnRequest(label, () => planLabel(c, feature, scope.isTenant))
    found.set(name, label)
  }
  return [...found.values()]
}

const isReference = ({ references, lookup }: FieldFeatures): boolean =>
  references !== undefined || lookup !== undefined

const listLabelled = ({ features }: LabelScope): FieldFeatures[] =>
  [...features()].filter((feature) => feature.options.length > 0 || isReference(feature))
