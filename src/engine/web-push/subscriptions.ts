/** Subscriptions as they are stored. */
import { allRows, insertRow } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { markText, openSealed, sealText } from '../../access/seal.ts'
import { pushSubscriptions } from './engine-db.ts'
import type { BrowserKeys } from './push-message.ts'
import { FAILURES_BEFORE_REST, FAILURES_MAX, REST_MS, SUBSCRIPTIONS_MAX } from './push-options.ts'

/** A browser's request to receive messages. */
interface NewSubscription {
  endpoint: string
  keys: BrowserKeys
  expiresAt: Date | undefined
}

/** The owner of a subscription. */
interface SubscriptionOwner {
  userId: number
  /** '' without a session. */
  sessionId: string
}

/** A subscription to send to. */
export interface Subscription {
  id: number
  sessionId: string | null
  endpoint: string
  keys: BrowserKeys
}

const REMOVE_SAME = `DELETE FROM svc_push_subscriptions WHERE Mark = @mark`

const REMOVE_OWN = `DELETE FROM svc_push_subscriptions
  WHERE UserId = @user AND Endpoint = @endpoint`

const REMOVE_OLDEST = `DELETE FROM svc_push_subscriptions WHERE UserId = @user AND Id NOT IN (
  SELECT Id FROM svc_push_subscriptions WHERE UserId = @user ORDER BY Id DESC
  LIMIT ${SUBSCRIPTIONS_MAX})`

/**
 * Stores a subscription; resolves to how many old ones of the user were removed for it. One of the
 * same endpoint, key and secret belongs to the same browser, whichever user was signed in there: it
 * moves. The endpoint alone proves nothing, so it takes nothing from another user.
 */
export async function saveSubscription(
  tx: Tx,
  { endpoint, keys, expiresAt }: NewSubscription,
  { userId: user, sessionId }: SubscriptionOwner,
  { sealKey, now }: { sealKey: Uint8Array; now: Date },
): Promise<number> {
  const text = JSON.stringify([endpoint, keys.p256dh, keys.auth])
  const mark = markText(sealKey, text, 'push subscriptions')
  await tx.run(REMOVE_SAME, { mark })
  await tx.run(REMOVE_OWN, { user, endpoint })
  await insertRow(tx, pushSubscriptions, {
    UserId: user,
    Endpoint: endpoint,
    Mark: mark,
    P256dh: keys.p256dh,
    SessionId: sessionId === '' ? null : sessionId,
    Auth: sealText(sealKey, keys.auth, placeOf(mark)),
    CreatedAt: now.toISOString(),
    ExpiresAt: expiresAt?.toISOString(),
  })
  return tx.run(REMOVE_OLDEST, { user })
}

const placeOf = (mark: string): string => `svc_push_subscriptions.Auth:${mark}`

/** Removes a user's subscription; false if there was none. */
export const deleteSubscription = async (tx: Tx, user: number, endpoint: string) =>
  (await tx.run(REMOVE_OWN, { user, endpoint })) > 0

const COUNT = `SELECT count(*) AS Count FROM svc_push_subscriptions WHERE UserId = @user`

/** Counts the subscriptions of a user. */
export const countSubscriptions = async (reader: Reader, user: number): Promise<number> =>
  (await reader.get<{ Count: number }>(COUNT, { user }))?.Count ?? 0

const LOAD = `WHERE UserId = @user AND (@id IS NULL OR Id = @id)
    AND (RestUntil IS NULL OR RestUntil <= @now) AND (ExpiresAt IS NULL OR ExpiresAt > @now)
  ORDER BY Id`

/** The subscriptions of a user that may receive messages now, or one of them. */
export async function loadSubscriptions(
  reader: Reader,
  { userId: user, id = null, now }: { userId: number; id?: number | null; now: Date },
  sealKey: Uint8Array,
): Promise<Subscription[]> {
  const rows = await allRows(reader, pushSubscriptions, LOAD, { user, id, now: now.toISOString() })
  return rows.map(({ Id, SessionId, Endpoint, P256dh, Auth, Mark }) => ({
    id: Id,
    sessionId: SessionId,
    endpoint: Endpoint,
    keys: { p256dh: P256dh, auth: openSealed(sealKey, Auth, placeOf(Mark)) },
  }))
}

const MOVE = `UPDATE svc_push_subscriptions SET SessionId = @next WHERE SessionId = @session`

/** A session that continues as another one takes its subscriptions with it. */
export const moveSubscriptions = (tx: Tx, session: string, next: string): Promise<number> =>
  tx.run(MOVE, { session, next })

const REMOVE = `DELETE FROM svc_push_subscriptions WHERE Id = @id AND SessionId IS @session`

/** Removes an ended subscription, unless it continued in another session meanwhile. */
export const removeSubscription = (
  tx: Tx,
  { id, sessionId }: Pick<Subscription, 'id' | 'sessionId'>,
): Promise<number> => tx.run(REMOVE, { id, session: sessionId })

const ARRIVED = `UPDATE svc_push_subscriptions SET Failures = 0, RestUntil = NULL
  WHERE Id = @id AND (Failures > 0 OR RestUntil IS NOT NULL)`

/** Notes that a message arrived. */
export const saveArrival = (tx: Tx, id: number): Promise<number> => tx.run(ARRIVED, { id })

const FAILED = `UPDATE svc_push_subscriptions SET Failures = Failures + 1,
    RestUntil = CASE WHEN Failures + 1 >= ${FAILURES_BEFORE_REST} THEN @rest END
  WHERE Id = @id`

const REMOVE_DEAD = `DELETE FROM svc_push_subscriptions
  WHERE Id = @id AND Failures >= ${FAILURES_MAX}`

/** Notes a failed message: after some in a row the subscription rests, after many it is removed. */
export async function saveFailure(tx: Tx, id: number, now: Date): Promise<void> {
  await tx.run(FAILED, { id, rest: new Date(now.getTime() + REST_MS).toISOString() })
  await tx.run(REMOVE_DEAD, { id })
}

const REMOVE_LOCKED = `DELETE FROM svc_push_subscriptions
  WHERE UserId = @user AND EXISTS (SELECT 1 FROM svc_users WHERE Id = @user AND Active = 0)`

/** Removes the subscriptions of a user who is locked. */
export const removeOfLocked = (tx: Tx, user: number): Promise<number> =>
  tx.run(REMOVE_LOCKED, { user })
