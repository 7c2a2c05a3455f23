/** Sends one message to one browser, by its push service (RFC 8030). */
import { type Message, say } from '../../kernel/messages.ts'
import { SECOND } from '../../kernel/setting.ts'
import { type OutboundPolicy, OutboundRefusal } from '../outbound/outbound-policy.ts'
import { type OutboundAnswer, OutboundFailure, sendOutbound } from '../outbound/send-outbound.ts'
import { encryptMessage, formatMessage, type PushMessage } from './push-message.ts'
import type { Subscription } from './subscriptions.ts'
import type { VapidKeys } from './vapid-keys.ts'

/** The outcome of a message. */
export type PushOutcome =
  | { kind: 'sent' }
  /** The push service no longer knows the subscription. */
  | { kind: 'gone' }
  /** The service may take it later; not before so many milliseconds, where it says so. */
  | { kind: 'again'; why: Message; afterMs: number | undefined }
  /** The service will never take it. */
  | { kind: 'refused'; why: Message }

export interface PushOptions {
  policy: OutboundPolicy
  vapid: VapidKeys
  timeoutMs: number
  /** Time that the push service keeps the message. */
  ttlMs: number
}

/** Bytes read of a push service's answer, which is not used. */
const ANSWER_BYTES_MAX = 1024

/** Longest wait that a push service may ask for. */
const AFTER_MS_MAX = 3_600_000

/** Levels that wake a browser at once, as RFC 8030 calls them. */
const URGENT: ReadonlySet<string> = new Set(['warning', 'error'])

/** Sends a message. The address is checked again as it resolves at this time. */
export async function sendPush(
  { endpoint, keys }: Subscription,
  message: PushMessage,
  { policy, vapid, timeoutMs, ttlMs }: PushOptions,
  signal: AbortSignal,
): Promise<PushOutcome> {
  const request = {
    method: 'POST' as const,
    headers: {
      Authorization: await vapid.authorize(new URL(endpoint)),
      'Content-Type': 'application/octet-stream',
      'Content-Encoding': 'aes128gcm',
      TTL: String(Math.floor(ttlMs / SECOND)),
      Urgency: URGENT.has(message.Level) ? 'high' : 'normal',
    },
    body: encryptMessage(formatMessage(message), keys),
    timeoutMs,
    answerBytesMax: ANSWER_BYTES_MAX,
    signal,
  }
  try {
    return toOutcome(await sendOutbound(endpoint, request, policy))
  } catch (error) {
    // A name that is refused now may resolve to another address later.
    if (!(error instanceof OutboundFailure) && !(error instanceof OutboundRefusal)) throw error
    return { kind: 'again', why: error.text, afterMs: undefined }
  }
}

function toOutcome({ status, headers }: OutboundAnswer): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'sent' }
  if (status === 404 || status === 410) return { kind: 'gone' }
  const why = say`The push service answered with status ${status}`
  if (status !== 429 && status < 500) return { kind: 'refused', why }
  const seconds = Number(headers['retry-after'])
  const afterMs = seconds > 0 ? Math.min(seconds * SECOND, AFTER_MS_MAX) : undefined
  return { kind: 'again', why, afterMs }
}
