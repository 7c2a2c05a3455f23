/**
 * Sends spans by OTLP over HTTP, as JSON: the exporter of OpenTelemetry itself, which is loaded
 * when a collector is named.
 */
import type { EndedSpan } from '../../kernel/tracing.ts'
import type { SendSpans } from './span-queue.ts'
import facts from '../../../package.json' with { type: 'json' }

/** Milliseconds that a request to the collector may take, with what it asks to be tried again. */
const SEND_MS = 3000

interface Collector {
  url: string
  /** `name=value`. */
  headers: readonly string[]
  /** The name of this server. */
  service: string
}

const PATH = '/v1/traces'

/** Kinds of spans and outcomes, by the numbers of the standard. */
const KINDS = { internal: 0, server: 1, client: 2, consumer: 4 } as const
const OUTCOMES = { unset: 0, error: 2 } as const
const SAMPLED = 1

const NO_TIME: [number, number] = [0, 0]

/** Loads the exporter and opens it. */
export async function openSender({ url, headers, service }: Collector): Promise<SendSpans> {
  const [{ OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const base = url.replace(/\/+$/, '')
  const exporter = new OTLPTraceExporter({
    url: base.endsWith(PATH) ? base : base + PATH,
    headers: Object.fromEntries(headers.map(readHeader)),
    timeoutMillis: SEND_MS,
  })
  const resource = resourceFromAttributes({
    'service.name': service,
    'service.version': facts.version,
  })
  const common = {
    resource,
    instrumentationScope: { name: 'appengine', version: facts.version },
    links: [],
    events: [],
    duration: NO_TIME,
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
  const toReadable = (span: EndedSpan) => ({
    ...common,
    name: span.name,
    kind: KINDS[span.kind],
    spanContext: () => toContext(span.traceId, span.spanId),
    ...(span.parentId !== undefined && {
      parentSpanContext: toContext(span.traceId, span.parentId),
    }),
    startTime: toTime(span.begin),
    endTime: toTime(span.end),
    status: { code: span.isFailed ? OUTCOMES.error : OUTCOMES.unset },
    attributes: span.attributes,
  })
  return (spans) =>
    new Promise((resolve, reject) => {
      exporter.export(spans.map(toReadable), ({ code, error }) => {
        if (code === 0) resolve()
        else reject(error ?? new Error('The collector did not take the spans'))
      })
    })
}

const readHeader = (header: string): [string, string] => {
  const at = header.indexOf('=')
  return [header.slice(0, at), header.slice(at + 1)]
}

const toContext = (traceId: string, spanId: string) => ({ traceId, spanId, traceFlags: SAMPLED })

/** Milliseconds since 1970 as seconds and nanoseconds. */
const toTime = (milliseconds: number): [number, number] => {
  const seconds = Math.floor(milliseconds / 1000)
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)]
}
