/** The index of the global search beside the rows that it is made of, read by another SQLite. */
import type { Database } from 'bun:sqlite'
import { codeOf } from '../../src/engine/global-search/text-index/entries.ts'
import { readWords } from '../../src/engine/global-search/text-index/words.ts'

const ENTRIES = `SELECT s.Id AS scope, s.CompanyId AS company, e.RecordKey AS key, f.c0 AS words
  FROM svc_search_views AS v
  JOIN svc_search_scopes AS s ON s.ViewId = v.Id
  JOIN svc_search_entries AS e ON e.Scope = s.Id
  LEFT JOIN svc_search AS f ON f.rowid = e.Id
  WHERE v.View = 'Orders' AND v.State = 'ready'
    AND NOT EXISTS (SELECT 1 FROM svc_search_work AS w WHERE w.ViewId = v.Id)`

const ORPHANS = `SELECT count(*) AS count FROM svc_search
  WHERE rowid NOT IN (SELECT Id FROM svc_search_entries)`

interface EntryRow {
  scope: number
  company: number
  key: string
  words: string | null
}

/** Orders that are not found by their number, and entries of none, where the index is whole. */
export function inspectSearchIndex(database: Database): string[] {
  const hasOrders = database.query(`SELECT 1 FROM sqlite_schema WHERE name = 'orders'`).get()
  const entries = database.query<EntryRow, []>(ENTRIES).all()
  if (!hasOrders || entries.length === 0) return []
  const found = new Map(entries.map((entry) => [`${entry.company} ${entry.key}`, entry]))
  const faults: string[] = []
  const orders = database
    .query<{ Id: number; CompanyId: number; Number: string }, []>(
      'SELECT Id, CompanyId, Number FROM orders',
    )
    .all()
  for (const { Id, CompanyId, Number: number } of orders) {
    const name = `${CompanyId} [${Id}]`
    const entry = found.get(name)
    found.delete(name)
    const words = entry && readWords(number).map(({ word }) => codeOf(entry.scope) + word)
    if (words?.join(' ') !== entry?.words || !entry)
      faults.push(`order ${Id}: the search has '${entry?.words ?? ''}' of '${number}'`)
  }
  for (const name of found.keys()) faults.push(`the search has an order that is none: ${name}`)
  const orphans = database.query<{ count: number }, []>(ORPHANS).get()?.count ?? 0
  if (orphans > 0) faults.push(`the search has the words of ${orphans} records without an entry`)
  return faults
}
