/** Facts of a webhook as a request gives them, checked. */
import { type FieldErrors, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { SECOND } from '../../kernel/setting.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { OutboundRefusal, readOutboundPolicy } from '../../engine/outbound/outbound-policy.ts'
import { requireOutbound } from '../../engine/outbound/send-outbound.ts'
import { listNamedEvents } from '../../engine/webhooks/named-events.ts'
import type { WebhookFacts } from '../../engine/webhooks/webhook-records.ts'
import type { AppContext } from '../../server/context.ts'
import type { WebhookChange } from './schema.ts'

/** The longest that the name of a receiver's host is looked for. */
const RESOLVE_MS = 5 * SECOND

const CHANGES = new Set(['created', 'updated', 'deleted'])

/**
 * Reads the new facts of a webhook; `now` has the present ones. Throws validation for an address
 * that must not be sent to, and for events that are unknown or that the caller may not View. A
 * value that a request leaves as it was is never refused: an unfit webhook can be turned off.
 */
export async function readFacts(
  app: AppContext,
  { caller, model }: { caller: Caller; model: Model },
  { Url, Events, Active }: WebhookChange,
  now?: { Url: string; Events: readonly string[]; Active: boolean },
): Promise<WebhookFacts> {
  const faults: FieldErrors = {}
  const url = Url ?? now?.Url ?? ''
  try {
    if (Url !== undefined && Url !== null)
      await requireOutbound(Url, RESOLVE_MS, readOutboundPolicy(app.settings))
  } catch (error) {
    if (!(error instanceof OutboundRefusal)) throw error
    faults.Url = error.text
  }
  const events = (Events ?? now?.Events ?? []).map((name) => name.toLowerCase())
  for (const [at, name] of (Events ?? []).entries())
    if (!isKnown(model, caller, name.toLowerCase()))
      faults[`Events[${at}]`] = say`There is no such event`
  if (Object.keys(faults).length > 0) throw validation(faults)
  const active = Active ?? now?.Active ?? true
  return { url, events: [...new Set(events)], active, userId: caller.userId, now: app.clock.now() }
}

/** Returns true for a known event; one that the caller may not View is as unknown as any other. */
function isKnown(model: Model, caller: Caller, event: string): boolean {
  if (listNamedEvents(model).has(event)) return true
  const [key = '', name = ''] = event.split('.')
  const view = model.viewByKey.get(key)
  if (!view?.entity || view.slug !== key) return false
  if (!Grant.find(caller, model, view.resource, 'View')) return false
  return CHANGES.has(name) || view.rowActions.some((each) => each.name.toLowerCase() === name)
}
