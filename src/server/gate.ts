/**
 * The gate of a route: declared beside its summary, enforced here for every route, shown in the
 * OpenAPI document as `x-gate`. A route without a gate is not served.
 */
import { denied } from '../kernel/failure.ts'
import { textMember } from '../kernel/members.ts'
import type { Verb } from '../model/compiled/role.ts'
import { findUserRecord } from '../access/users/user-records.ts'
import { requireViewUse } from '../engine/object/read/find-view.ts'
import type { ViewUse } from '../engine/object/view-access.ts'
import type { RequestCall } from './call.ts'
import { type CallerGate, passCallerGate, requireRole } from './caller-gate.ts'
import type { Duty } from './session.ts'

/** Place of the object's name in a request: its path (`:name`), or a member of its body. */
type ObjectPlace = 'path' | 'ObjectName' | 'FormName'

export type Gate = OpenGate | CallerGate | ObjectGate | NamedGate<unknown>

/** No token is asked for. Only for a path without parameters: it is looked up as it was sent. */
export interface OpenGate {
  readonly kind: 'open'
}

/** Callers with any of the verbs, or all of them, on the object that the request names. */
interface ObjectGate {
  readonly kind: 'object'
  readonly verbs: readonly Verb[]
  readonly in: ObjectPlace
  readonly needs: 'any' | 'all'
}

/** Place of the name in a request; a form's route checks it while the form arrives. */
type FoundPlace = 'path' | 'body' | 'form'

/** A gate that the feature evaluates from the request's names, before it touches data. */
interface NamedGate<Found, Place extends FoundPlace = FoundPlace> {
  readonly kind: 'named'
  readonly by: string
  readonly in: Place
  /** Returns the found value, or a promise of it; undefined while the body does not name it. */
  readonly evaluate: (call: RequestCall) => Found | undefined
}

/** Value that a gate finds for the handler of its route; a promise where the gate waits for it. */
export type FoundBy<G> = G extends ObjectGate
  ? ViewUse
  : G extends NamedGate<infer Found>
    ? Found
    : never

/** No token is asked for. */
export const OPEN: OpenGate = { kind: 'open' }
/** Any caller. */
export const AUTHENTICATED: CallerGate = { kind: 'authenticated' }
/** Describes a route for the document by which each caller has what is their own. */
export const planOwn = (operationId: string, summary: string, description: string) => ({
  'x-gate': AUTHENTICATED,
  operationId,
  summary,
  description: `${description} Gate: authentication; each has their own.`,
})
/** Any caller, also one who has yet to do one of the duties; for a path without parameters. */
export const authenticatedBefore = (...before: Duty[]): CallerGate => ({
  kind: 'authenticated',
  before,
})
/** Callers with one of the roles; System always. */
export const rolesGate = (...roles: string[]): CallerGate => ({ kind: 'roles', roles })
/**
 * System, an API key of a System user, and watchers, who have no token; for a path without
 * parameters.
 */
export const WATCHERS: CallerGate = { kind: 'roles', roles: ['System'], watchers: true }
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
export const namedGate = <Found, Place extends 'path' | 'body'>(
  by: string,
  place: Place,
  evaluate: NamedGate<Found>['evaluate'],
): NamedGate<Found, Place> => ({ kind: 'named', by, in: place, evaluate })
/** Declares a gate that the route checks while its form arrives; `by` describes it. */
export const formGate = (by: string): Gate => ({
  kind: 'named',
  by,
  in: 'form',
  evaluate: () => undefined,
})

/** Returns true for a gate that can be evaluated before the body is read. */
export const standsBeforeBody = (gate: Gate): boolean =>
  (gate.kind !== 'object' && gate.kind !== 'named') || gate.in === 'path' || gate.in === 'form'

/** Returns true for a gate that may wait: what it finds is a promise then. */
export const mayWait = (gate: Gate): boolean =>
  gate.kind === 'named' || (gate.kind === 'roles' && gate.watchers === true)

/**
 * Lets a request pass or throws 401 (`denied`), 404 for an object that does not exist; returns the
 * found value, or a promise of it. A passed gate is evaluated again only after a change of the
 * rights or the model, or when the request is planned again. A body without the object's name
 * passes: its validation refuses it.
 */
export function passGate(gate: Gate, call: RequestCall): unknown {
  const { app, facts } = call
  const model = app.models.get()
  if (facts.gate !== gate || facts.guardedBy !== model) {
    facts.found = evaluateGate(gate, call)
    facts.gate = gate
    facts.guardedBy = model
  }
  return facts.found
}

/** Evaluates a gate for a request; undefined when it finds nothing. See `passGate`. */
function evaluateGate(gate: Gate, call: RequestCall): unknown {
  if (gate.kind === 'roles') return gate.watchers ? passWatcher(call) : passRoles(gate.roles, call)
  if (gate.kind === 'resource') passCallerGate(gate, call.caller, call.model)
  else if (gate.kind === 'named') return gate.evaluate(call)
  else if (gate.kind === 'object') return passObjectGate(gate, call)
  return undefined
}

function passRoles(roles: readonly string[], { caller }: RequestCall): undefined {
  requireRole(caller, roles)
}

/**
 * Lets System pass, and an API key of a System user, whichever roles it has: one without any reads
 * figures and nothing else. A request without a caller is one of a watcher.
 */
async function passWatcher({ app, facts: { caller } }: RequestCall): Promise<undefined> {
  if (!caller || caller.isSystem) return
  if (!caller.apiKey || !(await findUserRecord(app.store, caller.userId))?.isSystem) throw denied()
}

/** The view that a request names, as its caller may use it; undefined where it names none. */
export function passObjectGate(gate: ObjectGate, call: RequestCall): ViewUse | undefined {
  const name =
    gate.in === 'path' ? (textMember(call.params, 'name') ?? '') : textMember(call.body, gate.in)
  if (name === undefined) return undefined
  const granted = requireViewUse(call.app, call, name, gate.verbs)
  if (gate.needs === 'all') for (const verb of gate.verbs) granted.grant.requireVerb(verb)
  return granted
}
