/** Makers of the reports of mails, as data where a test reads their text. */
import { Semaphore } from '../../src/kernel/semaphore.ts'
import { EXPORTS } from '../../src/engine/floor.ts'
import { planDrawing } from '../../src/engine/printed-reports/draw-report.ts'
import {
  listPrintedReports,
  requirePrintedReport,
} from '../../src/engine/printed-reports/find-printed-report.ts'
import { planMailReports } from '../../src/engine/printed-reports/mail-report.ts'
import type { ReportFileFormat } from '../../src/engine/printed-reports/printed-report.ts'
import type { TestApp } from './app.ts'

/** As the deliverer makes them, in the first of some formats. */
export function planMailing({ context }: TestApp, formats: readonly ReportFileFormat[]) {
  const { callers, store, made } = context
  return planMailReports({
    engine: context,
    callers,
    reads: context.reads,
    reports: {
      store,
      files: made,
      semaphore: new Semaphore(1),
      reading: {
        setting: EXPORTS.timeout.name,
        timeoutMs: 60_000,
        limits: { rows: 1000, bytes: 1_000_000, milliseconds: 60_000 },
      },
      draw: planDrawing(context),
    },
    require: ({ model }, key) => ({
      ...requirePrintedReport(listPrintedReports(model), key),
      formats,
    }),
  })
}
