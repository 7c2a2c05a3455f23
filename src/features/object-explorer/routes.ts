/** The object explorer: `/api/v1/svc/object-explorer` (src/server/README.md, Objects). */
import { type TSchema, Type } from '@sinclair/typebox'
import { looseFlag, named, oneOf, shownAs } from '../../kernel/schema.ts'
import { RESULTS_MAX_BYTES } from '../../engine/floor.ts'
import { describeObject, listObjects } from '../../engine/object-explorer/objects.ts'
import { listOpenable } from '../../engine/object-explorer/openable.ts'
import { runQuery } from '../../engine/object-explorer/query.ts'
import {
  AGGREGATE_FUNCTIONS,
  QueryRequest,
  QueryResult,
} from '../../engine/object-explorer/schema.ts'
import { FieldMetadata, ViewType } from '../../engine/object/metadata-schema.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED, objectGate } from '../../server/gate.ts'
import { ok, okText } from '../../server/reply.ts'
import { SAFE } from '../../server/route-table.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'

const OrNull = (type: TSchema) => Type.Union([type, Type.Null()])

const Node = {
  Kind: Type.Union(
    [
      Type.Literal('Entity'),
      Type.Literal('Object'),
      Type.Literal('Wizard'),
      Type.Literal('Report'),
      Type.Literal('Procedure'),
      Type.Literal('Workflow'),
    ],
    { description: 'Entity or Object; with `all` also Wizard, Report, Procedure and Workflow' },
  ),
  Name: Type.String(),
  Slug: OrNull(Type.String()),
  Label: Type.String(),
  ViewType: OrNull(ViewType),
  Verbs: Type.Array(Type.String(), { description: 'That the caller holds; none for an Entity' }),
  Capabilities: Type.Array(Type.String(), { description: 'That the caller holds' }),
}

const ObjectNode = named(
  'ObjectNode',
  Type.Object({
    ...Node,
    Children: Type.Array(
      named(
        'ObjectLeaf',
        Type.Object({
          ...Node,
          Children: shownAs(Type.Array(Type.Unknown(), { description: 'None' }), {
            maxItems: 0,
            items: Type.Ref('ObjectLeaf'),
          }),
        }),
      ),
    ),
  }),
)

const NamedEntity = named('NamedEntity', Type.Object({ Name: Type.String(), Label: Type.String() }))

const NamedObject = named(
  'NamedObject',
  Type.Object({ Object: Type.String(), Label: Type.String() }),
)

const DescribedField = named(
  'ObjectField',
  Type.Object({
    ...FieldMetadata.properties,
    Key: Type.Boolean(),
    Hidden: Type.Boolean(),
    Multiple: Type.Boolean({ description: 'The value is a list' }),
    Aggregates: Type.Array(oneOf(AGGREGATE_FUNCTIONS), { description: 'What a query may take' }),
  }),
)

const Use = named(
  'FieldUse',
  Type.Object({ Object: Type.String(), Label: Type.String(), Field: Type.String() }),
)

const ObjectDescription = named(
  'ObjectDescription',
  Type.Object({
    Name: Type.String(),
    Slug: Type.String(),
    Label: Type.String(),
    ViewType,
    Entity: OrNull(NamedEntity),
    Keys: Type.Array(Type.String()),
    Period: OrNull(
      Type.String({
        description: 'The date that `:month` in GroupBy is of, and "per month" means',
      }),
    ),
    Fields: Type.Array(DescribedField),
    Relations: named(
      'ObjectRelations',
      Type.Object({
        To: Type.Array(
          named(
            'ObjectRelation',
            Type.Object({
              Field: Type.String(),
              Entity: OrNull(Type.String()),
              Objects: Type.Array(NamedObject),
            }),
          ),
        ),
        From: Type.Array(Use),
      }),
    ),
    UsedBy: named(
      'ObjectUses',
      Type.Object({
        Lookups: Type.Array(Use),
        Details: Type.Array(
          named(
            'DetailUse',
            Type.Object({ Object: Type.String(), Label: Type.String(), Detail: Type.String() }),
          ),
        ),
        Reports: Type.Array(
          named('NamedReport', Type.Object({ Name: Type.String(), Label: Type.String() })),
        ),
      }),
    ),
  }),
)

const AREA = {
  name: 'Object explorer',
  description: 'What there is to list, how it hangs together, and ad-hoc queries with sums.',
}

const LIST_OBJECTS = {
  query: Type.Object({
    all: Type.Optional(
      looseFlag(
        'All that the caller may open: also objects without List (a form, a wizard), reports, ' +
          'procedures and workflows',
      ),
    ),
  }),
  response: Envelope(Type.Array(ObjectNode)),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'listObjects',
    summary: 'The objects that the caller may list, by entity',
    description:
      'With Verbs and Capabilities that the caller holds on each. What they may not open is not ' +
      'named. Gate: authentication.',
  },
}

const DESCRIBE_OBJECT = {
  params: Type.Object({
    name: Type.String({ description: 'Name or slug of the object', examples: ['orders'] }),
  }),
  response: Envelope(ObjectDescription),
  detail: {
    'x-gate': objectGate('path', 'List'),
    operationId: 'describeObject',
    summary: 'An object with its fields, its relations and where it is used',
    description: 'As far as the caller sees them: fields, other objects, reports. Gate: List.',
  },
}

const RUN_QUERY = {
  body: QueryRequest,
  response: Envelope(QueryResult),
  detail: {
    ...SAFE,
    'x-gate': objectGate('ObjectName', 'List'),
    'x-example': {
      ObjectName: 'orders',
      Filters: [{ Field: 'Status', Operator: 'ne', Value: 'cancelled' }],
      GroupBy: ['OrderedAt:quarter', 'Status'],
      Aggregates: [
        { Function: 'count' },
        { Field: 'Total', Function: 'sum', As: 'Sales' },
        { Field: 'Total', Function: 'share' },
        {
          Function: 'share',
          Filters: [{ Field: 'Region', Operator: 'eq', Value: 'Coast' }],
          As: 'Coast',
        },
      ],
      Sort: [{ Field: 'Sales', Direction: 'desc' }],
      Limit: 20,
    },
    operationId: 'queryObject',
    summary: 'An ad-hoc query over an object',
    description:
      'Rows of Fields, or groups of GroupBy with Aggregates, held to the caller’s rows and ' +
      'fields. Sums of Decimals are exact; an average has the decimals of its field (at least ' +
      'two; six for whole numbers). An aggregate with Filters takes the rows for which they ' +
      'hold; a share is a percentage with two decimals. Groups of references and options have ' +
      'their label beside ' +
      'them, as `<Field>__Label`. A date is grouped by `:day`, `:weekday` (1, Monday, to 7, ' +
      'labelled by its name), `:week` (ISO: `2026-W53`), `:month`, `:quarter` or `:year`, an ' +
      'instant also by `:hour` (0 to 23), in the caller’s zone. `CustomerId.Region` is a field ' +
      'of the row that a reference names, up to three steps on, by any object that shows it to ' +
      'the caller; null where they do not see the row. With and Without ask for rows to which ' +
      'rows of another object refer, or none. Gate: List, also of those objects.',
  },
}

const OBJECT_EXPLORER_ROUTES: RouteGroup = {
  prefix: '/api/v1/svc/object-explorer',
  area: AREA.name,
  routes: [
    route('GET', '/objects', LIST_OBJECTS, ({ query, model, caller }) => {
      const list = query.all === 'true' ? listOpenable : listObjects
      return ok(list(model, caller))
    }),
    route('GET', '/objects/:name', DESCRIBE_OBJECT, ({ found: { view, grant } }) =>
      ok(describeObject(view, grant)),
    ),
    route('POST', '/query', RUN_QUERY, async ({ app, body, found, signal }) => {
      const { view, grant, context } = found
      const requested = { request: body, view, grant: grant.over(body.AllCompanies), context }
      const limits = { bytes: app.settings.get(RESULTS_MAX_BYTES) }
      return okText(await runQuery(app.queryCache, requested, limits, signal))
    }),
  ],
}

/** See `Feature`. */
export const objectExplorerFeature: Feature = { areas: [AREA], routes: [OBJECT_EXPLORER_ROUTES] }
