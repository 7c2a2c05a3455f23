/** What the floor of access brings: its settings. */
import type { Part } from '../kernel/part.ts'
import { DAY, duration, integer, list, MINUTE, SECOND, text } from '../kernel/setting.ts'

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

/** See `Part`. */
export const accessFloor: Part = {
  settings: [TOKENS, { MFA_REQUIRED_ROLES, PASSWORD_MIN_LENGTH }],
}
