/** The failure of a save whose report has been replaced meanwhile. */
import { conflict, type Failure } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Reader } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { type Document, loadVersions } from '../versioned-documents/documents.ts'

/** The 409 of a report changed meanwhile: its version now, since when, and by which user. */
export async function reportMoved(
  reader: Reader,
  caller: Caller,
  document: Document | undefined,
): Promise<Failure> {
  const [version] = document ? await loadVersions(reader, document, caller, { limit: 1 }) : []
  const code = 'REPORT_MOVED'
  if (!version) return conflict(say`The report no longer exists`, { code })
  const { versionHash, savedAt, savedBy } = version
  const text = savedBy
    ? say`The report was changed by ${savedBy} at ${savedAt}. Reload it and try again.`
    : say`The report was changed at ${savedAt}. Reload it and try again.`
  const current = { VersionHash: versionHash, SavedAt: savedAt, SavedBy: savedBy ?? null }
  return conflict(text, { code, members: { current } })
}
