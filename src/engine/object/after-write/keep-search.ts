/**
 * The index of the global search, kept in the transaction that changes its sources: the records of
 * a view and the records that their words come from. Work too large for one transaction is noted in
 * it, and read again in the background.
 */
import { Yielder } from '../../../kernel/yielder.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { EndWork, Tx } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { Model } from '../../../model/model.ts'
import { requireScope, saveEntries } from '../../global-search/text-index/entries.ts'
import { noteWork } from '../../global-search/text-index/work.ts'
import type { Round } from './corrections.ts'
import { type IndexedView, listIndexedBy, type WatchedRecords } from '../read/indexed-view.ts'
import { inChunks, toKeyList } from '../record/stored-rows.ts'
import { keyText, toKey, type WrittenRow } from '../record/written-row.ts'

/** Rows of a view that one transaction reads again because records that they name have changed. */
const REFERRING_MAX = 500

type Key = readonly SqlValue[]

/** Rows to read again, by view and company. */
class Stale {
  readonly #keys = new Map<IndexedView, Map<number, Map<string, Key>>>()

  add(indexed: IndexedView, company: number, key: Key): void {
    this.#keys
      .getOrInsertComputed(indexed, () => new Map<number, Map<string, Key>>())
      .getOrInsertComputed(company, () => new Map<string, Key>())
      .set(keyText(key), key)
  }

  get size(): number {
    return [...this].reduce((sum, [, , keys]) => sum + keys.length, 0)
  }

  list(): StaleRow[] {
    return [...this].flatMap(([indexed, company, keys]) =>
      keys.map((key) => ({ indexed, company, key })),
    )
  }

  *[Symbol.iterator](): Generator<readonly [IndexedView, number, Key[]]> {
    for (const [indexed, companies] of this.#keys)
      for (const [company, keys] of companies) yield [indexed, company, [...keys.values()]]
  }
}

/** The step of the pass; what all its rounds came to. */
export async function keepSearch(round: Round): Promise<void> {
  const { tx, rows, context, yielder } = round
  const stale = new Stale()
  for (const [entity, written] of Map.groupBy(rows.values(), (row) => row.entity)) {
    for (const indexed of listIndexedBy(context.model, entity.table)) {
      if (indexed.entity === entity) for (const row of written) addOwn(stale, indexed, row)
      const watched = indexed.watched.get(entity.table.toLowerCase())
      if (watched) await addReferring(tx, stale, { indexed, watched, entity, written })
    }
  }
  if (stale.size > LEFT_MAX) await keepStale(tx, stale, yielder)
  else for (const each of stale.list()) tx.leave(KEEP_LATER, each)
}

/** A row to read again. */
interface StaleRow {
  indexed: IndexedView
  company: number
  key: Key
}

/** A transaction with more of them reads them itself: they are charged to it alone. */
const LEFT_MAX = 16

/** Stale rows that members of a group leave to its end: one statement reads them for each view. */
const KEEP_LATER: EndWork<StaleRow> = {
  run: async (tx, rows) => {
    const stale = new Stale()
    for (const { indexed, company, key } of rows) stale.add(indexed, company, key)
    await keepStale(tx, stale, new Yielder())
  },
}

async function keepStale(
  tx: Tx,
  stale: Stale,
  yielder: Pick<Yielder, 'yieldWhenDue'>,
): Promise<void> {
  for (const [indexed, company, keys] of stale)
    await keepEntries(tx, indexed, { company, keys, yielder })
}

/** A record that moved to another company is one less there, and one more here. */
function addOwn(stale: Stale, indexed: IndexedView, { touched, after }: WrittenRow): void {
  for (const row of [touched.before, after])
    if (row) stale.add(indexed, companyOf(indexed.entity, row), touched.key)
}

/** Tells whether new records of an entity are in the words of others, found by the pass only. */
export const feedsSearch = (model: Model, entity: Entity): boolean =>
  listIndexedBy(model, entity.table).some(
    ({ entity: owner, watched }) =>
      owner !== entity && watched.get(entity.table.toLowerCase())?.referring === undefined,
  )

/** Adds new records that were written past the change log, as they are stored. */
export async function keepNewRecords(
  tx: Tx,
  model: Model,
  entity: Entity,
  rows: readonly SqlRow[],
): Promise<void> {
  const stale = new Stale()
  const owned = listIndexedBy(model, entity.table).filter((each) => each.entity === entity)
  for (const indexed of owned)
    for (const row of rows) {
      const key = entity.keys.map(({ name }) => row[name] ?? null)
      stale.add(indexed, companyOf(entity, row), key)
    }
  await keepStale(tx, stale, new Yielder())
}

/** Leaves new records to the background: all, or only keys greater than `after`. */
export async function noteNewRecords(
  tx: Tx,
  model: Model,
  entity: Entity,
  { company, after }: { company: number; after: number | undefined },
): Promise<void> {
  const owner = entity.company === undefined ? 0 : company
  const done = after === undefined ? {} : { done: keyText([after]) }
  for (const indexed of listIndexedBy(model, entity.table)) {
    if (indexed.entity !== entity) continue
    const { viewId } = await requireScope(tx, scopeName(indexed, owner))
    await noteWork(tx, { viewId, company: owner, kind: 'all', ...done })
  }
}

/** Leaves the rows that name a user to the background: the user tables have no change log. */
export async function noteRenamedUser(tx: Tx, model: Model, userId: number): Promise<void> {
  const table = 'svc_users'
  for (const indexed of listIndexedBy(model, table)) {
    const { referring } = indexed.watched.get(table) ?? {}
    for (const company of indexed.entity.company === undefined ? [0] : await listCompanies(tx)) {
      const { viewId } = await requireScope(tx, scopeName(indexed, company))
      if (referring)
        await noteWork(tx, { viewId, company, kind: table, keys: toKeyList([[userId]]) })
      else await noteWhole(tx, { viewId, company })
    }
  }
}

async function noteWhole(tx: Tx, scope: { viewId: number; company: number }): Promise<void> {
  await noteWork(tx, { ...scope, kind: 'all' })
  await noteWork(tx, { ...scope, kind: 'entries' })
}

/** The company that a row is searched in; 0 for rows that all companies share. */
const companyOf = ({ company }: Entity, row: SqlRow): number =>
  company === undefined ? 0 : Number(row[company] ?? 0)

interface WatchedChange {
  indexed: IndexedView
  watched: WatchedRecords
  entity: Entity
  written: readonly WrittenRow[]
}

/** Rows of a view in which changed records of another table appear. */
async function addReferring(tx: Tx, stale: Stale, change: WatchedChange): Promise<void> {
  const { indexed, watched, entity, written } = change
  const changed = written.filter((row) => mayMatter(watched, row))
  const byCompany = Map.groupBy(changed, ({ touched, after }) =>
    companyOf(entity, after ?? touched.before ?? {}),
  )
  for (const [company, rows] of byCompany) {
    const isShared = indexed.entity.company === undefined
    const companies = isShared ? [0] : company === 0 ? await listCompanies(tx) : [company]
    for (const each of companies) {
      if (!watched.referring && watched.child !== undefined)
        addOwners(stale, change, { company: each, rows })
      else await addNamed(tx, stale, change, { company: each, rows })
    }
  }
}

interface CompanyRows {
  company: number
  rows: readonly WrittenRow[]
}

function mayMatter({ columns, referring, child }: WatchedRecords, row: WrittenRow): boolean {
  // Nothing refers to a record before it exists.
  if (row.touched.what === 'insert') return referring === undefined
  if (row.touched.what === 'delete') return true
  return (
    columns === undefined ||
    row.changed.some((name) => name === child || columns.has(name.toLowerCase()))
  )
}

/** The records that those of a child table belong to, and belonged to. */
function addOwners(
  stale: Stale,
  { indexed, watched: { child = '' } }: WatchedChange,
  { company, rows }: CompanyRows,
): void {
  for (const { touched, after } of rows) {
    for (const owner of [touched.before?.[child], after?.[child]])
      if (owner !== undefined && owner !== null) stale.add(indexed, company, [owner])
  }
}

/** A few are read at once; of more, or where it is not known which, the background reads them. */
async function addNamed(
  tx: Tx,
  stale: Stale,
  { indexed, watched, entity }: WatchedChange,
  { company, rows }: CompanyRows,
): Promise<void> {
  const keys = toKeyList(rows.map(({ touched }) => touched.key))
  const scope = await requireScope(tx, scopeName(indexed, company))
  const { referring } = watched
  if (!referring) {
    await noteWhole(tx, { viewId: scope.viewId, company })
    return
  }
  const args = { CurrentCompanyId: company, _changed: keys, _rows: REFERRING_MAX + 1 }
  const read = { sql: referring.some, args, runs: 'lane', of: indexed.view.name } as const
  const found = await tx.all(read).catch(() => undefined)
  if (found && found.length <= REFERRING_MAX)
    for (const row of found) stale.add(indexed, company, readKey(indexed, row))
  else await noteWork(tx, { viewId: scope.viewId, company, kind: entity.table, keys })
}

const listCompanies = async (tx: Tx): Promise<number[]> =>
  (await tx.all<{ Id: number }>('SELECT Id FROM svc_companies')).map(({ Id }) => Id)

/** Whose entries are meant. */
export const scopeName = ({ view, definition }: IndexedView, company: number) => ({
  view: view.name,
  definition,
  company,
})

/** The key of a row that a statement of the view gave. */
export const readKey = ({ keys }: IndexedView, row: SqlRow): SqlValue[] =>
  keys.map((_, at) => row[`_key${at}`] ?? null)

/**
 * Re-reads rows of a view and updates their entries in the index: a row that the view no longer
 * shows has no entry. A row that the view's query fails on is not found until it can be read.
 */
export async function keepEntries(
  tx: Tx,
  indexed: IndexedView,
  { company, keys: all, yielder, isAnew }: StaleRows,
): Promise<void> {
  const name = scopeName(indexed, company)
  for (const keys of inChunks(all)) {
    const rows = await readWords(tx, indexed, company, keys)
    const byKey = new Map(rows.map((row) => [keyText(readKey(indexed, row)), row]))
    const entries = keys.map(keyText).map((key) => {
      const row = byKey.get(key)
      return { key, texts: row && readTexts(indexed, row) }
    })
    await saveEntries(tx, name, entries, { yielder, isAnew })
  }
}

/** The rows of some keys; where the query fails on a row, the others. */
async function readWords(
  tx: Tx,
  indexed: IndexedView,
  company: number,
  keys: readonly Key[],
): Promise<SqlRow[]> {
  const runs = indexed.view.isGenerated ? 'inline' : 'measured'
  const args = { CurrentCompanyId: company, _keys: toRows(keys) }
  try {
    return await tx.all({ sql: indexed.some, args, runs, of: indexed.view.name })
  } catch {
    if (keys.length < 2) return []
    const rows: SqlRow[] = []
    for (const key of keys) rows.push(...(await readWords(tx, indexed, company, [key])))
    return rows
  }
}

/** Rows of one company to be read again; others have their turn in between. */
interface StaleRows {
  company: number
  keys: readonly Key[]
  yielder: Pick<Yielder, 'yieldWhenDue'>
  /** True when entries are written that have the same words already. */
  isAnew?: boolean
}

/** Each key as a list, as the statements take them apart. */
const toRows = (keys: readonly Key[]): string => JSON.stringify(keys.map((key) => key.map(toKey)))

function readTexts({ fields }: IndexedView, row: SqlRow): (string | null)[] {
  const texts: (string | null)[] = []
  for (const { place } of fields) {
    const text = row[`_text${place}`]
    texts[place] = typeof text === 'string' ? text : null
  }
  return Array.from(texts, (text) => text ?? null)
}
