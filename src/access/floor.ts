/** Settings of the access floor. */
import type { Part } from '../kernel/part.ts'
import { DAY, duration, integer, list, MINUTE, SECOND, text } from '../kernel/setting.ts'
import type { StoredTime } from '../kernel/stored-times.ts'
import { API_KEY_LIFETIME_MAX_MS } from './api-keys.ts'
import { GERMAN } from './german.ts'

export const TOKENS = {
  accessLifetime: duration('Svc:Tokens:AccessLifetime', 'Life of an access token', 15 * MINUTE, [
    SECOND,
    DAY,
  ]),
  refreshLifetime: duration('Svc:Tokens:RefreshLifetime', 'Life of a refresh token', 14 * DAY, [
    MINUTE,
    3650 * DAY,
  ]),
  issuer: text('Svc:Tokens:Issuer', 'The claim iss of access tokens', 'application-engine'),
  audience: text('Svc:Tokens:Audience', 'The claim aud of access tokens', 'application-engine'),
}

export const MFA_REQUIRED_ROLES = list(
  'Svc:Mfa:RequiredRoles',
  'Roles that nobody uses without a second factor, separated by commas',
  { each: /^[^\s,](?:[^,]{0,126}[^\s,])?$/, expected: 'names of roles' },
)

export const PASSWORD_MIN_LENGTH = integer(
  'Svc:Password:MinLength',
  'Characters that a new password needs',
  10,
  [8, 128],
)

const inState = (table: string, column: string, more: Partial<StoredTime> = {}): StoredTime => ({
  in: 'state.db',
  table,
  column,
  aheadMs: 0,
  ...more,
})

/** Times of sign-ins, sessions and keys, and how far ahead of the clock each may lie. */
const TIMES: readonly StoredTime[] = [
  inState('svc_throttles', 'WindowStart', { isForgotten: true }),
  inState('svc_sessions', 'ExpiresAt', {
    aheadMs: (settings) => settings.get(TOKENS.refreshLifetime),
    since: 'LastUsedAt',
  }),
  inState('svc_sessions', 'LastUsedAt'),
  inState('svc_sessions', 'CreatedAt'),
  inState('svc_refresh_tokens', 'ExpiresAt', {
    aheadMs: (settings) => settings.get(TOKENS.refreshLifetime),
    since: 'CreatedAt',
  }),
  inState('svc_refresh_tokens', 'CreatedAt'),
  inState('svc_refresh_tokens', 'UsedAt'),
  inState('svc_mfa_challenges', 'ExpiresAt', { since: 'CreatedAt', with: ['CreatedAt'] }),
  inState('svc_password_resets', 'ExpiresAt', { since: 'CreatedAt', with: ['CreatedAt'] }),
  inState('svc_devices', 'LastSeenAt'),
  inState('svc_api_key_uses', 'LastUsedAt'),
  { in: 'engine.db', table: 'svc_users', column: 'ChangedAt', aheadMs: 0 },
  { in: 'engine.db', table: 'svc_keys', column: 'RetiredAt', aheadMs: 0 },
  { in: 'engine.db', table: 'svc_api_keys', column: 'ExpiresAt', aheadMs: API_KEY_LIFETIME_MAX_MS },
]

/** See `Part`. */
export const accessFloor: Part = {
  translations: { de: GERMAN },
  times: TIMES,
  settings: [TOKENS, { MFA_REQUIRED_ROLES, PASSWORD_MIN_LENGTH }],
}
