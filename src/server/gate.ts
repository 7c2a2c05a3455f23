/**
 * The gate of a route: declared beside its summary, enforced here for every route, shown in the
 * OpenAPI document as `x-gate`. A route without a gate is not served.
 */
import type { Verb } from '../model/compiled/role.ts'
import { requireViewUse } from '../engine/object/read/find-view.ts'
import type { ViewUse } from '../engine/object/view-access.ts'
import { type CallerGate, passCallerGate, requireRole } from './caller-gate.ts'
import type { AppContext } from './context.ts'
import { modelOf } from './language.ts'
import { callerOf, type Duty, requireFacts } from './session.ts'

/** Place of the object's name in a request: its path (`:name`), or a member of its body. */
type ObjectPlace = 'path' | 'ObjectName' | 'FormName'

export type Gate =
  /** No token is asked for. Only for a path without parameters: it is looked up as it was sent. */
  { readonly kind: 'open' } | CallerGate | ObjectGate | NamedGate<unknown>

/** Callers with any of the verbs, or all of them, on the object that the request names. */
interface ObjectGate {
  readonly kind: 'object'
  readonly verbs: readonly Verb[]
  readonly in: ObjectPlace
  readonly needs: 'any' | 'all'
}

/** A gate that the feature evaluates from the request's names, before it touches data. */
interface NamedGate<Found> {
  readonly kind: 'named'
  readonly by: string
  /** Place of the name in the request; a form's route checks it while the form arrives. */
  readonly in: 'path' | 'body' | 'form'
  /** Returns the found value, or a promise of it; undefined while the body does not name it. */
  readonly evaluate: (app: AppContext, incoming: Incoming) => Found | undefined
}

/** Value that a gate finds for the handler of its route. */
type FoundBy<G> = G extends ObjectGate ? ViewUse : G extends NamedGate<infer Found> ? Found : never

/** No token is asked for. */
export const OPEN: Gate = { kind: 'open' }
/** Any caller. */
export const AUTHENTICATED: CallerGate = { kind: 'authenticated' }
/** Any caller, also one who has yet to do one of the duties; for a path without parameters. */
export const authenticatedBefore = (...before: Duty[]): Gate => ({ kind: 'authenticated', before })
/** Callers with one of the roles; System always. */
export const rolesGate = (...roles: string[]): CallerGate => ({ kind: 'roles', roles })
/** Callers with the verb or capability on a resource of the engine. */
export const resourceGate = (resource: string, right: string): CallerGate => ({
  kind: 'resource',
  resource,
  right,
})
/** Callers with any of the verbs on the object that the request names. */
export const objectGate = (place: ObjectPlace, ...verbs: Verb[]): ObjectGate => ({
  kind: 'object',
  verbs,
  in: place,
  needs: 'any',
})
/** Callers with all of the verbs on the object that the request names. */
export const everyGate = (place: ObjectPlace, ...verbs: Verb[]): ObjectGate => ({
  kind: 'object',
  verbs,
  in: place,
  needs: 'all',
})
/** Declares a gate decided by `evaluate`, from the path or the body; `by` describes it. */
export const namedGate = <Found>(
  by: string,
  place: 'path' | 'body',
  evaluate: NamedGate<Found>['evaluate'],
): NamedGate<Found> => ({ kind: 'named', by, in: place, evaluate })
/** Declares a gate that the route checks while its form arrives; `by` describes it. */
export const formGate = (by: string): Gate => ({
  kind: 'named',
  by,
  in: 'form',
  evaluate: () => undefined,
})

/** The request as a gate sees it; `body` is undefined until it is read. */
export interface Incoming {
  request: Request
  params?: unknown
  body?: unknown
}

/** The gate in a route's `detail`. */
export function findGate(detail: unknown): Gate | undefined {
  return typeof detail === 'object' && detail !== null
    ? (Reflect.get(detail, 'x-gate') as Gate | undefined)
    : undefined
}

/** Returns true for a gate that can be evaluated before the body is read. */
export const standsBeforeBody = (gate: Gate): boolean =>
  (gate.kind !== 'object' && gate.kind !== 'named') || gate.in === 'path' || gate.in === 'form'

/**
 * Lets a request pass or throws 401 (`denied`), 404 for an object that does not exist; returns the
 * found value, or a promise of it. A passed gate is evaluated again only after a change of the
 * rights or the model, or when the request is planned again. A body without the object's name
 * passes: its validation refuses it.
 */
export function passGate(app: AppContext, gate: Gate, incoming: Incoming): unknown {
  const facts = requireFacts(incoming.request)
  const model = app.models.get()
  if (facts.gate !== gate || facts.guardedBy !== model) {
    facts.found = evaluateGate(app, gate, incoming)
    facts.gate = gate
    facts.guardedBy = model
  }
  return facts.found
}

/** Returns what the gate of a request's route finds. @throws what the gate throws */
export function found<G extends ObjectGate | NamedGate<unknown>>(
  app: AppContext,
  { 'x-gate': gate }: { readonly 'x-gate': G },
  incoming: Incoming,
): FoundBy<G> {
  const result = passGate(app, gate, incoming)
  requireFacts(incoming.request).planned ??= app.models.get()
  if (result === undefined) throw new Error('The request does not name what its gate is about')
  return result as FoundBy<G>
}

/** Evaluates a gate for a request; undefined when it finds nothing. See `passGate`. */
export function evaluateGate(app: AppContext, gate: Gate, incoming: Incoming): unknown {
  const { request } = incoming
  if (gate.kind === 'roles') requireRole(callerOf(request), gate.roles)
  else if (gate.kind === 'resource') passCallerGate(gate, callerOf(request), modelOf(app, request))
  else if (gate.kind === 'named') return gate.evaluate(app, incoming)
  else if (gate.kind === 'object') {
    const name =
      gate.in === 'path'
        ? (textMember(incoming.params, 'name') ?? '')
        : textMember(incoming.body, gate.in)
    if (name === undefined) return undefined
    const granted = requireGrant(app, request, name, gate.verbs)
    if (gate.needs === 'all') for (const verb of gate.verbs) granted.grant.requireVerb(verb)
    return granted
  }
  return undefined
}

/** The view of a name as the caller of a request uses it. @throws notFound, denied */
export function requireGrant(
  app: AppContext,
  request: Request,
  name: string,
  verbs: readonly Verb[],
): ViewUse {
  const by = { caller: callerOf(request), model: modelOf(app, request) }
  return requireViewUse(app, by, name, verbs)
}

/** A text member of a body or of path parameters that was not validated yet. */
export function textMember(holder: unknown, name: string): string | undefined {
  if (typeof holder !== 'object' || holder === null) return undefined
  const value: unknown = Reflect.get(holder, name)
  return typeof value === 'string' ? value : undefined
}
