/** The tokens of a session and its user, as every route that issues them answers. */
import { type Static, Type } from '@sinclair/typebox'
import { named, orNull } from '../kernel/schema.ts'

/** A company by what people call it. */
export const CompanyName = named(
  'CompanyName',
  Type.Object({ Id: Type.Integer(), Code: Type.String(), Name: Type.String() }),
)

/** The user who acts as another. */
export const Impersonator = named(
  'Impersonator',
  Type.Object({ Id: Type.Integer(), UserName: Type.String() }),
)

/** The signed-in user, as `/me` and the tokens tell it. */
export const User = named(
  'CallerUser',
  Type.Object({
    Id: Type.Integer(),
    UserName: Type.String(),
    DisplayName: Type.String(),
    Email: Type.Union([Type.String(), Type.Null()]),
    Roles: Type.Array(Type.String(), { description: 'Those that hold in the company, sorted' }),
    Company: CompanyName,
    TimeZone: Type.String({ description: 'IANA name: the user’s, else the company’s' }),
    Language: orNull(
      Type.String({ description: 'Tag of what mails speak to the user; null: the company’s' }),
    ),
    Impersonator: orNull(Impersonator),
  }),
)
export type User = Static<typeof User>

export const Tokens = named(
  'Tokens',
  Type.Object({
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
    MfaSetupRequired: Type.Optional(
      Type.Literal(true, {
        description: 'A role asks for a second factor: nothing else is open before it is set up',
      }),
    ),
  }),
)
export type Tokens = Static<typeof Tokens>
