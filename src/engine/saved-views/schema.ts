/** Saved views on the wire (src/server/README.md, Saved views). */
import { type Static, Type } from '@sinclair/typebox'
import { idDigits, instant, named, optional, orNull } from '../../kernel/schema.ts'
import { AGGREGATE_FUNCTIONS } from '../object-explorer/schema.ts'
import { Filters } from '../object/filter-schema.ts'
import { TEXT_CHARACTERS_MAX } from '../object/read/text-match.ts'
import { SortItem } from '../object/schema.ts'

const KINDS = ['grid', 'board', 'calendar', 'gallery', 'pivot'] as const
const SHARES = ['none', 'role', 'company'] as const
/** With whom a view is shared. */
export type Shares = (typeof SHARES)[number]

const SIDES = ['start', 'end'] as const

/** Fields and groups of one list: columns of a grid, sides of a pivot. */
const COLUMNS_MAX = 200
const GROUPS_MAX = 10
const NAME_MAX = 100
const FIELD_MAX = 300

const choice = <const Word extends string>(words: readonly Word[], description: string) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    { description },
  )

const FieldName = Type.String({ maxLength: FIELD_MAX })
const field = (description: string) => optional(Type.String({ maxLength: FIELD_MAX, description }))
const groups = (description: string) =>
  optional(Type.Array(FieldName, { maxItems: GROUPS_MAX, description }))

const ViewColumn = named(
  'SavedViewColumn',
  Type.Object({
    Field: FieldName,
    Width: optional(Type.Integer({ minimum: 20, maximum: 4000, description: 'In pixels' })),
    Pinned: optional(choice(SIDES, 'The side of the grid where it stays')),
  }),
)

const ViewValue = named(
  'SavedViewValue',
  Type.Object({
    Field: field('Left out, rows are counted'),
    Function: choice(AGGREGATE_FUNCTIONS, 'As in the object explorer'),
  }),
)

const ViewSettings = named(
  'SavedViewSettings',
  Type.Object({
    Title: field('What a card or an entry is called by'),
    Order: field('Of the cards of a board'),
    From: field('Begin of an entry of a calendar'),
    To: field('Its end'),
    Tone: field('What colours it'),
    Image: field('Picture of a gallery'),
    Rows: groups('Of a pivot, as in GroupBy'),
    Columns: groups('Of a pivot, as in GroupBy'),
    Values: optional(Type.Array(ViewValue, { maxItems: GROUPS_MAX, description: 'Of a pivot' })),
    Chart: optional(
      Type.String({ maxLength: 40, description: 'Beside a pivot, by the client’s own name' }),
    ),
  }),
)

/** The parts of a view, as they are stored. */
const PARTS = {
  Kind: choice(KINDS, 'Default grid'),
  Columns: optional(Type.Array(ViewColumn, { maxItems: COLUMNS_MAX })),
  Filters: Type.Optional(Filters),
  SearchText: optional(Type.String({ maxLength: TEXT_CHARACTERS_MAX })),
  Sort: optional(Type.Array(SortItem, { maxItems: GROUPS_MAX })),
  Preset: optional(Type.String({ maxLength: FIELD_MAX })),
  GroupBy: groups('Fields, or parts of a date as `OrderedAt:month`'),
  Settings: optional(ViewSettings),
}

const ViewParts = Type.Object(PARTS)
export type ViewParts = Static<typeof ViewParts>

const OWN = {
  Name: Type.String({ minLength: 1, maxLength: NAME_MAX }),
  Shared: choice(SHARES, 'Default none: the caller’s alone'),
  Role: optional(Type.String({ maxLength: 128, description: 'That it is shared with' })),
  Default: Type.Boolean({ description: 'The caller opens the object with it' }),
}

const EXAMPLE = {
  Name: 'Open, by due date',
  Kind: 'grid',
  Columns: [{ Field: 'Number', Width: 120, Pinned: 'start' }, { Field: 'Status' }],
  Filters: [{ Field: 'Status', Operator: 'eq', Value: 'Open' }],
  Sort: [{ Field: 'Number', Direction: 'desc' }],
}

export const NewSavedView = named(
  'NewSavedView',
  Type.Object({
    Object: Type.String({ maxLength: FIELD_MAX, description: 'Name or slug of the object' }),
    ...PARTS,
    Kind: Type.Optional(PARTS.Kind),
    Name: OWN.Name,
    Shared: Type.Optional(OWN.Shared),
    Role: OWN.Role,
    Default: Type.Optional(OWN.Default),
  }),
)

export const SavedViewChange = named(
  'SavedViewChange',
  Type.Object(
    {
      ...PARTS,
      Kind: Type.Optional(PARTS.Kind),
      Name: Type.Optional(OWN.Name),
      Shared: Type.Optional(OWN.Shared),
      Role: OWN.Role,
      Default: Type.Optional(OWN.Default),
      RowVersion: optional(
        Type.Integer({ description: 'That the change was made from: 409 where it moved since' }),
      ),
    },
    { examples: [{ Default: true }] },
  ),
)
export type SavedViewChange = Static<typeof SavedViewChange>

export const SavedView = named(
  'SavedView',
  Type.Object(
    {
      Id: Type.Integer(),
      Object: Type.String(),
      ...OWN,
      Role: orNull(Type.String()),
      Kind: PARTS.Kind,
      Columns: Type.Array(ViewColumn),
      Filters,
      SearchText: orNull(Type.String()),
      Sort: Type.Array(SortItem),
      Preset: orNull(Type.String()),
      GroupBy: Type.Array(FieldName),
      Settings: ViewSettings,
      Ignored: Type.Array(Type.String(), {
        description: 'Fields and presets that the caller may not see, or that are gone: left out',
      }),
      IsPartial: Type.Boolean({
        description: 'Something is left out, whether Ignored may name it or not',
      }),
      MadeBy: orNull(
        Type.String({ description: 'Who saved it; null for people of other companies' }),
      ),
      IsOwn: Type.Boolean({ description: 'The caller saved it' }),
      CanChange: Type.Boolean(),
      CanDelete: Type.Boolean(),
      RowVersion: Type.Integer(),
      ChangedAt: instant(),
    },
    {
      examples: [
        {
          ...EXAMPLE,
          Id: 12,
          Object: 'Orders',
          Shared: 'role',
          Role: 'Clerk',
          Default: true,
          SearchText: null,
          Preset: null,
          GroupBy: [],
          Settings: {},
          Ignored: [],
          IsPartial: false,
          MadeBy: 'Ana Lind',
          IsOwn: false,
          CanChange: false,
          CanDelete: false,
          RowVersion: 3,
          ChangedAt: '2026-11-21T08:30:00.000Z',
        },
      ],
    },
  ),
)
export type SavedView = Static<typeof SavedView>

export const SavedViewList = named(
  'SavedViewList',
  Type.Object({
    Views: Type.Array(SavedView, { description: 'The caller’s own first, then shared; by name' }),
    CanShare: Type.Boolean({ description: 'The caller may share views of their own' }),
  }),
)

export const SavedViewPath = Type.Object({ id: idDigits('Of the saved view') })

export const SavedViewQuery = Type.Object({
  object: Type.String({
    maxLength: FIELD_MAX,
    description: 'Name or slug of the object',
    examples: ['Orders'],
  }),
})
