/**
 * Records of a view that a caller finds. The index gives candidates alone: they are joined to the
 * rows that the caller reaches, and their shown and scored texts are read there. So company, row
 * filter and field rules hold as they do in a grid, whatever the index has.
 */
import type { SqlArg, SqlRead, SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import type { View } from '../../model/compiled/view.ts'
import { quote } from '../../model/sql/quote.ts'
import type { Grant } from '../../access/rights/grant.ts'
import type { Scope } from './text-index/entries.ts'
import { composeMatch, type Term } from './text-index/match.ts'
import { Bindings } from '../object/bindings.ts'
import {
  composeSearched,
  type IndexedField,
  type IndexedView,
} from '../object/read/indexed-view.ts'
import { visibleFields } from '../object/read/projection.ts'
import type { RowForm } from '../object/read/row-forms.ts'
import { bindNames, composeOnce, findSource } from '../object/read/source.ts'
import type { ViewUse } from '../object/view-access.ts'

/** Records of a view that are read to choose the best of them; a total is exact up to here … */
const CANDIDATES_MAX = 100
/** … and up to here for who sees every row. */
export const TOTAL_MAX = 1000

/** A view as a caller searches it. */
export interface SearchUse extends ViewUse {
  indexed: IndexedView
  /** The fields that the caller sees on every row. */
  fields: readonly IndexedField[]
}

/** A record that was found, as the caller sees it. */
export interface FoundRecord {
  key: readonly SqlValue[]
  /** The texts of the fields, in their order. */
  texts: readonly string[]
}

/** The records of a view that a caller finds. */
export interface FoundRecords {
  records: readonly FoundRecord[]
  /** The number of records, or as many as were counted. */
  total: number
  /** True when there are no more than `total`. */
  isExact: boolean
}

/**
 * A view as a caller searches it: with the fields that every row shows on a surface that the caller
 * may open. Undefined where there are none: hidden fields are not searched.
 */
export function findSearchUse(use: ViewUse, indexed: IndexedView): SearchUse | undefined {
  const { view, grant } = use
  const served = new Set([
    ...(grant.may('List') ? visibleFields(view, grant, 'Grid') : []),
    ...(grant.may('View')
      ? [...visibleFields(view, grant, 'Form'), ...visibleFields(view, grant, 'View')]
      : []),
  ])
  const fields = indexed.fields.filter(
    ({ field, label }) =>
      isWhole(view, grant, field.name) && (served.has(field) || (label && served.has(label))),
  )
  return fields.length > 0 ? { ...use, indexed, fields } : undefined
}

/** True when no row hides the field. */
const isWhole = (view: View, { access, resource }: Grant, name: string): boolean =>
  view.resource !== resource || !access.masked.has(name.toLowerCase())

/** The terms of a search, and the scope to search. */
export interface SearchTerms {
  terms: readonly Term[]
  scope: Scope
}

/** The source of candidates: a part of a statement that gives `_key0` …, and its arguments. */
interface Candidates {
  sql: string
  args: Readonly<Record<string, SqlArg>>
}

/**
 * The records of a scope that have the terms; those with the terms in their title first. For a
 * caller who sees every row the index counts them, having an entry for each; for others each one
 * would have to be looked up, so of many the answer says only that there are more.
 */
export async function findRecords(
  reader: Reader,
  use: SearchUse,
  { terms, scope }: SearchTerms,
): Promise<FoundRecords> {
  const match = (places: readonly number[]) => composeMatch(terms, scope.id, places)
  const all = match(use.fields.map(({ place }) => place))
  const found = await loadRecords(reader, use, planCandidates(use.indexed, all))
  if (found.isExact) return found
  const title = use.fields.find(({ isTitle }) => isTitle)
  const titled = title && planCandidates(use.indexed, match([title.place]))
  const best = titled ? (await loadRecords(reader, use, titled)).records : []
  const records = withoutDoubles([...best, ...found.records])
  const isCounted =
    scope.isReady && use.indexed.isOfView && findSource(use.view, use.grant, 'read').filter === ''
  return { ...found, records, ...(isCounted && (await countEntries(reader, all))) }
}

/** The records of keys that another engine has found, if the caller reaches them. */
export function findByKeys(
  reader: Reader,
  use: SearchUse,
  keys: readonly string[],
): Promise<FoundRecords> {
  const cells = use.indexed.keys.map((_, at) => `json_extract(value, '$[${at}]') AS _key${at}`)
  const sql = `(SELECT ${cells.join(', ')} FROM json_each(@_keys))`
  return loadRecords(reader, use, { sql, args: { _keys: `[${keys.join(',')}]` } })
}

function planCandidates({ keys }: IndexedView, match: string): Candidates {
  const cells = keys.map((_, at) => `json_extract(e.RecordKey, '$[${at}]') AS _key${at}`)
  const sql =
    `(SELECT ${cells.join(', ')} FROM main.svc_search AS f ` +
    `CROSS JOIN main.svc_search_entries AS e ON e.Id = f.rowid WHERE f.svc_search MATCH @_match)`
  return { sql, args: { _match: match } }
}

async function countEntries(
  reader: Reader,
  match: string,
): Promise<Pick<FoundRecords, 'total' | 'isExact'>> {
  const sql = `SELECT count(*) FROM (SELECT rowid FROM main.svc_search
    WHERE svc_search MATCH @match LIMIT ${TOTAL_MAX + 1})`
  const count = Number(await reader.text({ sql, args: { match }, runs: 'lane' }))
  return { total: Math.min(count, TOTAL_MAX), isExact: count <= TOTAL_MAX }
}

async function loadRecords(
  reader: Reader,
  use: SearchUse,
  candidates: Candidates,
): Promise<FoundRecords> {
  const { keys } = use.indexed
  const names = use.fields.map(({ place }) => place).join()
  const read = planRead(use, candidates, `search ${names}`, (form) => {
    const values = [
      ...keys.map(quote),
      ...use.fields.map((each) => composeSearched(each, 'company')),
    ]
    const cells = values.map((value, at) => `${value} AS _value${at}`)
    const list = cells.map((_, at) => `_value${at}`).join(', ')
    const rows = `SELECT ${cells.join(', ')} FROM ${joinRows(form, keys, candidates)} LIMIT @_limit`
    return `SELECT json_group_array(json_array(${list})) FROM (${rows})`
  })
  const args = { ...read.args, _limit: CANDIDATES_MAX + 1 }
  const limited = { ...read, args, isTold: true }
  const rows = JSON.parse((await reader.text(limited)) || '[]') as (string | number | null)[][]
  const isExact = rows.length <= CANDIDATES_MAX
  const all = rows.map((cells) => ({
    key: cells.slice(0, keys.length),
    texts: cells.slice(keys.length).map((text) => (text === null ? '' : String(text))),
  }))
  const records = withoutDoubles(all).slice(0, CANDIDATES_MAX)
  return { records, total: records.length, isExact }
}

/** Looks up each candidate by its key, however few rows another index promises. */
const joinRows = (form: RowForm, keys: readonly string[], { sql }: Candidates): string =>
  `${sql} CROSS JOIN ${form.from} ${form.where(
    [],
    keys.map((name, at) => `${quote(name)} = _key${at}`),
  )}`

function planRead(
  { view, grant, context }: SearchUse,
  { sql, args }: Candidates,
  name: string,
  compose: (form: RowForm) => string,
): SqlRead {
  const source = findSource(view, grant, 'read')
  const bindings = new Bindings()
  bindNames(source.names, bindings, context, { view, parameters: new Map<string, unknown>() })
  const text = composeOnce(source, `${name} ${sql}`, (form) => form.with + compose(form))
  // The words of a request make any of them slow: never on the serving thread.
  return { ...text, args: { ...bindings.args(), ...args }, runs: 'lane', of: source.of }
}

/** A record of which the view has several rows is found once. */
function withoutDoubles(records: readonly FoundRecord[]): FoundRecord[] {
  const byKey = new Map<string, FoundRecord>()
  for (const record of records) {
    const key = JSON.stringify(record.key)
    if (!byKey.has(key)) byKey.set(key, record)
  }
  return [...byKey.values()]
}
