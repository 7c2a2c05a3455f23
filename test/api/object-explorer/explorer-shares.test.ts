/** Shares, aggregates of some rows, and groups of all, as the object explorer answers them. */
import { expect, test } from 'bun:test'
import { startSales } from '../../support/explored-sales.ts'
import type { Row } from '../../support/objects.ts'

test('groups have shares, of all groups or of those rows for which conditions hold', async () => {
  await using sales = await startSales()
  const isPaid = [{ Field: 'IsPaid', Operator: 'eq', Value: true }]
  const { Rows } = await sales.query({
    GroupBy: ['ClientId'],
    Aggregates: [
      { Function: 'share' },
      { Function: 'share', Field: 'Pieces' },
      { Function: 'share', Filters: isPaid, As: 'Paid' },
      { Function: 'share', Field: 'Pieces', Filters: isPaid, As: 'PaidPieces' },
      { Function: 'count', Filters: isPaid, As: 'Count' },
      { Function: 'sum', Field: 'Pieces', Filters: isPaid, As: 'Sum' },
    ],
  })
  const all = await sales.query({ Fields: ['ClientId', 'Pieces', 'IsPaid'] })
  const by = Map.groupBy(all.Rows, ({ ClientId }) => ClientId)
  const piecesOf = (rows: readonly Row[]): number =>
    rows.reduce((total, { Pieces }) => total + Number(Pieces ?? 0), 0)
  const hasPieces = (rows: readonly Row[]): boolean => rows.some(({ Pieces }) => Pieces !== null)
  const percent = (part: number, whole: number): number | null =>
    whole === 0 ? null : Math.round((10_000 * part) / whole) / 100
  for (const row of Rows) {
    const own = by.get(row.ClientId) ?? []
    const paid = own.filter(({ IsPaid }) => IsPaid)
    expect(row).toMatchObject({
      share: percent(own.length, all.Rows.length),
      share_Pieces: hasPieces(own) ? percent(piecesOf(own), piecesOf(all.Rows)) : null,
      Paid: percent(paid.length, own.length),
      PaidPieces: percent(piecesOf(paid), piecesOf(own)),
      Count: paid.length,
      Sum: hasPieces(paid) ? piecesOf(paid) : null,
    })
  }
  // The whole is that of all groups, also of those that are not shown.
  const shown = await sales.query({
    GroupBy: ['ClientId'],
    Aggregates: [{ Function: 'count' }, { Function: 'share' }],
    Having: [{ Field: 'count', Operator: 'ge', Value: 2 }],
    Limit: 1,
  })
  const [first] = shown.Rows
  expect(first?.share).toBe(percent(Number(first?.count), all.Rows.length))
  const none = await sales.query({
    Aggregates: [{ Function: 'share', Filters: isPaid }],
    Filters: [{ Field: 'Id', Operator: 'eq', Value: 999 }],
  })
  expect(none.Rows).toEqual([{ share: null }])
  const refused = await sales.ask(
    {
      Aggregates: [
        { Function: 'share', Filters: [{ Field: 'Cost', Operator: 'gt', Value: 1 }], As: 'Dear' },
      ],
    },
    'rep',
  )
  expect(refused.body.error).toBe("Unknown field 'Cost'")
})

test('an average is over groups, of their sums or their numbers of rows', async () => {
  await using sales = await startSales()
  const { Rows } = await sales.query({
    Aggregates: [
      { Function: 'avg', Per: 'ClientId', As: 'Count' },
      { Function: 'avg', Field: 'Amount', Per: 'ClientId', As: 'Amount' },
      { Function: 'avg', Field: 'Pieces', Per: 'Day:year', As: 'Pieces' },
    ],
  })
  const { Rows: all } = await sales.query({ Fields: ['ClientId', 'Amount', 'Pieces', 'Day'] })
  const meanOf = (key: (row: Row) => unknown, value: (row: Row) => number | null): number => {
    const used = all.filter((row) => (key(row) ?? undefined) !== undefined && value(row) !== null)
    const total = used.reduce((sum, row) => sum + (value(row) ?? 0), 0)
    return Math.round((100 * total) / new Set(used.map(key)).size) / 100
  }
  const clientOf = ({ ClientId }: Row): unknown => ClientId
  const numberOf = (value: unknown): number | null => (value === null ? null : Number(value))
  expect(Rows).toEqual([
    {
      Count: meanOf(clientOf, () => 1),
      Amount: meanOf(clientOf, ({ Amount }) => numberOf(Amount)),
      Pieces: meanOf(
        ({ Day }) => (typeof Day === 'string' ? Day.slice(0, 4) : null),
        ({ Pieces }) => numberOf(Pieces),
      ),
    },
  ])
  const refused = await sales.ask({ Aggregates: [{ Function: 'count', Per: 'ClientId' }] })
  expect(refused.body.error).toBe('count cannot have Per: only avg can')
})

test('groups of all rows are those of rows by an index, and of each row alone', async () => {
  await using sales = await startSales()
  // A condition that every row meets is read by another plan.
  const Filters = [{ Field: 'Id', Operator: 'ge', Value: 0 }]
  const { Rows: rows } = await sales.query({ Fields: ['Region', 'State', 'IsPaid', 'Pieces'] })
  const Aggregates = [
    ...['Amount', 'Pieces', 'Tax'].flatMap((Field) =>
      ['sum', 'avg', 'share', 'max', 'count'].map((Function) => ({ Function, Field })),
    ),
    { Function: 'countDistinct', Field: 'ClientId' },
  ]
  for (const GroupBy of [['Region'], ['State'], ['IsPaid', 'Region'], ['ClientId'], ['Day:month']])
    expect(await sales.query({ GroupBy, Aggregates })).toEqual(
      await sales.query({ GroupBy, Aggregates, Filters }),
    )
  for (const name of ['Region', 'State', 'IsPaid']) {
    const { Rows } = await sales.query({
      GroupBy: [name],
      Aggregates: [{ Function: 'sum', Field: 'Pieces', As: 'Sum' }],
    })
    const groups = Map.groupBy(rows, (row) => row[name])
    expect(Rows).toHaveLength(groups.size)
    for (const row of Rows) {
      const pieces = (groups.get(row[name]) ?? []).flatMap(({ Pieces }) => Pieces ?? [])
      const sum = pieces.reduce<number>((total, each) => total + Number(each), 0)
      expect(row.Sum).toBe(pieces.length > 0 ? sum : null)
    }
  }
})
