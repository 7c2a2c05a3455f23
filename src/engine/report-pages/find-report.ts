/** Report pages by their names. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Report } from '../../model/compiled/report.ts'
import type { Model } from '../../model/model.ts'
import type { Grant } from '../../access/rights/grant.ts'
import type { Context } from '../object/context.ts'

/** A report as a caller uses it at one instant; without a grant no dataset shows a row. */
export interface ReportUse {
  report: Report
  grant: Grant | undefined
  context: Context
  /** True for a text that its designer has not published yet. */
  isDraft?: boolean
}

const byKey = new WeakMap<Model, ReadonlyMap<string, Report>>()

/** Finds the report of a name or slug, in any case. */
export const findReport = (model: Model, key: string): Report | undefined =>
  byKey
    .getOrInsertComputed(model, ({ reports }) => {
      const keys = [...reports.values()].flatMap((report) =>
        [report.slug, report.name].map((each) => [each.toLowerCase(), report] as const),
      )
      return new Map(keys)
    })
    .get(key.toLowerCase())

/** @throws notFound for a name or slug that no report has. */
export function requireReport(model: Model, key: string): Report {
  const report = findReport(model, key)
  if (!report) throw notFound(say`There is no such report`, { code: 'REPORT_NOT_FOUND' })
  return report
}
