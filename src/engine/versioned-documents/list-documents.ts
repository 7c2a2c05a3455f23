/** All documents of a type, each with its current version and what is drafted of it. */
import type { Reader } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { DocumentType } from './documents.ts'

/** A published document in a list. */
interface ListedDocument {
  name: string
  versionHash: string
  hasDraft: boolean
  /** True for a draft of an older version. */
  isStale: boolean
  /** Instant in ISO form at which the current version was saved. */
  savedAt: string
  /** Undefined for the command line, and for a user of other companies than the caller's. */
  savedBy: string | undefined
}

/** Executions of one document: the latest that is not a repeat is its current version. */
const CURRENT = `SELECT max(Id) FROM (
  SELECT Id, VersionHash, lag(VersionHash) OVER (ORDER BY Id) AS Former FROM svc_scripts
  WHERE Id = c.Document OR DocumentId = c.Document) WHERE Former IS NOT VersionHash`

const IS_STALE = `SELECT count(DISTINCT VersionHash) > 1 FROM svc_scripts
  WHERE (Id = c.Document OR DocumentId = c.Document) AND Id >= d.BaseId`

const ALL = `SELECT c.Name, c.VersionHash, v.ExecutedAt, u.UserName,
    d.DocumentId IS NOT NULL AS HasDraft,
    d.DocumentId IS NOT NULL AND (${IS_STALE}) AS IsStale
  FROM (SELECT Name, VersionHash, coalesce(DocumentId, Id) AS Document FROM svc_scripts
    WHERE IsCurrent = 1 AND Type = @type) c
  JOIN svc_scripts v ON v.Id = (${CURRENT})
  LEFT JOIN svc_drafts d ON d.DocumentId = c.Document
  LEFT JOIN svc_users u ON u.Id = v.ExecutedBy AND (@all OR u.Id IN
    (SELECT UserId FROM svc_user_companies WHERE CompanyId = @company))
  ORDER BY c.Name`

/** Lists the documents of a type by name; names of savers are those that the caller may learn. */
export async function listDocuments(
  reader: Reader,
  type: DocumentType,
  { companyId, isSystem }: Pick<Caller, 'companyId' | 'isSystem'>,
): Promise<ListedDocument[]> {
  const args = { type, company: companyId, all: isSystem ? 1 : 0 }
  const rows = await reader.all({ sql: ALL, args, runs: 'measured' })
  return rows.map((row) => ({
    name: String(row.Name),
    versionHash: String(row.VersionHash),
    hasDraft: row.HasDraft === 1,
    isStale: row.IsStale === 1,
    savedAt: String(row.ExecutedAt),
    savedBy: row.UserName === null ? undefined : String(row.UserName),
  }))
}
