/** Requests as operators count them: by route, method and status. */
import { type Figure, gauge, Histogram, type Labels } from '../kernel/figures.ts'

/** A route as it is declared. */
export interface RouteName {
  readonly method: string
  /** Its template: `/api/v1/svc/object/:name/table`. */
  readonly path: string
}

/** Bounds of the time of an answer, in seconds. */
const ANSWER_SECONDS = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10] as const

/** Methods with a series of their own. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

/** A method, or `other` for one that no route has. */
export const nameMethod = (method: string): string => (METHODS.has(method) ? method : 'other')

/** Routes that no request has a template of. */
const NO_ROUTE = 'none'

/**
 * Counts answers of an app. A series is made with its first answer: their number is bounded by the
 * routes, and by the statuses that the engine gives.
 */
export class RequestFigures {
  /** Requests without an answer yet. */
  open = 0
  /** By route where the method is its own, else by both names; then by status. */
  readonly #series = new Map<RouteName | string, Map<number, Histogram>>()

  /** Counts an answer; `route` is undefined where no route has the path. */
  note(
    route: RouteName | undefined,
    method: string,
    answer: { status: number; milliseconds: number },
  ): void {
    const key =
      route?.method === method ? route : `${nameMethod(method)} ${route ? route.path : NO_ROUTE}`
    let byStatus = this.#series.get(key)
    if (!byStatus) this.#series.set(key, (byStatus = new Map<number, Histogram>()))
    let histogram = byStatus.get(answer.status)
    if (!histogram) byStatus.set(answer.status, (histogram = new Histogram(ANSWER_SECONDS)))
    histogram.observe(answer.milliseconds / 1000)
  }

  list(): Figure[] {
    const samples: { labels: Labels; histogram: Histogram }[] = []
    for (const [key, byStatus] of this.#series) {
      const [method = '', route = ''] =
        typeof key === 'string' ? key.split(' ') : [key.method, key.path]
      for (const [status, histogram] of byStatus)
        samples.push({ labels: { method, route, status: String(status) }, histogram })
    }
    return [
      {
        name: 'appengine_http_request_duration_seconds',
        help: 'Time from a request to its answer, by the route as it is declared',
        kind: 'histogram',
        samples,
      },
      gauge('appengine_http_requests_open', 'Requests without an answer yet', this.open),
    ]
  }
}
