/** Requests and answers of the access board (src/server/README.md, Access). */
import { type Static, Type } from '@sinclair/typebox'
import { digits, longText, named, optional, orNull } from '../../kernel/schema.ts'
import { DeployResult } from '../../model/deploy/schema.ts'

const NAME_MAX = 200
const PRINCIPALS_MAX = 1000
const CHANGES_MAX = 1000

const Id = Type.String({ maxLength: NAME_MAX })

export const Scope = named(
  'AccessScope',
  Type.Union([Type.Literal('All'), Type.Literal('Global'), Type.Literal('Company')], {
    description: 'The memberships that are looked at; it can only narrow the caller’s own scope',
  }),
)

export const ScopeQuery = Type.Object({ scope: Type.Optional(Scope) })

export const PrincipalsQuery = Type.Object({
  kind: Type.Optional(
    Type.Union([Type.Literal('Role'), Type.Literal('User')], { description: 'Else both' }),
  ),
  search: Type.Optional(Type.String({ maxLength: 100, description: 'Part of a name or label' })),
  scope: Type.Optional(Scope),
  page: Type.Optional(
    digits('Of the list', { pattern: '^[1-9][0-9]{0,5}$', minimum: 1, default: 1 }),
  ),
  pageSize: Type.Optional(
    digits('Entries of a page', {
      pattern: '^([1-9][0-9]?|1[0-9]{2}|200)$',
      minimum: 1,
      maximum: 200,
      default: 50,
    }),
  ),
})

export const Principal = named(
  'Principal',
  Type.Object({
    Id: Type.String({ description: '`role:<Name>` or `user:<id>`' }),
    Kind: Type.Union([Type.Literal('Role'), Type.Literal('User')]),
    Name: Type.String(),
    Label: Type.String(),
    Active: Type.Boolean(),
    BuiltIn: Type.Optional(Type.Boolean()),
    Users: Type.Optional(Type.Integer({ description: 'Of a role: its users in scope' })),
    Roles: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Of a user: `Clerk@NORTH` in one company, `Clerk` in all of theirs',
      }),
    ),
  }),
)

export type Principal = Static<typeof Principal>

export const PrincipalPage = named(
  'PrincipalPage',
  Type.Object({
    Scope,
    Principals: Type.Array(Principal),
    Total: Type.Integer(),
    Page: Type.Integer(),
    PageSize: Type.Integer(),
  }),
)
export type PrincipalPage = Static<typeof PrincipalPage>

export const MatrixRequest = named(
  'AccessMatrixRequest',
  Type.Object(
    {
      Scope: optional(Scope),
      Principals: optional(
        Type.Array(Id, { maxItems: PRINCIPALS_MAX, description: 'Left out: all in scope' }),
      ),
      Resources: optional(
        Type.Array(Id, { maxItems: PRINCIPALS_MAX, description: 'Left out: all' }),
      ),
    },
    { examples: [{ Scope: 'Company', Principals: ['role:Clerk'], Resources: ['Orders'] }] },
  ),
)
export type MatrixRequest = Static<typeof MatrixRequest>

const ResourceKind = named(
  'ResourceKind',
  Type.Union([
    Type.Literal('View'),
    Type.Literal('Report'),
    Type.Literal('Procedure'),
    Type.Literal('Engine'),
    Type.Literal('Other'),
    Type.Literal('Role'),
  ]),
)
export type ResourceKind = Static<typeof ResourceKind>

const BoardCell = named(
  'AccessCell',
  Type.Object({
    Principal: Type.String(),
    Resource: Type.String(),
    Verb: Type.String({ description: 'A verb, a capability, or Member' }),
    State: Type.Union([Type.Literal('granted'), Type.Literal('inherited'), Type.Literal('none')]),
    Source: Type.Union([Type.String(), Type.Null()], { description: 'The roles that give it' }),
    Filtered: Type.Boolean({ description: 'Whether a row filter narrows it' }),
  }),
)
export type BoardCell = Static<typeof BoardCell>

export const BoardMatrix = named(
  'AccessMatrix',
  Type.Object({
    Scope,
    Resources: Type.Array(
      named(
        'AccessResource',
        Type.Object({
          Id: Type.String({ description: 'The resource, or `Role:<Name>` for memberships' }),
          Kind: ResourceKind,
          Label: Type.String(),
          Verbs: Type.Array(Type.String()),
        }),
      ),
    ),
    Principals: Type.Array(Principal),
    Cells: Type.Array(BoardCell),
    Version: Type.String({ description: 'For apply; opaque' }),
  }),
)
export type BoardMatrix = Static<typeof BoardMatrix>

const BoardChange = named(
  'AccessChange',
  Type.Object({ Principal: Id, Resource: Id, Verb: Id, Grant: Type.Boolean() }),
)
export type BoardChange = Static<typeof BoardChange>

export const ApplyRequest = named(
  'AccessApplyRequest',
  Type.Object(
    {
      Version: Type.String({ maxLength: 100, description: 'Of the matrix that was looked at' }),
      Changes: Type.Array(BoardChange, { maxItems: CHANGES_MAX }),
      DryRun: optional(Type.Boolean({ description: 'Tells the impact and changes nothing' })),
    },
    {
      examples: [
        {
          Version: 'Company.0b1c2d',
          Changes: [{ Principal: 'role:Clerk', Resource: 'Orders', Verb: 'Export', Grant: true }],
          DryRun: true,
        },
      ],
    },
  ),
)
export type ApplyRequest = Static<typeof ApplyRequest>

const Count = orNull(Type.Integer())
const TextOrNull = orNull(Type.String())

export const Impact = named(
  'AccessImpact',
  Type.Object({
    Principal: Type.String(),
    Name: Type.String(),
    Company: TextOrNull,
    Resource: Type.String(),
    Object: TextOrNull,
    VerbsGained: Type.Array(Type.String()),
    VerbsLost: Type.Array(Type.String()),
    RowsBefore: Count,
    RowsAfter: Count,
    RowsAreExact: Type.Boolean({ description: 'False where there are more, or none counted' }),
    Users: Count,
    Note: orNull(
      Type.String({
        description: 'What the rights that are gained mean beyond their names: who writes SQL',
      }),
    ),
  }),
)
export type Impact = Static<typeof Impact>

export const ApplyResult = named(
  'AccessApplyResult',
  Type.Object({
    Applied: Type.Boolean(),
    Impact: Type.Array(Impact),
    Omitted: Type.Integer({ description: 'Affected users whom Impact does not tell of' }),
    Version: Type.String({ description: 'Of the board as it is now' }),
  }),
)
export type ApplyResult = Static<typeof ApplyResult>

const Counts = Type.Integer()

export const AccessStatistics = named(
  'AccessStatistics',
  Type.Object({
    Scope,
    Users: Counts,
    ActiveUsers: Counts,
    LockedUsers: Counts,
    UsersWithoutRole: Type.Integer({ description: 'Active ones without a role in scope' }),
    UsersWithMfa: Counts,
    UsersToChangePassword: Counts,
    SystemUsers: Counts,
    Memberships: Counts,
    Roles: Counts,
    Resources: Counts,
    Grants: Type.Integer({ description: 'Verbs and capabilities that roles grant' }),
    RowFilters: Counts,
    Sessions: Type.Integer({ description: 'That have not ended' }),
    UsersSignedIn: Counts,
    RecentSignIns: Type.Integer({ description: 'Within 24 hours' }),
    WeekSignIns: Type.Integer({ description: 'Within 7 days' }),
  }),
)
export type AccessStatistics = Static<typeof AccessStatistics>

const Files = Type.Array(
  named(
    'ModelFile',
    Type.Object({
      FileName: Type.String({ maxLength: NAME_MAX }),
      Body: longText({ description: 'The XML, verbatim' }),
    }),
  ),
  { maxItems: 100 },
)
const RoleTexts = Type.Array(Id, {
  maxItems: 100,
  description: '`Clerk@NORTH`, or `Clerk` for all',
})

export const RbacExport = named(
  'RbacExport',
  Type.Object({
    Files,
    Users: Type.Array(
      named(
        'RbacUser',
        Type.Object({
          UserName: Type.String(),
          Companies: Type.Array(Type.String()),
          Roles: RoleTexts,
        }),
      ),
    ),
  }),
)
export type RbacExport = Static<typeof RbacExport>

const UserRoles = named(
  'RbacUserRoles',
  Type.Object({ UserName: Type.String({ maxLength: NAME_MAX }), Roles: RoleTexts }),
)
export type UserRoles = Static<typeof UserRoles>

export const RbacImportRequest = named(
  'RbacImportRequest',
  Type.Object(
    {
      Files: optional(Files),
      Users: optional(
        Type.Array(UserRoles, {
          maxItems: 100_000,
          description: 'All that each of them is to hold; users who are not named keep theirs',
        }),
      ),
      DryRun: optional(Type.Boolean({ description: 'Gives the plan and changes nothing' })),
    },
    { examples: [{ Users: [{ UserName: 'bo', Roles: ['Clerk@NORTH'] }], DryRun: true }] },
  ),
)
export type RbacImportRequest = Static<typeof RbacImportRequest>

const ChangedUser = named(
  'RbacChangedUser',
  Type.Object({
    UserName: Type.String(),
    Given: Type.Array(Type.String()),
    Taken: Type.Array(Type.String()),
  }),
)
export type ChangedUser = Static<typeof ChangedUser>

export const RbacImport = named(
  'RbacImportResult',
  Type.Object({
    Applied: Type.Boolean(),
    Plan: Type.Union([DeployResult, Type.Null()], {
      description: 'As `deploy --json` prints it; null without files',
    }),
    Users: Type.Array(ChangedUser),
  }),
)
export type RbacImport = Static<typeof RbacImport>
