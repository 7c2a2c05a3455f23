/** A user as others of the company know them, on the wire. */
import { type Static, Type } from '@sinclair/typebox'
import { named } from '../../kernel/schema.ts'

export const Person = named(
  'Person',
  Type.Object(
    { Id: Type.Integer({ description: 'Of the user' }), DisplayName: Type.String() },
    { examples: [{ Id: 4, DisplayName: 'Zoë Meier' }] },
  ),
)
export type Person = Static<typeof Person>
