/** Totals, groups, pivots, tones and comparisons of widgets, from the rows of a dataset. */
import { describe, expect, test } from 'bun:test'
import type { FieldType } from '../../src/model/compiled/field-features.ts'
import type {
  AggregateFunction,
  FormatRule,
  ReportGroup,
  ReportSeries,
} from '../../src/model/compiled/widget.ts'
import { readNumber, writeNumber } from '../../src/model/fields/exact-number.ts'
import type { Operator } from '../../src/model/operators.ts'
import { Aggregate, type ReportRow } from '../../src/engine/report-pages/aggregate.ts'
import { planPivot } from '../../src/engine/report-pages/pivot.ts'
import { listTableLines } from '../../src/engine/report-pages/table-totals.ts'
import { compareFigures, planTones } from '../../src/engine/report-pages/tones.ts'

const column = (name: string, type?: FieldType) => ({
  column: name,
  label: name,
  type,
  scale: undefined,
  options: [],
  format: undefined,
  unit: undefined,
})
const series = (name: string, by?: AggregateFunction, type?: FieldType): ReportSeries => ({
  ...column(name, type),
  kind: undefined,
  axis: 'Primary',
  function: by,
})
const group = (name: string, on: 'Rows' | 'Columns' = 'Rows'): ReportGroup => ({
  ...column(name),
  on,
  breaksPage: false,
})

const bringTogether = (
  by: AggregateFunction,
  cells: readonly (string | null)[],
  type?: FieldType,
): string | null => {
  const aggregate = new Aggregate(by, type)
  for (const cell of cells) aggregate.add(cell)
  return aggregate.result
}

describe('values brought together', () => {
  const CASES: [AggregateFunction, (string | null)[], FieldType | undefined, string | null][] = [
    ['sum', ['0.1', '0.2', null, '0.30'], 'Decimal', '0.6'],
    ['sum', Array.from({ length: 1000 }, () => '0.1'), 'Decimal', '100'],
    ['sum', ['9007199254740993', '1'], 'Integer', '9007199254740994'],
    ['sum', ['-1.5', '1.5'], 'Decimal', '0'],
    ['sum', ['1.0e+20', '1'], 'Decimal', '100000000000000000001'],
    ['sum', ['2.5e-07', '-0.5'], 'Decimal', '-0.49999975'],
    ['sum', ['many', '2'], 'Text', '2'],
    ['sum', [null, 'many'], 'Decimal', null],
    ['avg', ['1', '2', null], 'Integer', '1.5'],
    ['avg', ['1', '0', '0'], 'Integer', '0.3333'],
    ['avg', ['-2', '0', '0'], 'Integer', '-0.6667'],
    ['avg', [], 'Integer', null],
    ['count', ['', 'a', null], 'Text', '2'],
    ['count', [], 'Text', '0'],
    ['min', ['10', '9', null], 'Integer', '9'],
    ['min', ['10', '9'], 'Text', '10'],
    ['max', ['10', '9'], undefined, '10'],
    ['max', ['2026-01-31', '2026-02-01'], 'Date', '2026-02-01'],
    ['max', [null], 'Date', null],
  ]
  test.each(CASES)('%s of %p by %p is %p', (by, cells, type, result) => {
    expect(bringTogether(by, cells, type)).toBe(result)
  })

  test('are exact, however they are split', () => {
    let state = 7
    const next = (below: number): number => (state = (state * 48271) % 2147483647) % below
    for (let round = 0; round < 200; round++) {
      const units = Array.from({ length: 1 + next(40) }, () => next(2_000_000) - 1_000_000)
      const cells = units.map((unit) => writeNumber({ units: BigInt(unit), scale: 3 }))
      const sum = units.reduce((left, right) => left + right, 0)
      const expected = writeNumber({ units: BigInt(sum), scale: 3 })
      expect(bringTogether('sum', cells)).toBe(expected)
      const cut = next(cells.length + 1)
      const parts = [cells.slice(0, cut), cells.slice(cut)].map((part) =>
        bringTogether('sum', part),
      )
      expect(bringTogether('sum', parts)).toBe(expected)
    }
  })

  test('take as numbers what is one', () => {
    for (const text of ['', '-', '.', '1,5', '0x10', 'NaN', 'Infinity', '1e', '1e9999', ' 1'])
      expect(readNumber(text)).toBeUndefined()
    for (const text of ['0', '-12.5', '1000', '0.05']) {
      const number = readNumber(text)
      expect(number && writeNumber(number)).toBe(text)
    }
  })
})

const SALES: ReportRow[] = [
  { Region: 'north', Year: '2025', Sold: '0.1', Left: '4' },
  { Region: 'south', Year: '2026', Sold: '5', Left: '1' },
  { Region: 'north', Year: '2026', Sold: '0.2', Left: '2' },
  { Region: null, Year: '2025', Sold: null, Left: '3' },
  { Region: 'north', Year: '2025', Sold: '1', Left: '9' },
]

/** A line as short as a test can read it. */
const draw = (groups: ReportGroup[], columns: ReportSeries[], rows = SALES): string[] =>
  [...listTableLines({ series: columns, groups }, rows)].map((line) => {
    if (line.kind === 'row') return columns.map((each) => line.row[each.column]).join(' ')
    if (line.kind === 'group') return `${'>'.repeat(line.level + 1)} ${line.value}`
    if (line.kind === 'total') return `= ${line.cells.join(' ')}`
    return `${'<'.repeat(line.level + 1)} ${line.value}: ${line.cells.join(' ')}`
  })

describe('a table', () => {
  test('has its rows, then the totals of series with a function', () => {
    const columns = [series('Region'), series('Sold', 'sum'), series('Left', 'max', 'Integer')]
    expect(draw([], columns)).toEqual([
      ...['north 0.1 4', 'south 5 1', 'north 0.2 2', '  3', 'north 1 9', '=  6.3 9'],
    ])
  })

  test('without a function has rows alone', () => {
    expect(draw([], [series('Left')])).toEqual(['4', '1', '2', '3', '9'])
    expect(draw([group('Region')], [series('Left')])).toEqual([
      ...['> north', '4', '2', '9', '> south', '1', '> null', '3'],
    ])
  })

  test('keeps the rows of a group together, in groups within groups', () => {
    const columns = [series('Sold', 'sum'), series('Left', 'count')]
    expect(draw([group('Region'), group('Year')], columns)).toEqual([
      ...['> north', '>> 2025', '0.1 4', '1 9', '<< 2025: 1.1 2', '>> 2026', '0.2 2'],
      ...['<< 2026: 0.2 1', '< north: 1.3 3', '> south', '>> 2026', '5 1', '<< 2026: 5 1'],
      ...['< south: 5 1', '> null', '>> 2025', ' 3', '<< 2025:  1', '< null:  1', '= 6.3 5'],
    ])
  })

  test('of no row has a total of nothing', () => {
    expect(draw([group('Region')], [series('Sold', 'sum'), series('Left', 'count')], [])).toEqual([
      '=  0',
    ])
  })
})

describe('a pivot', () => {
  const groups = [group('Region'), group('Year', 'Columns')]

  test('brings rows together in lines and columns, with totals of the rows', () => {
    const shape = { groups, series: [series('Sold', 'sum'), series('Sold', 'avg')] }
    const pivot = planPivot(shape, SALES)
    expect(pivot.columns).toEqual([
      { key: ['2025'], total: ['1.1', '0.55'] },
      { key: ['2026'], total: ['5.2', '2.6'] },
    ])
    expect(pivot.lines.map(({ key }) => key)).toEqual([['north'], ['south'], [null]])
    expect(pivot.lines[0]?.cells).toEqual(
      new Map([
        [0, ['1.1', '0.55']],
        [1, ['0.2', '0.2']],
      ]),
    )
    expect(pivot.lines[0]?.total).toEqual(['1.3', '0.43333'])
    expect([...(pivot.lines[1]?.cells.keys() ?? [])]).toEqual([1])
    expect(pivot.lines[2]?.cells).toEqual(new Map([[0, [null, null]]]))
    expect(pivot.total).toEqual(['6.3', '1.575'])
  })

  test('sorts its columns by number, by text and by options; without a value last', () => {
    const keysOf = (cells: (string | null)[], options: string[] = []) => {
      const along = {
        ...group('C', 'Columns'),
        options: options.map((value) => ({ value, label: value })),
      }
      const rows = cells.map((C) => ({ C, V: '1' }))
      return planPivot({ groups: [along], series: [series('V')] }, rows).columns.map(
        ({ key }) => key[0],
      )
    }
    expect(keysOf(['10', null, '9'])).toEqual(['9', '10', null])
    expect(keysOf(['b', '2026-02', 'a'])).toEqual(['2026-02', 'a', 'b'])
    expect(keysOf(['a', 'done', 'new'], ['new', 'done'])).toEqual(['new', 'done', 'a'])
  })

  test('agrees with its rows, whatever they are', () => {
    let state = 11
    const next = (below: number): number => (state = (state * 48271) % 2147483647) % below
    const rows = Array.from({ length: 300 }, () => ({
      Region: `r${next(5)}`,
      Year: `${next(7)}`,
      Sold: `${next(1000) / 10}`,
    }))
    const pivot = planPivot({ groups, series: [series('Sold', 'sum')] }, rows)
    for (const line of pivot.lines)
      for (const [at, cells] of line.cells) {
        const year = pivot.columns[at]?.key[0]
        const own = rows.filter((row) => row.Region === line.key[0] && row.Year === year)
        expect(cells).toEqual([
          bringTogether(
            'sum',
            own.map(({ Sold }) => Sold),
          ),
        ])
      }
    const totals = pivot.columns.map(({ total }) => total[0] ?? null)
    expect(bringTogether('sum', totals)).toBe(pivot.total[0] ?? '')
  })
})

describe('tones', () => {
  const format = (
    condition: string,
    type: FieldType,
    tone: FormatRule['tone'],
    of?: string,
  ): FormatRule => {
    const [field = '', operator = '', ...value] = condition.split(' ')
    const given = { field, operator: operator as Operator, value: value.join(' ') || undefined }
    const when = { ...given, type }
    return { column: of, when, tone, label: undefined }
  }
  const clock = { zone: 'Europe/Vienna', today: '2026-03-29' }
  const CASES: [string, FieldType, string | null, boolean][] = [
    ['A lt 0', 'Decimal', '-0.001', true],
    ['A lt 0', 'Decimal', '0', false],
    ['A lt 0', 'Decimal', null, false],
    ['A lt 0', 'Decimal', 'none', false],
    ['A ge 10', 'Integer', '9', false],
    ['A ge 10', 'Integer', '10', true],
    ['A lt 0', 'Decimal', '-1000000', true],
    ['A lt 0', 'Decimal', '-123456789012345.67', true],
    ['A gt 1000000', 'Decimal', '1000000.0', false],
    ['A gt 1000000', 'Decimal', '1000000.01', true],
    ['A ge 1e15', 'Decimal', '1.0e+15', true],
    ['A lt -1e300', 'Decimal', '-1e301', true],
    ['A gt 0.0000000001', 'Decimal', '0.0000000002', true],
    ['A gt 9007199254740992', 'Integer', '9007199254740993', true],
    ['A gt 1.5', 'Integer', '2', true],
    ['A in 1000000 2000000', 'Decimal', '2000000.00', true],
    ['A between -2000000 -1000000', 'Decimal', '-1500000.5', true],
    ['A ne 5', 'Decimal', '5.000', false],
    ['A eq true', 'Boolean', 'true', true],
    ['A in new open', 'Text', 'open', true],
    ['A contains EN', 'Text', 'open', true],
    ['A isNull', 'Text', null, true],
    ['A between 1 2', 'Decimal', '1.5', true],
    ['A lt today', 'Date', '2026-03-28', true],
    ['A lt today', 'Date', '2026-03-29', false],
    ['A ge 2026-03-29', 'DateTime', '2026-03-28T22:59:59.999Z', false],
    ['A ge 2026-03-29', 'DateTime', '2026-03-28T23:00:00.000Z', true],
  ]
  test.each(CASES)('%s as %s: %p is %p', (condition, type, cell, holds) => {
    const tone = planTones([format(condition, type, 'bad')], clock)('A', { A: cell })
    expect(tone).toBe(holds ? 'bad' : undefined)
  })

  test('are those of the first format that holds, for its cell or the row', () => {
    const toneOf = planTones(
      [format('A gt 5', 'Integer', 'good', 'B'), format('A gt 1', 'Integer', 'muted')],
      clock,
    )
    expect(toneOf('B', { A: '6' })).toBe('good')
    expect(toneOf('A', { A: '6' })).toBe('muted')
    expect(toneOf('B', { A: '2' })).toBe('muted')
    expect(toneOf('B', { A: '1' })).toBeUndefined()
  })
})

test('a figure compares with another', () => {
  expect(compareFigures('110', '100', 'up')).toEqual({
    difference: '10',
    percent: '10',
    trend: 'good',
  })
  expect(compareFigures('110', '100', 'down')?.trend).toBe('bad')
  expect(compareFigures('-5', '-10', 'up')).toEqual({
    difference: '5',
    percent: '50',
    trend: 'good',
  })
  expect(compareFigures('0.3', '0.1', 'up')?.difference).toBe('0.2')
  expect(compareFigures('2', '3', 'up')?.percent).toBe('-33.3')
  expect(compareFigures('1', '0', 'up')).toMatchObject({ percent: null, trend: 'good' })
  expect(compareFigures('7', '7.00', 'down')?.trend).toBe('even')
  expect(compareFigures(null, '1', 'up')).toBeUndefined()
  expect(compareFigures('1', 'none', 'up')).toBeUndefined()
})
