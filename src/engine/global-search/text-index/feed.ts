/**
 * The feed of another search engine: noted in the transaction that changes an entry, as long as
 * there is such an engine, and sent in the background.
 */
import type { Reader, Tx } from '../../../store/store.ts'

/** The name of the fact that there is another engine, by its address. */
export const FED = 'search feed'
const FIND_FED = 'SELECT Value FROM svc_facts WHERE Name = @name'

declare module '../../../store/store.ts' {
  interface TxFacts {
    /** True when there is another engine; looked up once. */
    isFed?: boolean
  }
}

/** Notes that an entry was written, or is about to be removed. */
export async function feedEntry(tx: Tx, id: number): Promise<void> {
  tx.facts.isFed ??= (await tx.get(FIND_FED, { name: FED })) !== undefined
  if (!tx.facts.isFed) return
  await tx.run(
    `INSERT INTO svc_search_feed (Scope, RecordKey)
     SELECT Scope, RecordKey FROM svc_search_entries WHERE Id = @id`,
    { id },
  )
}

/**
 * Begins to feed an engine, with all entries of the index, or ends it; for the same engine nothing
 * changes.
 */
export async function setFed(tx: Tx, address: string | undefined): Promise<void> {
  if ((await findFed(tx)) === address) return
  await forgetFed(tx)
  if (address === undefined) return
  await tx.run('INSERT INTO svc_facts (Name, Value) VALUES (@name, @address)', {
    name: FED,
    address,
  })
  await tx.authored(
    `INSERT INTO svc_search_feed (Scope, RecordKey)
     SELECT Scope, RecordKey FROM svc_search_entries ORDER BY Id`,
  )
}

/** The address of the engine that is fed; undefined where none is. */
export async function findFed(reader: Reader): Promise<string | undefined> {
  const row = await reader.get<{ Value: string }>(FIND_FED, { name: FED })
  return row?.Value
}

/** Forgets which engine is fed: of the one that is there the next start builds the index anew. */
export async function forgetFed(tx: Tx): Promise<void> {
  await tx.authored('DELETE FROM svc_search_feed')
  await tx.run('DELETE FROM svc_facts WHERE Name = @name', { name: FED })
}

/** A record as another engine has it; without `words` it is to be removed there. */
export interface FedEntry {
  /** The number of the note, in their order. */
  id: number
  scope: number
  key: string
  /** The words by their places, each behind the code of the scope. */
  words: readonly (string | null)[] | undefined
}

interface FedRow extends Record<string, number | string | null> {
  Id: number
  Scope: number
  RecordKey: string
  IsThere: number
}

/** The next entries to send, each as it is now. */
export async function loadFed(reader: Reader, limit: number): Promise<FedEntry[]> {
  const rows = await reader.all<FedRow>(
    `SELECT q.Id, q.Scope, q.RecordKey, f.rowid IS NOT NULL AS IsThere, f.*
     FROM (SELECT * FROM svc_search_feed ORDER BY Id LIMIT @limit) AS q
     LEFT JOIN svc_search_entries AS e ON e.Scope = q.Scope AND e.RecordKey = q.RecordKey
     LEFT JOIN svc_search AS f ON f.rowid = e.Id ORDER BY q.Id`,
    { limit },
  )
  return rows.map(({ Id, Scope, RecordKey, IsThere, ...words }) => ({
    id: Id,
    scope: Scope,
    key: RecordKey,
    words:
      IsThere === 1
        ? Object.values(words).map((text) => (text === null ? null : String(text)))
        : undefined,
  }))
}

/** Removes from the feed what was sent. */
export const endFed = (tx: Tx, ids: readonly number[]): Promise<number> =>
  tx.run('DELETE FROM svc_search_feed WHERE Id IN (SELECT value FROM json_each(@ids))', {
    ids: JSON.stringify(ids),
  })
