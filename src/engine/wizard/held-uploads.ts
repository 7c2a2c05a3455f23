/**
 * Uploads that a run names are kept as long as the run. One that it no longer names expires at
 * once, unless another run of the user's names it.
 */
import type { SqlValue } from '../../store/sql.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { Wizard } from '../../model/compiled/wizard.ts'
import { FIELD_KINDS } from '../../model/fields/kinds.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { type FileEntry, pathOf, readEntries } from '../object/record/file-entries.ts'
import type { Given, WizardRun } from './run-records.ts'

const HOLD = `UPDATE svc_uploads SET ExpiresAt = @until
  WHERE Key IN (SELECT value FROM json_each(@keys)) AND UserId = @user AND CompanyId = @company
    AND ExpiresAt > @now AND ExpiresAt < @until`

const RELEASE = `UPDATE svc_uploads SET ExpiresAt = @now
  WHERE Key IN (SELECT value FROM json_each(@keys)) AND UserId = @user AND CompanyId = @company
    AND ExpiresAt > @now AND NOT EXISTS (SELECT 1 FROM svc_wizard_runs r
      WHERE r.UserId = @user AND r.Id <> @run AND instr(r.Given, svc_uploads.Key) > 0)`

/** The run that is saved, its owner, and its former state. */
interface HeldRun {
  caller: Pick<Caller, 'userId' | 'companyId'>
  wizard: Wizard
  now: Date
  before: WizardRun | undefined
}

/** Extends the uploads that a run names to its end; `run` is undefined for a removed one. */
export async function holdUploads(
  tx: Tx,
  run: WizardRun | undefined,
  { caller, wizard, now, before }: HeldRun,
): Promise<void> {
  const named = run ? listUploadKeys(wizard, run.Given) : []
  const dropped = before
    ? listUploadKeys(wizard, before.Given).filter((key) => !named.includes(key))
    : []
  const args = { user: caller.userId, company: caller.companyId, now: now.toISOString() }
  if (run && named.length > 0)
    await tx.run(HOLD, { ...args, keys: JSON.stringify(named), until: run.ExpiresAt })
  if (dropped.length > 0)
    await tx.run(RELEASE, { ...args, keys: JSON.stringify(dropped), run: before?.Id ?? null })
}

function listUploadKeys({ steps }: Wizard, given: Given): string[] {
  const keys = steps.flatMap(({ name, fields }) => {
    const files = fields.filter(({ type }) => FIELD_KINDS[type].structure === 'files')
    const value = given[name]
    const rows: unknown[] = Array.isArray(value) ? value : [value]
    return files.flatMap((field) => rows.flatMap((row) => listKeys(row, field.name)))
  })
  return [...new Set(keys)]
}

const listKeys = (row: unknown, name: string): string[] =>
  typeof row === 'object' && row !== null
    ? readEntries(JSON.stringify(Reflect.get(row, name) ?? null)).map(pathOf)
    : []

const NAMED = `SELECT u.Key AS Path, u.FileName, u.ContentType, u.Size
  FROM json_each(@keys) k JOIN svc_uploads u ON u.Key = k.value
  WHERE u.UserId = @user AND u.CompanyId = @company ORDER BY k.key`

/** The owner's uploads that a value names, as files are shown; null for none. */
export async function loadNamedFiles(
  reader: Reader,
  { userId, companyId }: Pick<Caller, 'userId' | 'companyId'>,
  value: SqlValue,
): Promise<FileEntry[] | null> {
  const keys = readEntries(value).map(pathOf)
  if (keys.length === 0) return null
  const args = { keys: JSON.stringify(keys), user: userId, company: companyId }
  return reader.all<{ Path: string; FileName: string; ContentType: string; Size: number }>(
    NAMED,
    args,
  )
}
