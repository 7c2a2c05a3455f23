/** Proves the archives of the audit log: what was signed, and that the chain runs through them. */
import { type AuditFault, checkArchived } from '../../store/audit/check.ts'
import type { AuditHead } from '../../store/audit/record.ts'
import { listArchives, proveArchive, type ProvenArchive, readArchive } from './archive-file.ts'

/** The result of a check. */
export interface ArchivesReport {
  archives: number
  /** Entries in archives that hold. */
  entries: number
  /** Numbers of entries that were archived and are in no file here, as `[first, last]`. */
  absent: [first: number, last: number][]
  /** Sentences for the operator. */
  faults: string[]
}

/**
 * Reads every archive of a data folder. `base` is where the log in the database begins, `since` a
 * head that an earlier check gave: the chain must come by both.
 */
export async function checkArchives(
  folder: string,
  base: AuditHead,
  since?: AuditHead,
): Promise<ArchivesReport> {
  const report: ArchivesReport = { archives: 0, entries: 0, absent: [], faults: [] }
  const marks = [base, ...(since ? [since] : [])]
  let before: AuditHead = { count: 0, hash: '' }
  for (const archive of listArchives(folder)) {
    report.archives++
    const proven = await proveArchive(folder, archive)
    if (typeof proven === 'string') report.faults.push(proven)
    else {
      const fault = await checkEntries(folder, archive.name, { ...proven, before, marks })
      if (fault === undefined) report.entries += proven.to.count - proven.from.count
      else report.faults.push(`${archive.name}: ${fault}`)
    }
    if (archive.first > before.count + 1) report.absent.push([before.count + 1, archive.first - 1])
    before = typeof proven === 'string' ? { count: archive.last, hash: '' } : proven.to
  }
  if (before.count < base.count) report.absent.push([before.count + 1, base.count])
  return report
}

interface Checked extends ProvenArchive {
  before: AuditHead
  marks: readonly AuditHead[]
}

async function checkEntries(
  folder: string,
  name: string,
  { from, to, before, marks }: Checked,
): Promise<string | undefined> {
  const isNext = before.count === from.count && before.hash !== ''
  if (isNext && before.hash !== from.hash) return 'it does not follow from the one before it'
  const entries = readArchive(folder, { name, first: from.count + 1, last: to.count })
  return describeFault(await checkArchived(entries, { from, to, marks }))
}

const describeFault = (fault: AuditFault | undefined): string | undefined =>
  fault && (fault.id === undefined ? fault.what : `entry ${fault.id} ${fault.what}`)
