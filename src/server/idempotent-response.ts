/** Mutations that run once under their Idempotency-Key, and answer the same bytes ever after. */
import { Failure, unavailable } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { yieldToOthers } from '../kernel/yielder.ts'
import type { Tx } from '../store/store.ts'
import { isModelChanged, PLANS_MAX } from '../model/current.ts'
import { RIGHTS_CHANGED } from '../access/callers/caller-validity.ts'
import { Grant } from '../access/rights/grant.ts'
import type { AppContext } from './context.ts'
import type { Incoming } from './gate.ts'
import type { PassedGate } from './idempotency.ts'
import { modelOf } from './language.ts'
import { envelopeOf, okEnvelopeTo } from './reply.ts'
import {
  callerOf,
  forgetPlan,
  isFault,
  planAnew,
  type RequestFacts,
  requireFacts,
} from './session.ts'

/** In a route's `detail`: it takes the header Idempotency-Key. */
export const IDEMPOTENT = { 'x-idempotent': true } as const

/** Takes part in the mutation's transaction, when its result is final. */
export type RecordResponse = (tx: Tx, result: unknown) => Promise<void>

/** Finds the gates of a request's mutation, as its body names it. */
type FindGates = (app: AppContext, incoming: Incoming) => readonly PassedGate[]

/**
 * A hook after a route's gate: with an Idempotency-Key, a remembered answer goes out instead, and a
 * request that is in flight under the key makes this one a 409. Without the header it does nothing.
 */
export function takeKey(app: AppContext, findGates: FindGates) {
  // Elysia waits for functions that say `async`, and for no others; to one that takes the whole
  // context it gives cookies, query and headers, made again for each request.
  return async ({ request, params, body }: Incoming): Promise<void> =>
    takeKeyNow(app, { request, body }, () => findGates(app, { request, params, body }))
}

/** `takeKey` for a route whose form decides on its gate: called after that. */
export async function takeKeyNow(
  app: AppContext,
  { request, body }: Incoming,
  findGates: () => readonly PassedGate[],
): Promise<void> {
  const key = request.headers.get('idempotency-key')
  if (key === null) return
  const facts = requireFacts(request)
  const route = `${request.method} ${facts.path}`
  const caller = callerOf(request)
  const model = modelOf(app, request)
  const passes = ({ resource, rights }: PassedGate): boolean =>
    rights.some((right) => Grant.findCapability(caller, model, resource, right) !== undefined)
  const gates = findGates()
  facts.attempt = await app.idempotency.begin({ caller, key, route, body, gates, passes })
}

/**
 * Runs a mutation and answers its result. The answer is remembered under the request's key, if it
 * has one: a success in the mutation's transaction (`recordResponse`, which the mutation calls
 * last), its own refusal after the rollback. `mutate` plans with the rights and the model of its
 * call, and is called again when they change before its transaction's turn.
 */
export async function answerIdempotent<T>(
  request: Request,
  mutate: (recordResponse: RecordResponse) => Promise<T>,
): Promise<Response> {
  const { attempt, received } = requireFacts(request)
  await requireAwaited(received)
  attempt?.begin()
  let text: string | undefined
  let isRecorded = false
  const recordResponse: RecordResponse = async (tx, result) => {
    isRecorded = true
    if (attempt) await attempt.record(tx, 200, (text = envelopeOf(result)))
  }
  const result = await planAgain(
    request,
    () => {
      isRecorded = false
      return mutate(recordResponse)
    },
    () => !isRecorded,
  )
  return okEnvelopeTo(request, text ?? envelopeOf(result))
}

/**
 * Refuses a mutation whose connection is closed: its client would not learn of it. Bun closes one
 * on which another request comes before the answer; if both are in one packet, in the first's turn.
 */
async function requireAwaited({ signal }: Request): Promise<void> {
  await yieldToOthers()
  if (signal.aborted) throw unavailable(say`Nobody waits for this any more`)
}

/**
 * Plans work again, with the rights and the model of now, whenever those of its plan have changed:
 * its failure may be due to that. `mayRunAgain` returns true while none of it can be committed.
 * @throws unavailable (`MODEL_CHANGED`) where they changed each time, what `work` throws
 */
export async function planAgain<T>(
  request: Request,
  work: () => Promise<T>,
  mayRunAgain: () => boolean = () => true,
): Promise<T> {
  const facts = requireFacts(request)
  forgetPlan(facts)
  for (let plans = 1; ; plans++)
    try {
      return await (plans === 1 ? work() : planAnew(request, work))
    } catch (error) {
      const isUndoneNow = isUndone(error)
      const mayBePlanned = isUndoneNow || (mayRunAgain() && (await isOutdated(facts)))
      if (!mayBePlanned) throw error
      if (plans < PLANS_MAX) continue
      throw isModelChanged(error) || (!isUndoneNow && isFault(error))
        ? facts.finders.toModelChanged(facts, error)
        : error
    }
}

/** Returns true when the transaction itself was refused and left nothing. */
const isUndone = (error: unknown): boolean =>
  isModelChanged(error) || (error instanceof Failure && error.code === RIGHTS_CHANGED)

const isOutdated = async ({ planned, finders }: RequestFacts): Promise<boolean> =>
  planned !== undefined && (await finders.isReplaced(planned))
