/**
 * Records of a view that a caller finds. The index gives candidates alone: they are joined to the
 * rows that the caller reaches, and what is shown and scored of one is read there. So company, row
 * filter and field rules hold as they do in a grid, whatever the index has.
 */
import { composeOnce, findSource, bindNames } from '../object/read/source.ts'
import { Bindings } from '../object/bindings.ts'
import type { RowForm } from '../object/read/row-forms.ts'
import {
  composeSearched,
  type IndexedField,
  type IndexedView,
} from '../object/read/indexed-view.ts'
import { visibleFields } from '../object/read/projection.ts'
import type { ViewUse } from '../object/view-access.ts'
import { composeMatch, type Phrase } from '../search-index/match.ts'
import { quote } from '../../model/quote.ts'
import type { Grant } from '../../access/grant.ts'
import type { View } from '../../model/compiled/view.ts'
import type { SqlArg, SqlRead, SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'

/** Records of a view that are read to choose the best of them. */
export const CANDIDATES_MAX = 100
/** A total is exact up to here. */
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
  /** Of the fields, in their order. */
  texts: readonly string[]
}

/** What the caller finds of a view. */
export interface FoundRecords {
  records: readonly FoundRecord[]
  /** All that there are; `TOTAL_MAX + 1` where they are more. */
  total: number
}

/**
 * A view as a caller searches it: with the fields that every row shows on a surface that the caller
 * may open. Undefined where there are none: what is hidden is not asked for.
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

/** Whether no row hides the field. */
const isWhole = (view: View, { access, resource }: Grant, name: string): boolean =>
  view.resource !== resource || !access.masked.has(name.toLowerCase())

/** Where candidates come from: a part of a statement that gives `_key0` …, and what it binds. */
interface Candidates {
  sql: string
  args: Readonly<Record<string, SqlArg>>
}

/** The records of a scope that have the phrases; those whose title has them before all others. */
export async function findRecords(
  reader: Reader,
  use: SearchUse,
  { phrases, scope }: { phrases: readonly Phrase[]; scope: number },
): Promise<FoundRecords> {
  const matching = (places: readonly number[]): Candidates =>
    planCandidates(use.indexed, composeMatch(phrases, scope, places))
  const all = matching(use.fields.map(({ place }) => place))
  const records = await loadRecords(reader, use, all)
  if (records.length < CANDIDATES_MAX) return { records, total: records.length }
  const title = use.fields.find(({ isTitle }) => isTitle)
  const titled = title ? await loadRecords(reader, use, matching([title.place])) : []
  const total = await countRecords(reader, use, all)
  return { records: withoutDoubles([...titled, ...records]), total }
}

/** The records of keys that another engine has found, as far as the caller reaches them. */
export async function findByKeys(
  reader: Reader,
  use: SearchUse,
  keys: readonly string[],
): Promise<FoundRecords> {
  const cells = use.indexed.keys.map((_, at) => `json_extract(value, '$[${at}]') AS _key${at}`)
  const sql = `(SELECT key AS _entry, ${cells.join(', ')} FROM json_each(@_keys))`
  const args = { _keys: `[${keys.join(',')}]` }
  const candidates = { sql, args }
  const records = await loadRecords(reader, use, candidates)
  if (records.length < CANDIDATES_MAX) return { records, total: records.length }
  return { records, total: await countRecords(reader, use, candidates) }
}

function planCandidates({ keys }: IndexedView, match: string): Candidates {
  const cells = keys.map((_, at) => `json_extract(e.RecordKey, '$[${at}]') AS _key${at}`)
  const sql =
    `(SELECT e.Id AS _entry, ${cells.join(', ')} FROM main.svc_search AS f ` +
    `CROSS JOIN main.svc_search_entries AS e ON e.Id = f.rowid WHERE f.svc_search MATCH @_match)`
  return { sql, args: { _match: match } }
}

async function loadRecords(
  reader: Reader,
  use: SearchUse,
  candidates: Candidates,
): Promise<FoundRecord[]> {
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
  const limited = { ...read, args: { ...read.args, _limit: CANDIDATES_MAX } }
  const rows = JSON.parse((await reader.text(limited)) || '[]') as (string | number | null)[][]
  const records = rows.map((cells) => ({
    key: cells.slice(0, keys.length),
    texts: cells.slice(keys.length).map((text) => (text === null ? '' : String(text))),
  }))
  return withoutDoubles(records)
}

async function countRecords(
  reader: Reader,
  use: SearchUse,
  candidates: Candidates,
): Promise<number> {
  const { keys } = use.indexed
  const read = planRead(use, candidates, 'search count', (form) => {
    const rows = joinRows(form, keys, candidates)
    return `SELECT count(*) FROM (SELECT DISTINCT _entry FROM ${rows} LIMIT @_limit)`
  })
  const limited = { ...read, args: { ...read.args, _limit: TOTAL_MAX + 1 } }
  return Number(await reader.text(limited))
}

/** Each candidate is looked up by its key, however few rows another index promises. */
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
