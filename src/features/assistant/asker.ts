/** The asker of the assistant, from a request or a call of its hub. */
import type { AssistantCall } from '../../engine/assistant/asker.ts'
import { RESULTS_MAX_BYTES } from '../../engine/floor.ts'
import { readReportLimits } from '../../engine/report-pages/load-report.ts'
import type { AppContext } from '../../server/context.ts'

/** The asker of a call. */
export const askerFor = (
  app: AppContext,
  call: Pick<AssistantCall, 'caller' | 'model' | 'language' | 'traceId' | 'signal'>,
): AssistantCall => ({
  engine: app,
  reader: app.queryCache,
  log: app.log,
  ...call,
  bytesMax: app.settings.get(RESULTS_MAX_BYTES),
  reportLimits: readReportLimits(app.settings),
})
