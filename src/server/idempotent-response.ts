/** Mutations that run once under their Idempotency-Key, and answer the same bytes ever after. */
import { Failure, unavailable } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { yieldToOthers } from '../kernel/yielder.ts'
import type { Tx } from '../store/store.ts'
import { isModelChanged, PLANS_MAX } from '../model/current.ts'
import { RIGHTS_CHANGED } from '../access/callers/caller-validity.ts'
import { Grant } from '../access/rights/grant.ts'
import type { NeededRight } from '../engine/object/write/mutation-rights.ts'
import { isLarge } from './body.ts'
import type { RequestCall } from './call.ts'
import { hashBody, hashBodyInTurns } from './idempotency.ts'
import { envelopeOf, okEnvelopeTo } from './reply.ts'
import { forgetPlan, isFault, planAnew, type RequestFacts, type WithFacts } from './session.ts'

/** In a route's `detail`: it takes the header Idempotency-Key. */
export const IDEMPOTENT = { 'x-idempotent': true } as const

/** Takes part in the mutation's transaction, when its result is final. */
export type RecordResponse = (tx: Tx, result: unknown) => Promise<void>

/** Gates of a call's mutation; undefined for one that takes no key. */
export type Gates = readonly NeededRight[] | undefined

/**
 * A step before a call's values are checked: with an Idempotency-Key, a remembered answer goes out
 * instead, and a request that is in flight under the key makes this one a 409. Without the header
 * it does nothing. `findGates` reads the mutation's gates from what the call names.
 */
export const takesKey =
  <C extends RequestCall>(findGates: (call: C) => Gates | Promise<Gates>) =>
  async (call: C): Promise<void> => {
    if (!call.request.headers.has('idempotency-key')) return
    const gates = await findGates(call)
    if (gates) await takeKey(call, gates)
  }

/** `takesKey` for a route whose form decides on its gate: called after that, with its fields. */
export async function takeKey(
  call: RequestCall,
  gates: readonly NeededRight[],
  body = call.body,
): Promise<void> {
  const { app, request, facts } = call
  const key = request.headers.get('idempotency-key')
  if (key === null) return
  const { caller, model } = call
  const route = `${request.method} ${facts.path}`
  const passes = ({ resource, rights }: NeededRight): boolean =>
    rights.some((right) => Grant.findCapability(caller, model, resource, right) !== undefined)
  const requestHash = isLarge(facts.body) ? await hashBodyInTurns(body) : hashBody(body)
  facts.attempt = await app.idempotency.begin({ caller, key, route, requestHash, gates, passes })
}

/**
 * Runs a mutation and answers its result. The answer is remembered under the request's key, if it
 * has one: a success in the mutation's transaction (`recordResponse`, which the mutation calls
 * last), its own refusal after the rollback. `mutate` plans with the rights and the model of its
 * call, and is called again when they change before its transaction's turn.
 */
export async function answerIdempotent<T>(
  of: WithFacts,
  mutate: (recordResponse: RecordResponse) => Promise<T>,
): Promise<Response> {
  const { attempt, received } = of.facts
  await requireAwaited(received)
  attempt?.begin()
  let text: string | undefined
  let isRecorded = false
  const recordResponse: RecordResponse = async (tx, result) => {
    isRecorded = true
    if (attempt) await attempt.record(tx, 200, (text = envelopeOf(result)))
  }
  const result = await planAgain(
    of,
    () => {
      isRecorded = false
      return mutate(recordResponse)
    },
    () => !isRecorded,
  )
  return okEnvelopeTo(of, text ?? envelopeOf(result))
}

/**
 * Refuses a mutation whose connection is closed: its client would not learn of it. Bun closes one
 * on which another request comes before the answer; if both are in one packet, in the first's turn.
 */
async function requireAwaited({ signal }: Request): Promise<void> {
  await yieldToOthers()
  if (signal.aborted) throw unavailable(say`The request was cancelled`)
}

/**
 * Plans work again, with the rights and the model of now, whenever those of its plan have changed:
 * its failure may be due to that. `mayRunAgain` returns true while none of it can be committed.
 * @throws unavailable (`MODEL_CHANGED`) where they changed each time, what `work` throws
 */
export async function planAgain<T>(
  of: WithFacts,
  work: () => Promise<T>,
  mayRunAgain: () => boolean = () => true,
): Promise<T> {
  const { facts } = of
  forgetPlan(facts)
  for (let plans = 1; ; plans++)
    try {
      return await (plans === 1 ? work() : planAnew(of, work))
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
