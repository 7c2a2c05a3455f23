/** Which report a key means. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { listReport } from './list-report.ts'
import type { PrintedReport } from './printed-report.ts'

/** Reports that come with the engine; no other one takes their keys. */
export const BUILT_IN_REPORTS: readonly PrintedReport[] = [listReport]

/** @throws notFound for a key that no report bears */
export function requirePrintedReport(
  reports: readonly PrintedReport[],
  key: string,
): PrintedReport {
  const wanted = key.toLowerCase()
  const report = reports.find((each) => each.key.toLowerCase() === wanted)
  if (!report) throw notFound(say`There is no such report`, { code: 'REPORT_NOT_FOUND' })
  return report
}
