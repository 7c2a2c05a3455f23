/** What `/api/v1/svc/object-explorer` answers (src/server/README.md, Objects). */
import { Type } from '@sinclair/typebox'
import type { TSchema } from '@sinclair/typebox'

const Loose = Type.Record(Type.String(), Type.Unknown())
const OrNull = (type: TSchema) => Type.Union([type, Type.Null()])

const Node = {
  Kind: Type.String({ description: 'Entity or Object' }),
  Name: Type.String(),
  Slug: OrNull(Type.String()),
  Label: Type.String(),
  ViewType: OrNull(Type.String()),
}

export const ObjectNode = Type.Object({
  ...Node,
  Children: Type.Array(
    Type.Object({ ...Node, Children: Type.Array(Type.Unknown(), { description: 'None' }) }),
  ),
})

const Use = Type.Object({ Object: Type.String(), Label: Type.String(), Field: Type.String() })

export const ObjectDescription = Type.Object({
  Name: Type.String(),
  Slug: Type.String(),
  Label: Type.String(),
  ViewType: Type.String(),
  Entity: OrNull(Type.Object({ Name: Type.String(), Label: Type.String() })),
  Keys: Type.Array(Type.String()),
  Fields: Type.Array(Loose, { description: 'As in the metadata, with the Aggregates they take' }),
  Relations: Type.Object({
    To: Type.Array(
      Type.Object({
        Field: Type.String(),
        Entity: OrNull(Type.String()),
        Objects: Type.Array(Type.Object({ Object: Type.String(), Label: Type.String() })),
      }),
    ),
    From: Type.Array(Use),
  }),
  UsedBy: Type.Object({
    Lookups: Type.Array(Use),
    Details: Type.Array(
      Type.Object({ Object: Type.String(), Label: Type.String(), Detail: Type.String() }),
    ),
    Reports: Type.Array(Type.Object({ Name: Type.String(), Label: Type.String() })),
  }),
})
