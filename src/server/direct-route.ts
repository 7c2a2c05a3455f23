/**
 * Direct routes, which the pipeline answers itself, by what they declare: their handlers take
 * parameters of the path and a JSON body alone, and give a `Response`. Elysia would make a stream
 * of the body and walk through it twice more (src/server/README.md, Decisions).
 */
import type { TSchema } from '@sinclair/typebox'
import { matchNames } from './case-insensitive-body.ts'
import type { RouteCall } from './route-call.ts'
import type { Route } from './route.ts'
import { SchemaCheck } from './schema-check.ts'

/** In a route's `detail`: see above. */
export const DIRECT = { 'x-direct': true } as const

/** A direct route; its schemas are compiled at their first use. */
export class DirectRoute {
  readonly #route: Route
  readonly #schema: TSchema
  /** The check of its body. */
  readonly check: SchemaCheck
  readonly #params: SchemaCheck | undefined

  /** @throws Error for a route that declares more than it may. */
  constructor(route: Route) {
    const { params, body, query } = route.declaration
    if (query || !body) throw new Error(`The route ${route.path} cannot be direct`)
    this.#route = route
    this.#schema = body
    this.check = new SchemaCheck(body)
    this.#params = params && new SchemaCheck(params)
  }

  /** Spells the members of a body as the schema does; true where it fits already, as it is. */
  match(body: object): boolean {
    if (this.check.fits(body)) return true
    matchNames(this.#schema, body)
    return false
  }

  /**
   * Answers a call behind its gate, whose body is matched: `fits` is the result of `match`.
   * @throws validation for values that do not fit the schemas
   */
  async answer(call: RouteCall, fits: boolean): Promise<Response> {
    const { before, handler, path } = this.#route
    if (before) await before(call)
    if (this.#params?.fits(call.params) === false) this.#params.require(call.params)
    if (!fits) call.body = this.check.require(call.body)
    const response = await handler(call)
    if (!(response instanceof Response)) throw new Error(`${path} gives no Response`)
    return response
  }
}
