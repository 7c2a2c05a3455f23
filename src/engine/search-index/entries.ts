/**
 * Entries of the index: the words of a record, each behind the code of its scope. So a query reads
 * nothing of another company's words, and takes no time for them. What is written here is part of
 * the transaction that changes the records; the words wait for its end, since FTS5 writes what it
 * has gathered at each savepoint that there may be.
 */
import type { SqlRow } from '../../store/sql.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { FED, feedEntry } from './feed.ts'
import { readWords } from './words.ts'

/** Searched fields of a view: columns of `svc_search`. */
export const PLACES = 16

/** Characters of a scope's code; the prefixes that FTS5 indexes are longer by 1, 2 and 3. */
const CODE_LENGTH = 4
const CODE_BASE = 36

/** A view in one definition, and whose rows: a company's, or 0 for those that all share. */
export interface ScopeName {
  view: string
  definition: string
  company: number
}

/** A record as it is searched: its key as JSON, and its texts by their places. */
export interface Entry {
  key: string
  /** Undefined for a record that is no row of the view any more. */
  texts: readonly (string | null)[] | undefined
}

/** A scope as it is stored. */
export interface Scope {
  id: number
  viewId: number
  /** Whether every record of the view was read, and none is to be read again. */
  isReady: boolean
}

/** What stands before each word of a scope. @throws Error beyond the number of scopes */
export function codeOf(scope: number): string {
  const code = scope.toString(CODE_BASE).padStart(CODE_LENGTH, '0')
  if (code.length > CODE_LENGTH) throw new Error('The index of the global search has no scope left')
  return code
}

const FIND_SCOPE = `SELECT s.Id AS id, v.Id AS viewId, v.State = 'ready' AND NOT EXISTS (
    SELECT 1 FROM svc_search_work AS w WHERE w.ViewId = v.Id AND w.CompanyId = @company) AS isReady
  FROM svc_search_views AS v
  JOIN svc_search_scopes AS s ON s.ViewId = v.Id AND s.CompanyId = @company
  WHERE v.View = @view AND v.Definition = @definition`

/** The scope of a company's rows of a view; undefined where nothing of it was written yet. */
export async function findScope(reader: Reader, name: ScopeName): Promise<Scope | undefined> {
  const row = await reader.get<{ id: number; viewId: number; isReady: number }>(FIND_SCOPE, {
    ...name,
  })
  return row && { ...row, isReady: row.isReady === 1 }
}

/** The same, made where it is not there: a view begins as one whose records were not read yet. */
export async function requireScope(tx: Tx, name: ScopeName): Promise<Scope> {
  const found = await findScope(tx, name)
  if (found) return found
  const { company, ...view } = name
  await tx.run(
    `INSERT OR IGNORE INTO svc_search_views (View, Definition, State)
     VALUES (@view, @definition, 'building')`,
    view,
  )
  await tx.run(
    `INSERT INTO svc_search_scopes (ViewId, CompanyId)
     SELECT Id, @company FROM svc_search_views WHERE View = @view AND Definition = @definition`,
    { ...name },
  )
  const made = await findScope(tx, { ...view, company })
  if (!made) throw new Error('The scope of a search was not written')
  return made
}

const FIND_ENTRY = `SELECT s.Id AS scope, e.Id AS id, e.Hash AS hash, f.Name AS fed
  FROM svc_search_views AS v
  JOIN svc_search_scopes AS s ON s.ViewId = v.Id AND s.CompanyId = @company
  LEFT JOIN svc_search_entries AS e ON e.Scope = s.Id AND e.RecordKey = @key
  LEFT JOIN svc_facts AS f ON f.Name = @fed
  WHERE v.View = @view AND v.Definition = @definition`

interface FoundEntry extends SqlRow {
  scope: number
  /** Null where the record has no entry. */
  id: number | null
  hash: string | null
  fed: string | null
}

/** What is known of a record's entry, by one statement. */
async function findEntry(tx: Tx, name: ScopeName, key: string): Promise<FoundEntry> {
  const args = { ...name, key, fed: FED }
  const found = await tx.get<FoundEntry>(FIND_ENTRY, args)
  if (found) {
    tx.facts.isFed = found.fed !== null
    return found
  }
  const { id: scope } = await requireScope(tx, name)
  return { scope, id: null, hash: null, fed: null }
}

/** Writes an entry as it is to be; one that has the same words is left, unless `isAnew`. */
export async function saveEntry(
  tx: Tx,
  name: ScopeName,
  { key, texts }: Entry,
  isAnew = false,
): Promise<void> {
  const stored = await findEntry(tx, name, key)
  if (texts === undefined) {
    if (stored.id !== null) await removeEntry(tx, stored.id)
    return
  }
  const columns = texts.map((text) => writeColumn(codeOf(stored.scope), text))
  const hash = Bun.SHA256.hash(JSON.stringify(columns), 'base64')
  if (stored.hash === hash && !isAnew) return
  const id = stored.id ?? (await tx.insert(INSERT_ENTRY, [stored.scope, key, hash]))
  if (stored.hash !== null && stored.hash !== hash) await tx.run(CHANGE_ENTRY, { id, hash })
  const values = Object.fromEntries(columns.map((words, place) => [`c${place}`, words]))
  await tx.runLast(WRITE_WORDS, { id, ...values })
  await feedEntry(tx, id)
}

const PLACE_NAMES = Array.from({ length: PLACES }, (_, place) => `c${place}`)
const WRITE_WORDS = `REPLACE INTO svc_search (rowid, ${PLACE_NAMES.join(', ')})
  VALUES (@id, ${PLACE_NAMES.map((name) => `@${name}`).join(', ')})`
const INSERT_ENTRY = 'INSERT INTO svc_search_entries (Scope, RecordKey, Hash) VALUES (?1, ?2, ?3)'
const CHANGE_ENTRY = 'UPDATE svc_search_entries SET Hash = @hash WHERE Id = @id'

/** Takes an entry and its words out of the index. */
export async function removeEntry(tx: Tx, id: number): Promise<void> {
  await feedEntry(tx, id)
  await tx.runLast('DELETE FROM svc_search WHERE rowid = @id', { id })
  await tx.run('DELETE FROM svc_search_entries WHERE Id = @id', { id })
}

const writeColumn = (code: string, text: string | null): string | null =>
  text === null || text === ''
    ? null
    : readWords(text)
        .map(({ word }) => code + word)
        .join(' ')
