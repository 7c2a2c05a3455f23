/** Requests and answers of trees, explanations and roles (src/server/README.md, Access). */
import { type Static, Type } from '@sinclair/typebox'
import { digits, named, oneOf, optional, orNull, shownAs, valuesOf } from '../../kernel/schema.ts'

export const TreeQuery = Type.Object({
  id: Type.Optional(
    Type.String({ maxLength: 1000, description: 'Of a node: its children; without it the roots' }),
  ),
  search: Type.Optional(Type.String({ maxLength: 200, description: 'Part of the label' })),
  page: Type.Optional(
    digits('Of at most 200 nodes', { pattern: '^[1-9][0-9]{0,5}$', minimum: 1, default: 1 }),
  ),
})
export type TreeQuery = Static<typeof TreeQuery>

const NodeKind = named(
  'AccessNodeKind',
  Type.Union([
    Type.Literal('User'),
    Type.Literal('Company'),
    Type.Literal('Role'),
    Type.Literal('Resource'),
    Type.Literal('Verb'),
    Type.Literal('Capability'),
  ]),
)

export const TreeNode = named(
  'AccessNode',
  Type.Object(
    {
      Id: Type.String(),
      Kind: NodeKind,
      Label: Type.String(),
      Children: orNull(
        shownAs(
          Type.Array(Type.Unknown(), {
            description: 'Null: ask for them by the Id; none of a leaf',
          }),
          { items: Type.Ref('AccessNode') },
        ),
      ),
    },
    { examples: [{ Id: 'role:Clerk', Kind: 'Role', Label: 'Clerk', Children: null }] },
  ),
)
export type TreeNode = Static<typeof TreeNode>

export const ExplainRequest = named(
  'AccessExplainRequest',
  Type.Object(
    {
      UserId: Type.Integer(),
      Object: Type.String({ maxLength: 128, description: 'Name or slug, or a resource' }),
      Verb: Type.String({ maxLength: 128, description: 'A verb, a capability or an action' }),
      Keys: optional(valuesOf('Of one record')),
      CompanyId: optional(
        Type.Integer({ description: 'Where the user would ask; default the caller’s' }),
      ),
    },
    { examples: [{ UserId: 2, Object: 'orders', Verb: 'Update', Keys: { Id: 400 } }] },
  ),
)
export type ExplainRequest = Static<typeof ExplainRequest>

const Passes = orNull(
  Type.Boolean({ description: 'Whether the record passes; null: that was not looked at' }),
)

const ExplainedRole = named(
  'ExplainedRole',
  Type.Object({
    Role: Type.String(),
    Label: Type.String(),
    CompanyId: orNull(Type.Integer({ description: 'Null: held in all companies of the user' })),
    Grants: Type.Boolean({ description: 'Whether it grants the right' }),
    Verbs: Type.Array(Type.String()),
    Capabilities: Type.Array(Type.String()),
    RowFilters: Type.Array(
      named(
        'ExplainedRowFilter',
        Type.Object({
          Verbs: orNull(Type.Array(Type.String(), { description: 'Null: every verb' })),
          DataSet: orNull(Type.String()),
          Sql: Type.String(),
          Applies: Type.Boolean({ description: 'Whether it narrows what this right reaches' }),
          Passes,
        }),
      ),
    ),
    FieldRules: Type.Array(
      named(
        'ExplainedFieldRule',
        Type.Object({ Field: Type.String(), Access: oneOf(['Hidden', 'ReadOnly']) }),
      ),
    ),
  }),
)
export type ExplainedRole = Static<typeof ExplainedRole>

export const Explanation = named(
  'AccessExplanation',
  Type.Object({
    User: named(
      'ExplainedUser',
      Type.Object({
        Id: Type.Integer(),
        UserName: Type.String(),
        DisplayName: Type.String(),
        Active: Type.Boolean(),
      }),
    ),
    CompanyId: Type.Integer(),
    Object: orNull(Type.String()),
    Resource: Type.String(),
    Right: Type.String({ description: 'The verb or capability that the question comes down to' }),
    Decision: Type.Union([
      Type.Literal('allowed'),
      Type.Literal('denied'),
      Type.Literal('notFound'),
      Type.Literal('notPermittedNow'),
      Type.Literal('dependsOnRecord'),
    ]),
    Reasons: Type.Array(Type.String()),
    RecordJudged: Type.Boolean({
      description:
        'False where the caller does not see the record, or could learn more than they do',
    }),
    Roles: Type.Array(ExplainedRole),
    Fields: named(
      'ExplainedFields',
      Type.Object({
        Hidden: Type.Array(Type.String()),
        ReadOnly: Type.Array(Type.String()),
      }),
    ),
    Permit: orNull(named('ExplainedPermit', Type.Object({ Sql: Type.String(), Passes }))),
  }),
)
export type Explanation = Static<typeof Explanation>

const Verbs = Type.Array(Type.String())

export const AccessRole = named(
  'Role',
  Type.Object(
    {
      Name: Type.String(),
      Label: Type.String(),
      IsBuiltIn: Type.Boolean({ description: 'System, Admin, AccessManager' }),
      IsDeclared: Type.Boolean({ description: 'By a script of the model; else it was made here' }),
      AssignableBy: Type.Array(Type.String(), {
        description: 'Who may give and take it beside System and those who hold all that it grants',
      }),
      Users: Type.Integer({ description: 'Who holds it in the companies that the caller manages' }),
      Grants: Type.Array(
        named(
          'RoleGrant',
          Type.Object({
            Resource: Type.String(),
            Verbs,
            Capabilities: Type.Array(Type.String()),
          }),
        ),
      ),
      RowFilters: Type.Array(
        named(
          'RoleRowFilter',
          Type.Object({
            Resource: Type.String(),
            Verbs: Type.Union([Verbs, Type.Null()], { description: 'Null: every verb' }),
            DataSet: orNull(Type.String()),
            Sql: Type.String(),
          }),
        ),
      ),
      FieldRules: Type.Array(
        named(
          'RoleFieldRule',
          Type.Object({
            Resource: Type.String(),
            Field: Type.String(),
            Access: oneOf(['Hidden', 'ReadOnly']),
          }),
        ),
      ),
    },
    {
      examples: [
        {
          Name: 'Warehouse',
          Label: 'Warehouse',
          IsBuiltIn: false,
          IsDeclared: true,
          AssignableBy: ['Admin'],
          Users: 3,
          Grants: [{ Resource: 'Orders', Verbs: ['View', 'List'], Capabilities: ['Ship'] }],
          RowFilters: [
            { Resource: 'Orders', Verbs: null, DataSet: null, Sql: "Status = 'approved'" },
          ],
          FieldRules: [{ Resource: 'Orders', Field: 'Cost', Access: 'Hidden' }],
        },
      ],
    },
  ),
)
export type AccessRole = Static<typeof AccessRole>

export const RolePath = Type.Object({
  role: Type.String({
    maxLength: 128,
    description: 'Name of the role',
    examples: ['SalesManager'],
  }),
})

const Label = Type.String({ maxLength: 256 })

export const NewRoleRequest = named(
  'NewRoleRequest',
  Type.Object(
    { Name: Type.String({ maxLength: 128 }), Label: Type.Optional(Label) },
    { examples: [{ Name: 'NightShift', Label: 'Night shift' }] },
  ),
)

export const RoleLabelRequest = named(
  'RoleLabelRequest',
  Type.Object({ Label }, { examples: [{ Label: 'Head of sales' }] }),
)
