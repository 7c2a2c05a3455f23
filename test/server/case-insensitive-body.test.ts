import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { matchNames } from '../../src/server/case-insensitive-body.ts'

const Filter = Type.Object({ Field: Type.String(), Value: Type.Unknown() })
const Group = Type.Recursive((This) =>
  Type.Object({ Logic: Type.String(), Filters: Type.Array(Type.Union([This, Filter])) }),
)
const Request = Type.Object({
  Page: Type.Optional(Type.Integer()),
  Filters: Type.Optional(Type.Union([Type.Array(Type.Union([Group, Filter])), Group])),
  Parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  Details: Type.Optional(
    Type.Record(Type.String(), Type.Object({ Upsert: Type.Array(Type.Unknown()) })),
  ),
})

test.each([
  ['another case', '{"page":1,"PARAMETERS":{}}', '{"Page":1,"Parameters":{}}'],
  ['its own spelling wins, before', '{"Page":1,"page":2}', '{"Page":1}'],
  ['its own spelling wins, after', '{"page":2,"Page":1}', '{"Page":1}'],
  ['else the later one', '{"page":1,"PAGE":2}', '{"Page":2}'],
  ['unknown members keep their names', '{"paging":1}', '{"paging":1}'],
  [
    'names in a map are data',
    '{"parameters":{"page":1,"PAGE":2}}',
    '{"Parameters":{"page":1,"PAGE":2}}',
  ],
  ['values of a map', '{"details":{"lines":{"upsert":[]}}}', '{"Details":{"lines":{"Upsert":[]}}}'],
  [
    'a list of filters',
    '{"filters":[{"FIELD":"a","value":{"field":1}}]}',
    '{"Filters":[{"Field":"a","Value":{"field":1}}]}',
  ],
  [
    'groups in groups',
    '{"filters":{"logic":"and","filters":[{"logic":"or","filters":[{"field":"a"}]}]}}',
    '{"Filters":{"Logic":"and","Filters":[{"Logic":"or","Filters":[{"Field":"a"}]}]}}',
  ],
  ['names of every object', '{"constructor":1,"toString":2}', '{}'],
  [
    'values that do not fit',
    '{"filters":"x","parameters":[1],"page":null}',
    '{"Filters":"x","Parameters":[1],"Page":null}',
  ],
])('%s', (_, sent, expected) => {
  const body: unknown = JSON.parse(sent)
  matchNames(Request, body)
  expect(body).toEqual(JSON.parse(expected))
})
