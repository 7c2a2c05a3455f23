/**
 * Versioned documents: their drafts, and their versions, which are the executions of the script
 * catalog (src/engine/README.md, Versioned documents).
 */
import { getRow, upsertRow } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { drafts, scripts } from '../../store/tables/catalog.ts'
import type { users } from '../../store/tables/users.ts'
import type { Script } from '../../model/compiled/script.ts'
import type { Caller } from '../../access/callers/caller.ts'

/** Types of scripts whose executions are versions of one document. */
export type DocumentType = 'Report' | 'Workflow'

/** A stored document, as it is published. */
export interface Document {
  /** The Id that stays through all renames. */
  id: number
  /** Id of the current version. */
  versionId: number
  name: string
  fileName: string
  body: string
  versionHash: string
}

/** The current document of a type by its exact name. */
export async function findDocument(
  reader: Reader,
  type: DocumentType,
  name: string,
): Promise<Document | undefined> {
  const current = 'WHERE IsCurrent = 1 AND Type = @type AND Name = @name'
  const row = await getRow(reader, scripts, current, { type, name })
  return (
    row && {
      id: row.DocumentId ?? row.Id,
      versionId: row.Id,
      name: row.Name,
      fileName: row.FileName,
      body: row.Body,
      versionHash: row.VersionHash,
    }
  )
}

/** A version of a document. */
export interface DocumentVersion {
  id: number
  versionHash: string
  notes: string
  /** Instant in ISO form. */
  savedAt: string
  /** Undefined for the command line, and for a user of other companies than the caller's. */
  savedBy: string | undefined
  isCurrent: boolean
}

/** The caller who may read the names of savers: of their own company; a System user of all. */
type Reading = Pick<Caller, 'companyId' | 'isSystem'>

const SAVER = `SELECT UserName FROM svc_users WHERE Id = @userId AND (@all OR Id IN
  (SELECT UserId FROM svc_user_companies WHERE CompanyId = @company))`

/** The name of the user who saved; undefined where the caller may not learn it. */
export async function findSaver(
  reader: Reader,
  userId: number,
  { companyId, isSystem }: Reading,
): Promise<string | undefined> {
  const args = { userId, company: companyId, all: isSystem ? 1 : 0 }
  const row = await reader.get<Pick<typeof users.$inferSelect, 'UserName'>>(SAVER, args)
  return row?.UserName
}

/** Selects versions: those of a hash, and a part of them. */
interface VersionQuery {
  hash?: string
  limit?: number
  offset?: number
}

/** Executions with the text before each; one that only repeats it is not a version. */
const VERSIONS =
  'WITH v AS (SELECT Id, VersionHash, lag(VersionHash) OVER (ORDER BY Id) AS Former ' +
  'FROM svc_scripts WHERE Id = @id OR DocumentId = @id) '

/** Versions, newest first: all of them unless a part is asked for. */
export async function loadVersions(
  reader: Reader,
  { id }: Pick<Document, 'id'>,
  { companyId, isSystem }: Reading,
  { hash, limit = -1, offset = 0 }: VersionQuery = {},
): Promise<DocumentVersion[]> {
  const rows = await reader.all({
    sql: `${VERSIONS}
      SELECT v.Id, v.VersionHash, s.Notes, s.ExecutedAt, u.UserName,
        v.Id = (SELECT max(Id) FROM v WHERE Former IS NOT VersionHash) AS IsCurrent
      FROM v JOIN svc_scripts s ON s.Id = v.Id
      LEFT JOIN svc_users u ON u.Id = s.ExecutedBy AND (@all OR u.Id IN
        (SELECT UserId FROM svc_user_companies WHERE CompanyId = @company))
      WHERE v.Former IS NOT v.VersionHash AND (@hash IS NULL OR v.VersionHash = @hash)
      ORDER BY v.Id DESC LIMIT @limit OFFSET @offset`,
    args: {
      id,
      company: companyId,
      all: isSystem ? 1 : 0,
      hash: hash ?? null,
      limit,
      offset,
    },
    runs: 'measured',
  })
  return rows.map((row) => ({
    id: Number(row.Id),
    versionHash: String(row.VersionHash),
    notes: String(row.Notes ?? ''),
    savedAt: String(row.ExecutedAt),
    savedBy: row.UserName === null ? undefined : String(row.UserName),
    isCurrent: row.IsCurrent === 1,
  }))
}

/** Estimated bytes of a version in an answer, besides its notes. */
const VERSION_BYTES = 160

/** Estimated bytes of an answer with all versions. */
export async function measureVersions(
  reader: Reader,
  { id }: Pick<Document, 'id'>,
): Promise<number> {
  const [row] = await reader.all({
    sql:
      `SELECT sum(${VERSION_BYTES} + octet_length(coalesce(Notes, ''))) AS Bytes ` +
      'FROM svc_scripts WHERE Id = @id OR DocumentId = @id',
    args: { id },
    runs: 'measured',
  })
  return Number(row?.Bytes)
}

/** The text of a version, as it was saved. */
export async function loadVersionText(
  reader: Reader,
  { id }: Pick<DocumentVersion, 'id'>,
): Promise<string> {
  return (await getRow(reader, scripts, 'WHERE Id = @id', { id }))?.Body ?? ''
}

/** A draft of a document. */
export interface DocumentDraft {
  body: string
  notes: string
  baseId: number
  savedAt: string
  savedBy: number
}

/** The draft of a document, which has one at most. */
export async function findDraft(
  reader: Reader,
  { id }: Pick<Document, 'id'>,
): Promise<DocumentDraft | undefined> {
  const row = await getRow(reader, drafts, 'WHERE DocumentId = @id', { id })
  return (
    row && {
      body: row.Body,
      notes: row.Notes,
      baseId: row.BaseId,
      savedAt: row.SavedAt,
      savedBy: row.SavedBy,
    }
  )
}

const HASHES = `SELECT count(DISTINCT VersionHash) AS Hashes FROM svc_scripts
  WHERE (Id = @id OR DocumentId = @id) AND Id >= @baseId`

/** Tells whether the published text has changed since the draft forked. */
export async function isStale(
  reader: Reader,
  { id }: Pick<Document, 'id'>,
  { baseId }: Pick<DocumentDraft, 'baseId'>,
): Promise<boolean> {
  const row = await reader.get<{ Hashes: number }>(HASHES, { id, baseId })
  return row !== undefined && row.Hashes > 1
}

const REPLACE_DRAFT = `ON CONFLICT (DocumentId) DO UPDATE SET Body = excluded.Body,
  Notes = excluded.Notes, SavedAt = excluded.SavedAt, SavedBy = excluded.SavedBy`

/** Creates the draft, or replaces its text; its base version stays. */
export async function saveDraft(
  tx: Tx,
  { id, versionId }: Pick<Document, 'id' | 'versionId'>,
  draft: Pick<DocumentDraft, 'body' | 'notes' | 'savedBy'> & { at: Date },
): Promise<void> {
  const { body, notes, savedBy, at } = draft
  const row = {
    DocumentId: id,
    BaseId: versionId,
    Body: body,
    Notes: notes,
    SavedAt: at.toISOString(),
    SavedBy: savedBy,
  }
  await upsertRow(tx, drafts, row, REPLACE_DRAFT)
}

/** Deletes a draft; false if there was none. */
export const deleteDraft = async (tx: Tx, { id }: Pick<Document, 'id'>): Promise<boolean> =>
  (await tx.run('DELETE FROM svc_drafts WHERE DocumentId = @id', { id })) > 0

/** Bytes of a version as it is stored: its text, its parsed form, and its notes. */
export const measureVersion = ({ body, element }: Script, notes: string): number =>
  Buffer.byteLength(body) + Buffer.byteLength(JSON.stringify(element)) + Buffer.byteLength(notes)

/** Bytes of the drafts and versions that a user has saved here, as they are stored. */
export async function loadSavedBytes(reader: Reader, userId: number): Promise<number> {
  const [row] = await reader.all({
    sql:
      'SELECT (SELECT coalesce(sum(octet_length(Body) + octet_length(Document) + ' +
      "octet_length(coalesce(Notes, ''))), 0) FROM svc_scripts WHERE ExecutedBy = @user AND " +
      "Origin = 'designer') + (SELECT coalesce(sum(octet_length(Body) + octet_length(Notes)), 0) " +
      'FROM svc_drafts WHERE SavedBy = @user) AS Bytes',
    args: { user: userId },
    runs: 'measured',
  })
  return Number(row?.Bytes)
}
