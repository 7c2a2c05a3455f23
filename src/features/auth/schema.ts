/** What `/api/v1/auth` takes and answers (contract, Identity). */
import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'

const EXAMPLE_TOKEN = 'm3Jc0eWqXo2u9Yw1b5T7rK4nLh8sVdZpGfAiEtUyQxM'

const UserName = Type.String({ maxLength: 256, description: 'In any case and Unicode form' })
const Password = Type.String({ maxLength: 1024, description: 'At most 1,024 bytes' })
const RefreshToken = Type.String({ maxLength: 8192, description: 'Opaque; used once' })

export const LoginRequest = Type.Object({
  UserName,
  Password,
  CompanyId: Type.Optional(
    Type.Union([Type.Integer(), Type.Null()], {
      description: 'Else the company of the last sign-in, else the first by code',
    }),
  ),
})
export type LoginRequest = Static<typeof LoginRequest>

export const RefreshRequest = Type.Object(
  { RefreshToken },
  { examples: [{ RefreshToken: EXAMPLE_TOKEN }] },
)

export const LogoutRequest = Type.Object(
  {
    RefreshToken: Type.Optional(
      Type.Union([RefreshToken, Type.Null()], {
        description: 'Ends the session that it continues; without it, the session of the token',
      }),
    ),
    All: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], { description: 'Ends every session of the user' }),
    ),
  },
  { examples: [{ All: true }] },
)
export type LogoutRequest = Static<typeof LogoutRequest>

export const PasswordChangeRequest = Type.Object(
  {
    Password,
    NewPassword: Type.String({
      maxLength: 1024,
      description: 'At least 10 characters, and none of the commonest',
    }),
  },
  { examples: [{ Password: 'ana-demo-password', NewPassword: 'nine stones under a bridge' }] },
)
export type PasswordChangeRequest = Static<typeof PasswordChangeRequest>

/** Who is signed in, as `/me` and the tokens tell it. */
export const User = Type.Object({
  Id: Type.Integer(),
  UserName: Type.String(),
  DisplayName: Type.String(),
  Email: Type.Union([Type.String(), Type.Null()]),
  Roles: Type.Array(Type.String(), { description: 'Those that hold in the company, sorted' }),
  Company: Type.Object({ Id: Type.Integer(), Code: Type.String(), Name: Type.String() }),
  TimeZone: Type.String({ description: 'IANA name: the user’s, else the company’s' }),
  Impersonator: Type.Union([
    Type.Object({ Id: Type.Integer(), UserName: Type.String() }),
    Type.Null(),
  ]),
})
export type User = Static<typeof User>

export const Tokens = Type.Object({
  AccessToken: Type.String({ description: 'RS256, sent as Authorization: Bearer' }),
  TokenType: Type.Literal('Bearer'),
  ExpiresIn: Type.Integer({ description: 'Seconds that the access token lives' }),
  RefreshToken: Type.String({ description: 'Opaque; used once' }),
  RefreshExpiresIn: Type.Integer({ description: 'Seconds that the refresh token lives' }),
  User,
  MustChangePassword: Type.Optional(
    Type.Literal(true, {
      description: 'The password was a one-time one: nothing else is open before it is changed',
    }),
  ),
})
export type Tokens = Static<typeof Tokens>

export const SessionsEnded = Type.Object({ SessionsEnded: Type.Integer() })

/**
 * RFC 7517. The members stand beside `data` too, so that stock JWKS clients can read the answer.
 */
export const KeySet = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.String(),
      use: Type.String(),
      alg: Type.String(),
      kid: Type.String(),
      n: Type.String(),
      e: Type.String(),
    }),
  ),
})
