/** What the routes of second factors take and answer (src/server/README.md, Identity). */
import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'

const EXAMPLE_CHALLENGE = 'q1Zt8vWn0bVxYf6bM5ZpKZb5Qh7xJxGx7aKc2mPd4sE'

const ChallengeId = Type.String({ maxLength: 256, description: 'From the answer to the sign-in' })
const Code = Type.String({
  maxLength: 64,
  description: 'Six digits of the authenticator app, or a recovery code; taken once',
})

const Method = Type.Union([Type.Literal('totp'), Type.Literal('recovery')], {
  description: 'totp: the authenticator app; recovery: one of the recovery codes',
})

/** How a challenge can be met. */
export const METHODS: readonly Static<typeof Method>[] = ['totp', 'recovery']

/** What a sign-in answers in the place of tokens when the user has a second factor. */
export const MfaRequired = Type.Object({
  MfaRequired: Type.Literal(true),
  ChallengeId: Type.String({ description: 'To be met at /mfa/verify' }),
  Methods: Type.Array(Method),
  ExpiresIn: Type.Integer({ description: 'Seconds that the challenge waits' }),
})
export type MfaRequired = Static<typeof MfaRequired>

export const MfaSetupRequest = Type.Object(
  { Password: Type.String({ maxLength: 1024 }) },
  { examples: [{ Password: 'ana-demo-password' }] },
)
export type MfaSetupRequest = Static<typeof MfaSetupRequest>

export const MfaSetup = Type.Object({
  Secret: Type.String({ description: 'Base32, for typing it in; told this once' }),
  OtpAuthUri: Type.String({ description: 'otpauth://totp/…, what the QR code says' }),
  QrSvg: Type.String({ description: 'The QR code as an SVG image' }),
})
export type MfaSetup = Static<typeof MfaSetup>

export const MfaConfirmRequest = Type.Object(
  {
    Code: Type.String({ maxLength: 64, description: 'Six digits of the authenticator app' }),
  },
  { examples: [{ Code: '123456' }] },
)
export type MfaConfirmRequest = Static<typeof MfaConfirmRequest>

export const RecoveryCodes = Type.Object({
  RecoveryCodes: Type.Array(Type.String(), {
    description: 'Ten; each stands for the app once. Told this once',
  }),
})
export type RecoveryCodes = Static<typeof RecoveryCodes>

export const MfaDisableRequest = Type.Object(
  { Password: Type.String({ maxLength: 1024 }), Code },
  { examples: [{ Password: 'ana-demo-password', Code: '123456' }] },
)
export type MfaDisableRequest = Static<typeof MfaDisableRequest>

export const MfaChallengeRequest = Type.Object(
  { ChallengeId, Method },
  { examples: [{ ChallengeId: EXAMPLE_CHALLENGE, Method: 'totp' }] },
)
export type MfaChallengeRequest = Static<typeof MfaChallengeRequest>

export const MfaChallenge = Type.Object({
  ChallengeId: Type.String(),
  Method,
  ExpiresIn: Type.Integer({ description: 'Seconds that the challenge still waits' }),
})
export type MfaChallenge = Static<typeof MfaChallenge>

export const MfaVerifyRequest = Type.Object(
  { ChallengeId, Code },
  { examples: [{ ChallengeId: EXAMPLE_CHALLENGE, Code: '123456' }] },
)
export type MfaVerifyRequest = Static<typeof MfaVerifyRequest>
