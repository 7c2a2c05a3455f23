/** The demo's report pages, as its users get them. */
import { describe, expect, test } from 'bun:test'
import { LAST_DAY } from '../../data/demo/plan.ts'
import { startApp, type TestApp } from '../support/app.ts'

type Cells = Record<string, string | null>
interface Data {
  AccessibleWidgets: string[]
  DataSets: Record<string, { Rows: Cells[]; Error?: string; Truncated?: string }>
}
interface Structure {
  Label: string
  Filters: { Name: string; Label: string }[]
  Widgets: { Name: string; Label: string; Series: { Label: string }[] }[]
}

const YEAR = { From: '2025-11-01', To: LAST_DAY }

async function load(app: TestApp, as: string, name: string, own: Cells = {}): Promise<Data> {
  const answer = await app.fetch<{ data: Data }>(`/api/v1/svc/reports/${name}/data`, {
    as,
    body: { Arguments: { ...YEAR, ...own } },
  })
  expect([as, name, answer.status]).toEqual([as, name, 200])
  return answer.body.data
}

const rowsOf = (data: Data, name: string): Cells[] => data.DataSets[name]?.Rows ?? []

const sum = (rows: readonly Cells[], column: string): number =>
  rows.reduce((total, row) => total + Number(row[column]), 0)

/** Users and the reports that they see, without the widgets that they may not. */
const READERS: [name: string, as: string, withheld: string[]][] = [
  ['SalesOverview', 'ana', []],
  ['SalesOverview', 'root', []],
  ['CustomerAnalysis', 'ana', []],
  ['CustomerAnalysis', 'cy', []],
  ['CustomerAnalysis', 'dee', []],
  ['StockReport', 'ana', []],
  ['StockReport', 'cy', ['Value']],
]

describe('every report page of the demo', () => {
  test('answers its people with rows in each dataset that they see', async () => {
    await using app = await startApp()
    for (const [name, as, withheld] of READERS) {
      const { widgets, dataSets } = app.context.models.get().reports.get(name) ?? {}
      const data = await load(app, as, name)
      const seen = (widgets ?? []).filter((widget) => !withheld.includes(widget.name))
      expect([name, as, data.AccessibleWidgets]).toEqual([name, as, seen.map((each) => each.name)])
      const isSeen = (dataSet: string): boolean =>
        seen.some((each) => [each.dataSet, each.sparkline?.dataSet].includes(dataSet))
      const expected = (dataSets ?? []).map((each) => each.name).filter(isSeen)
      expect(Object.keys(data.DataSets)).toEqual(expected)
      for (const [dataSet, { Rows, Error, Truncated }] of Object.entries(data.DataSets)) {
        expect([name, as, dataSet, Error ?? '', Truncated ?? '']).toEqual([
          name,
          as,
          dataSet,
          '',
          '',
        ])
        expect([name, as, dataSet, Rows.length > 0]).toEqual([name, as, dataSet, true])
      }
    }
  })

  test('is refused to all others', async () => {
    await using app = await startApp()
    const others = [
      ...['SalesOverview', 'CustomerAnalysis', 'StockReport'].map((name) => [name, 'bo']),
      ...[
        ['SalesOverview', 'dee'],
        ['SalesOverview', 'cy'],
        ['StockReport', 'dee'],
      ],
    ]
    for (const [name, as] of others) {
      const answer = await app.fetch(`/api/v1/svc/reports/${name}/data`, { as: as ?? '', body: {} })
      expect([name, as, answer.status]).toEqual([name, as, 401])
    }
  })

  test('speaks German throughout', async () => {
    await using app = await startApp()
    // Words that are the same in both languages.
    const same = new Set(['Name', 'Status'])
    for (const name of app.context.models.get().reports.keys()) {
      const read = async (language: string): Promise<Structure> => {
        const headers = { 'Accept-Language': language }
        const path = `/api/v1/svc/reports/${name}`
        return (await app.fetch<{ data: Structure }>(path, { as: 'ana', headers })).body.data
      }
      const list = ({ Label, Filters, Widgets }: Structure): string[] => [
        ...[Label, ...Filters.map((filter) => filter.Label)],
        ...Widgets.flatMap((widget) => [widget.Label, ...widget.Series.map((each) => each.Label)]),
      ]
      const german = list(await read('de'))
      const english = list(await read('en')).filter((label) => !same.has(label))
      expect([name, english.filter((label) => german.includes(label))]).toEqual([name, []])
    }
  })
})

test('open orders are those that are open', async () => {
  await using app = await startApp()
  const { body } = await app.fetch<{ data: { Widgets: { Name: string }[] } }>(
    '/api/v1/svc/reports/SalesOverview',
    { as: 'ana' },
  )
  const widget = body.data.Widgets.find(({ Name }) => Name === 'OpenOrders')
  expect(widget).toMatchObject({ View: 'Orders', Preset: 'Open' })
  const table = async (request: object): Promise<Set<unknown>> => {
    const answer = await app.fetch<{ data: { Rows: Cells[] } }>('/api/v1/svc/object/Orders/table', {
      as: 'ana',
      body: { PageSize: 1000, ...request },
    })
    return new Set(answer.body.data.Rows.map(({ Status }) => Status))
  }
  expect((await table({})).has('shipped')).toBe(true)
  expect(await table({ Preset: 'Open' })).toEqual(new Set(['new', 'approved']))
})

describe('the figures', () => {
  test('of sales agree with each other', async () => {
    await using app = await startApp()
    const data = await load(app, 'ana', 'SalesOverview')
    const [figures] = rowsOf(data, 'Figures')
    for (const name of ['Months', 'Regions']) {
      expect(sum(rowsOf(data, name), 'Total')).toBeCloseTo(Number(figures?.Total), 1)
      expect(sum(rowsOf(data, name), 'Orders')).toBe(Number(figures?.Orders))
    }
    const last = await load(app, 'ana', 'SalesOverview', { From: '2024-11-01', To: '2025-10-31' })
    expect(figures?.LastTotal).toBe(rowsOf(last, 'Figures')[0]?.Total ?? '')
    expect(rowsOf(data, 'Best').length).toBe(10)
  })

  test('of customers are those of the caller’s region', async () => {
    await using app = await startApp()
    const own = await load(app, 'dee', 'CustomerAnalysis')
    const same = await load(app, 'ana', 'CustomerAnalysis', { Region: 'Lakes' })
    expect(own.DataSets).toEqual(same.DataSets)
    const all = await load(app, 'ana', 'CustomerAnalysis')
    const [ofRegion, ofAll] = [own, all].map((data) => Number(rowsOf(data, 'Figures')[0]?.Total))
    expect(ofRegion).toBeLessThan(ofAll ?? 0)
    for (const data of [own, all]) {
      const [figures] = rowsOf(data, 'Figures')
      expect(sum(rowsOf(data, 'Customers'), 'Total')).toBeCloseTo(Number(figures?.Total), 1)
      expect(sum(rowsOf(data, 'Countries'), 'Orders')).toBe(Number(figures?.Orders))
      expect(String(rowsOf(data, 'Customers').length)).toBe(figures?.Customers ?? '')
    }
    for (const Region of ['Coast', null]) {
      const other = await load(app, 'dee', 'CustomerAnalysis', { Region })
      const regions = Object.values(other.DataSets).flatMap(({ Rows }) => Rows.map((r) => r.Region))
      expect(regions.filter((region) => region !== 'Lakes')).toEqual([])
      expect(rowsOf(other, 'Figures')).toEqual([])
    }
  })

  test('of customers narrow with country, city and customer, whose options depend', async () => {
    await using app = await startApp()
    const options = async (FieldName: string, Parameters: object) => {
      const body = { FormName: 'CustomerAnalysis', FieldName, Parameters }
      const path = '/api/v1/svc/object/field-dataset'
      return (await app.fetch<{ data: Cells[] }>(path, { as: 'ana', body })).body.data
    }
    expect(await options('Country', {})).toContainEqual({ Value: 'AT', Label: 'Austria' })
    const cities = await options('City', { Country: 'AT' })
    expect(cities.map(({ Label }) => Label)).toEqual(['Graz', 'Linz', 'Wien'])
    expect(await options('City', {})).toEqual([])
    const ofCountry = rowsOf(
      await load(app, 'ana', 'CustomerAnalysis', { Country: 'AT' }),
      'Customers',
    )
    expect(new Set(ofCountry.map((row) => row.CountryName))).toEqual(new Set(['Austria']))
    const [first] = ofCountry
    const City = cities.find(({ Label }) => Label === first?.CityName)?.Value ?? ''
    const ofCity = rowsOf(
      await load(app, 'ana', 'CustomerAnalysis', { Country: 'AT', City: String(City) }),
      'Customers',
    )
    expect(ofCity).toEqual(ofCountry.filter((row) => row.CityName === first?.CityName))
    const Customer = first?.Id ?? ''
    const [one, ...others] = rowsOf(
      await load(app, 'ana', 'CustomerAnalysis', { Customer }),
      'Customers',
    )
    expect([one, others]).toEqual([first, []])
  })

  test('of the stock agree with the movements', async () => {
    await using app = await startApp()
    const data = await load(app, 'cy', 'StockReport')
    const [figures] = rowsOf(data, 'Figures')
    const products = rowsOf(data, 'Products')
    expect(String(products.length)).toBe(figures?.Products ?? '')
    expect(sum(products, 'OnHand')).toBe(Number(figures?.OnHand))
    const short = products.filter((row) => Number(row.OnHand) < Number(row.ReorderLevel))
    expect(String(short.length)).toBe(figures?.Short ?? '')
    const shipped = rowsOf(data, 'Moves').filter((row) => row.Reason === 'shipment')
    expect(-sum(shipped, 'Quantity')).toBe(sum(rowsOf(data, 'Months'), 'Shipped'))
    const stored = await app.store.text({
      sql: `SELECT sum(Quantity) FROM stock_movements WHERE CompanyId = 2`,
      args: {},
      runs: 'inline',
    })
    expect(rowsOf(data, 'Months').at(-1)?.OnHand).toBe(stored)
    const tools = await load(app, 'cy', 'StockReport', { Group: 'tools' })
    const groups = new Set(rowsOf(tools, 'Products').map((row) => row.GroupName))
    expect([...groups].sort()).toEqual(['Hand tools', 'Power tools'])
  })
})
