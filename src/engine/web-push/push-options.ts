/** `Svc:Push:*`. */
import { MAILTO } from '../../kernel/mail-address.ts'
import { DAY, duration, HOUR, MINUTE, SECOND, text } from '../../kernel/setting.ts'

export const PUSH = {
  subject: text(
    'Svc:Push:Subject',
    'Whom push services write to about this server; some take messages only with a real one',
    'mailto:application-engine@localhost',
    {
      pattern: new RegExp(String.raw`${MAILTO.source}|^https:\/\/[^\s/?#@]+\S*$`, 'u'),
      expected: 'an address like mailto:office@example.com or https://example.com/contact',
    },
  ),
  timeout: duration(
    'Svc:Push:Timeout',
    'How long a push service may take to take a message',
    10 * SECOND,
    [10, MINUTE],
  ),
  ttl: duration(
    'Svc:Push:Ttl',
    'How long a push service keeps a message for a browser that is away',
    DAY,
    [SECOND, 28 * DAY],
  ),
}

/** Most subscriptions of a user; beyond it the oldest are removed. */
export const SUBSCRIPTIONS_MAX = 20

/** Failed messages in a row after which a subscription rests. */
export const FAILURES_BEFORE_REST = 5

/** Length of that rest, without messages. */
export const REST_MS = HOUR

/** Failed messages in a row after which a subscription is removed. */
export const FAILURES_MAX = 50
