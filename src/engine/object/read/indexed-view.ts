/**
 * A view's records in the index of the global search (src/engine/README.md, Global search): the
 * searched fields with their places, and the statements that read them. The caller makes no
 * difference, because everyone of a company shares the entries.
 */
import { createHash } from 'node:crypto'
import { generateQuery } from '../../../model/compile/view-query.ts'
import type { AuthoredSql } from '../../../model/compiled/authored-sql.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { LabelSql } from '../../../model/compiled/label-sql.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Model } from '../../../model/model.ts'
import { CHANGED_KEYS } from '../../../model/sql/label.ts'
import { quote } from '../../../model/sql/quote.ts'
import { planShadows, withShadows } from '../../../model/sql/shadow.ts'
import { findLabel } from './labels.ts'
import { findOutput, findReferring } from './query-shape.ts'

/** Most characters of a field that are searched. */
const INDEXED_CHARACTERS = 4000
/** Format of entries; entries of another format are made again. */
const FORMAT = 1

/** A field that the global search looks into, at its place in the index. */
export interface IndexedField {
  place: number
  isTitle: boolean
  field: Field
  /** The label of its values, if they refer to records. */
  label: Field | undefined
}

/** A view whose records the global search finds. */
export interface IndexedView {
  view: View
  entity: Entity
  /** A hash of all that decides which words an entry has. */
  definition: string
  fields: readonly IndexedField[]
  /** The records are the rows of the view, and not of its entity alone. */
  isOfView: boolean
  /** Output columns of the view that hold the key, in the entity's order. */
  keys: readonly string[]
  /** Gives `_key0` … and `_text0` …, by place, of the rows whose keys are in `@_keys`. */
  some: string
  /** Gives `_key0` … of `@_rows` rows in the order of keys; `next`: rows after `@_after0` …. */
  first: string
  next: string
  /**
   * Records that the words come from, by table (in lower case), without the view's own table.
   */
  watched: ReadonlyMap<string, WatchedRecords>
}

/** The rows of a view that a record of another table is in. */
export interface WatchedRecords {
  /** Its columns that the words may come from; undefined for any. In lower case. */
  columns: ReadonlySet<string> | undefined
  /** The rows that refer to the records of the keys in `@_changed`: as `first` and `next`. */
  referring: { some: string; first: string; next: string } | undefined
  /** The column of the record that refers to the view's record. */
  child: string | undefined
}

const known = new WeakMap<Model, IndexedView[]>()

/** The views that the global search finds records of, in the model's order. */
export function listIndexedViews(model: Model): readonly IndexedView[] {
  return known.getOrInsertComputed(model, () =>
    [...model.views.values()].flatMap((view) => {
      const { entity, search } = view
      if (!search || !entity || entity.builtIn) return []
      return planIndexedView(model, view, entity)
    }),
  )
}

const indexes = new WeakMap<Model, Map<string, IndexedView[]>>()

/** Lists the indexes that a change of a table may concern; `table` is its name in lower case. */
export function listIndexedBy(model: Model, table: string): readonly IndexedView[] {
  const byTable = indexes.getOrInsertComputed(model, () => {
    const all = new Map<string, IndexedView[]>()
    for (const indexed of listIndexedViews(model)) {
      const own = indexed.entity.table.toLowerCase()
      for (const name of new Set([own, ...indexed.watched.keys()]))
        all.set(name, [...(all.get(name) ?? []), indexed])
    }
    return all
  })
  return byTable.get(table.toLowerCase()) ?? []
}

/** The text of a field over a row of its view: it is searched, and snippets are cut from it. */
export function composeSearched(
  { field, label }: Pick<IndexedField, 'field' | 'label'>,
  scope: 'company' | 'all',
): string {
  const value = quote(field.name)
  const name = label?.labelSql?.[scope]
  const texts =
    name === undefined ? [value] : FIELD_KINDS[field.type].isText ? [value, name] : [name]
  const text = texts.length > 1 ? `concat_ws(' ', ${texts.join(', ')})` : texts.join('')
  return `substr(CAST(${text} AS TEXT), 1, ${INDEXED_CHARACTERS})`
}

function planIndexedView(model: Model, view: View, entity: Entity): IndexedView {
  const { title, text } = view.search ?? { title: undefined, text: [] }
  const fields = [...(title === undefined ? [] : [title]), ...text].flatMap((name, place) => {
    const field = view.fieldByName.get(name.toLowerCase())
    const isText = field && FIELD_KINDS[field.type].structure === undefined
    if (!isText) return []
    return {
      place,
      isTitle: title !== undefined && place === 0,
      field,
      label: findLabel(view, field),
    }
  })
  const keys = entity.keys.map(
    (key) => view.keys.find(({ column }) => column === key)?.name ?? key.name,
  )
  const rows = planRows(model, entity, { query: view.query, keys, fields })
  const isOfView = rows.query === view.query
  return {
    view,
    entity,
    keys,
    isOfView,
    fields: rows.fields,
    ...planStatements(model, entity, rows),
  }
}

/** Rows of a view, or of its entity alone. */
interface Rows {
  query: AuthoredSql
  keys: readonly string[]
  fields: readonly IndexedField[]
  labels: readonly LabelSql[]
}

/** Plans the rows; a query that tells callers or companies apart gives way to entity columns. */
function planRows(
  model: Model,
  entity: Entity,
  { query, keys, fields }: Omit<Rows, 'labels'>,
): Rows {
  const labels = fields.flatMap(({ label }) => label?.labelSql ?? [])
  const queries = [query, ...labels.flatMap((each) => each.query ?? [])]
  const isOfCompany = queries.every(({ parameters }) =>
    parameters.every((name) => name === 'CurrentCompanyId'),
  )
  const reads = [...queries, ...labels].flatMap((each) => each.reads)
  const isScoped = reads.some((table) => isHeld(model, table))
  if (isOfCompany && (entity.company !== undefined || !isScoped))
    return { query, keys, fields, labels }
  const own = fields.flatMap((each) => {
    const output = findOutput(query, each.field.name)
    const isOwn = output?.table?.toLowerCase() === entity.table.toLowerCase()
    const isSame = output?.column?.toLowerCase() === each.field.name.toLowerCase()
    return isOwn && isSame ? { ...each, label: undefined } : []
  })
  const names = entity.keys.map(({ name }) => name)
  return { query: generateQuery(entity), keys: names, fields: own, labels: [] }
}

/** Tells whether companies read different rows of a table. */
const isHeld = (model: Model, table: string): boolean => {
  const entity = model.entityByTable.get(table.toLowerCase())
  return entity === undefined || entity.builtIn || entity.company !== undefined
}

type Statements = Pick<IndexedView, 'definition' | 'some' | 'first' | 'next' | 'watched'>

function planStatements(model: Model, entity: Entity, rows: Rows): Statements {
  const { query, keys, fields, labels } = rows
  const reads = new Set(
    [query, ...labels.flatMap((each) => each.query ?? [])].flatMap((q) => q.reads),
  )
  const shadows = withShadows(planShadows(model, reads, 'company'))
  const from = `(\n${query.text}\n)`
  const names = keys.map(quote)
  const cells = names.map((name, at) => `${name} AS _key${at}`)
  const texts = fields.map((each) => `${composeSearched(each, 'company')} AS _text${each.place}`)
  const wanted = names.map((_, at) => `json_extract(value, '$[${at}]') AS _want${at}`)
  const same = names.map((name, at) => `${name} = _want${at}`).join(' AND ')
  const some =
    `${shadows}SELECT ${[...cells, ...texts].join(', ')} FROM ` +
    `(SELECT ${wanted.join(', ')} FROM json_each(@_keys)) CROSS JOIN ${from} WHERE ${same}`
  const order = names.join(', ')
  const after = `(${order}) > (${names.map((_, at) => `@_after${at}`).join(', ')})`
  const list = (conditions: readonly string[], end: string): string => {
    const where = conditions.length > 0 ? ` WHERE (${conditions.join(') AND (')})` : ''
    return `${shadows}SELECT ${cells.join(', ')} FROM ${from}${where}${end} LIMIT @_rows`
  }
  const pages = (conditions: readonly string[]) => ({
    some: list(conditions, ''),
    first: list(conditions, ` ORDER BY ${order}`),
    next: list([...conditions, after], ` ORDER BY ${order}`),
  })
  const { first, next } = pages([])
  const watched = new Map<string, WatchedRecords>()
  for (const table of listWatched(entity, rows)) {
    const refers = planReferring(model, entity, rows, table)
    watched.set(table, {
      columns: listColumns(rows, table),
      referring: refers === undefined ? undefined : pages([refers]),
      child: findChild(model, entity, table),
    })
  }
  const definition = createHash('sha256')
    .update(JSON.stringify([FORMAT, some, fields.map(({ place }) => place)]))
    .digest('hex')
  return { definition, some, first, next, watched }
}

/** Tables that words come from; the view's own where a record names another one of it. */
function listWatched({ table: own }: Entity, { query, labels }: Rows): Set<string> {
  const named = labels.flatMap((each) => [...each.reads, ...(each.query?.reads ?? [])])
  const read = query.reads.filter((table) => table.toLowerCase() !== own.toLowerCase())
  return new Set([...read, ...named].map((table) => table.toLowerCase()))
}

/** The condition that a row of the view refers to a changed record; undefined where unknown. */
function planReferring(
  model: Model,
  { table: own }: Entity,
  { query, labels }: Rows,
  table: string,
): string | undefined {
  const conditions = new Set<string>()
  const isRead = query.reads.some((each) => each.toLowerCase() === table)
  if (isRead && table !== own.toLowerCase()) {
    const column = findReferring(query, table, model)
    if (column === undefined) return undefined
    conditions.add(`${quote(column)} IN (${CHANGED_KEYS})`)
  }
  for (const label of labels) {
    if (label.query?.reads.some((each) => each.toLowerCase() === table)) return undefined
    for (const step of label.steps)
      if (step.table.toLowerCase() === table) conditions.add(step.condition)
  }
  return conditions.size > 0 ? [...conditions].join(' OR ') : undefined
}

/** The columns of a table that the query takes; any, where a label reads it. */
function listColumns({ query, labels }: Rows, table: string): Set<string> | undefined {
  const isLabel = labels.some((label) =>
    [...label.reads, ...(label.query?.reads ?? [])].some((each) => each.toLowerCase() === table),
  )
  if (isLabel) return undefined
  const cells = query.cells.map((cell) => cell.toLowerCase())
  const head = `${table}.`
  return new Set(
    cells.filter((cell) => cell.startsWith(head)).map((cell) => cell.slice(head.length)),
  )
}

/** The one column by which a table's records belong to records of the entity. */
function findChild(model: Model, entity: Entity, table: string): string | undefined {
  if (entity.keys.length !== 1) return undefined
  const columns = model.entityByTable.get(table)?.columns ?? []
  const [only, ...others] = columns.filter(({ references }) => references === entity.name)
  return others.length === 0 ? only?.name : undefined
}
