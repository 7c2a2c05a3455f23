/** A route: one value. Elysia's route, the direct answer and the document are made of it. */
import type { Static, TSchema } from '@sinclair/typebox'
import type { ErrorEnvelope } from '../kernel/envelope.ts'
import type { RequestCall } from './call.ts'
import type { FoundBy, Gate, OpenGate } from './gate.ts'
import type { RouteCall } from './route-call.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Writes a 400 in a protocol's own form, from the envelope that it would be. */
export type TellInvalid = (told: ErrorEnvelope) => object

/** Members of a route beside its schemas: its gate, marks of the server, text of the document. */
export interface RouteDetail {
  readonly 'x-gate': Gate
  readonly 'x-invalid'?: TellInvalid
  readonly [member: string]: unknown
}

/** The schemas of a route, and its detail. */
export interface RouteDeclaration {
  readonly params?: TSchema
  readonly query?: TSchema
  readonly body?: TSchema
  readonly response?: TSchema
  readonly detail: RouteDetail
}

type Values<D, Name extends string> =
  D extends Readonly<Record<Name, infer S extends TSchema>> ? Static<S> : undefined

type GateOf<D extends RouteDeclaration> = D['detail']['x-gate']

/** A call as a route's handler gets it: its values fit the schemas, its gate is passed. */
export type Call<D extends RouteDeclaration> = Omit<
  RequestCall,
  'params' | 'query' | 'body' | 'caller'
> &
  (GateOf<D> extends OpenGate ? unknown : Pick<RequestCall, 'caller'>) & {
    readonly params: Values<D, 'params'>
    readonly query: Values<D, 'query'>
    readonly body: Values<D, 'body'>
    /** Value that the gate found; a promise where the gate waits for it. */
    readonly found: FoundBy<GateOf<D>>
  }

/** A call behind its gate, before its values are checked. */
export type GatedCall<D extends RouteDeclaration> = RequestCall & {
  /** Undefined where the body does not name what the gate is about: it is refused later. */
  readonly found:
    FoundBy<GateOf<D>> | (GateOf<D> extends { readonly in: 'path' } ? never : undefined)
}

type Answer<D> =
  D extends Readonly<Record<'response', infer S extends TSchema>> ? Static<S> : unknown

/** Work of a route, by whichever call. */
type Step = (call: RouteCall) => unknown

/** A route, as its group lists it. */
export interface Route {
  readonly method: Method
  /** Below the prefix of its group. */
  readonly path: string
  readonly declaration: RouteDeclaration
  readonly handler: Step
  /** Runs behind the gate, before the values are checked. */
  readonly before?: Step | undefined
}

/** Routes that share the start of their paths, and an area of the document. */
export interface RouteGroup {
  readonly prefix: string
  /** Name of the area; undefined for routes that the document does not have. */
  readonly area?: string
  readonly routes: readonly Route[]
}

/** Declares a route; its handler gets a call that is typed by the declaration. */
export function route<const D extends RouteDeclaration>(
  method: Method,
  path: string,
  declaration: D,
  handler: (call: Call<D>) => Answer<D> | Response | Promise<Answer<D> | Response>,
  { before }: { readonly before?: (call: GatedCall<D>) => unknown } = {},
): Route {
  return {
    method,
    path,
    declaration,
    handler: handler as Step,
    before: before as Step | undefined,
  }
}
