/** Finds the report of a key. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import { listReport } from './list-report.ts'
import { pageReport } from './page-report.ts'
import { listPrintReports } from './print-report.ts'
import type { PrintedReport } from './printed-report.ts'
import { recordReport } from './record-report.ts'

/** Built-in reports; no other report takes their keys. */
const BUILT_IN_REPORTS: readonly PrintedReport[] = [recordReport, listReport, pageReport]

/** Lists every report of a model: the engine's built-in ones first, then its prints. */
export const listPrintedReports = (model: Model): PrintedReport[] => [
  ...BUILT_IN_REPORTS,
  ...listPrintReports(model),
]

/** The report of the engine or of the model that has a key or name. */
export const findPrintedReport = (model: Model, key: string): PrintedReport | undefined =>
  findAmong(listPrintedReports(model), key)

/** Finds a report by its key, or else by its name. @throws notFound if no report has it */
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
