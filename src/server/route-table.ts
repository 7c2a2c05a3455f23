/** What the app's routes say about a request that none of them took, and about the body of one. */
import type { TSchema } from '@sinclair/typebox'
import type { Gate } from './gate.ts'

/** In a route's `detail`: its body is a multipart form, which the route reads itself. */
export const MULTIPART = { 'x-body': 'multipart/form-data' } as const

/** In a route's `detail`: its body is JSON, or a multipart form, which the route reads itself. */
export const JSON_OR_MULTIPART = { 'x-body': 'application/json, multipart/form-data' } as const

/** In a route's `detail`: it changes nothing though it takes a body (RFC 9110, section 9.2.1). */
export const SAFE = { 'x-safe': true } as const

/** Whether a route changes nothing, by its method or by its `detail`. */
export const readSafe = (method: string, detail: unknown): boolean =>
  method === 'GET' ||
  (typeof detail === 'object' && detail !== null && Reflect.get(detail, 'x-safe') === true)

/** Whether a route's `detail` says that it reads multipart forms itself, and none but those. */
export function readStreams(detail: unknown): 'always' | 'forms' | undefined {
  const body: unknown =
    typeof detail === 'object' && detail !== null ? Reflect.get(detail, 'x-body') : undefined
  if (body === MULTIPART['x-body']) return 'always'
  return body === JSON_OR_MULTIPART['x-body'] ? 'forms' : undefined
}

/** Whether a request brings a multipart form. */
export const isForm = (request: Request): boolean =>
  /^multipart\/form-data\s*;/i.test(request.headers.get('content-type') ?? '')

/** What is read of Elysia's route list. */
export interface RouteEntry {
  method: string
  path: string
  body?: TSchema
  gate?: Gate
  /** Whether the route changes nothing. */
  isSafe?: boolean
  /** Whether the route reads its body itself, as a stream: always, or multipart forms only. */
  streams?: 'always' | 'forms' | undefined
}

const PARAMETER = /^:/

/** The routes of an app, read once: they do not change after the start. */
export class RouteTable {
  readonly #routes: readonly { method: string; segments: readonly string[] }[]
  readonly #bodies: ReadonlyMap<string, TSchema>
  readonly #gates: ReadonlyMap<string, Gate>
  readonly #safe: ReadonlySet<string>
  readonly #streams: ReadonlyMap<string, 'always' | 'forms'>

  constructor(routes: readonly RouteEntry[]) {
    this.#routes = routes.map(({ method, path }) => ({ method, segments: split(path) }))
    this.#bodies = new Map(
      routes.flatMap(({ method, path, body }) => (body ? [[`${method} ${path}`, body]] : [])),
    )
    this.#streams = new Map(
      routes.flatMap(({ method, path, streams }) =>
        streams ? [[`${method} ${path}`, streams]] : [],
      ),
    )
    this.#safe = new Set(
      routes.flatMap(({ method, path, isSafe }) => (isSafe ? [`${method} ${path}`] : [])),
    )
    this.#gates = new Map(
      routes.flatMap(({ method, path, gate }) => (gate ? [[`${method} ${path}`, gate]] : [])),
    )
  }

  /** Whether a route reads the body of a request itself. */
  isStreamed(request: Request, route: string): boolean {
    const streams = this.#streams.get(`${request.method} ${route}`)
    return streams === 'always' || (streams === 'forms' && isForm(request))
  }

  /**
   * The gate of a route; `route` is its pattern, HEAD goes as GET.
   * @throws Error for a route that declares none: nothing is served by accident.
   */
  requireGate(method: string, route: string): Gate {
    const gate = this.#gates.get(`${method === 'HEAD' ? 'GET' : method} ${route}`)
    if (!gate) throw new Error(`The route ${method} ${route} declares no gate`)
    return gate
  }

  /** Whether a route changes nothing; `route` is its pattern, HEAD goes as GET. */
  isSafe(method: string, route: string): boolean {
    return this.#safe.has(`${method === 'HEAD' ? 'GET' : method} ${route}`)
  }

  /** The schema of a route's body; `route` is its pattern. */
  findBodySchema(method: string, route: string): TSchema | undefined {
    return this.#bodies.get(`${method} ${route}`)
  }

  /** The methods that a path takes, HEAD beside each GET; empty for an unknown path. */
  allowedMethods(path: string): string[] {
    const segments = split(path)
    const methods = new Set<string>()
    for (const route of this.#routes) {
      if (!fits(route.segments, segments)) continue
      methods.add(route.method)
      if (route.method === 'GET') methods.add('HEAD')
    }
    return [...methods].sort()
  }
}

/** A further slash at the end makes no other path: Elysia's router sees it so, too. */
const split = (path: string): string[] => path.replace(/(.)\/$/, '$1').split('/')

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.at(-1) === '*') {
    const head = pattern.slice(0, -1)
    return segments.length > head.length && fits(head, segments.slice(0, head.length))
  }
  return (
    pattern.length === segments.length &&
    pattern.every((part, at) =>
      PARAMETER.test(part) ? segments[at] !== '' : part === segments[at],
    )
  )
}
