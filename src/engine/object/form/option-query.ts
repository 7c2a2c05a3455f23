/** Pages of options: searched by text, an exact match alone, every value a string. */
import type { ReadPlace } from '../../../store/sql.ts'
import type { FieldType } from '../../../model/compiled/field-features.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { quoteText } from '../../../model/sql/quote.ts'
import type { SearchedText } from '../../grid-search/searched-text.ts'
import type { Matches } from '../../grid-search/text-index.ts'
import type { Bindings } from '../bindings.ts'
import { composeWithin, requireArray } from '../capped-rows.ts'
import { composeJsonObject } from '../read/projection.ts'
import type { QueryCache } from '../read/query-cache.ts'
import { composeOver, type FormRowSource } from '../read/row-forms.ts'
import { isFew, matchAny, narrowToMatches } from '../read/search.ts'
import { noteTexts } from '../read/shown-records.ts'
import type { TableSet } from '../read/table-set.ts'
import { isSameText } from '../read/text-match.ts'

/** An SQL expression over an option's row, with the type of its result. */
export interface OptionCell {
  sql: string
  type: FieldType
}

/** Rows that are options. */
export interface OptionRows extends FormRowSource {
  /** Besides the row filter. */
  conditions: readonly string[]
  /** The SQL after ORDER BY; '' leaves the query's own order. */
  order: string
  /** The stored value, and the texts of an entry by name, `Value` and `Label` first. */
  value: OptionCell
  cells: readonly { name: string; sql: string }[]
  /** The cells that a text is searched in, and the cells that are compared with it as a whole. */
  searched: readonly string[]
  exact: readonly OptionCell[]
  /** The texts that are searched, as they are held in memory; undefined where SQL searches. */
  text: SearchedText | undefined
  /** The key of those texts, and whether the order of the rows is the query's own. */
  key: { sql: string; isOrdered: boolean }
  bindings: Bindings
  /** All that they are read from. */
  tables: TableSet
  runs: ReadPlace
  /** The owner of their authored text. */
  of: string | undefined
  /** The view that is looked up; undefined for options of another kind. */
  view?: View
}

/** The options that are requested. */
export interface OptionQuery {
  searchText: string | undefined
  skip: number
  size: number
  /** The first page of all. */
  isFirst: boolean
}

type Entry = Record<string, string>

/**
 * The entries of a page. One exact match comes alone, so that a scanner picks it; several first.
 * @throws invalid for entries of more bytes than one answer may hold
 */
export async function loadOptions(
  reader: QueryCache,
  rows: OptionRows,
  { searchText, skip, size }: OptionQuery,
): Promise<Entry[]> {
  const requested = { reader, rows, searchText: searchText ?? '', skip, size }
  const entries =
    searchText === undefined
      ? await loadEntries(reader, rows, { conditions: [], skip, size })
      : ((await loadFound(requested)) ?? (await loadMatching(requested)))
  if (rows.view)
    noteTexts(
      rows.view,
      entries.flatMap(({ Value = [] }) => Value),
    )
  return entries
}

interface OptionSearch {
  reader: QueryCache
  rows: OptionRows
  searchText: string
  skip: number
  size: number
}

/** Loads the matching options by SQL alone. */
async function loadMatching({
  reader,
  rows,
  searchText,
  skip,
  size,
}: OptionSearch): Promise<Entry[]> {
  const exact = planExact(rows, rows.exact, searchText)
  if (exact !== '') {
    const exactMatches = await loadEntries(reader, rows, { conditions: [exact], skip: 0, size: 2 })
    if (exactMatches.length === 1) return skip === 0 ? exactMatches : []
    const found = [exact, planSearch(rows, searchText)].join(' OR ')
    const first = exactMatches.length > 1 ? exact : undefined
    return loadEntries(reader, rows, { conditions: [found], skip, size, first, mayStall: true })
  }
  const conditions = [planSearch(rows, searchText)]
  return loadEntries(reader, rows, { conditions, skip, size, mayStall: true })
}

/** Commits may come between finding keys and reading their rows; then it is tried once more. */
const SEARCH_ATTEMPTS = 2

/**
 * Loads options by the keys of the text index; undefined if SQL has to search, and if several exact
 * matches come first.
 */
async function loadFound(requested: OptionSearch): Promise<Entry[] | undefined> {
  const { reader, rows, searchText } = requested
  if (!rows.text || listForms(searchText).some((form) => !isSameText(form, searchText)))
    return undefined
  for (let at = 0; at < SEARCH_ATTEMPTS; at++) {
    const matches = await reader.texts.find(rows.text, searchText)
    if (matches?.readTo !== undefined) return undefined
    const page = matches && (await loadMatches(requested, matches))
    if (!page || matches.holds()) return page
  }
  return undefined
}

async function loadMatches(
  requested: OptionSearch,
  matches: Matches,
): Promise<Entry[] | undefined> {
  const { reader, rows, searchText, skip, size } = requested
  const match = (): string => planSearch(rows, searchText)
  const { sql: name, isOrdered } = rows.key
  const page = narrowToMatches(matches, { name, isOrdered, bindings: rows.bindings, match })
  if (!page) return undefined
  const narrowed = { join: page.join, mayStall: !isFew(matches) }
  // A searched cell that equals the whole text is among the matches; an index has the rest.
  const isSearched = ({ sql, type }: OptionCell): boolean =>
    FIELD_KINDS[type].number !== 'whole' && rows.searched.includes(sql)
  const near = planExact(rows, rows.exact.filter(isSearched), searchText)
  const far = planExact(
    rows,
    rows.exact.filter((cell) => !isSearched(cell)),
    searchText,
  )
  const first = { skip: 0, size: 2 }
  const exact = [
    near && { ...narrowed, ...first, conditions: [page.where, near] },
    far && { ...first, conditions: [far] },
  ]
  const found = new Map<string | undefined, Entry>()
  for (const each of exact) {
    if (each === '') continue
    for (const entry of await loadEntries(reader, rows, each)) found.set(entry.Value, entry)
  }
  if (found.size > 1) return undefined
  if (found.size === 1) return skip === 0 ? [...found.values()] : []
  return loadEntries(reader, rows, { ...narrowed, conditions: [page.where], skip, size })
}

/** The entry of one value; undefined if it is not an option. */
export async function findOption(
  reader: QueryCache,
  rows: OptionRows,
  value: string,
): Promise<Entry | undefined> {
  const conditions = [planValue(rows, value)]
  return (await loadEntries(reader, rows, { conditions, skip: 0, size: 1 }))[0]
}

/** Compares a value as stored, if its text tells the stored form, so that the key answers. */
function planValue({ value: { sql, type }, bindings }: OptionRows, value: string): string {
  if (FIELD_KINDS[type].number === 'whole' && /^-?\d{1,15}$/.test(value)) {
    return `${sql} = ${bindings.add(Number(value))}`
  }
  const isText = FIELD_KINDS[type].matchesParts
  return `${isText ? sql : toText(sql)} = ${bindings.add(value)}`
}

interface Page {
  conditions: readonly string[]
  skip: number
  size: number
  /** SQL before the rows. */
  join?: string
  /** Rows of which this is true come first. */
  first?: string | undefined
  /** Texts are matched: the time depends on the search text. */
  mayStall?: boolean
}

async function loadEntries(
  reader: QueryCache,
  rows: OptionRows,
  { conditions, skip, size, first, join = '', mayStall }: Page,
): Promise<Entry[]> {
  const { bindings } = rows
  bindings.set('_limit', size)
  bindings.set('_offset', skip)
  // One entry alone has its row built in any case: the code that answers with it checks its size.
  const bytesMax = size > 1 ? reader.answerBytesMax : Number.MAX_SAFE_INTEGER
  bindings.set('_bytes', bytesMax)
  const where = [...rows.conditions, ...conditions]
  const orders = [first === undefined ? '' : `(${first}) DESC`, rows.order].filter((part) => part)
  const order = orders.length > 0 ? ` ORDER BY ${orders.join(', ')}` : ''
  const pairs = rows.cells.map(({ name, sql }) => `${quoteText(name)},coalesce(${sql},'')`)
  const limit = 'LIMIT @_limit OFFSET @_offset'
  const sql = composeOver(rows, (form) => {
    const page = `SELECT * FROM ${join}${form.from} ${form.where(where)}${order} ${limit}`
    return form.with + composeWithin(`SELECT ${composeJsonObject(pairs)} AS _r FROM (${page})`)
  })
  const runs = mayStall ? 'lane' : rows.runs
  const versions = reader.versionsOf(rows.tables)
  const text = await reader.text({ ...sql, args: bindings.args(), runs, of: rows.of }, versions)
  return JSON.parse(requireArray(text, bytesMax)) as Entry[]
}

/** A value as text, whatever its type: a cast alone would leave `true` of JSON unchanged. */
export const toText = (sql: string): string => `(CAST(${sql} AS TEXT) || '')`

const planSearch = ({ searched, bindings }: OptionRows, searchText: string): string =>
  matchAny(searched, searchText, bindings)

/** Lists the forms that an index answers: as typed, in capitals, in small letters. */
const listForms = (searchText: string): string[] => [
  ...new Set([searchText, searchText.toUpperCase(), searchText.toLowerCase()]),
]

function planExact(
  { bindings }: OptionRows,
  exact: readonly OptionCell[],
  searchText: string,
): string {
  if (exact.length === 0) return ''
  const texts = listForms(searchText)
    .map((form) => bindings.add(form))
    .join(', ')
  const number = /^-?\d{1,15}$/.test(searchText) ? bindings.add(Number(searchText)) : undefined
  return exact
    .flatMap(({ sql, type }) => {
      if (FIELD_KINDS[type].number !== 'whole') return [`${sql} IN (${texts})`]
      return number === undefined ? [] : [`${sql} = ${number}`]
    })
    .join(' OR ')
}
