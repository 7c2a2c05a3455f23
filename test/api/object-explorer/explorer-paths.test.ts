/** Queries of the explorer along references (src/server/README.md, Objects): `ClientId.Region`. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CLIENT_WORLDS, COUNT, startClients, SUM } from '../../support/explored-clients.ts'
import type { Row } from '../../support/objects.ts'
import { scaleCases } from '../../support/property.ts'

describe('rows', () => {
  test('have the fields of what they refer to, named by the path, with labels', async () => {
    await using world = await startClients()
    const { Columns, Rows } = await world.query({
      Fields: ['Id', 'ClientId.Name', 'ClientId.AreaId', 'ClientId.areaid.name', 'ClientId.Credit'],
      Filters: [{ Field: 'ClientId.Kind', Value: 'a' }],
      Sort: [{ Field: 'ClientId.Credit', Direction: 'desc' }, { Field: 'Id' }],
    })
    expect(Columns.map(({ Name, Label, Type }) => [Name, Label, Type])).toEqual([
      ['Id', 'Id', 'Integer'],
      ['ClientId.Name', 'Client: Name', 'Text'],
      ['ClientId.AreaId', 'Client: Area', 'Integer'],
      ['ClientId.AreaId__Label', 'Client: Area', 'Text'],
      ['ClientId.AreaId.Name', 'Client: Area: Name', 'Text'],
      ['ClientId.Credit', 'Client: Credit', 'Decimal'],
    ])
    const row = (Id: number, name: string, [area, label]: [number, string], credit: unknown) => ({
      Id,
      'ClientId.Name': name,
      'ClientId.AreaId': area,
      'ClientId.AreaId__Label': label,
      'ClientId.AreaId.Name': label,
      'ClientId.Credit': credit,
    })
    expect(Rows).toEqual([
      row(1, 'c1', [1, 'north'], 10.5),
      row(2, 'c1', [1, 'north'], 10.5),
      row(5, 'c4', [2, 'south'], null),
    ])
  })

  test('are neither lost nor doubled, whatever the view behind the reference does', async () => {
    await using world = await startClients()
    const { Rows } = await world.query({ Fields: ['Id', 'ClientId.Twice', 'ClientId.Loud'] })
    expect(Rows.map((row) => [row.Id, row['ClientId.Twice'], row['ClientId.Loud']])).toEqual([
      ...[1, 2].map((id) => [id, 21, 'c1!']),
      [3, 0.2, 'c2!'],
      [5, null, 'c4!'],
      [6, null, null],
    ])
  })

  test('speak the caller’s language', async () => {
    await using world = await startClients()
    const { Columns } = await world.query({ Fields: ['ClientId.Name'] }, 'all', {
      'Accept-Language': 'de',
    })
    expect(Columns.map(({ Label }) => Label)).toEqual(['Kunde: Name'])
  })
})

test('conditions compare fields of a row with those of what it refers to', async () => {
  await using world = await startClients()
  const read = async (Operator: string, as = 'all') => {
    const Filters = [{ Field: 'Amount', Operator, ValueField: 'clientid.CREDIT' }]
    return (await world.query({ Fields: ['Id'], Filters }, as)).Rows.map(({ Id }) => Id)
  }
  expect(await read('lt')).toEqual([1, 2])
  expect(await read('gt')).toEqual([3])
  expect(await read('ne')).toEqual([1, 2, 3, 5, 6])
})

describe('groups', () => {
  test('by what is referred to, with labels, months and sums of it', async () => {
    await using world = await startClients()
    const grouped = await world.query({
      GroupBy: ['ClientId.AreaId', 'ClientId.Kind'],
      Aggregates: [SUM, { Function: 'sum', Field: 'ClientId.Credit' }],
      Sort: [{ Field: 'Sum', Direction: 'desc' }],
    })
    expect(grouped.Rows).toEqual(
      [
        [null, null, null, null, 32, null],
        [2, 'south', 'a', 'Alpha', 16, null],
        [2, 'south', 'b', 'Beta', 4, 0.1],
        [1, 'north', 'a', 'Alpha', 3, 21],
      ].map(([area, name, kind, label, Sum, credit]) => ({
        'ClientId.AreaId': area,
        'ClientId.AreaId__Label': name,
        'ClientId.Kind': kind,
        'ClientId.Kind__Label': label,
        Sum,
        sum_ClientId_Credit: credit,
      })),
    )
    const months = await world.query({ GroupBy: ['ClientId.Since:month'], Aggregates: [COUNT] })
    expect(months.Rows.map((row) => [row['ClientId.Since:month'], row.N])).toEqual([
      [null, 1],
      ['2026-01', 3],
      ['2026-02', 1],
    ])
  })

  test('count what differs', async () => {
    await using world = await startClients()
    const { Rows, Columns } = await world.query({
      Aggregates: [
        { Function: 'countDistinct', Field: 'ClientId' },
        { Function: 'COUNTDISTINCT', Field: 'ClientId.AreaId.Name', As: 'Areas' },
        { Function: 'count', Field: 'ClientId' },
      ],
    })
    expect(Rows).toEqual([{ countDistinct_ClientId: 3, Areas: 2, count_ClientId: 4 }])
    expect(Columns.map(({ Type }) => Type)).toEqual(['Integer', 'Integer', 'Integer'])
  })
})
describe('what the caller may not see', () => {
  test('is nothing: other companies, row filters and masks of what is referred to', async () => {
    await using world = await startClients()
    const read = async (as: string, Fields: string[], more: Row = {}) => {
      const { Rows } = await world.query({ Fields: ['Id', ...Fields], ...more }, as)
      return Rows.map((row) => Fields.map((field) => row[field]).join())
    }
    const Fields = ['ClientId.Name', 'ClientId.AreaId.Name']
    const shown = [...Array<string>(2).fill('c1,north'), 'c2,south', 'c4,south', ',']
    expect(await read('all', Fields)).toEqual(shown)
    const some = [...Array<string>(2).fill('c1,north'), ',', 'c4,', ',']
    expect(await read('some', Fields)).toEqual(some)
    // Of the rows of one role the field is hidden, of those of the other it is not.
    expect(await read('both', ['ClientId.Name', 'ClientId.Secret'])).toEqual([
      ...Array<string>(2).fill('c1,'),
      ...['c2,c2', 'c4,', ','],
    ])
    const isSet = { Filters: [{ Field: 'ClientId.Name', Operator: 'isNotNull' }] }
    expect(await read('some', ['ClientId'], isSet)).toEqual(['1', '1', '4'])
    const root = { AllCompanies: true, Sort: [{ Field: 'ClientId.Name', Direction: 'desc' }] }
    expect(await read('root', ['ClientId.Name'], root)).toEqual([
      ...['c4', 'c3', 'c2', 'c1', 'c1', ''],
    ])
  })

  test.each([
    ['some', 'ClientId.Secret'],
    ['some', 'ClientId.Credit'],
    ['none', 'ClientId.Name'],
    ['all', 'ClientId.AreaId.Boss'],
    ['all', 'ClientId.Nothing'],
    ['all', 'Nothing.Name'],
    ['all', 'Amount.Name'],
    ['all', 'ClientId.AreaId.Id.Name'],
    ['all', 'ClientId.'],
    ['all', '.Name'],
    ['all', 'ClientId..Name'],
    ['all', `${'ClientId.'.repeat(200)}Name`],
  ])('of %s, %s reads as a field that is not there, wherever it is named', async (as, name) => {
    await using world = await startClients()
    const shown = name.slice(0, 80)
    for (const request of [
      { Fields: [name] },
      { GroupBy: [name] },
      { GroupBy: [`${name}:month`] },
      { Filters: [{ Field: name, Operator: 'isNull' }] },
      { Filters: { Logic: 'or', Filters: [{ Field: name, Value: 1 }] } },
      { Sort: [{ Field: name }] },
      { Aggregates: [{ Function: 'countDistinct', Field: name }] },
    ]) {
      const { status, body } = await world.ask(request, as)
      expect({ status, error: body.error, code: body.code }).toEqual({
        status: 400,
        error: `Unknown field '${shown}'`,
        code: 'UNKNOWN_FIELD',
      })
    }
  })

  test('more paths than a statement takes are refused', async () => {
    await using world = await startClients()
    const Fields = Array.from({ length: 41 }, (_, at) => `ClientId.Name${at}`)
    const { status, body } = await world.ask({ Fields })
    expect([status, body.error]).toEqual([
      ...[400, 'A query can use at most 40 fields of referenced records'],
    ])
  })
})
test('of random worlds: a path shows what listing the objects one by one shows', async () => {
  await fc.assert(
    fc.asyncProperty(CLIENT_WORLDS, async (world) => {
      await using started = await startClients(world)
      for (const as of ['all', 'some', 'both', 'none']) {
        const list = async (ObjectName: string): Promise<Map<unknown, Row>> => {
          const { status, body } = await started.ask({ ObjectName, Limit: 1000 }, as)
          if (status !== 200) return new Map()
          return new Map(body.data.Rows.map((row) => [row.Id, row]))
        }
        const areas = await list('Areas')
        const clients = await list('Clients')
        const sales = await list('Sales')
        const walked = [...sales.values()].map((sale) => {
          const client = clients.get(sale.ClientId)
          return { sale, client, area: areas.get(client?.AreaId) }
        })
        if (clients.size === 0) continue
        const Fields = ['Id', 'ClientId.Name', 'ClientId.Kind', 'ClientId.AreaId']
        const shown = await started.query({ Fields: [...Fields, 'ClientId.AreaId.Name'] }, as)
        expect(
          shown.Rows.map((row) => [...Fields, 'ClientId.AreaId.Name'].map((name) => row[name])),
        ).toEqual(
          walked.map(({ sale, client, area: found }) => [
            ...[sale.Id, client?.Name ?? null, client?.Kind ?? null, client?.AreaId ?? null],
            found?.Name ?? null,
          ]),
        )
        const grouped = await started.query(
          { GroupBy: ['ClientId.AreaId.Name'], Aggregates: [COUNT, SUM] },
          as,
        )
        const groups = Map.groupBy(walked, ({ area: found }) => found?.Name ?? null)
        expect(
          new Map(grouped.Rows.map((row) => [row['ClientId.AreaId.Name'], [row.N, row.Sum]])),
        ).toEqual(
          new Map(
            [...groups].map(([name, rows]) => {
              const amounts = rows.flatMap(({ sale }) => Number(sale.Amount ?? NaN) || [])
              const total = amounts.length > 0 ? amounts.reduce((a, b) => a + b, 0) : null
              return [name, [rows.length, total]]
            }),
          ),
        )
      }
    }),
    { numRuns: scaleCases(8) },
  )
})
