/** Which report a key means. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import { listReport } from './list-report.ts'
import { pageReport } from './page-report.ts'
import { listPrintReports } from './print-report.ts'
import type { PrintedReport } from './printed-report.ts'
import { recordReport } from './record-report.ts'

/** Reports that come with the engine; no other one takes their keys. */
const BUILT_IN_REPORTS: readonly PrintedReport[] = [recordReport, listReport, pageReport]

/** Every report of a model: those that come with the engine go first, then its prints. */
export const listPrintedReports = (model: Model): PrintedReport[] => [
  ...BUILT_IN_REPORTS,
  ...listPrintReports(model),
]

/** The report of the engine or of the model that bears a key or name. */
export const findPrintedReport = (model: Model, key: string): PrintedReport | undefined =>
  findAmong(listPrintedReports(model), key)

/** By its key, or else by its name. @throws notFound for what no report bears */
export function requirePrintedReport(
  reports: readonly PrintedReport[],
  key: string,
): PrintedReport {
  const report = findAmong(reports, key)
  if (!report) throw notFound(say`There is no such report`, { code: 'REPORT_NOT_FOUND' })
  return report
}

function findAmong(reports: readonly PrintedReport[], key: string): PrintedReport | undefined {
  const wanted = key.toLowerCase()
  return (
    reports.find((each) => each.key.toLowerCase() === wanted) ??
    reports.find((each) => each.name.toLowerCase() === wanted)
  )
}
