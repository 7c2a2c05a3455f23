/** Makes the file of a report: in its turn, by the present rights; records who took it. */
import { unavailable } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Semaphore } from '../../kernel/semaphore.ts'
import { planAuditRecord } from '../../store/audit/record.ts'
import type { Reader, Store } from '../../store/store.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { isInline } from '../files/content-type.ts'
import type {
  MadeFileRow,
  MadeFiles,
  MadeFor,
  RequireLeft,
  WriteFile,
} from '../files/generated-files.ts'
import type { OnceFile } from '../files/once-file.ts'
import type { OpenReport, ReportFileFormat, ReportReading } from './printed-report.ts'
import {
  type DrawDocument,
  planFile,
  type ReportDocument,
  writeReport,
  type WrittenFile,
} from './write-report.ts'

/** The parts that reports are made with. */
export interface ReportParts {
  store: Store
  files: MadeFiles
  /** Limits how many reports are made at a time (`Svc:PrintedReports:Concurrency`). */
  semaphore: Semaphore
  reading: Pick<ReportReading, 'setting' | 'timeoutMs' | 'limits'>
  draw: DrawDocument
}

/** The unit in which the making of a file is counted. */
export type ProgressUnit = 'pages' | 'rows'

/** The caller who has a report made. */
export interface ReportAccess {
  caller: Caller
  now: Date
  traceId: string
  /** Aborted once no one waits for the file. */
  signal: AbortSignal
  /** Called now and then with the pages, or the rows, that are written. */
  onProgress?: ((done: number, of: ProgressUnit) => void) | undefined
  /** Throws, or rejects with, the 401 of a caller who may no longer have this. */
  revalidate: () => Promise<void> | undefined
}

/** The report, and the format of its file. */
interface RequestedFile {
  report: OpenReport
  format: ReportFileFormat
}

/** A file of a report, open to be sent. */
export interface ReportFile {
  file: OnceFile
  fileName: string
  contentType: string
  /** True for a type that browsers may show in place. */
  mayBeInline: boolean
}

/** Rows between checks whether the file may still grow. */
const ROWS_BETWEEN_LOOKS = 50_000

/**
 * Makes the whole file or none, in its turn, and keeps it for its caller until it expires.
 * @throws what the report throws, unavailable, tooMany
 */
export const makeReport = (
  parts: ReportParts,
  access: ReportAccess,
  requested: RequestedFile,
): Promise<MadeFileRow> =>
  runInTurn(parts, access, () =>
    parts.files.make(planMade(access, requested), planWrite(parts, access, requested)),
  )

/** Opens a made file to be sent; one that is not kept is gone when it is closed. */
export async function openReportFile(
  { files }: Pick<ReportParts, 'files'>,
  row: MadeFileRow,
  isKept: boolean,
): Promise<ReportFile> {
  const { ShownName: fileName, ContentType: contentType } = row
  const file = await (isKept ? files.open(row) : files.openOnce(row))
  return { file, fileName, contentType, mayBeInline: mayBeShown(contentType) }
}

const runInTurn = <T>(
  { semaphore }: ReportParts,
  { caller, signal, revalidate }: ReportAccess,
  work: () => Promise<T>,
): Promise<T> =>
  semaphore.run(async () => {
    if (signal.aborted) throw unavailable(say`The request was cancelled`)
    // The caller may have waited for their turn.
    await revalidate()
    return work()
  }, String(caller.userId))

/** The report tells the file's real type only once it has been read. */
const planMade = ({ caller }: ReportAccess, { report, format }: RequestedFile): MadeFor => ({
  userId: caller.userId,
  companyId: caller.companyId,
  slug: report.fileName,
  extension: `.${format}`,
  contentType: 'application/octet-stream',
  shownName: report.fileName,
})

const planWrite =
  (parts: ReportParts, access: ReportAccess, { report, format }: RequestedFile): WriteFile =>
  async (path, left) => {
    const { caller, signal, onProgress } = access
    const onPages = onProgress && ((pages: number) => onProgress(pages, 'pages'))
    const companyName = await loadCompanyName(parts.store, caller.companyId)
    const content = await report.read(format, { ...parts.reading, signal, companyName })
    const draw = (at: string, document: ReportDocument) =>
      parts.draw(at, document, { caller, signal, onPages })
    const written = await writeReport(content, {
      path,
      format,
      language: caller.language,
      draw,
      onPage: lookAfter(left, onProgress && ((rows) => onProgress(rows, 'rows'))),
    })
    await audit(parts.store, access, { report, format, written })
    const { contentType, extension } = planFile(content, format)
    const shownName = content.kind === 'file' ? undefined : content.fileName
    return { ...written, contentType, extension, shownName }
  }

/** JSON and csv are texts, which no browser runs. */
const mayBeShown = (type: string): boolean =>
  isInline(type) || /^(?:application\/json|text\/csv)(?:;|$)/.test(type)

function lookAfter(
  left: RequireLeft,
  onRows?: (done: number) => void,
): (rows: number) => Promise<void> {
  let since = 0
  let done = 0
  return async (rows) => {
    since += rows
    done += rows
    onRows?.(done)
    if (since < ROWS_BETWEEN_LOOKS) return
    since = 0
    await left()
  }
}

const COMPANY_NAME = 'SELECT Name FROM main.svc_companies WHERE Id = @id'

const loadCompanyName = async (reader: Pick<Reader, 'get'>, id: number): Promise<string> =>
  String((await reader.get(COMPANY_NAME, { id }))?.Name ?? '')

/** The rights are checked again: a right lost meanwhile leaves no file. */
async function audit(
  store: Store,
  { caller, now, traceId, revalidate }: ReportAccess,
  taken: RequestedFile & { written: WrittenFile },
): Promise<void> {
  const { userId, impersonatorId, companyId } = caller
  const { entity, key } = taken.report.audited
  const by = { userId, impersonatorId, companyId, source: 'report', traceId }
  const changes = {
    File: [null, taken.report.fileName],
    Format: [null, taken.format],
    Sha256: [null, taken.written.sha256],
  }
  const record = planAuditRecord(now, by, { entity, key: [...key], action: 'report', changes })
  await store.write((tx) => tx.audit(record), { company: companyId, revalidate, isAside: true })
}
