/** The caller of the assistant: every tool and provider acts as them alone. */
import type { Log } from '../../kernel/log.ts'
import type { Settings } from '../../kernel/settings.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { ObjectEngine } from '../object/mutation.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import type { ReportLimits } from '../report-pages/load-report.ts'

/** The engine with the caller of one question, as they are while it is answered. */
export interface AssistantCall {
  engine: ObjectEngine & { readonly settings: Settings }
  reader: QueryCache
  log: Log
  caller: Caller
  /** The model that serves now. */
  model: Model
  /** The language of the answer, as `de`. */
  language: string
  traceId: string
  /** `Svc:Results:MaxBytes`. */
  bytesMax: number
  reportLimits: ReportLimits
  /** Ends with the client, and when it cancels. */
  signal: AbortSignal
}
