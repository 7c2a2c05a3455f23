import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { toEnvelope } from '../../src/kernel/envelope.ts'
import { TEXT_CHARACTERS_MAX } from '../../src/kernel/limits.ts'
import { longText } from '../../src/kernel/schema.ts'
import { planValuesMax } from '../../src/server/body-bounds.ts'
import { matchNames, matchNamesInTurns } from '../../src/server/case-insensitive-body.ts'
import { scaleCases } from '../support/property.ts'

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

const word = fc.constantFrom(
  ...['Filters', 'filters', 'FILTERS', 'Field', 'field', 'FIELD', 'Value', 'value', 'Logic'],
  ...[
    'Parameters',
    'parameters',
    'Details',
    'details',
    'Upsert',
    'UPSERT',
    'Lines',
    'Page',
    'page',
  ],
  ...['constructor', 'toString', 'unknown'],
)
const { body: anyBody } = fc.letrec((tie) => ({
  body: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom<unknown>(1, 'x', null),
    fc.array(tie('body'), { maxLength: 4 }),
    fc.array(fc.tuple(word, tie('body')), { maxLength: 5 }).map((all) => Object.fromEntries(all)),
  ),
}))

test('any body is matched in turns as it is at once', async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, async (body) => {
      const [atOnce, inTurns] = [structuredClone(body), structuredClone(body)]
      matchNames(Request, atOnce)
      expect(await matchNamesInTurns(Request, inTurns)).toBeUndefined()
      expect(inTurns).toEqual(atOnce)
    }),
    { numRuns: scaleCases(500) },
  )
})

const Bounded = Type.Object({
  Roles: Type.Optional(Type.Union([Type.Array(Type.String(), { maxItems: 2 }), Type.Null()])),
  Name: Type.Optional(Type.String({ maxLength: 5 })),
  Comment: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  Document: Type.Optional(longText()),
  Value: Type.Optional(Type.Unknown()),
  Inner: Type.Optional(Type.Array(Type.Object({ Names: Type.Array(Type.String()) }))),
})
const long = 'x'.repeat(TEXT_CHARACTERS_MAX + 1)

test.each<[body: object, told: Record<string, string> | undefined]>([
  [{ roles: ['a', 'b', 'c'] }, { Roles: 'Must be an array of at most 2 entries' }],
  [{ name: long }, { Name: 'Must be a string of at most 5 characters' }],
  [{ COMMENT: long }, { Comment: 'Must be a string of at most 65536 characters' }],
  [
    { Inner: [{ Names: [] }, { names: ['x', long] }] },
    { 'Inner[1].Names[1]': 'Must be a string of at most 65536 characters' },
  ],
  [{ Document: long, Value: [long, [long]], Comment: long.slice(1), Roles: ['a', 'b'] }, undefined],
  [{ Roles: 'abc', Name: [1, 2, 3], Comment: null }, undefined],
])('a list or text that is longer than its schema admits is refused: %#', async (body, told) => {
  const refusal = await matchNamesInTurns(Bounded, body)
  expect(refusal && toEnvelope(refusal, '', false, 'en').fieldErrors).toEqual(told)
})

const Few = Type.Object({ Roles: Type.Array(Type.String(), { maxItems: 500 }) })

test.each([
  ['no lists', Type.Object({ Name: Type.String() }), 10_000],
  ['a bounded list', Few, 10_000],
  ['a bounded list of bounded lists', Type.Array(Few, { maxItems: 20 }), 100_000],
  ['a list without a bound', Type.Array(Type.String()), 100_000],
  ['any value', Type.Object({ Value: Type.Union([Type.Null(), Type.Unknown()]) }), 100_000],
  ['a map', Type.Record(Type.String(), Type.String()), 100_000],
  ['itself', Group, 100_000],
])('a body of %s has so many values at most', (_, schema, expected) => {
  expect(planValuesMax(schema)).toBe(expected)
})
