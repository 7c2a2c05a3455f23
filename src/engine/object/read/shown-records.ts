/**
 * The records that rows of a view show, noted for the log of reads (src/engine/README.md, Who read
 * what): those of the view's own entity by the key, those that a reference's label names by its
 * value. The statement that reads the rows notes what else they may show.
 */
import { findReads } from '../../../kernel/charged.ts'
import { Lru } from '../../../kernel/lru.ts'
import type { SqlRead } from '../../../store/sql.ts'
import type { View } from '../../../model/compiled/view.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { Model } from '../../../model/model.ts'
import { findLogged } from '../../audit/logged-entities.ts'
import { findLabel } from './labels.ts'
import { PAGINATION, ROWS } from './page-cells.ts'

/** The entities whose records a row of a view names, and by which members. */
interface Named {
  /** Its own entity, where the reading of that is logged. */
  own: string | undefined
  keys: readonly string[]
  /** References whose label is of such an entity. */
  labels: readonly { field: string; label: string; entity: string }[]
  /** True where rows show nothing of such entities but what they name. */
  isWhole: boolean
}

const ofView = new WeakMap<View, Named>()

const findNamed = (view: View, model: Pick<Model, 'entities'>): Named =>
  ofView.getOrInsertComputed(view, () => planNamed(view, model))

function planNamed(view: View, model: Pick<Model, 'entities'>): Named {
  const logged = findLogged(model)
  const labels: Named['labels'][number][] = []
  let isWhole = view.isGenerated && view.formQuery === undefined
  const findTables = (tables: readonly string[] = []): readonly string[] =>
    logged?.findInTables(tables.map((table) => table.toLowerCase())) ?? []
  for (const field of view.fields) {
    const label = findLabel(view, field)
    for (const entity of findTables(label?.labelSql?.reads)) {
      if (label && field.references === entity && !field.lookup)
        labels.push({ field: field.name, label: label.name, entity })
      else isWhole = false
    }
  }
  for (const { labelSql, link } of view.linked) {
    const tables = [...(labelSql?.reads ?? []), ...(link ? [link.entity.table] : [])]
    if (findTables(tables).length > 0) isWhole = false
  }
  const own = view.entity?.logsReads === true ? view.entity.name : undefined
  return { own, keys: view.keys.map(({ name }) => name), labels, isWhole }
}

/** True where `noteRows` tells all that rows of the view show: see `SqlRead.isTold`. */
export const tellsRows = (view: View, model: Pick<Model, 'entities'>): boolean =>
  findLogged(model) === undefined || findNamed(view, model).isWhole

/** True where rows of the view show nothing of such entities but records of its own. */
export function tellsOwn(view: View, model: Pick<Model, 'entities'>): boolean {
  if (findLogged(model) === undefined) return true
  const { isWhole, labels } = findNamed(view, model)
  return isWhole && labels.length === 0
}

/** Notes the records that rows show: JSON objects, each on a line, with commas between. */
export function noteRows(view: View, model: Pick<Model, 'entities'>, rows: string): void {
  const reads = findReads()
  if (!reads) return
  const { own, keys, labels } = findNamed(view, model)
  const [key] = keys
  const isPlain = own !== undefined && labels.length === 0 && keys.length === 1
  const numbers = isPlain && key !== undefined ? readNumbers(rows, key) : undefined
  if (isPlain && numbers !== undefined) reads.noteRecords(own, view.name, numbers)
  else noteArray(view, model, `[${rows}]`)
}

/** The same of rows in a JSON array, which may lack their keys. */
export function noteArray(view: View, model: Pick<Model, 'entities'>, rows: string): void {
  const reads = findReads()
  if (!reads) return
  const { own, keys, labels } = findNamed(view, model)
  if (own === undefined && labels.length === 0) return
  const list = JSON.parse(rows) as Record<string, unknown>[]
  const isKeyed = keys.length > 0 && list.every((row) => keys.every((name) => name in row))
  if (own !== undefined && isKeyed)
    reads.noteRecords(own, view.name, toLines(list.map((row) => keys.map((name) => row[name]))))
  for (const { field, label, entity } of labels) {
    const shown = list.filter((row) => row[label] !== undefined && row[label] !== null)
    reads.noteRecords(entity, view.name, toLines(shown.map((row) => [row[field]])))
  }
}

/** Characters of pages whose keys are kept. */
const PAGES_CHARACTERS_MAX = 8 * 1024 * 1024

/** A page with the keys of its rows. */
interface KeyedPage {
  page: string
  lines: string
}

/** Keys of pages of a view, by the key of the page in the query cache. */
const pages = new WeakMap<View, Lru<string, KeyedPage>>()

/** The members of a page, as `loadPage` gives them, and what it is cached by. */
interface LoadedPage {
  page: string
  key: string | undefined
}

/** The same of a page: of one that is cached its keys are at hand. */
export function notePage(
  view: View,
  model: Pick<Model, 'entities'>,
  { page, key: cacheKey }: LoadedPage,
): void {
  const reads = findReads()
  if (!reads) return
  const { own, keys, labels } = findNamed(view, model)
  const [key] = keys
  if (own === undefined && labels.length === 0) return
  const readRows = (): string => page.slice(ROWS.length, page.lastIndexOf(PAGINATION))
  if (own === undefined || key === undefined || labels.length > 0 || keys.length > 1) {
    noteRows(view, model, readRows())
    return
  }
  const lines = findLines(view, { page, key: cacheKey }) ?? keepLines()
  if (lines === undefined) noteRows(view, model, readRows())
  else reads.noteRecords(own, view.name, lines)

  function keepLines(): string | undefined {
    const read = key === undefined ? undefined : readNumbers(readRows(), key)
    if (read !== undefined && cacheKey !== undefined)
      pagesOf(view).keep(cacheKey, { page, lines: read }, page.length)
    return read
  }
}

const pagesOf = (view: View): Lru<string, KeyedPage> =>
  pages.getOrInsertComputed(view, () => new Lru(PAGES_CHARACTERS_MAX))

function findLines(view: View, { page, key }: LoadedPage): string | undefined {
  const known = key === undefined ? undefined : pagesOf(view).find(key)
  if (known?.page !== page) return undefined
  // The text that the cache gives next time: one and the same need not be compared.
  known.page = page
  return known.lines
}

/** The keys of rows that all begin with one, a number; undefined where they do not. */
function readNumbers(rows: string, key: string): string | undefined {
  const head = `{${JSON.stringify(key)}:`
  let lines = ''
  for (let at = 0; at < rows.length;) {
    if (!rows.startsWith(head, at)) return undefined
    const from = at + head.length
    let to = from
    for (let code = rows.charCodeAt(to); isDigit(code); code = rows.charCodeAt(to)) to++
    if (to === from || !ENDS.has(rows[to] ?? '')) return undefined
    lines += `${at === 0 ? '' : '\n'}[${rows.slice(from, to)}]`
    const end = rows.indexOf('\n', to)
    if (end === -1) break
    at = end + 1
  }
  return lines
}

/** Characters behind a member of an object. */
const ENDS: ReadonlySet<string> = new Set([',', '}'])

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Notes records of a view by their keys, as SQLite gives them. */
export function noteKeys(
  { entity, name }: Pick<View, 'entity' | 'name'>,
  keys: readonly (readonly unknown[])[],
): void {
  if (entity?.logsReads !== true) return
  findReads()?.noteRecords(entity.name, name, toLines(keys))
}

const toLines = (keys: readonly (readonly unknown[])[]): string =>
  keys.map((key) => JSON.stringify(key)).join('\n')

/** The records of rows in a spool, where the reading of them is logged. */
export const findRecords = ({ entity, name, keys }: View): SqlRead['records'] =>
  entity?.logsReads === true && keys.length > 0 ? { entity: entity.name, view: name } : undefined

/** Notes records of a view by the texts of their one key. */
export function noteTexts(view: View, texts: readonly string[]): void {
  const [key] = view.keys
  if (!key || view.keys.length !== 1) return
  const isNumber = FIELD_KINDS[key.type].number === 'whole'
  noteKeys(
    view,
    texts.map((text) => [isNumber ? Number(text) : text]),
  )
}
