/** The archived part of the audit log, for who looks for an old entry in a page of it. */
import { renderMessage, say } from '../../kernel/messages.ts'
import { findAuditBase } from '../../store/audit/base.ts'
import type { Reader } from '../../store/store.ts'
import { AUDIT_FOLDER, listArchives } from '../../engine/audit/archive-file.ts'
import type { Archived } from './schema.ts'

const OLDEST = 'SELECT At FROM svc_audit ORDER BY Id LIMIT 1'

/** Letters of a day in an instant. */
const DAY_LENGTH = '2024-11-28'.length

/** Tells until when entries are archived, and where they lie; null where none are. */
export async function findArchived(
  reader: Reader,
  folder: string,
  language: string,
): Promise<Archived | null> {
  const { count } = await findAuditBase(reader)
  if (count === 0) return null
  const oldest = await reader.get({ sql: OLDEST, args: {}, runs: 'inline' })
  const before = oldest ? String(oldest.At) : null
  const text =
    before === null
      ? say`All entries so far are in signed files in ${AUDIT_FOLDER}`
      : say`Entries before ${before.slice(0, DAY_LENGTH)} are in signed files in ${AUDIT_FOLDER}`
  return {
    Entries: count,
    Before: before,
    Folder: AUDIT_FOLDER,
    Files: listArchives(folder).length,
    Text: renderMessage(text, language),
  }
}
