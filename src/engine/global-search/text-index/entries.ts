/**
 * Entries of the index: the words of a record, each behind the code of its scope. So a query reads
 * none of another company's words, and takes no time for them. Writes here are part of the
 * transaction that changes the records.
 */
import type { Yielder } from '../../../kernel/yielder.ts'
import type { SqlRow } from '../../../store/sql.ts'
import type { Reader, Tx } from '../../../store/store.ts'
import { FED, feedEntry } from './feed.ts'
import { readWords } from './words.ts'

/** Searched fields of a view: columns of `svc_search`. */
export const PLACES = 16

/** Characters of a scope's code; the prefixes that FTS5 indexes are longer by 1, 2 and 3. */
const CODE_LENGTH = 4
const CODE_BASE = 36

/** A view in one definition, and the owner of its rows: a company, or 0 for shared rows. */
interface ScopeName {
  view: string
  definition: string
  company: number
}

/** A record as it is searched: its key as JSON, and its texts by their places. */
interface Entry {
  key: string
  /** The texts of the record; undefined for a record that is no longer a row of the view. */
  texts: readonly (string | null)[] | undefined
}

/** A scope as it is stored. */
export interface Scope {
  id: number
  viewId: number
  /** True when every record of the view was read, and none is to be read again. */
  isReady: boolean
}

/** The code before each word of a scope. @throws Error beyond the number of scopes */
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

/** Finds the scope or makes it: a view begins as one whose records were not read yet. */
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

const FIND_ENTRIES = `SELECT s.Id AS scope, e.Id AS id, e.RecordKey AS recordKey, e.Hash AS hash,
    f.Name AS fed
  FROM svc_search_views AS v
  JOIN svc_search_scopes AS s ON s.ViewId = v.Id AND s.CompanyId = @company
  LEFT JOIN svc_search_entries AS e
    ON e.Scope = s.Id AND e.RecordKey IN (SELECT value FROM json_each(@keys))
  LEFT JOIN svc_facts AS f ON f.Name = @fed
  WHERE v.View = @view AND v.Definition = @definition`

interface FoundEntry extends SqlRow {
  scope: number
  /** The id of an entry; null, as the members below, where none of the records has one. */
  id: number | null
  recordKey: string | null
  hash: string | null
  fed: string | null
}

/** An entry as it is stored. */
interface StoredEntry {
  id: number
  hash: string
}

/** Finds the stored entries of some records, by one statement. */
async function findEntries(
  tx: Tx,
  name: ScopeName,
  keys: readonly string[],
): Promise<{ scope: number; stored: ReadonlyMap<string, StoredEntry> }> {
  const stored = new Map<string, StoredEntry>()
  const args = { ...name, keys: JSON.stringify(keys), fed: FED }
  const found = await tx.all<FoundEntry>(FIND_ENTRIES, args)
  const [first] = found
  if (!first) return { scope: (await requireScope(tx, name)).id, stored }
  tx.facts.isFed = first.fed !== null
  for (const { id, recordKey, hash } of found)
    if (id !== null && recordKey !== null) stored.set(recordKey, { id, hash: hash ?? '' })
  return { scope: first.scope, stored }
}

/**
 * Writes entries as they are to be; one that has the same words is left, unless `isAnew`. Others
 * have their turn in between.
 */
export async function saveEntries(
  tx: Tx,
  name: ScopeName,
  entries: readonly Entry[],
  { yielder, isAnew = false }: { yielder: Pick<Yielder, 'yieldWhenDue'>; isAnew?: boolean },
): Promise<void> {
  const keys = entries.map(({ key }) => key)
  const { scope, stored } = await findEntries(tx, name, keys)
  const code = codeOf(scope)
  for (const { key, texts } of entries) {
    await yielder.yieldWhenDue()
    const before = stored.get(key)
    if (texts === undefined) {
      if (before) await removeEntry(tx, before.id)
      continue
    }
    const columns = texts.map((text) => writeColumn(code, text))
    const hash = Bun.SHA256.hash(JSON.stringify(columns), 'base64')
    if (before?.hash === hash && !isAnew) continue
    const id = before?.id ?? (await tx.insert(INSERT_ENTRY, [scope, key, hash]))
    if (before && before.hash !== hash) await tx.run(CHANGE_ENTRY, { id, hash })
    const values = Object.fromEntries(columns.map((words, place) => [`c${place}`, words]))
    await tx.run(WRITE_WORDS, { id, ...values })
    await feedEntry(tx, id)
  }
}

const PLACE_NAMES = Array.from({ length: PLACES }, (_, place) => `c${place}`)
const WRITE_WORDS = `REPLACE INTO svc_search (rowid, ${PLACE_NAMES.join(', ')})
  VALUES (@id, ${PLACE_NAMES.map((name) => `@${name}`).join(', ')})`
const INSERT_ENTRY = 'INSERT INTO svc_search_entries (Scope, RecordKey, Hash) VALUES (?1, ?2, ?3)'
const CHANGE_ENTRY = 'UPDATE svc_search_entries SET Hash = @hash WHERE Id = @id'

/** Takes an entry and its words out of the index. */
export async function removeEntry(tx: Tx, id: number): Promise<void> {
  await feedEntry(tx, id)
  await tx.run('DELETE FROM svc_search WHERE rowid = @id', { id })
  await tx.run('DELETE FROM svc_search_entries WHERE Id = @id', { id })
}

const writeColumn = (code: string, text: string | null): string | null =>
  text === null || text === ''
    ? null
    : readWords(text)
        .map(({ word }) => code + word)
        .join(' ')
