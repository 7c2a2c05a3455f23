/** Filters of a table request: every operator, days and words, and what is refused. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { refusal, type Row, startObjectShop } from '../../support/objects.ts'

const NOW = new Date('2026-11-21T09:00:00Z')
const DUE = [null, '2026-11-20', '2026-11-21', '2026-11-20', null]
let shop: Awaited<ReturnType<typeof startObjectShop>>

beforeAll(async () => {
  shop = await startObjectShop({ clock: { now: () => new Date(NOW) } })
  const days = [0, 1, 2, 8, 40]
  for (const [at, age] of days.entries()) {
    const issued = new Date(NOW.getTime() - age * 86_400_000).toISOString()
    const ClientId = (at % 2) + 1
    const more = { IssuedAt: issued, Total: at * 10 + 0.1, Note: at === 2 ? null : 'abc' }
    const bill = { ...more, Cost: at === 4 ? 40.1 : at, DueOn: DUE[at] }
    await shop.save('clerk', 'Bills', { ClientId, ...bill })
  }
  await shop.save('other', 'Bills', { ClientId: 3, Total: 7 })
})
afterAll(() => shop[Symbol.asyncDispose]())

const ids = (rows: Row[]) => rows.map((row) => row.Id)

const FILTERS: [name: string, filters: unknown, expected: number[]][] = [
  ['eq', [{ Field: 'Id', Operator: 'eq', Value: 2 }], [2]],
  ['names without regard to case', [{ field: 'id', operator: 'EQ', value: '2' }], [2]],
  ['ne takes the blank', [{ Field: 'Note', Operator: 'ne', Value: 'abc' }], [3]],
  ['isNull', [{ Field: 'Note', Operator: 'isNull' }], [3]],
  ['eq null', [{ Field: 'Note', Operator: 'eq', Value: null }], [3]],
  ['isNotNull', [{ Field: 'Note', Operator: 'isNotNull' }], [1, 2, 4, 5]],
  ['contains', [{ Field: 'ClientName', Operator: 'contains', Value: 'NORT' }], [1, 3, 5]],
  ['startsWith', [{ Field: 'Number', Operator: 'startsWith', Value: 'b-one-0004' }], [4]],
  ['endsWith', [{ Field: 'Number', Operator: 'endsWith', Value: '05' }], [5]],
  ['notContains', [{ Field: 'ClientName', Operator: 'notContains', Value: 'NORT' }], [2, 4]],
  ['notContains takes the blank', [{ Field: 'Note', Operator: 'notContains', Value: 'abc' }], [3]],
  [
    'notStartsWith',
    [{ Field: 'Number', Operator: 'notStartsWith', Value: 'b-one-0004' }],
    [1, 2, 3, 5],
  ],
  ['notEndsWith', [{ Field: 'Number', Operator: 'notEndsWith', Value: '05' }], [1, 2, 3, 4]],
  ['in', [{ Field: 'Id', Operator: 'in', Value: [1, 5, 99] }], [1, 5]],
  ['in with null', [{ Field: 'Note', Operator: 'in', Value: [null, 'x'] }], [3]],
  ['notIn', [{ Field: 'Id', Operator: 'notIn', Value: [1, 2, 3] }], [4, 5]],
  ['empty in', [{ Field: 'Id', Operator: 'in', Value: [] }], []],
  ['between', [{ Field: 'Total', Operator: 'between', Value: [10, 30.1] }], [2, 3, 4]],
  [
    'lt ge',
    [
      { Field: 'Id', Operator: 'lt', Value: 4 },
      { Field: 'Id', Operator: 'ge', Value: 3 },
    ],
    [3],
  ],
  [
    'or',
    {
      Logic: 'or',
      Filters: [
        { Field: 'Id', Operator: 'eq', Value: 1 },
        { Field: 'Id', Operator: 'gt', Value: 4 },
      ],
    },
    [1, 5],
  ],
  [
    'nested',
    [
      {
        Logic: 'or',
        Filters: [
          { Field: 'Id', Operator: 'eq', Value: 1 },
          {
            Filters: [
              { Field: 'Id', Operator: 'gt', Value: 3 },
              { Field: 'Id', Operator: 'lt', Value: 5 },
            ],
          },
        ],
      },
    ],
    [1, 4],
  ],
  ['boolean', [{ Field: 'Paid', Operator: 'eq', Value: false }], [1, 2, 3, 4, 5]],
  ['today', [{ Field: 'IssuedAt', Operator: 'eq', Value: 'today' }], [1]],
  ['a day', [{ Field: 'IssuedAt', Operator: 'eq', Value: '2026-11-20' }], [2]],
  ['lastWeek', [{ Field: 'IssuedAt', Operator: 'eq', Value: 'lastWeek' }], [4]],
  ['not today', [{ Field: 'IssuedAt', Operator: 'ne', Value: 'today' }], [2, 3, 4, 5]],
  ['after a word', [{ Field: 'IssuedAt', Operator: 'gt', Value: 'lastMonth' }], [1, 2, 3, 4]],
  ['days in', [{ Field: 'IssuedAt', Operator: 'in', Value: ['today', '2026-11-19'] }], [1, 3]],
  [
    'days between',
    [{ Field: 'IssuedAt', Operator: 'between', Value: ['2026-11-13', 'yesterday'] }],
    [2, 3, 4],
  ],
  [
    'a number below another',
    [{ Field: 'Cost', Operator: 'lt', ValueField: 'Total' }],
    [1, 2, 3, 4],
  ],
  ['a Decimal that is another', [{ Field: 'Cost', ValueField: 'Total' }], [5]],
  ['names of fields in any case', [{ field: 'cost', operator: 'GE', valuefield: 'total' }], [5]],
  ['a day after an instant', [{ Field: 'DueOn', Operator: 'gt', ValueField: 'IssuedAt' }], [3, 4]],
  ['an instant on a day', [{ Field: 'IssuedAt', ValueField: 'DueOn' }], [2]],
  ['a day until an instant', [{ Field: 'DueOn', Operator: 'le', ValueField: 'IssuedAt' }], [2]],
  [
    'an instant not on a day, or without one',
    [{ Field: 'IssuedAt', Operator: 'ne', ValueField: 'DueOn' }],
    [1, 3, 4, 5],
  ],
  ['two texts', [{ Field: 'Note', Operator: 'gt', ValueField: 'Number' }], [1, 2, 4, 5]],
  ['a text with itself, if it has none', [{ Field: 'Note', ValueField: 'Note' }], [1, 2, 3, 4, 5]],
  [
    'a field among others',
    {
      Logic: 'or',
      Filters: [
        { Field: 'Cost', ValueField: 'Total' },
        { Field: 'Id', Value: 2 },
      ],
    },
    [2, 5],
  ],
  ['a day of the week', [{ Field: 'IssuedAt:weekday', Value: 5 }], [2, 4]],
  ['days of the week', [{ Field: 'issuedat:WEEKDAY', Operator: 'in', Value: [1, 4] }], [3, 5]],
  ['no day of the week', [{ Field: 'IssuedAt:weekday', Operator: 'ne', Value: 5 }], [1, 3, 5]],
  ['a range of months', [{ Field: 'IssuedAt:month', Operator: 'lt', Value: '2026-11' }], [5]],
  [
    'weeks between',
    [{ Field: 'IssuedAt:week', Operator: 'between', Value: ['2026-W46', '2026-W46'] }],
    [4],
  ],
  ['the hour in the zone', [{ Field: 'IssuedAt:hour', Value: 9 }], [1, 2, 3, 4, 5]],
  ['a weekday that is none', [{ Field: 'DueOn:weekday', Operator: 'isNull' }], [1, 5]],
  ['two parts of dates', [{ Field: 'IssuedAt:month', ValueField: 'DueOn:month' }], [2, 3, 4]],
  ['no filters', [], [1, 2, 3, 4, 5]],
]

test.each(FILTERS)('filter %s', async (_, filters, expected) => {
  const { Rows, Pagination } = await shop.table('clerk', 'Bills', { Filters: filters })
  expect(ids(Rows)).toEqual(expected)
  expect(Pagination.TotalRows).toBe(expected.length)
})

test('one plan does not answer for another field', async () => {
  const read = async (ValueField: string, Operator = 'lt') => {
    const Filters = [{ Field: 'Cost', Operator, ValueField }]
    return ids((await shop.table('clerk', 'Bills', { Filters })).Rows)
  }
  expect(await read('Total')).toEqual([1, 2, 3, 4])
  expect(await read('Cost')).toEqual([])
  expect(await read('Total')).toEqual([1, 2, 3, 4])
  expect(await read('Cost', 'le')).toEqual([1, 2, 3, 4, 5])
})

test('an instant is compared with a day as the day that it is for the caller', async () => {
  const answer = await shop.app.fetch<{ data: { Rows: Row[] } }>('/api/v1/svc/object/Bills/table', {
    as: 'clerk',
    body: { Filters: [{ Field: 'IssuedAt', Operator: 'lt', ValueField: 'DueOn' }] },
    headers: { 'X-TimeZone': 'Pacific/Midway' },
  })
  // The second was issued on the 19th at 22:00 there.
  expect(ids(answer.body.data.Rows)).toEqual([2, 3, 4])
})

test('a day is the caller’s day', async () => {
  const filters = [{ Field: 'IssuedAt', Operator: 'eq', Value: '2026-11-20' }]
  const answer = await shop.app.fetch<{ data: { Rows: Row[] } }>('/api/v1/svc/object/Bills/table', {
    as: 'clerk',
    body: { Filters: filters },
    headers: { 'X-TimeZone': 'Pacific/Kiritimati' },
  })
  // 09:00Z is 23:00 of the same day there; 2026-11-20T09:00Z is still the 20th.
  expect(ids(answer.body.data.Rows)).toEqual([2])
  const west = await shop.app.fetch<{ data: { Rows: Row[] } }>('/api/v1/svc/object/Bills/table', {
    as: 'clerk',
    body: { Filters: filters },
    headers: { 'X-TimeZone': 'Pacific/Midway' },
  })
  // 09:00Z is 22:00 of the day before in Midway.
  expect(ids(west.body.data.Rows)).toEqual([1])
})

const compare = (Field: string, Operator: string, ValueField: unknown) => ({
  Filters: [{ Field, Operator, ValueField }],
})

const BAD: [name: string, request: unknown, says: RegExp][] = [
  ['field', { Filters: [{ Field: 'Name;--', Operator: 'eq', Value: 1 }] }, /Unknown field/],
  ['rowid', { Filters: [{ Field: 'rowid', Operator: 'eq', Value: 1 }] }, /Unknown field/],
  ['operator', { Filters: [{ Field: 'Id', Operator: '=1 OR 1=1', Value: 1 }] }, /'Id'.*operator/],
  ['value', { Filters: [{ Field: 'Id', Operator: 'eq', Value: 'canary' }] }, /'Id': eq/],
  ['list', { Filters: [{ Field: 'Id', Operator: 'eq', Value: [1] }] }, /'Id': eq.*list/],
  ['no list', { Filters: [{ Field: 'Id', Operator: 'in', Value: 1 }] }, /'Id': in.*list/],
  ['word', { Filters: [{ Field: 'DueOn', Operator: 'eq', Value: 'someday' }] }, /'DueOn'.*someday/],
  ['field of another kind', compare('Cost', 'lt', 'Note'), /'Cost': lt.*'Note'.*another kind/],
  ['key as a number', compare('Cost', 'lt', 'Id'), /'Cost': lt.*'Id'.*another kind/],
  ['key of another record', compare('Id', 'eq', 'ClientId'), /'Id': eq.*another kind/],
  ['order of keys', compare('ClientId', 'lt', 'ClientId'), /'ClientId': lt.*eq and ne/],
  ['order of flags', compare('Paid', 'lt', 'Paid'), /'Paid': lt.*eq and ne/],
  ['text match of fields', compare('Note', 'contains', 'Number'), /'Note': contains.*ValueField/],
  ['list of fields', compare('Cost', 'in', 'Total'), /'Cost': in.*ValueField/],
  ['part', { Filters: [{ Field: 'DueOn:century', Value: 1 }] }, /'DueOn'.*hour, day, weekday/],
  ['part of no date', { Filters: [{ Field: 'Total:month', Value: 1 }] }, /'Total'.*only dates/],
  ['hour of a day', { Filters: [{ Field: 'DueOn:hour', Value: 1 }] }, /'DueOn'.*no hour/],
  [
    'value of a part',
    { Filters: [{ Field: 'DueOn:weekday', Value: 'canary' }] },
    /'DueOn:weekday'/,
  ],
  ['field as a value', compare('Cost', 'lt', 5), /'Cost': lt.*name of a field/],
  ['unknown value field', compare('Cost', 'lt', 'Secret'), /Unknown field 'Secret'/],
  [
    'two values',
    { Filters: [{ Field: 'Cost', Value: 'canary', ValueField: 'Total' }] },
    /'Cost': eq.*not both/,
  ],
  [
    'misspelt value field',
    { Filters: [{ Field: 'Cost', ValueFild: 'Total' }] },
    /Unknown member 'valuefild'.*ValueField/,
  ],
  [
    'text match',
    { Filters: [{ Field: 'Id', Operator: 'contains', Value: '1' }] },
    /'Id': contains/,
  ],
  ['filters of text', { Filters: 'x' }, /filter/],
  ['direction', { Sort: [{ Field: 'Id', Direction: 'ASC,(SELECT 1)' }] }, /'Id'.*direction/],
  ['sort', { Sort: [{ Field: '(CASE WHEN 1 THEN Id END)' }] }, /Unknown field/],
  ['page', { Page: 0 }, /Page/],
  ['page size', { PageSize: 1001 }, /PageSize/],
  ['page size text', { PageSize: '0x10' }, /PageSize/],
  ['negative size', { PageSize: -1 }, /PageSize/],
  ['cursor', { Cursor: 'bm9uZQ' }, /cursor/],
  ['preset', { Preset: 'None' }, /preset/],
  ['count', { CountMode: 'all' }, /CountMode/],
  [
    'deep',
    { Filters: Array.from({ length: 12 }).reduce<unknown>((inner) => ({ Filters: [inner] }), []) },
    /nest/,
  ],
  ['many', { Filters: Array.from({ length: 201 }, () => ({ Field: 'Id', Value: 1 })) }, /200/],
]

test.each(BAD)('bad %s is a 400 that names it and never the value', async (_, request, says) => {
  const answer = await shop.call('clerk', '/Bills/table', request)
  const body = refusal(answer, 400)
  expect(`${body.error} ${JSON.stringify(body.fieldErrors ?? {})}`).toMatch(says)
  expect(answer.text).not.toContain('canary')
})
