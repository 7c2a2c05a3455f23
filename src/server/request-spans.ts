/** Spans of requests for OpenTelemetry. */
import { findParentId } from '../kernel/ids.ts'
import { findSpans, newSpanId, toEpoch } from '../kernel/tracing.ts'
import { nameMethod, type RouteName } from './request-figures.ts'
import type { RequestFacts } from './session.ts'

const SERVER_FAULT = 500

/**
 * Makes the span of a request that was answered, by its route as it is declared: its own path may
 * name a record. It is below the span of the caller where a `traceparent` came with it.
 */
export function traceRequest(
  { charged, traceId, startedAt, received }: RequestFacts,
  route: RouteName | undefined,
  method: string,
  { status, milliseconds }: { status: number; milliseconds: number },
): void {
  const follow = findSpans()
  if (!follow) return
  const parent = received.headers.get('traceparent')
  const known = nameMethod(method)
  follow({
    ...(charged?.span ?? { traceId, spanId: newSpanId() }),
    name: route ? `${known} ${route.path}` : known,
    kind: 'server',
    parentId: parent === null ? undefined : findParentId(parent),
    begin: toEpoch(startedAt),
    end: toEpoch(startedAt + milliseconds),
    attributes: {
      'http.request.method': known,
      ...(route && { 'http.route': route.path }),
      'http.response.status_code': status,
    },
    isFailed: status >= SERVER_FAULT,
  })
}
