/**
 * The report that goes with a mail. It is made when the mail is sent, as the user who caused it and
 * by the rights that this user then has: a mail never shows more than its sender could print.
 */
import type { Clock } from '../../kernel/clock.ts'
import { tooLarge } from '../../kernel/failure.ts'
import { newTraceId } from '../../kernel/ids.ts'
import { say } from '../../kernel/messages.ts'
import type { WorkNotes } from '../../kernel/read-notes.ts'
import { NOBODY_WAITS, planAnewWhenReplaced, type Serving } from '../../model/current.ts'
import { requireValidCaller } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { Callers } from '../../access/callers/callers.ts'
import type { MakeReport } from '../mail/deliverer.ts'
import type { MailAttachment } from '../mail/mail.ts'
import { makeReport, openReportFile, type ReportFile, type ReportParts } from './make-report.ts'
import type { PrintedReport, ReportCall } from './printed-report.ts'
import { findReport } from '../report-pages/find-report.ts'

const PIECE = 256 * 1024

/** The parts that reports of mails are made with. */
interface MailReportParts {
  engine: ReportCall['engine'] & Serving & { clock: Clock }
  callers: Callers
  reports: ReportParts
  reads: WorkNotes
  /** @throws notFound for a key that no report has */
  require: (call: ReportCall, key: string) => PrintedReport
}

/** Makes reports in the first format that each of them has; a report page is made as `page`. */
export function planMailReports(parts: MailReportParts): MakeReport {
  const { engine, callers, reports, reads } = parts
  return async ({ report: key, arguments: given, language, bytesMax, ...owner }) => {
    const loaded = await callers.loadWithoutSession(owner)
    const caller: Caller = { ...loaded, language }
    const { userId, companyId } = owner
    const by = () => ({ userId, companyId, place: `mail/${key}`, request: given })
    const make = () =>
      planAnewWhenReplaced(
        engine,
        async (model) => {
          const call: ReportCall = { engine, caller, model }
          const page = findReport(model, key)
          const report = parts.require(call, page ? 'page' : key)
          const format = report.formats[0] ?? 'pdf'
          const open = report.open(call, page ? toPage(page.name, given) : toGiven(given))
          const signal = new AbortController().signal
          const revalidate = () =>
            engine.models.requireHeld(model, open.documents) ?? requireValidCaller(loaded)
          const now = engine.clock.now()
          const access = { caller, now, traceId: newTraceId(), signal, revalidate }
          const row = await makeReport(reports, access, { report: open, format })
          return attach(await openReportFile(reports, row, false), bytesMax)
        },
        NOBODY_WAITS,
      )
    return reads.run(by, make)
  }
}

/** Arguments are texts, as in an address; one without a value is left out. */
const toGiven = (given: Readonly<Record<string, string | number | null>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      value === null ? [] : [[name, String(value)]],
    ),
  )

/** Arguments of the report `page`: none of them may name another page, in any case. */
function toPage(
  name: string,
  given: Readonly<Record<string, string | number | null>>,
): Record<string, string> {
  const others = Object.entries(given).filter(([key]) => key.toLowerCase() !== 'report')
  return { ...toGiven(Object.fromEntries(others)), report: name }
}

/** @throws tooLarge before anything of the file is read */
async function attach(
  { file, fileName, contentType }: ReportFile,
  bytesMax: number,
): Promise<MailAttachment> {
  try {
    if (file.size > bytesMax)
      throw tooLarge(say`The report is larger than ${bytesMax} bytes (Svc:Mail:AttachmentMaxBytes)`)
    const pieces: Uint8Array[] = []
    for (let piece = await file.read(PIECE); piece; piece = await file.read(PIECE))
      pieces.push(piece)
    return { name: fileName, contentType, content: Buffer.concat(pieces) }
  } finally {
    await file.close()
  }
}
