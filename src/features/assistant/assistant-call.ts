/** The assistant's call, from a request or from a call of its hub. */
import type { AssistantCall } from '../../engine/assistant/assistant-call.ts'
import { RESULTS_MAX_BYTES } from '../../engine/floor.ts'
import { readReportLimits } from '../../engine/report-pages/load-report.ts'
import type { RequestCall } from '../../server/call.ts'

/** Returns a call as the assistant's functions take it. */
export const toAssistantCall = ({
  app,
  caller,
  model,
  language,
  traceId,
  signal,
}: Pick<
  RequestCall,
  'app' | 'caller' | 'model' | 'language' | 'traceId' | 'signal'
>): AssistantCall => ({
  engine: app,
  reader: app.queryCache,
  log: app.log,
  caller,
  model,
  language,
  traceId,
  signal,
  bytesMax: app.settings.get(RESULTS_MAX_BYTES),
  reportLimits: readReportLimits(app.settings),
})
