/** The explorer's ad-hoc queries (src/server/README.md, Objects): rows, groups, sums. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { SqlReal } from '../../../src/store/sql.ts'
import { startSales, sum } from '../../support/explored-sales.ts'
import { sampleCases } from '../../support/property.ts'

/** Zones that are asked for, of over 400. */
const ZONES = 80

describe('rows', () => {
  test('of the fields that were asked for, in the order asked for', async () => {
    await using sales = await startSales()
    const { Columns, Rows, HasMore } = await sales.query({
      Fields: ['Amount', 'ClientId', 'IsPaid'],
      Sort: [{ Field: 'Amount', Direction: 'desc' }],
      Limit: 2,
    })
    expect(Columns).toEqual([
      { Name: 'Amount', Label: 'Amount', Type: 'Decimal', ClrType: 'System.Decimal' },
      { Name: 'ClientId', Label: 'Client', Type: 'Integer', ClrType: 'System.Int64' },
      { Name: 'ClientId__Label', Label: 'Client', Type: 'Text', ClrType: 'System.String' },
      { Name: 'IsPaid', Label: 'Is paid', Type: 'Boolean', ClrType: 'System.Boolean' },
    ])
    expect(Rows).toEqual([
      { Amount: 10.1, ClientId: 2, ClientId__Label: 'Ann', IsPaid: false },
      { Amount: 0.2, ClientId: 1, ClientId__Label: 'Zed', IsPaid: false },
    ])
    expect(HasMore).toBe(true)
  })

  test('are the caller’s, narrowed by filters, search and parents', async () => {
    await using sales = await startSales()
    const all = await sales.query({})
    expect(all.Rows.map(({ Id }) => Id)).toEqual([1, 2, 3, 4, 5])
    expect(all.HasMore).toBe(false)
    const filters = [{ Field: 'Day', Operator: 'ge', Value: '2026-02-01' }]
    expect((await sales.query({ Filters: filters })).Rows.map(({ Id }) => Id)).toEqual([2, 3])
    expect((await sales.query({ Parameters: { ClientId: 2 } })).Rows).toHaveLength(2)
    expect((await sales.query({}, 'rep')).Rows.map(({ Id }) => Id)).toEqual([1, 2])
    const everybody = await sales.query({ AllCompanies: true }, 'root')
    expect(everybody.Rows).toHaveLength(6)
  })
})

describe('groups', () => {
  test('have exact sums, averages rounded by their scale, and labels', async () => {
    await using sales = await startSales()
    const { Rows, Columns } = await sales.query({
      GroupBy: ['ClientId'],
      Aggregates: [
        { Function: 'count' },
        { Function: 'count', Field: 'Pieces' },
        { Function: 'sum', Field: 'Amount' },
        { Function: 'avg', Field: 'Amount', As: 'Mean' },
        { Function: 'avg', Field: 'Pieces' },
        { Function: 'min', Field: 'Day' },
        { Function: 'max', Field: 'Region' },
      ],
      Sort: [{ Field: 'ClientId__Label' }],
    })
    expect(Rows).toEqual([
      {
        ClientId: null,
        ClientId__Label: null,
        count: 1,
        count_Pieces: 0,
        sum_Amount: null,
        Mean: null,
        avg_Pieces: null,
        min_Day: null,
        max_Region: null,
      },
      {
        ClientId: 2,
        ClientId__Label: 'Ann',
        count: 2,
        count_Pieces: 1,
        sum_Amount: 0.03,
        Mean: 0.02,
        avg_Pieces: -5,
        min_Day: '2025-12-31',
        max_Region: 'south',
      },
      {
        ClientId: 1,
        ClientId__Label: 'Zed',
        count: 2,
        count_Pieces: 2,
        sum_Amount: 0.3,
        Mean: 0.15,
        avg_Pieces: 3.5,
        min_Day: '2026-01-31',
        max_Region: 'north',
      },
    ])
    expect(Columns.map(({ Type }) => Type)).toEqual([
      ...['Integer', 'Text', 'Integer', 'Integer', 'Decimal', 'Decimal', 'Decimal', 'Date', 'Text'],
    ])
  })

  test('without GroupBy are one row; options have their label', async () => {
    await using sales = await startSales()
    const all = await sales.query({
      Aggregates: [sum('Rate'), sum('Tax', 'Tax'), sum('Pieces', 'P')],
    })
    expect(all.Rows).toEqual([{ N: 0.6235, Tax: 0.033, P: 2 }])
    const none = await sales.query({
      Filters: [{ Field: 'Id', Value: 99 }],
      Aggregates: [{ Function: 'count' }, sum('Amount')],
    })
    expect(none.Rows).toEqual([{ count: 0, N: null }])
    const states = await sales.query({ GroupBy: ['State'], Aggregates: [{ Function: 'count' }] })
    expect(states.Rows).toEqual([
      { State: null, State__Label: null, count: 1 },
      { State: 1, State__Label: 'Open', count: 2 },
      { State: 2, State__Label: 'Closed', count: 1 },
      { State: 9, State__Label: '9', count: 1 },
    ])
  })

  test.each([
    ['UTC', { '2025-12-31': 1, '2026-01-31': 1, '2026-03-29': 2 }],
    ['Europe/Vienna', { '2025-12-31': 1, '2026-02-01': 1, '2026-03-29': 1, '2026-03-30': 1 }],
    ['America/New_York', { '2025-12-31': 1, '2026-01-31': 1, '2026-03-28': 1, '2026-03-29': 1 }],
  ])('of days in %s', async (zone, expected) => {
    await using sales = await startSales()
    const request = { GroupBy: ['At:day'], Aggregates: [{ Function: 'count' }] }
    const { Rows } = await sales.query(request, 'ana', { 'X-TimeZone': zone })
    const days = Rows.filter((row) => row['At:day'] !== null)
    expect(Object.fromEntries(days.map((row) => [row['At:day'], row.count]))).toEqual(expected)
  })

  test('of parts of days in zones all around', async () => {
    await using sales = await startSales()
    const GroupBy = ['At:quarter', 'At:year', 'At:month']
    const request = { GroupBy, Aggregates: [{ Function: 'count' }, sum('Amount')] }
    for (const zone of sampleCases(Intl.supportedValuesOf('timeZone'), ZONES)) {
      const { Rows } = await sales.query(request, 'ana', { 'X-TimeZone': zone })
      for (const row of Rows.filter((each) => each['At:year'] !== null))
        expect(String(row['At:quarter'])).toStartWith(`${row['At:year']}-Q`)
    }
  })

  test('of months, quarters and years, in order and limited', async () => {
    await using sales = await startSales()
    const groups = async (part: string) => {
      const name = `Day:${part}`
      const filters = [{ Field: 'Day', Operator: 'isNotNull' }]
      const sort = [{ Field: name, Direction: 'desc' }]
      const { Rows } = await sales.query({
        GroupBy: [name],
        Filters: filters,
        Sort: sort,
        Limit: 3,
      })
      return Rows.map((row) => row[name])
    }
    expect(await groups('month')).toEqual(['2026-04', '2026-02', '2026-01'])
    expect(await groups('quarter')).toEqual(['2026-Q2', '2026-Q1', '2025-Q4'])
    expect(await groups('year')).toEqual(['2026', '2025'])
  })

  test('of weeks as ISO 8601 counts them, of days of the week by name, of hours', async () => {
    await using sales = await startSales()
    await sales.app.store.write(
      (tx) => tx.run("UPDATE sales SET At = '2027-01-03T23:30:00.000Z', Day = '2027-01-03'"),
      { company: 'all', because: 'a test' },
    )
    const groups = async (zone: string, language: string) => {
      const GroupBy = ['At:week', 'At:weekday', 'At:hour', 'Day:week', 'day:WeekDay']
      const headers = { 'X-TimeZone': zone, 'Accept-Language': language }
      const { Columns, Rows } = await sales.query({ GroupBy }, 'ana', headers)
      expect(Columns.map(({ Name, Type }) => `${Name} ${Type}`)).toEqual([
        'At:week Text',
        'At:weekday Integer',
        'At:weekday__Label Text',
        'At:hour Integer',
        'Day:week Text',
        'Day:weekday Integer',
        'Day:weekday__Label Text',
      ])
      expect(Rows).toHaveLength(1)
      return Object.values(Rows[0] ?? {})
    }
    expect(await groups('Europe/Berlin', 'de')).toEqual([
      ...['2027-W01', 1, 'Montag', 0],
      ...['2026-W53', 7, 'Sonntag'],
    ])
    expect(await groups('America/New_York', 'en')).toEqual([
      ...['2026-W53', 7, 'Sunday', 18],
      ...['2026-W53', 7, 'Sunday'],
    ])
    for (const [part, error] of [
      ['Day:hour', "GroupBy of 'Day': a date without time has no hour"],
      [
        'Day:minute',
        "GroupBy of 'Day': the part of a date must be one of: hour, day, weekday, week, month, quarter, year",
      ],
    ] as const)
      expect((await sales.ask({ GroupBy: [part] })).body.error).toBe(error)
  })

  test('narrowed by their sums and counts', async () => {
    await using sales = await startSales()
    const groups = async (Having: unknown) => {
      const { Rows } = await sales.query({
        GroupBy: ['ClientId'],
        Aggregates: [{ Function: 'count' }, sum('Amount'), { Function: 'avg', Field: 'Amount' }],
        Having,
        Sort: [{ Field: 'N', Direction: 'desc' }],
      })
      return Rows.map(({ ClientId }) => ClientId)
    }
    expect(await groups([{ Field: 'count', Operator: 'ge', Value: 2 }])).toEqual([1, 2])
    expect(await groups([{ Field: 'count', Operator: 'eq', Value: 1 }])).toEqual([null])
    expect(await groups([{ Field: 'n', Operator: 'gt', Value: 0.03 }])).toEqual([1])
    expect(await groups([{ Field: 'N', Operator: 'between', Value: [0.03, 0.3] }])).toEqual([1, 2])
    expect(await groups([{ Field: 'avg_Amount', Operator: 'lt', Value: 0.1 }])).toEqual([2])
    const refused = async (request: object) =>
      (await sales.ask({ GroupBy: ['ClientId'], ...request })).body.error
    expect(await refused({ Having: [{ Field: 'ClientId', Operator: 'eq', Value: 1 }] })).toBe(
      "Having of 'ClientId': it must name an aggregate of this query",
    )
    expect(
      await refused({
        Aggregates: [{ Function: 'count' }],
        Having: [{ Field: 'count', Operator: 'between', Value: 1 }],
      }),
    ).toBe("Having of 'count': between takes 2 number(s)")
    expect(
      await refused({ GroupBy: undefined, Having: [{ Field: 'x', Operator: 'eq', Value: 1 }] }),
    ).toBe('Having needs GroupBy or Aggregates: Filters narrow rows')
  })

  test('a part without a date is that of the Period, which the object tells', async () => {
    await using sales = await startSales()
    const tell = async (name: string, as: string) => {
      const { body } = await sales.app.fetch<{ data: { Period: string | null } }>(
        `/api/v1/svc/object-explorer/objects/${name}`,
        { as },
      )
      return body.data.Period
    }
    expect([await tell('Sales', 'rep'), await tell('Clients', 'ana')]).toEqual(['At', null])
    const named = await sales.query({ GroupBy: ['At:month'], Aggregates: [sum('Amount')] })
    expect(await sales.query({ GroupBy: [':month'], Aggregates: [sum('Amount')] })).toEqual(named)
    const refused = await sales.ask({ ObjectName: 'Clients', GroupBy: [':month'] })
    expect(refused.body.error).toBe(
      "GroupBy of ':month': Clients has no Period; name the date before it",
    )
  })

  test('the assistant takes the Period for "per month", not the first date', async () => {
    await using sales = await startSales()
    const ask = async (Question: string) => {
      const { body } = await sales.app.fetch<{ data: { Request: { GroupBy: string[] } } }>(
        '/api/v1/svc/assistant/query',
        { as: 'ana', body: { Question } },
      )
      return body.data.Request.GroupBy
    }
    expect(await ask('amount of sales per month')).toEqual(['At:month'])
  })

  test('a sum beyond what can be told exactly is refused, never rounded', async () => {
    await using sales = await startSales()
    await sales.app.store.write(
      (tx) => tx.run('UPDATE sales SET Pieces = 9007199254740991 WHERE Id < 4'),
      { company: 'all', because: 'a test' },
    )
    const exact = await sales.query({ Aggregates: [sum('Pieces')] })
    expect(JSON.stringify(exact.Rows)).toBe('[{"N":27021597764222970}]')
    await sales.app.store.write(
      (tx) => tx.run('UPDATE sales SET Pieces = 9223372036854775807 WHERE Id < 3'),
      { company: 'all', because: 'a test' },
    )
    const refused = await sales.ask({ Aggregates: [sum('Pieces')] })
    expect(refused).toMatchObject({ status: 400, body: { code: 'STATEMENT_FAILED' } })
  })
})

/** Half away from zero, in whole units: what `a / b` is to so many decimals. */
function divide(a: bigint, b: bigint, finer: bigint): bigint {
  const size = a < 0n ? -a : a
  const rounded = (2n * size * finer + b) / (2n * b)
  return a < 0n ? -rounded : rounded
}

test('what runs away is ended at the deadline, and others go on', async () => {
  await using sales = await startSales({ 'Svc:Sql:Timeout': '2s', 'Svc:Sql:Lanes': '2' })
  let isOver = false
  const running = sales
    .ask({ ObjectName: 'Endless', Aggregates: [{ Function: 'count' }] }, 'root')
    .finally(() => (isOver = true))
  expect((await sales.ask({ GroupBy: ['State'] })).status).toBe(200)
  expect(isOver).toBe(false)
  const endless = await running
  expect(endless.status).toBe(400)
  expect(endless.body.error).toContain('Svc:Sql:Timeout')
})

/** Units of the last of so many decimal places, as a number is read from its text. */
function toNumber(units: bigint, places: number): number {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`
  return Number(units < 0n ? `-${text}` : text)
}

test('sums and averages are those of whole numbers, whatever the amounts', async () => {
  await using sales = await startSales()
  const cents = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n })
  const amounts = fc.array(fc.tuple(cents, fc.constantFrom('a', 'b')), {
    minLength: 1,
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(amounts, async (rows) => {
      await sales.app.store.write(
        async (tx) => {
          await tx.run('DELETE FROM sales')
          for (const [units, region] of rows)
            await tx.run(
              'INSERT INTO sales (CompanyId, Region, Amount, Pieces) VALUES (1, @region, @amount, @units)',
              { region, amount: new SqlReal(Number(units) / 100), units },
            )
        },
        { company: 'all', because: 'a test' },
      )
      const { Rows } = await sales.query({
        GroupBy: ['Region'],
        Aggregates: [
          ...[sum('Amount', 'Sum'), { Field: 'Amount', Function: 'avg', As: 'Mean' }],
          ...[sum('Pieces', 'P'), { Field: 'Pieces', Function: 'avg', As: 'M' }],
        ],
      })
      const regions = [...new Set(rows.map(([, region]) => region))].sort()
      const expected = regions.map((Region) => {
        const own = rows.filter(([, region]) => region === Region).map(([units]) => units)
        const total = own.reduce((a, b) => a + b, 0n)
        const count = BigInt(own.length)
        const mean = toNumber(divide(total, count, 1n), 2)
        const M = toNumber(divide(total, count, 1_000_000n), 6)
        return { Region, Sum: toNumber(total, 2), Mean: mean, P: Number(total), M }
      })
      expect(Rows).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})
