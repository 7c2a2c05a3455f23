/** Bodies and answers of `/api/v1/auth` (src/server/README.md, Identity). */
import { type Static, Type } from '@sinclair/typebox'
import { formatted, idDigits, instant, named, optional, orNull, uuid } from '../../kernel/schema.ts'
import { Impersonator, User } from '../../server/token-schema.ts'

const EXAMPLE_TOKEN = 'm3Jc0eWqXo2u9Yw1b5T7rK4nLh8sVdZpGfAiEtUyQxM'

const UserName = Type.String({
  maxLength: 256,
  description: 'Or the mail address of one user; in any case and Unicode form',
})
const Password = Type.String({ maxLength: 1024, description: 'At most 1,024 bytes' })
const RefreshToken = Type.String({ maxLength: 8192, description: 'Opaque; used once' })

export const LoginRequest = named(
  'LoginRequest',
  Type.Object({
    UserName,
    Password,
    CompanyId: Type.Optional(
      Type.Union([Type.Integer(), Type.Null()], {
        description: 'Else the company of the last sign-in, else the first by code',
      }),
    ),
  }),
)
export type LoginRequest = Static<typeof LoginRequest>

export const RefreshRequest = named(
  'RefreshRequest',
  Type.Object({ RefreshToken }, { examples: [{ RefreshToken: EXAMPLE_TOKEN }] }),
)

export const LogoutRequest = named(
  'LogoutRequest',
  Type.Object(
    {
      RefreshToken: Type.Optional(
        Type.Union([RefreshToken, Type.Null()], {
          description: 'Ends the session that it continues; without it, the session of the token',
        }),
      ),
      All: Type.Optional(
        Type.Union([Type.Boolean(), Type.Null()], {
          description: 'Ends every session of the user',
        }),
      ),
    },
    { examples: [{ All: true }] },
  ),
)
export type LogoutRequest = Static<typeof LogoutRequest>

export const PasswordChangeRequest = named(
  'PasswordChangeRequest',
  Type.Object(
    {
      Password,
      NewPassword: Type.String({
        maxLength: 1024,
        description: 'At least 10 characters, and not a common password',
      }),
    },
    { examples: [{ Password: 'ana-demo-password', NewPassword: 'nine stones under a bridge' }] },
  ),
)
export type PasswordChangeRequest = Static<typeof PasswordChangeRequest>

export const PasswordForgotRequest = named(
  'PasswordForgotRequest',
  Type.Object(
    {
      UserName,
    },
    { examples: [{ UserName: 'ana' }] },
  ),
)
export type PasswordForgotRequest = Static<typeof PasswordForgotRequest>

export const PasswordResetRequest = named(
  'PasswordResetRequest',
  Type.Object(
    {
      Token: Type.String({ maxLength: 1024, description: 'Of the link in the mail; used once' }),
      NewPassword: Type.String({
        maxLength: 1024,
        description: 'At least 10 characters, and not a common password',
      }),
    },
    { examples: [{ Token: EXAMPLE_TOKEN, NewPassword: 'nine stones under a bridge' }] },
  ),
)
export type PasswordResetRequest = Static<typeof PasswordResetRequest>

const Instant = instant()

export const Session = named(
  'Session',
  Type.Object({
    Id: uuid('The claim sid of its tokens'),
    Client: Type.Union([Type.String(), Type.Null()], { description: 'Its User-Agent' }),
    Address: Type.Union([Type.String(), Type.Null()]),
    CreatedAt: Instant,
    LastUsedAt: Instant,
    IsCurrent: Type.Boolean({ description: 'Whether it is the one that asks' }),
    Impersonator: Type.Union([Impersonator, Type.Null()], {
      description: 'Who acts as the user in it',
    }),
  }),
)
export type Session = Static<typeof Session>

export const SessionPath = Type.Object({
  id: Type.String({ description: 'Id of the session: the claim sid' }),
})

/** The user, and whether sign-ins ask for a second factor. */
export const Me = named('Me', Type.Composite([User, Type.Object({ MfaEnabled: Type.Boolean() })]))

export const SessionsEnded = named('SessionsEnded', Type.Object({ SessionsEnded: Type.Integer() }))

/** Key set of RFC 7517. Its members are beside `data` too, for stock JWKS clients. */
export const KeySet = named(
  'KeySet',
  Type.Object({
    keys: Type.Array(
      named(
        'PublicKey',
        Type.Object({
          kty: Type.String(),
          use: Type.String(),
          alg: Type.String(),
          kid: Type.String(),
          n: Type.String(),
          e: Type.String(),
        }),
      ),
    ),
  }),
)

const EXAMPLE_CHALLENGE = 'q1Zt8vWn0bVxYf6bM5ZpKZb5Qh7xJxGx7aKc2mPd4sE'

const ChallengeId = Type.String({ maxLength: 256, description: 'From the answer to the sign-in' })
const Code = Type.String({
  maxLength: 64,
  description: 'Six digits of the authenticator app, or a recovery code; taken once',
})

const Method = named(
  'MfaMethod',
  Type.Union([Type.Literal('totp'), Type.Literal('recovery')], {
    description: 'totp: the authenticator app; recovery: one of the recovery codes',
  }),
)

/** Methods that can meet a challenge. */
export const METHODS: readonly Static<typeof Method>[] = ['totp', 'recovery']

/** Answer of a sign-in in place of tokens when the user has a second factor. */
export const MfaRequired = named(
  'MfaRequired',
  Type.Object({
    MfaRequired: Type.Literal(true),
    ChallengeId: Type.String({ description: 'To be met at /mfa/verify' }),
    Methods: Type.Array(Method),
    ExpiresIn: Type.Integer({ description: 'Seconds that the challenge waits' }),
  }),
)
export type MfaRequired = Static<typeof MfaRequired>

export const MfaSetupRequest = named(
  'MfaSetupRequest',
  Type.Object(
    { Password: Type.String({ maxLength: 1024 }) },
    { examples: [{ Password: 'ana-demo-password' }] },
  ),
)
export type MfaSetupRequest = Static<typeof MfaSetupRequest>

export const MfaSetup = named(
  'MfaSetup',
  Type.Object({
    Secret: Type.String({ description: 'Base32, for typing it in; told this once' }),
    OtpAuthUri: formatted('uri', { description: 'otpauth://totp/…, what the QR code says' }),
    QrSvg: Type.String({ description: 'The QR code as an SVG image' }),
  }),
)
export type MfaSetup = Static<typeof MfaSetup>

export const MfaConfirmRequest = named(
  'MfaConfirmRequest',
  Type.Object(
    {
      Code: Type.String({ maxLength: 64, description: 'Six digits of the authenticator app' }),
    },
    { examples: [{ Code: '123456' }] },
  ),
)
export type MfaConfirmRequest = Static<typeof MfaConfirmRequest>

export const RecoveryCodes = named(
  'RecoveryCodes',
  Type.Object({
    RecoveryCodes: Type.Array(Type.String(), {
      description: 'Ten; each replaces a code of the app once. Shown only now',
    }),
  }),
)
export type RecoveryCodes = Static<typeof RecoveryCodes>

export const MfaDisableRequest = named(
  'MfaDisableRequest',
  Type.Object(
    { Password: Type.String({ maxLength: 1024 }), Code },
    { examples: [{ Password: 'ana-demo-password', Code: '123456' }] },
  ),
)
export type MfaDisableRequest = Static<typeof MfaDisableRequest>

export const MfaChallengeRequest = named(
  'MfaChallengeRequest',
  Type.Object(
    { ChallengeId, Method },
    { examples: [{ ChallengeId: EXAMPLE_CHALLENGE, Method: 'totp' }] },
  ),
)
export type MfaChallengeRequest = Static<typeof MfaChallengeRequest>

export const MfaChallenge = named(
  'MfaChallenge',
  Type.Object({
    ChallengeId: Type.String(),
    Method,
    ExpiresIn: Type.Integer({ description: 'Seconds that the challenge still waits' }),
  }),
)
export type MfaChallenge = Static<typeof MfaChallenge>

export const MfaVerifyRequest = named(
  'MfaVerifyRequest',
  Type.Object(
    { ChallengeId, Code },
    { examples: [{ ChallengeId: EXAMPLE_CHALLENGE, Code: '123456' }] },
  ),
)
export type MfaVerifyRequest = Static<typeof MfaVerifyRequest>

const apiKey = {
  Id: Type.Integer(),
  Name: Type.String(),
  Roles: Type.Array(Type.String()),
  Companies: Type.Array(Type.Integer(), { description: 'Ids' }),
  CreatedAt: Instant,
  ExpiresAt: Instant,
  LastUsedAt: orNull(Instant),
}

export const ApiKey = named('ApiKey', Type.Object(apiKey))
export type ApiKey = Static<typeof ApiKey>

export const MadeApiKey = named(
  'MadeApiKey',
  Type.Object({
    ...apiKey,
    Key: Type.String({ description: 'The bearer token; told this once' }),
  }),
)
export type MadeApiKey = Static<typeof MadeApiKey>

export const ApiKeyRequest = named(
  'ApiKeyRequest',
  Type.Object(
    {
      Name: Type.String({ maxLength: 100, description: 'What the key is for' }),
      Roles: Type.Array(Type.String({ maxLength: 128 }), {
        maxItems: 500,
        description: 'Some of the user’s, held in one of the companies at least; never System',
      }),
      Companies: Type.Array(Type.Integer(), {
        maxItems: 500,
        description: 'Ids of some of the user’s',
      }),
      ExpiresAt: optional(
        Type.String({
          maxLength: 64,
          description: 'UTC, ISO 8601; within 366 days; 90 days from now when it is left out',
        }),
      ),
      UserId: optional(
        Type.Integer({
          description: 'A user without a password, whom the caller administers; the caller else',
        }),
      ),
    },
    { examples: [{ Name: 'Nightly export', Roles: [], Companies: [1] }] },
  ),
)
export type ApiKeyRequest = Static<typeof ApiKeyRequest>

export const ApiKeyPath = Type.Object({
  id: idDigits('Its Id', 1),
})

export const ApiKeyQuery = Type.Object({
  user: Type.Optional(idDigits('Id of a user whom the caller administers; the caller else')),
})
