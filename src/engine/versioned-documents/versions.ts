/** Versions of documents, as answers show them. */
import { conflict, type Failure, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Reader } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import {
  type Document,
  type DocumentDraft,
  type DocumentVersion,
  findSaver,
  loadVersions,
} from './documents.ts'

/** The newest version of a hash. @throws notFound */
export async function requireVersion(
  reader: Reader,
  caller: Caller,
  document: Document,
  hash: string,
): Promise<DocumentVersion> {
  const query = { hash: hash.toLowerCase(), limit: 1 }
  const [version] = await loadVersions(reader, document, caller, query)
  if (!version) throw notFound(say`There is no such version`, { code: 'VERSION_NOT_FOUND' })
  return version
}

/** An entry of the list. */
export const toVersion = (version: DocumentVersion) => ({
  VersionHash: version.versionHash,
  IsCurrent: version.isCurrent,
  SavedAt: version.savedAt,
  SavedBy: version.savedBy ?? null,
  Notes: version.notes,
})

/** The 409 of a draft changed meanwhile: since when, and by which user. */
export async function draftMoved(
  reader: Reader,
  caller: Caller,
  draft: DocumentDraft | undefined,
): Promise<Failure> {
  const code = 'DRAFT_MOVED'
  if (!draft) return conflict(say`The draft no longer exists`, { code })
  const { savedAt, savedBy } = draft
  const name = await findSaver(reader, savedBy, caller)
  const text =
    name === undefined
      ? say`The draft was changed at ${savedAt}. Reload it and try again.`
      : say`The draft was changed by ${name} at ${savedAt}. Reload it and try again.`
  const current = { SavedAt: savedAt, SavedBy: name ?? null }
  return conflict(text, { code, members: { current } })
}
