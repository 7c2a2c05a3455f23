/** Messages to a user's browsers, as jobs. */
import type { Clock } from '../../kernel/clock.ts'
import { Failure } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { SECOND } from '../../kernel/setting.ts'
import { type Reader, type Store, systemScope, type Tx } from '../../store/store.ts'
import { UNFINISHED } from '../../store/tables/jobs.ts'
import { RIGHTS_CHANGED } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { findLiveSession } from '../../access/sessions/sessions.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import type { JobKind, JobOwner, JobRun } from '../jobs/job.ts'
import type { PushMessage } from './push-message.ts'
import { type PushOptions, type PushOutcome, sendPush } from './send-push.ts'
import {
  loadSubscriptions,
  removeOfLocked,
  removeSubscription,
  saveArrival,
  saveFailure,
  type Subscription,
} from './subscriptions.ts'

/** The job that sends one message to the browsers of one user. */
const PUSH_JOB = 'push-message'

/** Tries of a message to a browser whose push service is busy, after the first one. */
const RETRIES = 5

/** The wait before the second try, where the push service says nothing. */
const RETRY_MS = 10 * SECOND

const SCOPE = systemScope('push subscriptions belong to users')

export interface PushJobParts {
  /** `engine.db` and `state.db`. */
  store: Store
  state: Store
  clock: Clock
  sealKey: Uint8Array
  /** Resolves when the keys are available. */
  loadOptions: () => Promise<PushOptions>
  /** A notification of the caller as it is now; undefined where it is no longer to be sent. */
  findNotification: (of: Caller, id: number) => Promise<PushMessage | undefined>
}

/**
 * A message to send: a notification by its Id, since others may look at jobs, or a message of the
 * engine's own. Goes to one subscription, or to all of the user's.
 */
type PushArguments = { subscription?: number } & (
  { notification: number } | { message: PushMessage }
)

/** The message in the form of a job's arguments. */
interface StoredArguments {
  Notification?: number
  Message?: PushMessage
  Subscription?: number
}

/** Enqueues a message to the user's browsers. */
export function enqueuePush(
  tx: Tx,
  given: PushArguments,
  facts: { owner: JobOwner & { userId: number }; source: string; now: Date; dueAt?: Date },
): Promise<number> {
  const what =
    'message' in given ? { Message: given.message } : { Notification: given.notification }
  const stored: StoredArguments = { ...what, Subscription: given.subscription }
  // Browsers of one user that hang take two workers at most.
  const isAgain = given.subscription !== undefined
  return enqueueJob(tx, {
    name: PUSH_JOB,
    arguments: { ...stored },
    ...facts,
    exclusiveKey: `${isAgain ? 'push-again' : 'push'}:${facts.owner.userId}`,
    ...(isAgain && { attemptsMax: RETRIES }),
  })
}

const WAITING = `SELECT 1 AS Found FROM svc_jobs
  WHERE ExclusiveKey = @key AND ${UNFINISHED} LIMIT 1`

/** Tells whether a message for the user is under way. */
export const isPushWaiting = async (reader: Reader, userId: number): Promise<boolean> =>
  (await reader.get(WAITING, { key: `push:${userId}` })) !== undefined

/** See `JobKind`. */
export const pushJob = (parts: PushJobParts): JobKind => ({
  name: PUSH_JOB,
  run: (run) => pushMessage(parts, run),
})

interface Sent {
  to: Subscription
  outcome: PushOutcome | { kind: 'ended' }
}

/** Counts of browsers that took it, and of those that will be tried again. */
interface PushResult {
  Sent: number
  Waiting: number
}

const NOTHING: PushResult = { Sent: 0, Waiting: 0 }

async function pushMessage(parts: PushJobParts, run: JobRun): Promise<PushResult> {
  const { store, clock, sealKey } = parts
  const { Notification, Message, Subscription: id } = run.arguments as StoredArguments
  const caller = await findCaller(parts, run)
  if (!caller) return NOTHING
  const message =
    Notification === undefined ? Message : await parts.findNotification(caller, Notification)
  if (!message) return NOTHING
  const of = { userId: caller.userId, id: id ?? null, now: clock.now() }
  const to = await loadSubscriptions(store, of, sealKey)
  const sent = await Promise.all(to.map((each) => sendOne(parts, run, each, message)))
  for (const { to, outcome } of sent)
    if ('why' in outcome) run.log(say`Subscription ${to.id}: ${outcome.why}`)
  const waiting = sent.filter(({ outcome }) => outcome.kind === 'again')
  await store.write(async (tx) => {
    for (const each of sent) await saveOutcome(tx, each, clock.now())
    if (id === undefined) for (const each of waiting) await enqueueAgain(tx, each, run, clock.now())
  }, SCOPE)
  const [first] = waiting
  if (id !== undefined && first && 'why' in first.outcome)
    throw new Failure('internal', first.outcome.why)
  const arrived = sent.filter(({ outcome }) => outcome.kind === 'sent')
  return { Sent: arrived.length, Waiting: waiting.length }
}

/** Undefined for a user who is locked or has left the company: nothing is sent to them. */
async function findCaller({ store }: PushJobParts, run: JobRun): Promise<Caller | undefined> {
  try {
    return await run.requireCaller()
  } catch (error) {
    const isEnded = error instanceof Failure && error.kind === 'unauthorized'
    if (!isEnded || error.code === RIGHTS_CHANGED) throw error
    const { UserId } = run.job
    if (UserId !== null)
      await store.write(async (tx) => void (await removeOfLocked(tx, UserId)), SCOPE)
    return undefined
  }
}

/** A subscription ends with its session. */
async function sendOne(
  { state, clock, loadOptions }: PushJobParts,
  { signal }: JobRun,
  to: Subscription,
  message: PushMessage,
): Promise<Sent> {
  const { sessionId } = to
  if (sessionId !== null && !(await findLiveSession(state, sessionId, clock.now())))
    return { to, outcome: { kind: 'ended' } }
  return { to, outcome: await sendPush(to, message, await loadOptions(), signal) }
}

async function saveOutcome(tx: Tx, { to, outcome }: Sent, now: Date): Promise<void> {
  if (outcome.kind === 'sent') await saveArrival(tx, to.id)
  else if (outcome.kind === 'gone' || outcome.kind === 'ended') await removeSubscription(tx, to)
  else await saveFailure(tx, to.id, now)
}

async function enqueueAgain(
  tx: Tx,
  { to, outcome }: Sent,
  { job, arguments: given }: JobRun,
  now: Date,
): Promise<void> {
  const { UserId: userId, CompanyId: companyId, Language, Source: source } = job
  if (outcome.kind !== 'again' || userId === null) return
  const { Notification, Message } = given as StoredArguments
  const what = Message ? { message: Message } : { notification: Notification ?? 0 }
  const owner = { userId, companyId, language: Language ?? undefined }
  const dueAt = new Date(now.getTime() + (outcome.afterMs ?? RETRY_MS))
  await enqueuePush(tx, { ...what, subscription: to.id }, { owner, source, now, dueAt })
}
