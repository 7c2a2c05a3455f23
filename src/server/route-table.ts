/** What the app's routes say about a request that none of them took, and about the body of one. */
import type { TSchema } from '@sinclair/typebox'

/** What is read of Elysia's route list. */
export interface RouteEntry {
  method: string
  path: string
  body?: TSchema
}

const PARAMETER = /^:/

/** The routes of an app, read once: they do not change after the start. */
export class RouteTable {
  readonly #routes: readonly { method: string; segments: readonly string[] }[]
  readonly #bodies: ReadonlyMap<string, TSchema>

  constructor(routes: readonly RouteEntry[]) {
    this.#routes = routes.map(({ method, path }) => ({ method, segments: split(path) }))
    this.#bodies = new Map(
      routes.flatMap(({ method, path, body }) => (body ? [[`${method} ${path}`, body]] : [])),
    )
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
