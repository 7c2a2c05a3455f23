/** Settings of the server floor. */
import type { Part } from '../kernel/part.ts'
import {
  boolean,
  bytes,
  DAY,
  duration,
  HOUR,
  inDevelopment,
  integer,
  list,
  MB,
  MINUTE,
  SECOND,
  text,
} from '../kernel/setting.ts'
import { LANGUAGE } from '../access/users/spoken-language.ts'
import { parseNetwork } from '../engine/outbound/inner-address.ts'
import { GERMAN } from './german.ts'
import { HUB_GERMAN } from './hub/german.ts'
import { HUBS } from './hub/settings.ts'
import { LISTENING } from './listening/settings.ts'

/** Bounds of the failures allowed in a window. */
const FAILURES = [1, 1e6] as const

export const EXPOSE_ERRORS = boolean(
  'Svc:Errors',
  'Whether a 5xx answer tells its real message',
  inDevelopment,
)

export const LOG_REQUESTS = boolean(
  'Svc:Log:Requests',
  'Whether each request writes a line of level info',
  true,
)

export const HTTP = {
  basePath: text(
    'Svc:Http:BasePath',
    'Path that every route stands below, passed on by a proxy; health answers beside it, too',
    '',
    {
      pattern: /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/,
      expected: 'a path like /erp, without a slash at its end',
    },
  ),
  maxBodyBytes: bytes('Svc:Http:MaxBodyBytes', 'Size of a JSON request body', 8 * MB, [
    1024,
    128 * MB,
  ]),
  trustedProxies: list(
    'Svc:Http:TrustedProxies',
    'Addresses and networks of proxies whose X-Forwarded-For tells the address of the caller',
    {
      each: { test: (text) => parseNetwork(text) !== undefined },
      expected: 'IP addresses or networks like 10.0.0.0/8',
    },
  ),
  compression: boolean(
    'Svc:Http:Compression',
    'Whether JSON answers over 1 KB are sent in zstd or gzip to clients that take it',
    true,
  ),
  serverTiming: boolean(
    'Svc:Http:ServerTiming',
    'Whether answers tell by Server-Timing how long each stage of their request took',
    inDevelopment,
  ),
  origins: list('Svc:Cors:Origins', 'Origins of browsers that may call, separated by commas', {
    each: /^https?:\/\/[^\s/,?#@*]+$/,
    expected: 'origins like https://app.example.com',
  }),
}

export const METRICS = {
  allow: list(
    'Svc:Metrics:Allow',
    'Addresses and networks whose programs read /metrics without a token, beside this machine',
    {
      each: { test: (text) => parseNetwork(text) !== undefined },
      expected: 'IP addresses or networks like 10.0.0.0/8',
    },
  ),
}

export const IDEMPOTENCY = {
  ttl: duration(
    'Svc:Idempotency:Ttl',
    'How long the first answer to an Idempotency-Key is remembered',
    DAY,
    [SECOND, 365 * DAY],
  ),
  rejectMismatch: boolean(
    'Svc:Idempotency:RejectMismatch',
    'Whether an Idempotency-Key that comes with another request is a 400 instead of a replay',
    inDevelopment,
  ),
}

export const SIGN_IN = {
  userFailures: integer(
    'Svc:SignIn:UserFailures',
    'Failed sign-ins a user may have in a window',
    10,
    FAILURES,
  ),
  addressFailures: integer(
    'Svc:SignIn:AddressFailures',
    'Failed sign-ins an address may have in a window',
    100,
    FAILURES,
  ),
  window: duration(
    'Svc:SignIn:Window',
    'Window in which failed sign-ins, refreshes and codes are counted',
    15 * MINUTE,
    [SECOND, DAY],
  ),
  concurrency: integer(
    'Svc:SignIn:Concurrency',
    'Passwords that are checked at the same time',
    1,
    [1, 64],
  ),
  refreshFailures: integer(
    'Svc:Refresh:SessionFailures',
    'Refused refresh tokens a session may have in a window',
    100,
    FAILURES,
  ),
}

export const MFA = {
  userFailures: integer(
    'Svc:Mfa:UserFailures',
    'Wrong codes a user may have in a window',
    5,
    FAILURES,
  ),
  addressFailures: integer(
    'Svc:Mfa:AddressFailures',
    'Wrong codes an address may have in a window',
    100,
    FAILURES,
  ),
  userSetups: integer(
    'Svc:Mfa:UserSetups',
    'Second factors a user may begin in a window',
    20,
    FAILURES,
  ),
  challengeLifetime: duration(
    'Svc:Mfa:ChallengeLifetime',
    'How long a sign-in waits for its second factor',
    5 * MINUTE,
    [SECOND, HOUR],
  ),
}

export const RESET = {
  userAttempts: integer(
    'Svc:Reset:UserAttempts',
    'Password resets that may be asked for a user in a window',
    5,
    FAILURES,
  ),
  addressAttempts: integer(
    'Svc:Reset:AddressAttempts',
    'Password resets that an address may ask for in a window',
    50,
    FAILURES,
  ),
  window: duration('Svc:Reset:Window', 'Window in which password resets are counted', HOUR, [
    SECOND,
    DAY,
  ]),
}

/** See `Part`. */
export const serverFloor: Part = {
  translations: { de: [...GERMAN, ...HUB_GERMAN] },
  times: [
    {
      in: 'engine.db',
      table: 'svc_idempotency',
      column: 'ExpiresAt',
      since: 'CreatedAt',
      with: ['CreatedAt'],
      aheadMs: (settings) => settings.get(IDEMPOTENCY.ttl),
    },
  ],
  settings: [
    { LANGUAGE, EXPOSE_ERRORS, LOG_REQUESTS },
    HTTP,
    LISTENING,
    METRICS,
    IDEMPOTENCY,
    SIGN_IN,
    MFA,
    RESET,
    HUBS,
  ],
}
