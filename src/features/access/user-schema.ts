/** Bodies and answers of `/api/v1/svc/auth/users` (src/server/README.md, Access). */
import { type Static, Type } from '@sinclair/typebox'
import { digits, flag, instant, named, optional, orNull } from '../../kernel/schema.ts'
import { CompanyName } from '../../server/token-schema.ts'

const LISTED_MAX = 500

const UserName = Type.String({ maxLength: 256, description: 'One in any case and Unicode form' })
const DisplayName = Type.String({ maxLength: 256 })
const Email = Type.String({ maxLength: 256, description: 'One mailbox in any spelling' })
const TimeZone = Type.String({ maxLength: 64, description: 'IANA name; null: the company’s' })
const Language = Type.String({
  maxLength: 64,
  description: 'Tag of what mails speak to them; null: the company’s',
})
const Password = Type.String({ maxLength: 1024, description: 'At least 10 characters' })
const CompanyId = orNull(
  Type.Integer({ description: 'Where the role holds; null: in all companies of the user' }),
)

export const UserRole = named(
  'UserRole',
  Type.Object({
    Role: Type.String({ maxLength: 128 }),
    CompanyId: Type.Optional(CompanyId),
  }),
)
export type UserRole = Static<typeof UserRole>

const Roles = Type.Array(UserRole, { maxItems: LISTED_MAX })
const Companies = Type.Array(Type.Integer(), { maxItems: LISTED_MAX, description: 'Ids' })
const Attributes = Type.Record(Type.String(), Type.String(), {
  description: 'What row filters know as @User_<Name>',
})

export const NewUserRequest = named(
  'NewUserRequest',
  Type.Object(
    {
      UserName,
      DisplayName: optional(DisplayName),
      Email: optional(Email),
      Password: optional(Password),
      ServiceAccount: optional(
        Type.Boolean({ description: 'Never signs in: has no password, and acts by API keys' }),
      ),
      Roles: optional(Roles),
      Companies: optional(Companies),
      Attributes: optional(Attributes),
      TimeZone: optional(TimeZone),
      Language: optional(Language),
      Active: optional(Type.Boolean()),
    },
    {
      examples: [
        {
          UserName: 'eve',
          DisplayName: 'New clerk',
          Email: 'eve@example.com',
          Roles: [{ Role: 'Clerk', CompanyId: 1 }],
          Companies: [1],
        },
      ],
    },
  ),
)
export type NewUserRequest = Static<typeof NewUserRequest>

export const UserChangeRequest = named(
  'UserChangeRequest',
  Type.Object(
    {
      UserName: Type.Optional(UserName),
      DisplayName: Type.Optional(DisplayName),
      Email: optional(Email),
      Password: Type.Optional(Password),
      Roles: Type.Optional(Roles),
      Companies: Type.Optional(Companies),
      Attributes: Type.Optional(Attributes),
      TimeZone: optional(TimeZone),
      Language: optional(Language),
      Active: Type.Optional(Type.Boolean()),
    },
    {
      description: 'What is left out stays; lists and attributes are replaced as a whole',
      examples: [{ DisplayName: 'Head of sales', TimeZone: 'Europe/Berlin', Language: 'de' }],
    },
  ),
)
export type UserChangeRequest = Static<typeof UserChangeRequest>

const assignment = { Role: Type.String({ maxLength: 128 }), CompanyId: Type.Optional(CompanyId) }

export const RoleRequest = named(
  'UserRoleRequest',
  Type.Object(assignment, {
    examples: [{ Role: 'Auditor', CompanyId: 1 }],
  }),
)

export const TakenRoleRequest = named(
  'UserRoleRequest',
  Type.Object(assignment, {
    examples: [{ Role: 'SalesManager', CompanyId: null }],
  }),
)

export const CompanyRequest = named(
  'UserCompanyRequest',
  Type.Object({ CompanyId: Type.Integer() }, { examples: [{ CompanyId: 1 }] }),
)

/** A key that a path or a query has. */
const Digits = (description: string, example?: number) =>
  digits(description, {
    pattern: '^[1-9][0-9]{0,14}$',
    minimum: 1,
    ...(example !== undefined && { example }),
  })

export const UserPath = Type.Object({ userId: Digits('Id of the user', 2) })
export const UserCompanyPath = Type.Object({
  userId: Digits('Id of the user', 2),
  companyId: Digits('Id of the company', 1),
})

export const UsersQuery = Type.Object({
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'In user name, name or mail address' }),
  ),
  role: Type.Optional(Type.String({ maxLength: 128, description: 'Name of a role they hold' })),
  company: Type.Optional(Digits('Id of the company')),
  active: Type.Optional(flag('false: locked')),
  page: Type.Optional(
    digits('Of the list', { pattern: '^[1-9][0-9]{0,5}$', minimum: 1, default: 1 }),
  ),
  pageSize: Type.Optional(
    digits('Entries of a page', {
      pattern: '^([1-9][0-9]?|1[0-9][0-9]|200)$',
      minimum: 1,
      maximum: 200,
      default: 50,
    }),
  ),
})
export type UsersQuery = Static<typeof UsersQuery>

const HeldRole = named('HeldRole', Type.Object({ Role: Type.String(), CompanyId }))

/** A user as administrators see them. */
export const AccessUser = named(
  'User',
  Type.Object(
    {
      Id: Type.Integer(),
      UserName: Type.String(),
      DisplayName: Type.String(),
      Email: orNull(Type.String()),
      Active: Type.Boolean({ description: 'False: locked, no sign-in' }),
      MustChangePassword: Type.Boolean({ description: 'A one-time password is still in use' }),
      MfaEnabled: Type.Boolean(),
      TimeZone: orNull(Type.String()),
      Language: orNull(Language),
      Roles: Type.Array(HeldRole, {
        description: 'Those in the caller’s companies, and those that hold in all',
      }),
      Companies: Type.Array(CompanyName, { description: 'Those that the caller administers' }),
      Attributes,
      CreatedAt: instant(),
      ChangedAt: instant(),
    },
    {
      examples: [
        {
          Id: 2,
          UserName: 'ana',
          DisplayName: 'Sales manager',
          Email: 'ana@example.com',
          Active: true,
          MustChangePassword: false,
          MfaEnabled: false,
          TimeZone: null,
          Language: 'de',
          Roles: [{ Role: 'SalesManager', CompanyId: null }],
          Companies: [{ Id: 1, Code: 'NORTH', Name: 'North Trading' }],
          Attributes: {},
          CreatedAt: '2026-01-05T08:00:00.000Z',
          ChangedAt: '2026-01-05T08:00:00.000Z',
        },
      ],
    },
  ),
)
export type AccessUser = Static<typeof AccessUser>

const SHOWN = ['Id', 'UserName', 'DisplayName', 'Active', 'Roles'] as const

/** A user with changed roles: for an AccessManager, as the access board shows them. */
export const RoleHolder = named(
  'RoleHolder',
  Type.Composite([
    Type.Pick(AccessUser, [...SHOWN]),
    Type.Partial(Type.Omit(AccessUser, [...SHOWN])),
  ]),
)
export type RoleHolder = Static<typeof RoleHolder>

const OneTimePassword = Type.String({
  description: 'Told this once; it must be changed at the first sign-in',
})

export const CreatedUser = named(
  'NewUser',
  Type.Composite([AccessUser, Type.Object({ OneTimePassword: Type.Optional(OneTimePassword) })]),
)
export type CreatedUser = Static<typeof CreatedUser>

export const PasswordReset = named('PasswordResetResult', Type.Object({ OneTimePassword }))

export const UserPage = named(
  'UserPage',
  Type.Object({
    Rows: Type.Array(AccessUser),
    Pagination: named(
      'UserPagination',
      Type.Object({
        Page: Type.Integer(),
        PageSize: Type.Integer(),
        TotalRows: Type.Integer(),
        TotalPages: Type.Integer(),
        TotalIsExact: Type.Literal(true),
        HasNext: Type.Boolean(),
      }),
    ),
  }),
)
export type UserPage = Static<typeof UserPage>
