/** Versions of a report as they are answered. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { DocumentVersion } from '../documents/documents.ts'

/** The newest version of a hash. @throws notFound */
export function requireVersion(
  versions: readonly DocumentVersion[],
  hash: string,
): DocumentVersion {
  const version = versions.find(({ versionHash }) => versionHash === hash.toLowerCase())
  if (!version) throw notFound(say`There is no such version`, { code: 'VERSION_NOT_FOUND' })
  return version
}

/** An entry of the list; the newest one is current. */
export const toVersion = (version: DocumentVersion, versions: readonly DocumentVersion[]) => ({
  VersionHash: version.versionHash,
  IsCurrent: version === versions[0],
  SavedAt: version.savedAt,
  SavedBy: version.savedBy ?? null,
  Notes: version.notes,
})
