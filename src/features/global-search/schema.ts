/** Queries and answers of `/api/v1/svc/search`. */
import { type Static, Type } from '@sinclair/typebox'
import { digits, named, oneOf, valuesOf } from '../../kernel/schema.ts'

/** Characters of a search text. */
export const TEXT_MAX = 200
/** Hits of a group: by default, and at most. */
export const LIMIT_DEFAULT = 5
export const LIMIT_MAX = 50

export const SearchQuery = Type.Object({
  q: Type.Optional(
    Type.String({ description: 'What is searched for; each word may be its begin' }),
  ),
  objects: Type.Optional(
    Type.String({ maxLength: 2000, description: 'Names or slugs of views, separated by commas' }),
  ),
  limit: Type.Optional(
    digits('Hits of an object', { minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }),
  ),
})
export type SearchQuery = Static<typeof SearchQuery>

const SearchHit = named(
  'SearchHit',
  Type.Object({
    Keys: valuesOf('Of the record, by field'),
    Title: Type.String(),
    Snippet: Type.String({ description: 'The text that answers best, cut around what was found' }),
    Ranges: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]), {
      description: 'What was found in Snippet: start and length in UTF-16 units',
    }),
    Score: Type.Number({ description: 'Comparable within one answer; the best hit comes first' }),
  }),
)

const SearchGroup = named(
  'SearchGroup',
  Type.Object({
    Object: Type.String({ description: 'Name of the view' }),
    Label: Type.String(),
    Total: Type.Integer({
      description: 'Records that the caller sees, of which Hits has the best',
    }),
    TotalIsExact: Type.Boolean({ description: 'False where there are more than Total' }),
    Hits: Type.Array(SearchHit),
  }),
)

export const SearchResult = named(
  'SearchResult',
  Type.Object(
    {
      Provider: oneOf(['sql', 'elastic'], { description: 'What found the records' }),
      Query: Type.String({ description: 'What was searched for' }),
      Groups: Type.Array(SearchGroup, { description: 'That of the best hit first' }),
      Ignored: Type.Array(Type.String(), { description: 'Words that were too many' }),
      Corrected: Type.Union([Type.String(), Type.Null()], {
        description: 'What Groups has in place of Query, of which nothing was found; else null',
      }),
      Rebuilding: Type.Boolean({ description: 'Whether some records cannot be found yet' }),
    },
    {
      examples: [
        {
          Provider: 'sql',
          Query: 'oak fur',
          Groups: [
            {
              Object: 'Customers',
              Label: 'Customers',
              Total: 1,
              TotalIsExact: true,
              Hits: [
                {
                  Keys: { Id: 7 },
                  Title: 'Oak & Elm Furniture',
                  Snippet: 'Oak & Elm Furniture',
                  Ranges: [
                    [0, 3],
                    [10, 9],
                  ],
                  Score: 30,
                },
              ],
            },
          ],
          Ignored: [],
          Corrected: null,
          Rebuilding: false,
        },
      ],
    },
  ),
)
export type SearchResult = Static<typeof SearchResult>

export const SearchRebuildRequest = named(
  'SearchRebuildRequest',
  Type.Object(
    {
      Objects: Type.Optional(
        Type.Array(Type.String({ maxLength: 200 }), {
          maxItems: 1000,
          description: 'Names or slugs of views; all that are searched unless told',
        }),
      ),
    },
    { examples: [{ Objects: ['orders'] }] },
  ),
)
export type SearchRebuildRequest = Static<typeof SearchRebuildRequest>

export const SearchRebuildResult = named(
  'SearchRebuildResult',
  Type.Object({
    JobId: Type.Integer({ description: 'The hub tells of its progress as operation job:<JobId>' }),
  }),
)
