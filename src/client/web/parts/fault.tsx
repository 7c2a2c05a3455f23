/** A refusal as people read it: what happened, and the trace id for those who look into it. */
import { say } from '../texts/texts.ts'
import { ServerError } from '../api/server-error.ts'
import { describeFault } from '../api/told-error.ts'

/** Tells what was thrown, as an alert; nothing without it. */
export function Fault({ of }: { of: unknown }) {
  if (of === undefined) return null
  const traceId = of instanceof ServerError && of.status >= 500 ? of.refusal.traceId : undefined
  return (
    <div class="fault" role="alert">
      {describeFault(of)}
      {traceId && <div class="quiet">{say('traceId', { id: traceId })}</div>}
    </div>
  )
}
