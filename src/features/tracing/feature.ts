/**
 * Traces for OpenTelemetry: spans of requests, statements and jobs, sent to a collector. Off unless
 * `Svc:Otlp:Url` names one: then nothing of it is loaded, and no span is made.
 */
import { Loop } from '../../kernel/background.ts'
import { sleep } from '../../kernel/clock.ts'
import { counter, type Figure, gauge } from '../../kernel/figures.ts'
import { SECOND } from '../../kernel/setting.ts'
import { followSpans } from '../../kernel/tracing.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { openSender } from './send-otlp.ts'
import { OTLP } from './settings.ts'
import { SpanQueue } from './span-queue.ts'

const EVERY_MS = 2 * SECOND

/** The longest between two tries while the collector is down. */
const FAULT_MS_MAX = 30 * SECOND

/** The longest that a stop waits for the collector. */
const STOP_MS = 2 * SECOND

const queues = new WeakMap<AppContext, SpanQueue>()

/** The loop that sends spans; at a stop those that wait, unless the collector is down. */
class Traces extends Loop {
  readonly #app: AppContext

  constructor(app: AppContext) {
    const { settings, log } = app
    const url = settings.get(OTLP.url)
    super({
      name: 'traces',
      log,
      failure: 'traces could not be sent to the collector',
      faultMsMax: FAULT_MS_MAX,
      stopMs: STOP_MS,
      steps: [async () => queues.get(app)?.flush()],
      ...(url !== '' && {
        everyMs: EVERY_MS,
        prepare: async () => {
          const [headers, service] = [settings.get(OTLP.headers), settings.get(OTLP.service)]
          const send = await openSender({ url, headers, service })
          const sharePercent = settings.get(OTLP.share)
          queues.set(app, new SpanQueue({ send, sharePercent, onFull: () => this.wake() }))
        },
        follow: () => {
          followSpans((span) => queues.get(app)?.take(span))
          return () => followSpans(undefined)
        },
      }),
    })
    this.#app = app
  }

  override async stop(): Promise<void> {
    await super.stop()
    if (this.isFaulted) return
    const flushed = queues.get(this.#app)?.flush()
    await Promise.race([flushed, sleep(STOP_MS)]).catch((error: unknown) =>
      this.#app.log.warn('the last traces could not be sent', { reason: String(error) }),
    )
  }
}

function listTraceFigures(app: AppContext): Figure[] {
  const queue = queues.get(app)
  if (!queue) return []
  const { sent, dropped, failed, waiting } = queue
  const total = (outcome: string, value: number): Figure =>
    counter('appengine_otlp_spans_total', 'Spans by what became of them', value, { outcome })
  return [
    ...[total('sent', sent), total('dropped', dropped), total('failed', failed)],
    gauge('appengine_otlp_spans_waiting', 'Spans that wait to be sent', waiting),
  ]
}

/** See `Feature`. */
export const tracingFeature: Feature = {
  routes: [],
  settings: [OTLP],
  background: [(app) => new Traces(app)],
  figures: [(app) => () => listTraceFigures(app)],
}
