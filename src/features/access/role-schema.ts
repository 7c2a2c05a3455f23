/** What `/api/v1/svc/auth/roles` takes and answers (src/server/README.md, Access). */
import { Type } from '@sinclair/typebox'
import type { Static } from '@sinclair/typebox'

const Verbs = Type.Array(Type.String())

export const AccessRole = Type.Object(
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
      Type.Object({
        Resource: Type.String(),
        Verbs,
        Capabilities: Type.Array(Type.String()),
      }),
    ),
    RowFilters: Type.Array(
      Type.Object({
        Resource: Type.String(),
        Verbs: Type.Union([Verbs, Type.Null()], { description: 'Null: every verb' }),
        DataSet: Type.Union([Type.String(), Type.Null()]),
        Sql: Type.String(),
      }),
    ),
    FieldRules: Type.Array(
      Type.Object({ Resource: Type.String(), Field: Type.String(), Access: Type.String() }),
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
)
export type AccessRole = Static<typeof AccessRole>

export const RolePath = Type.Object({
  role: Type.String({ maxLength: 128, description: 'Name of the role' }),
})

const Label = Type.String({ maxLength: 256 })

export const NewRoleRequest = Type.Object(
  { Name: Type.String({ maxLength: 128 }), Label: Type.Optional(Label) },
  { examples: [{ Name: 'NightShift', Label: 'Night shift' }] },
)

export const RoleLabelRequest = Type.Object({ Label }, { examples: [{ Label: 'Head of sales' }] })
