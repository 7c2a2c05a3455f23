/** The first steps of a call: its gate, then its body, the gate again where the body names it. */
import { BODIES_BYTES_MAX, OPEN_BODY_BYTES_MAX } from '../kernel/limits.ts'
import { toNetwork } from '../access/throttle.ts'
import { BodyBudget } from './body-budget.ts'
import { type BodyLimits, isLarge, readJsonObject } from './body.ts'
import type { AppContext } from './context.ts'
import { HTTP } from './floor.ts'
import { type Gate, passGate, standsBeforeBody } from './gate.ts'
import { type Incoming, RouteCall } from './route-call.ts'
import {
  isStreamed,
  matchBody,
  matchLargeBody,
  type RouteTable,
  type ServedRoute,
} from './route-table.ts'
import {
  admitAgain,
  networkOf,
  type RequestFacts,
  requireFacts,
  requireOpenToKeys,
} from './session.ts'

/** Takes the calls of an app through their first steps. */
export class CallReader {
  readonly #context: AppContext
  readonly #routes: RouteTable
  readonly #bodyBytesMax: number
  readonly #budget = new BodyBudget(BODIES_BYTES_MAX)

  constructor(context: AppContext, routes: RouteTable) {
    this.#context = context
    this.#routes = routes
    this.#bodyBytesMax = context.settings.get(HTTP.maxBodyBytes)
  }

  /** The call that a route's functions get of a request. */
  open(gate: Gate, given: Incoming): RouteCall {
    return new RouteCall(this.#context, requireFacts(given.request), gate, given)
  }

  /**
   * Passes the gate of the route of a pattern, unless nothing that it goes by has changed since. A
   * promise where the gate waits.
   */
  pass(route: string, call: RouteCall): unknown {
    const { facts, request } = call
    if (facts.guardedBy === this.#context.models.get()) return undefined
    const passed = this.#pass(this.#routes.require(request.method, route), call)
    facts.stages?.end('gate')
    return passed
  }

  /** Passes the gate: before the body if it needs none of it, else once the body is there. */
  #pass(route: ServedRoute, call: RouteCall): unknown {
    const { facts } = call
    facts.route = route
    if (facts.guardedBy === this.#context.models.get()) return undefined
    if (call.body === undefined && !standsBeforeBody(route.gate)) return undefined
    facts.isSafe = route.isSafe
    if (facts.caller?.apiKey) requireOpenToKeys(route.path)
    return passGate(route.gate, call)
  }

  /** Passes the route's gate, then reads its JSON body. */
  parse(request: Request, route: string, params: unknown): Promise<Record<string, unknown>> {
    const declared = this.#routes.require(request.method, route)
    return this.read(declared, this.open(declared.gate, { request, params }))
  }

  /** Passes a call's gate, then reads its JSON body into it. */
  async read(declared: ServedRoute, call: RouteCall): Promise<Record<string, unknown>> {
    const { facts, request } = call
    const early = this.#pass(declared, call)
    if (early instanceof Promise) await early
    facts.stages?.end('gate')
    if (isStreamed(request, declared)) return {}
    let body = facts.parsed
    if (!body) {
      body = await readJsonObject(request, this.#planLimits(facts, declared))
      const match = isLarge(facts.body)
        ? await matchLargeBody(declared, body)
        : matchBody(declared, body)
      Object.assign(facts, match)
      // A body may take its time: who sent it may not be let in any more.
      const admitted = admitAgain(call)
      if (admitted) await admitted
      facts.planned = undefined
      facts.parsed = body
      facts.stages?.end('body')
    }
    call.body = body
    const late = this.#pass(declared, call)
    if (late instanceof Promise) await late
    facts.stages?.end('gate')
    if (facts.refusal) throw facts.refusal
    return body
  }

  /** Plans limits: a client without a token sends little, and is counted by address. */
  #planLimits(facts: RequestFacts, { valuesMax }: ServedRoute): BodyLimits {
    const { caller } = facts
    return {
      bytesMax: caller ? this.#bodyBytesMax : Math.min(this.#bodyBytesMax, OPEN_BODY_BYTES_MAX),
      valuesMax,
      budget: this.#budget,
      caller: caller ? String(caller.userId) : toNetwork(networkOf({ facts })),
      keep: (held) => (facts.body = held),
    }
  }
}
