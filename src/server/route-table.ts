/** Routes of the app: answers to a request that none of them took, and checks of a body. */
import type { TSchema } from '@sinclair/typebox'
import { Failure } from '../kernel/failure.ts'
import { FEW_VALUES_MAX } from '../kernel/limits.ts'
import { Lru } from '../kernel/lru.ts'
import { isAsking } from '../kernel/schema.ts'
import { yieldToOthers } from '../kernel/yielder.ts'
import { findMisspelt } from '../engine/object/misspelt-members.ts'
import { planValuesMax } from './body-bounds.ts'
import { matchNames, matchNamesInTurns } from './case-insensitive-body.ts'
import { DIRECT, DirectRoute } from './direct-route.ts'
import type { Gate } from './gate.ts'
import type { Route, RouteDeclaration, RouteDetail, RouteGroup, TellInvalid } from './route.ts'
import { SchemaCheck } from './schema-check.ts'
import type { Ease } from './session.ts'

/** In a route's `detail`: its body is a multipart form, which the route reads itself. */
export const MULTIPART = { 'x-body': 'multipart/form-data' } as const

/** In a route's `detail`: its body is JSON, or a multipart form, which the route reads itself. */
export const JSON_OR_MULTIPART = { 'x-body': 'application/json, multipart/form-data' } as const

/** In a route's `detail`: its body has few values, though its schema has room for many. */
export const FEW_VALUES = { 'x-values': 'few' } as const

/** In a route's `detail`: it changes nothing though it takes a body (RFC 9110, section 9.2.1). */
export const SAFE = { 'x-safe': true } as const

/**
 * In a route's `detail`: its 400s, those of its body among them, have the form of a protocol that
 * knows no envelope.
 */
export const tellingInvalid = (tell: TellInvalid) => ({ 'x-invalid': tell })

/**
 * In a route's `detail`: the token may be in its query, as `access_token` (RFC 6750, 2.3), since a
 * browser gives a WebSocket no header.
 */
export const QUERY_TOKEN = { 'x-token': 'header, access_token' } as const

/** Returns true when a route changes nothing, by its method or by its `detail`. */
const readSafe = ({ method, declaration: { detail } }: Route): boolean =>
  method === 'GET' || detail['x-safe'] === true

/** Reads from a route's `detail` that it reads its body itself: always, or multipart forms only. */
function readStreams({ 'x-body': body }: RouteDetail): 'always' | 'forms' | undefined {
  if (body === MULTIPART['x-body']) return 'always'
  return body === JSON_OR_MULTIPART['x-body'] ? 'forms' : undefined
}

const hasFewValues = ({ 'x-values': values }: RouteDetail): boolean =>
  values === FEW_VALUES['x-values']

/** Returns true when a request brings a multipart form. */
export const isForm = (request: Request): boolean =>
  /^multipart\/form-data\s*;/i.test(request.headers.get('content-type') ?? '')

/** A route at its whole path, with what its declaration says, read once. */
export interface ServedRoute extends RouteAt {
  readonly declaration: RouteDeclaration
  readonly gate: Gate
  readonly body: TSchema | undefined
  /** Most values of the body. */
  readonly valuesMax: number
  /** True when a misspelt member of the body is refused. */
  readonly asks: boolean
  /** True when the route changes nothing. */
  readonly isSafe: boolean
  /** True when the token may be in its query; only for a path without parameters. */
  readonly takesQueryToken: boolean
  /** Set when the route reads its body itself, as a stream: always, or multipart forms only. */
  readonly streams: 'always' | 'forms' | undefined
  /** Set for a route whose 400s have a form of their own. */
  readonly tellInvalid: TellInvalid | undefined
  /** The check of its body: of a direct route, and of a large one before Elysia's own. */
  readonly check: SchemaCheck | undefined
  /** Set for a route that is answered without Elysia's handler. */
  readonly direct: DirectRoute | undefined
}

interface RouteAt {
  readonly method: string
  /** From its very start. */
  readonly path: string
  /** Name of its area of the document. */
  readonly area: string | undefined
}

/** A direct route that a path belongs to, with the parameters of the path. */
export interface DirectMatch {
  readonly route: ServedRoute
  readonly direct: DirectRoute
  readonly params: Readonly<Record<string, string>>
}

/** Paths whose direct routes are remembered: the one of the method that was asked last. */
const MATCHES_MAX = 1000
const MATCHED_CHARACTERS_MAX = 200

/** Lists the routes of a group. @throws Error for one that says direct and cannot be */
export const serveGroup = ({ prefix, area, routes }: RouteGroup, basePath: string): ServedRoute[] =>
  routes.map((route) => {
    const { method, declaration } = route
    const { body, detail } = declaration
    const direct = detail['x-direct'] === DIRECT['x-direct'] ? new DirectRoute(route) : undefined
    return {
      method,
      path: basePath + prefix + route.path,
      area,
      declaration,
      gate: detail['x-gate'],
      body,
      valuesMax: body && !hasFewValues(detail) ? planValuesMax(body) : FEW_VALUES_MAX,
      asks: body !== undefined && isAsking(body),
      isSafe: readSafe(route),
      takesQueryToken: detail['x-token'] === QUERY_TOKEN['x-token'],
      streams: readStreams(detail),
      tellInvalid: detail['x-invalid'],
      check: direct?.check ?? (body && new SchemaCheck(body)),
      direct,
    }
  })

/** Result of matching a body with the schema of its route. */
interface BodyMatch {
  /** True when the route is direct and the body fits its schema as it is. */
  fits: boolean
  /** The refusal of the body, which waits for the gate. */
  refusal: Failure | undefined
}

/**
 * Gives the members of a body the spelling of the route's schema. A member that is nearly right is
 * refused.
 */
export function matchBody(route: ServedRoute, body: object): BodyMatch {
  const { direct, body: schema, asks } = route
  if (direct?.match(body)) return { fits: true, refusal: undefined }
  if (!direct && schema) matchNames(schema, body)
  return { fits: false, refusal: schema && asks ? findMisspelt(schema, body) : undefined }
}

/**
 * The same for a large body, while others have turns. What the route's own check would refuse is
 * refused, too: Elysia writes all of the body into its error.
 */
export async function matchLargeBody(route: ServedRoute, body: object): Promise<BodyMatch> {
  const { direct, body: schema, asks, check } = route
  if (!schema) return { fits: false, refusal: undefined }
  const beyond = await findBeyond(schema, body)
  if (beyond) return { fits: false, refusal: beyond }
  await yieldToOthers()
  const misspelt = asks ? findMisspelt(schema, body) : undefined
  if (misspelt) return { fits: false, refusal: misspelt }
  await yieldToOthers()
  const fits = direct?.check.fits(body) ?? false
  const refusal = fits ? undefined : check?.refuse(body)
  // Elysia's check of the body, and the route's own work, have a turn of their own.
  await yieldToOthers()
  return { fits, refusal }
}

/** Gives members their spelling; the refusal of a list, a text or a map that is too long. */
async function findBeyond(schema: TSchema, body: object): Promise<Failure | undefined> {
  try {
    return await matchNamesInTurns(schema, body)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

const PARAMETER = /^:/

function easeOf(gate: Gate): Ease | undefined {
  if (gate.kind === 'authenticated') return gate.before
  if (gate.kind === 'roles') return gate.watchers && 'watched'
  return gate.kind === 'open' ? 'open' : undefined
}

/** The routes of an app, read once: they do not change after the start. */
export class RouteTable {
  readonly #segments: readonly {
    method: string
    segments: readonly string[]
    route: ServedRoute
  }[]
  readonly #routes = new Map<string, Map<string, ServedRoute>>()
  /** Ease of admission by path and method. */
  readonly #eased = new Map<string, Map<string, Ease>>()
  readonly #queryTokens = new Set<string>()
  readonly #direct: readonly ServedRoute[]
  readonly #matches = new Lru<string, DirectMatch>(MATCHES_MAX)

  /** @throws Error for a path with parameters that is to be let in more easily than others. */
  constructor(routes: readonly ServedRoute[]) {
    this.#segments = routes.map((route) => {
      const { method, path } = route
      return { method, segments: split(path), route }
    })
    this.#direct = routes.filter(({ direct }) => direct !== undefined)
    for (const { path, takesQueryToken } of routes) if (takesQueryToken) this.#queryTokens.add(path)
    for (const { method, path, gate } of routes) {
      const ease = easeOf(gate)
      if (ease === undefined) continue
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
  find(method: string, route: string): ServedRoute | undefined {
    return this.#routes.get(method === 'HEAD' ? 'GET' : method)?.get(route)
  }

  /** The same for a route that is served. */
  require(method: string, route: string): ServedRoute {
    const found = this.find(method, route)
    if (!found) throw new Error(`No group has the route ${method} ${route}`)
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
    if (!route?.direct || this.#segments.filter(isOne).length > 1) return
    const params: Record<string, string> = {}
    for (const [at, part] of split(route.path).entries())
      if (PARAMETER.test(part)) params[part.slice(1)] = segments[at] ?? ''
    return this.#matches.keep(path, { route, direct: route.direct, params })
  }

  /** Finds the route of a request by its raw path; else another method's route of that path. */
  match(method: string, path: string): ServedRoute | undefined {
    const segments = split(path)
    let other: ServedRoute | undefined
    for (const { route, segments: pattern } of this.#segments) {
      if (!fits(pattern, segments)) continue
      if (route.method === method || (method === 'HEAD' && route.method === 'GET')) return route
      other ??= route
    }
    return other
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

/** Returns true when a route reads the body of a request itself. */
export const isStreamed = (request: Request, { streams }: ServedRoute): boolean =>
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
