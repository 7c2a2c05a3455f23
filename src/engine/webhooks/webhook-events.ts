/** Delivers changes of a transaction to webhooks: deliveries and jobs are part of it. */
import type { Clock } from '../../kernel/clock.ts'
import { Failure } from '../../kernel/failure.ts'
import { allRows } from '../../store/rows.ts'
import type { Store, Tx } from '../../store/store.ts'
import { webhooks } from '../../store/tables/webhooks.ts'
import type { View } from '../../model/compiled/view.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import { listViewsOf } from '../../model/view-index.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { Callers } from '../../access/callers/callers.ts'
import { Grant } from '../../access/rights/grant.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import type { OuterEvent, OuterEvents } from '../object/after-write/outer-events.ts'
import type { ChangeSource } from '../object/mutation.ts'
import { requireViewUse } from '../object/read/find-view.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { findKeyedView, toWireKeys } from '../object/record/visible-keys.ts'
import { loadRemovedRow, type WireKeys } from './record-values.ts'
import { insertDelivery, type WebhookRow } from './webhook-records.ts'

/** The job that sends one delivery. */
export const WEBHOOK_JOB = 'webhook-delivery'

/** The queue of those jobs: a receiver that hangs delays no other jobs. */
export const WEBHOOK_QUEUE = 'webhooks'

/** Tries of a delivery before it is a dead letter. */
const ATTEMPTS = 11

/** Most deliveries of one webhook's event in a transaction; one without a key reports the rest. */
const DELIVERIES_MAX = 500

/** Longest wait of a write for the rows of its removed records. */
const REMOVED_MS = 250

export interface WebhookEventParts {
  store: Store
  callers: Callers
  models: CurrentModel
  clock: Clock
  queryCache: QueryCache
}

/**
 * Webhooks of the record's company that registered for an event of one of its views. Values are
 * read when a delivery is sent, by its maker's rights at that time. The row of a removed record is
 * stored now, while readers still see it, and read by the same rights.
 */
export class WebhookEvents implements OuterEvents {
  readonly #parts: WebhookEventParts
  /** Tells whether there are webhooks, by the version of their table. */
  #known: { stamp: number; isAny: boolean } | undefined

  constructor(parts: WebhookEventParts) {
    this.#parts = parts
  }

  async raise(
    tx: Tx,
    events: readonly OuterEvent[],
    origin: ChangeSource | undefined,
  ): Promise<void> {
    if (events.length === 0 || !(await this.#isAny(tx))) return
    const active = await allRows(tx, webhooks, 'WHERE Active')
    const deadline = performance.now() + REMOVED_MS
    for (const webhook of active) {
      const names = new Set(JSON.parse(webhook.Events) as string[])
      for (const event of events) {
        if (event.company !== null && event.company !== webhook.CompanyId) continue
        for (const [name, view] of this.#listNames(event)) {
          if (!names.has(name.toLowerCase())) continue
          const count = countUp(tx, `${webhook.Id} ${name}`)
          if (count > DELIVERIES_MAX + 1) continue
          const raised = { event, name, view, origin, deadline }
          const isOneTooMany = count > DELIVERIES_MAX
          const told = isOneTooMany ? { ...raised, event: { ...event, key: undefined } } : raised
          await this.#enqueue(tx, webhook, told)
        }
      }
    }
  }

  /** Answers without a read while the table is unchanged. */
  async #isAny(tx: Tx): Promise<boolean> {
    const { store } = this.#parts
    const stamp = store.stamp(['svc_webhooks'])
    if (stamp !== undefined && this.#known?.stamp === stamp) return this.#known.isAny
    const row = await tx.get('SELECT 1 AS Found FROM svc_webhooks WHERE Active LIMIT 1')
    if (stamp !== undefined) this.#known = { stamp, isAny: row !== undefined }
    return row !== undefined
  }

  /** Names by which webhooks register for the event, each with its view. */
  #listNames({ name, isNamed, entity, view }: OuterEvent): [string, View | undefined][] {
    if (isNamed) return [[name, view]]
    const model = this.#parts.models.get()
    const views = view ? [view] : entity ? listViewsOf(model, entity.name) : []
    return views.map((each) => [`${each.slug}.${name.toLowerCase()}`, each])
  }

  async #enqueue(tx: Tx, webhook: WebhookRow, raised: Raised): Promise<void> {
    const { clock, models } = this.#parts
    const { event, name, origin } = raised
    const now = clock.now()
    const facts = { event: name, action: event.name, at: now, traceId: origin?.traceId ?? null }
    const about = await this.#findRecord(webhook, raised, models.get())
    if (!about) return
    const { view, keys, removed = null } = about
    const id = await insertDelivery(tx, {
      ...facts,
      webhookId: webhook.Id,
      object: view?.name ?? null,
      removed,
      keys: keys ? JSON.stringify(keys) : null,
    })
    await enqueueDelivery(tx, webhook, id, now)
  }

  /**
   * Finds the view and key of a record, with the row of a removed one; undefined where the maker
   * does not see it. An entity's events use the first of its views that the maker may View.
   */
  async #findRecord(
    webhook: WebhookRow,
    { event, view: own, deadline }: Raised,
    model: Model,
  ): Promise<Told | undefined> {
    const { entity, key } = event
    if (!key || (!own && !entity)) return { view: own, keys: null }
    const caller = await this.#findMaker(webhook)
    const views = own ? [own] : entity ? listViewsOf(model, entity.name) : []
    const mayView = ({ resource }: View) =>
      caller && Grant.find(caller, model, resource, 'View') !== undefined
    const view = views.find(mayView)
    const keyed = view && findKeyedView(view)
    if (!caller || !keyed) return undefined
    const use = requireViewUse(this.#parts, { caller, model }, view.name, ['View'])
    const keys = toWireKeys(keyed, use, key)
    if (!keys) return undefined
    if (event.name !== 'deleted' || event.isNamed) return { view, keys }
    const removed = await beforeDeadline(
      loadRemovedRow(this.#parts.queryCache, use, keys),
      deadline,
    )
    // A row that does not come in time is reported without its record.
    if (removed === LATE) return { view, keys: null }
    return removed === undefined ? undefined : { view, keys, removed }
  }

  async #findMaker({ UserId, CompanyId }: WebhookRow): Promise<Caller | undefined> {
    try {
      const owner = { userId: UserId, companyId: CompanyId }
      return await this.#parts.callers.loadWithoutSession(owner)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unauthorized') return undefined
      throw error
    }
  }
}

interface Raised {
  event: OuterEvent
  name: string
  view: View | undefined
  origin: ChangeSource | undefined
  /** Time of the monotonic clock until which the writer waits. */
  deadline: number
}

/** Parts of the record that a maker may know; `removed` of a removed one alone. */
interface Told {
  view: View | undefined
  keys: WireKeys | null
  removed?: string
}

/** Deliveries of each webhook's events in a transaction, which may have several passes. */
const counts = new WeakMap<Tx, Map<string, number>>()

function countUp(tx: Tx, name: string): number {
  const own = counts.getOrInsertComputed(tx, () => new Map<string, number>())
  const count = (own.get(name) ?? 0) + 1
  own.set(name, count)
  return count
}

const LATE: unique symbol = Symbol('late')

/** `LATE` if the work takes longer than the deadline; its later failure is ignored. */
async function beforeDeadline<T>(work: Promise<T>, deadline: number): Promise<T | typeof LATE> {
  const late = Promise.withResolvers<typeof LATE>()
  const left = Math.max(0, deadline - performance.now())
  const timer = setTimeout(() => late.resolve(LATE), left)
  const first = await Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
  if (first === LATE) work.catch(() => {})
  return first
}

/** The body of a delivery without its values. */
export const toHead = (
  {
    event,
    action,
    at,
    traceId,
  }: { event: string; action: string; at: Date; traceId: string | null },
  view: Pick<View, 'name'> | undefined,
  keys: WireKeys | null,
) => ({
  Event: event,
  Object: view?.name ?? null,
  Action: action,
  Keys: keys,
  Values: null,
  At: at.toISOString(),
  TraceId: traceId,
})

/** Enqueues the sending of a delivery; deliveries of a webhook are sent one at a time. */
export async function enqueueDelivery(
  tx: Tx,
  { Id, UserId, CompanyId }: Pick<WebhookRow, 'Id' | 'UserId' | 'CompanyId'>,
  delivery: number,
  now: Date,
): Promise<void> {
  const jobId = await enqueueJob(tx, {
    name: WEBHOOK_JOB,
    arguments: { Delivery: delivery },
    now,
    queue: WEBHOOK_QUEUE,
    owner: { userId: UserId, companyId: CompanyId },
    source: `webhook/${Id}`,
    exclusiveKey: `webhook:${Id}`,
    attemptsMax: ATTEMPTS,
  })
  const sql = 'UPDATE svc_webhook_deliveries SET JobId = @job WHERE Id = @id'
  await tx.run(sql, { id: delivery, job: jobId })
}
