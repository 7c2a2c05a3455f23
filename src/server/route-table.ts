/** Routes of the app: answers to a request that none of them took, and checks of a body. */
import type { TSchema } from '@sinclair/typebox'
import type { ErrorEnvelope } from '../kernel/envelope.ts'
import { Failure } from '../kernel/failure.ts'
import { Lru } from '../kernel/lru.ts'
import { isAsking } from '../kernel/schema.ts'
import { yieldToOthers } from '../kernel/yielder.ts'
import { findMisspelt } from '../engine/object/misspelt-members.ts'
import { matchNames } from './case-insensitive-body.ts'
import { DIRECT, DirectRoute } from './direct-route.ts'
import { findGate, type Gate } from './gate.ts'
import { findRoute, type Route } from './route.ts'
import type { Ease } from './session.ts'

/** In a route's `detail`: its body is a multipart form, which the route reads itself. */
export const MULTIPART = { 'x-body': 'multipart/form-data' } as const

/** In a route's `detail`: its body is JSON, or a multipart form, which the route reads itself. */
export const JSON_OR_MULTIPART = { 'x-body': 'application/json, multipart/form-data' } as const

/** In a route's `detail`: it changes nothing though it takes a body (RFC 9110, section 9.2.1). */
export const SAFE = { 'x-safe': true } as const

/** Writes a 400 in a protocol's own form, from the envelope that it would be. */
export type TellInvalid = (told: ErrorEnvelope) => object

/**
 * In a route's `detail`: its 400s, those of its body among them, have the form of a protocol that
 * knows no envelope.
 */
export const tellingInvalid = (tell: TellInvalid) => ({ 'x-invalid': tell })

/** Reads from a route's `detail` how it tells a 400; undefined for the envelope. */
function readTellInvalid(detail: unknown): TellInvalid | undefined {
  if (typeof detail !== 'object' || detail === null) return undefined
  return Reflect.get(detail, 'x-invalid') as TellInvalid | undefined
}

/**
 * In a route's `detail`: the token may be in its query, as `access_token` (RFC 6750, 2.3), since a
 * browser gives a WebSocket no header.
 */
export const QUERY_TOKEN = { 'x-token': 'header, access_token' } as const

/** Returns true when a route's `detail` allows the token in the query. */
const takesQueryToken = (detail: unknown): boolean =>
  typeof detail === 'object' &&
  detail !== null &&
  Reflect.get(detail, 'x-token') === QUERY_TOKEN['x-token']

/** Returns true when a route changes nothing, by its method or by its `detail`. */
export const readSafe = (method: string, detail: unknown): boolean =>
  method === 'GET' ||
  (typeof detail === 'object' && detail !== null && Reflect.get(detail, 'x-safe') === true)

/** Reads from a route's `detail` that it reads its body itself: always, or multipart forms only. */
function readStreams(detail: unknown): 'always' | 'forms' | undefined {
  const body: unknown =
    typeof detail === 'object' && detail !== null ? Reflect.get(detail, 'x-body') : undefined
  if (body === MULTIPART['x-body']) return 'always'
  return body === JSON_OR_MULTIPART['x-body'] ? 'forms' : undefined
}

/** Returns true when a request brings a multipart form. */
export const isForm = (request: Request): boolean =>
  /^multipart\/form-data\s*;/i.test(request.headers.get('content-type') ?? '')

/** An entry of Elysia's route list, in the parts that are read. */
export interface DeclaredRoute {
  method: string
  path: string
  handler?: unknown
  hooks: { body?: unknown; detail?: unknown }
}

/** A route with what its declaration says, read once. */
interface RouteEntry {
  method: string
  path: string
  body?: TSchema | undefined
  /** True when a misspelt member of the body is refused. */
  asks?: boolean
  gate?: Gate | undefined
  /** True when the route changes nothing. */
  isSafe?: boolean
  /** True when the token may be in its query; only for a path without parameters. */
  takesQueryToken?: boolean
  /** Set when the route reads its body itself, as a stream: always, or multipart forms only. */
  streams?: 'always' | 'forms' | undefined
  /** Set for a route whose 400s have a form of their own. */
  tellInvalid?: TellInvalid | undefined
  /** True for a route of a group: it passes its gate by itself. */
  isListed?: boolean
  /** Set for a route that is answered without Elysia's handler. */
  direct?: DirectRoute | undefined
}

/** A route that may serve. */
export type GatedRoute = RouteEntry & { gate: Gate }

/** A direct route that a path belongs to, with the parameters of the path. */
export interface DirectMatch {
  readonly route: GatedRoute
  readonly direct: DirectRoute
  readonly params: Readonly<Record<string, string>>
}

/** Paths whose direct routes are remembered: the one of the method that was asked last. */
const MATCHES_MAX = 1000
const MATCHED_CHARACTERS_MAX = 200

const isSchema = (body: unknown): body is TSchema => typeof body === 'object' && body !== null

const isDirect = ({ declaration: { detail } }: Route): boolean =>
  detail['x-direct'] === DIRECT['x-direct']

/** Reads what Elysia's routes declare. @throws Error for one that says direct and cannot be */
export const readRoutes = (routes: readonly DeclaredRoute[]): RouteEntry[] =>
  routes.map(({ method, path, hooks, handler }) => {
    const route = findRoute(handler)
    return {
      method,
      path,
      body: isSchema(hooks.body) ? hooks.body : undefined,
      asks: isSchema(hooks.body) && isAsking(hooks.body),
      gate: findGate(hooks.detail),
      isSafe: readSafe(method, hooks.detail),
      streams: readStreams(hooks.detail),
      takesQueryToken: takesQueryToken(hooks.detail),
      tellInvalid: readTellInvalid(hooks.detail),
      isListed: route !== undefined,
      direct: route && isDirect(route) ? new DirectRoute(route) : undefined,
    }
  })

/** Result of matching a body with the schema of its route. */
interface BodyMatch {
  /** True when the route is direct and the body fits its schema as it is. */
  fits: boolean
  /** The refusal of a member that is nearly right, which waits for the gate. */
  misspelt: Failure | undefined
}

/** Gives the members of a body the spelling of the route's schema. */
export function matchBody(route: RouteEntry, body: object): BodyMatch {
  const { direct, body: schema, asks } = route
  if (direct?.match(body)) return { fits: true, misspelt: undefined }
  if (!direct && schema) matchNames(schema, body)
  return { fits: false, misspelt: schema && asks ? findMisspelt(schema, body) : undefined }
}

/**
 * The same for a large body, while others have turns. A map of too many members is refused as a
 * misspelt member is, behind the gate.
 */
export async function matchLargeBody(route: RouteEntry, body: object): Promise<BodyMatch> {
  try {
    if (route.body) matchNames(route.body, body)
  } catch (error) {
    if (error instanceof Failure) return { fits: false, misspelt: error }
    throw error
  }
  await yieldToOthers()
  const match = matchBody(route, body)
  // Elysia's check of the body, and the route's own work, have a turn of their own.
  await yieldToOthers()
  return match
}

const PARAMETER = /^:/

/** The routes of an app, read once: they do not change after the start. */
export class RouteTable {
  readonly #segments: readonly { method: string; segments: readonly string[] }[]
  readonly #routes = new Map<string, Map<string, RouteEntry>>()
  /** Ease of admission by path and method. */
  readonly #eased = new Map<string, Map<string, Ease>>()
  readonly #queryTokens = new Set<string>()
  readonly #direct: readonly RouteEntry[]
  readonly #matches = new Lru<string, DirectMatch>(MATCHES_MAX)

  /** @throws Error for a path with parameters that is to be let in more easily than others. */
  constructor(routes: readonly RouteEntry[]) {
    this.#segments = routes.map(({ method, path }) => ({ method, segments: split(path) }))
    this.#direct = routes.filter(({ direct }) => direct !== undefined)
    for (const { path, takesQueryToken } of routes) if (takesQueryToken) this.#queryTokens.add(path)
    for (const { method, path, gate } of routes) {
      const ease = gate?.kind === 'authenticated' ? gate.before : gate?.kind
      if (ease !== 'open' && typeof ease !== 'object') continue
      if (/[:*]/.test(path)) throw new Error(`The gate of ${method} ${path} needs a fixed path`)
      const known = this.#eased.get(path)
      if (known) known.set(method, ease)
      else this.#eased.set(path, new Map([[method, ease]]))
    }
    for (const route of routes) {
      const known = this.#routes.get(route.method)
      if (known) known.set(route.path, route)
      else this.#routes.set(route.method, new Map([[route.path, route]]))
    }
  }

  /** Finds a declared route by its pattern; HEAD goes as GET. */
  find(method: string, route: string): RouteEntry | undefined {
    return this.#routes.get(method === 'HEAD' ? 'GET' : method)?.get(route)
  }

  /**
   * The same with its gate.
   * @throws Error for a route that declares none: nothing is served by accident.
   */
  require(method: string, route: string): GatedRoute {
    const found = this.find(method, route)
    if (!hasGate(found)) throw new Error(`The route ${method} ${route} declares no gate`)
    return found
  }

  /**
   * Finds the ease of a path: open without a token, or to callers with a duty to do first;
   * undefined for any other path, known or not. The path is compared whole, as it was sent.
   */
  findEased(method: string, path: string): Ease | undefined {
    return this.#eased.get(path)?.get(method === 'HEAD' ? 'GET' : method)
  }

  /** Returns true when a path's token may be in its query; the path is compared whole. */
  takesQueryToken(path: string): boolean {
    return this.#queryTokens.has(path)
  }

  /**
   * Finds the direct route of a request. Undefined for a path that Elysia would have to decode or
   * repair, or that several routes of the method could take: Elysia chooses among these.
   */
  findDirect(method: string, path: string): DirectMatch | undefined {
    if (this.#direct.length === 0) return undefined
    const known = this.#matches.find(path)
    return known?.route.method === method ? known : this.#matchDirect(method, path)
  }

  #matchDirect(method: string, path: string): DirectMatch | undefined {
    if (path.includes('%') || path.endsWith('/') || path.length > MATCHED_CHARACTERS_MAX) return
    const segments = split(path)
    const isOne = (route: { method: string; segments: readonly string[] }): boolean =>
      route.method === method && fits(route.segments, segments)
    const route = this.#direct.find((each) =>
      isOne({ method: each.method, segments: split(each.path) }),
    )
    if (!hasGate(route) || !route.direct || this.#segments.filter(isOne).length > 1) return
    const params: Record<string, string> = {}
    for (const [at, part] of split(route.path).entries())
      if (PARAMETER.test(part)) params[part.slice(1)] = segments[at] ?? ''
    return this.#matches.keep(path, { route, direct: route.direct, params })
  }

  /** The methods that a path takes, HEAD beside each GET; empty for an unknown path. */
  allowedMethods(path: string): string[] {
    const segments = split(path)
    const methods = new Set<string>()
    for (const route of this.#segments) {
      if (!fits(route.segments, segments)) continue
      methods.add(route.method)
      if (route.method === 'GET') methods.add('HEAD')
    }
    return [...methods].sort()
  }
}

const hasGate = (route: RouteEntry | undefined): route is GatedRoute => route?.gate !== undefined

/** Returns true when a route reads the body of a request itself. */
export const isStreamed = (request: Request, { streams }: RouteEntry): boolean =>
  streams === 'always' || (streams === 'forms' && isForm(request))

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
