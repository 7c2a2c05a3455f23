/** The navigation and its badges on the wire. */
import { type Static, Type } from '@sinclair/typebox'
import { named, shownAs } from '../../kernel/schema.ts'

/** An item of the navigation. */
export const NavbarNode = named(
  'NavbarNode',
  Type.Object(
    {
      Name: Type.String({ description: 'Unique in the tree; badges go by it' }),
      Label: Type.String({ description: 'In the language of the request' }),
      Icon: Type.Union([Type.String(), Type.Null()], { description: 'A name the client knows' }),
      Kind: Type.Union(
        [
          Type.Literal('Group'),
          Type.Literal('Object'),
          Type.Literal('Report'),
          Type.Literal('Wizard'),
          Type.Literal('Url'),
        ],
        { description: 'What it opens; a Group has Children' },
      ),
      Target: Type.Union([Type.String(), Type.Null()], {
        description: 'Name or slug of what it opens, or the address; null for a Group',
      }),
      ReportKind: Type.Optional(
        Type.Literal('Document', { description: 'Of a Report that is made as a file, not a page' }),
      ),
      Children: shownAs(Type.Array(Type.Unknown(), { description: 'Items of the same form' }), {
        items: Type.Ref('NavbarNode'),
      }),
    },
    {
      examples: [
        {
          Name: 'Sales',
          Label: 'Sales',
          Icon: 'cart',
          Kind: 'Group',
          Target: null,
          Children: [
            {
              Name: 'Orders',
              Label: 'Orders',
              Icon: null,
              Kind: 'Object',
              Target: 'orders',
              Children: [],
            },
          ],
        },
      ],
    },
  ),
)
export type NavbarNode = Static<typeof NavbarNode>

/** The figure beside an item. */
const NavbarBadge = named(
  'NavbarBadge',
  Type.Object({
    Kind: Type.Union([Type.Literal('Count'), Type.Literal('Dot')]),
    Value: Type.Union([Type.Number(), Type.Boolean()], {
      description: 'A number for Count; for Dot whether there is anything',
    }),
  }),
)
type NavbarBadge = Static<typeof NavbarBadge>

/** Badges by the names of their items. */
export const NavbarBadges = named(
  'NavbarBadges',
  Type.Record(Type.String(), NavbarBadge, {
    examples: [{ Orders: { Kind: 'Count', Value: 4 }, Products: { Kind: 'Dot', Value: true } }],
  }),
)
export type NavbarBadges = Static<typeof NavbarBadges>
