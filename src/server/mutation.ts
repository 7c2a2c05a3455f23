/** Mutations of a request. */
import { type Mutation, newMutation } from '../engine/object/mutation.ts'
import type { RequestCall } from './call.ts'
import {
  answerIdempotent,
  type Gates,
  type RecordResponse,
  takesKey,
} from './idempotent-response.ts'
import {
  type Call,
  type GatedCall,
  type Method,
  type Route,
  route,
  type RouteDeclaration,
} from './route.ts'

/**
 * The mutation of a call, by its caller. `recordResponse` commits with it; `body` says whether it
 * is held to the caller's company.
 */
export function planMutation(
  call: Pick<RequestCall, 'engine' | 'caller' | 'model' | 'traceId'>,
  recordResponse?: RecordResponse,
  body: { AllCompanies?: boolean } = {},
): Mutation {
  const { engine, caller, model, traceId } = call
  const by = { engine, caller, model, traceId }
  return newMutation(by, { allCompanies: body.AllCompanies, recordResponse })
}

/** A mutation as its route declares it. */
interface MutationRoute<D extends RouteDeclaration, T> {
  /** Finds what the caller must be allowed for a remembered answer, ahead of the checks. */
  readonly gates: (call: GatedCall<D>) => Gates | Promise<Gates>
  /** Plans the mutation and runs it: again where model or rights changed before its turn. */
  readonly run: (call: Call<D>, recordResponse: RecordResponse) => Promise<T>
}

/** A route whose answer is remembered under the call's Idempotency-Key: see `answerIdempotent`. */
export const mutationRoute = <const D extends RouteDeclaration, T>(
  method: Method,
  path: string,
  declaration: D,
  { gates, run }: MutationRoute<D, T>,
): Route =>
  route(
    method,
    path,
    declaration,
    (call) => answerIdempotent(call, (recordResponse) => run(call, recordResponse)),
    { before: takesKey(gates) },
  )
