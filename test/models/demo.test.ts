/** The demo application: it deploys without a warning, and what it promises works for its users. */
import { Glob } from 'bun'
import { describe, expect, test } from 'bun:test'
import { compileModel } from '../../src/model/compile/compile.ts'
import { parseModelFile } from '../../src/model/parse/parse.ts'
import { demoFiles, demoUsers } from '../../data/demo/demo.ts'
import { planCustomer, planOrder, planProduct } from '../../data/demo/plan.ts'
import { startApp, type TestApp } from '../support/app.ts'

type Cells = Record<string, unknown>
interface Envelope<T> {
  data: T
  error?: string
  fieldErrors?: Record<string, string>
}
interface Table {
  Rows: Cells[]
  Pagination: { TotalRows: number }
}
interface Action {
  Keys: Cells
  Values: Cells
  Dispatch: Cells[]
}

const call = <T>(app: TestApp, as: string, route: string, body: unknown) =>
  app.fetch<Envelope<T>>(`/api/v1/svc/object/${route}`, { as, body })

async function rowsOf(app: TestApp, as: string, name: string, body: Cells = {}): Promise<Cells[]> {
  const answer = await call<Table>(app, as, `${name}/table`, { PageSize: 1000, ...body })
  expect([name, answer.status]).toEqual([name, 200])
  return answer.body.data.Rows
}

const act = (app: TestApp, as: string, object: string, action: string, parameters: Cells) =>
  call<Action>(app, as, 'execute-row-action', {
    ObjectName: object,
    ActionName: action,
    Parameters: parameters,
  })

const eq = (Field: string, Value: unknown) => ({ Field, Operator: 'eq', Value })

/** An order of two lines for an active customer, with its products. */
async function enterOrder(app: TestApp): Promise<{ keys: Cells; products: Cells[] }> {
  const [customer] = await rowsOf(app, 'ana', 'customers', { Filters: [eq('Active', true)] })
  const products = (await rowsOf(app, 'ana', 'products', { Filters: [eq('Active', true)] })).slice(
    0,
    2,
  )
  const answer = await call<Action>(app, 'ana', 'submit', {
    FormName: 'Orders',
    Parameters: { CustomerId: customer?.Id, DueOn: '2099-12-31' },
    Details: {
      Lines: {
        Upsert: [
          { LineNumber: 1, ProductId: products[0]?.Id, Quantity: 3 },
          { LineNumber: 2, ProductId: products[1]?.Id, Quantity: 2, Price: 5, Discount: 10 },
        ],
      },
    },
  })
  expect(answer.body.fieldErrors).toBeUndefined()
  expect(answer.body.data.Values.Region).toBe(customer?.Region)
  return { keys: answer.body.data.Keys, products }
}

describe('the model', () => {
  test('compiles without a fault, and warns of the role that may write SQL alone; every file is in it', async () => {
    const parsed = await Promise.all(demoFiles.map((file) => parseModelFile(file)))
    expect(parsed.flatMap(({ faults }) => faults)).toEqual([])
    const { faults, warnings } = await compileModel(parsed.flatMap(({ scripts }) => scripts))
    expect(faults).toEqual([])
    expect(warnings.map(({ message }) => message.split(':')[0])).toEqual([
      'Designer on ReportDefinitions',
      'Designer on WorkflowDefinitions',
    ])
    const folder = new Glob('*.xml').scanSync(`${import.meta.dir}/../../data/demo`)
    expect(demoFiles.map(({ name }) => name)).toEqual([...folder].sort())
  })
})

describe('the seed data', () => {
  test('are the same on every machine', () => {
    const { name, region, creditLimit } = planCustomer(1)
    expect([name, region, creditLimit]).toEqual(['Stonebow Gardens & Co', 'Hills', 75000])
    const { sku, price, cost } = planProduct(1)
    expect([sku, price, cost]).toEqual(['SA-0001', 19.2, 11.26])
    const { orderedAt, dueOn, status, lines } = planOrder(0)
    expect([orderedAt, dueOn, status]).toEqual([
      '2025-09-02T08:01:40.000Z',
      '2025-09-28',
      'shipped',
    ])
    expect(lines.map(({ quantity }) => quantity)).toEqual([14, 10, 15, 7])
  })

  test('hold against every rule of the model', async () => {
    await using app = await startApp()
    const broken = `SELECT
      (SELECT count(*) FROM orders o JOIN customers c ON c.Id = o.CustomerId
        WHERE o.Total > c.CreditLimit OR o.Region <> c.Region OR o.CompanyId <> c.CompanyId
          OR o.DueOn < o.OrderedAt)
      + (SELECT count(*) FROM products WHERE Price < Cost)
      + (SELECT count(*) FROM customers c JOIN cities t ON t.Id = c.CityId
        WHERE t.CountryCode <> c.CountryCode)
      + (SELECT count(*) FROM order_lines l JOIN orders o ON o.Id = l.OrderId
        JOIN products p ON p.Id = l.ProductId
        WHERE l.CompanyId <> o.CompanyId OR l.CompanyId <> p.CompanyId)
      + (SELECT count(*) FROM products p WHERE OnHand <>
        (SELECT sum(Quantity) FROM stock_movements WHERE ProductId = p.Id))
      + (SELECT count(*) FROM orders o WHERE abs(Total -
        (SELECT sum(Quantity * Price * (1 - Discount / 100)) FROM order_lines
          WHERE OrderId = o.Id)) > 0.0051)`
    expect(await app.store.text({ sql: broken, args: {}, runs: 'inline' })).toBe('0')
    const numbers = 'SELECT count(*) - count(DISTINCT CompanyId || Number) FROM orders'
    expect(await app.store.text({ sql: numbers, args: {}, runs: 'inline' })).toBe('0')
  })
})

describe('the demo serves', () => {
  test('every view to ana, and none to bo', async () => {
    await using app = await startApp()
    for (const { name, wizard } of app.context.models.get().views.values()) {
      const metadata = await app.fetch(`/api/v1/svc/object/${name}/metadata`, { as: 'ana' })
      expect([name, metadata.status]).toEqual([name, 200])
      if (wizard) continue
      expect((await rowsOf(app, 'ana', name)).length).toBeGreaterThan(0)
      expect((await call(app, 'bo', `${name}/table`, {})).status).toBe(401)
    }
  })

  test('a new customer by its wizard, with a branch and a paper', async () => {
    await using app = await startApp()
    const step = async (as: string, path: string, body: object) => {
      const answer = await app.fetch<Envelope<Cells>>(`/api/v1/svc/wizard/${path}`, { as, body })
      expect([path, answer.status, answer.body.fieldErrors]).toEqual([path, 200, undefined])
      return answer.body.data
    }
    const { RunId } = await step('dee', 'new-customer/start', {})
    const run = `runs/${String(RunId)}`
    const next = (Values: Cells) => step('dee', `${run}/next`, { Values })
    const firm = await next({ Kind: 'company', Name: 'Lakeside Joinery' })
    expect(firm.Step).toBe('Company')
    const { Form, Ignored } = await next({ VatNumber: 'DE123456789', CreditLimit: 1e6 })
    expect([Ignored, (Form as Cells).Values]).toMatchObject([['CreditLimit'], { Region: 'Lakes' }])
    const cities = await call<Cells[]>(app, 'dee', 'field-dataset', {
      FormName: 'NewCustomer',
      StepName: 'Address',
      FieldName: 'CityId',
      Parameters: { CountryCode: 'AT' },
    })
    expect(cities.body.data.map(({ Label }) => Label)).toEqual(['Graz', 'Linz', 'Wien'])
    const CityId = Number(cities.body.data[0]?.Value)
    const address = { CountryCode: 'AT', CityId, Email: 'office@example.com' }
    await next(address)
    const form = new FormData()
    form.set('objectName', 'new-customer')
    form.set('fieldName', 'Paper')
    form.append('file', new File(['%PDF-1.7\n%%EOF\n'], 'signed.pdf'))
    const upload = await app.handle(
      new Request('http://localhost/api/v1/svc/object/upload', {
        method: 'POST',
        body: form,
        headers: { Authorization: `Bearer ${app.tokens.dee}` },
      }),
    )
    const { data } = (await upload.json()) as Envelope<{ UploadKey: string }[]>
    await next({ Paper: data.map(({ UploadKey }) => UploadKey) })
    const { Keys, Dispatch } = await step('dee', `${run}/finish`, {})
    expect((Dispatch as Cells[])[1]?.Message).toBe('Lakeside Joinery is a customer now')
    const [customer] = await rowsOf(app, 'ana', 'customers', {
      Filters: [eq('Id', (Keys as Cells).Id)],
    })
    expect(customer).toMatchObject({ Region: 'Lakes', CreditLimit: 25000, Email: address.Email })
    const [contract] = await rowsOf(app, 'ana', 'customer-contracts', {
      Filters: [eq('CustomerId', customer?.Id)],
    })
    expect(contract).toMatchObject({
      Kind: 'company',
      VatNumber: 'DE123456789',
      Paper: [{ FileName: 'signed.pdf' }],
    })
  })

  test('each user the rows and fields of their roles', async () => {
    await using app = await startApp()
    const all = await rowsOf(app, 'ana', 'orders')
    const own = await rowsOf(app, 'dee', 'orders')
    expect(new Set(own.map((row) => row.Region))).toEqual(new Set(['Lakes']))
    expect(own.length).toBe(all.filter((row) => row.Region === 'Lakes').length)
    expect(own.some((row) => 'Margin' in row || 'Cost' in row)).toBe(false)
    expect(all.every((row) => 'Margin' in row)).toBe(true)
    const other = await rowsOf(app, 'cy', 'orders')
    const companies = new Set([...all, ...other].map((row) => row.CompanyId))
    expect(companies.size).toBe(2)
    expect((await rowsOf(app, 'root', 'orders')).length).toBe(all.length)
  })

  test('no price that is more than double the former one', async () => {
    await using app = await startApp()
    const [priced] = await rowsOf(app, 'ana', 'PriceList')
    const raise = (by: number) =>
      call<Action>(app, 'ana', 'submit', {
        FormName: 'PriceList',
        Parameters: { ...priced, Price: Math.round(Number(priced?.Price) * by * 100) / 100 },
      })
    const refused = await raise(2.5)
    expect([refused.status, refused.body.fieldErrors]).toEqual([
      400,
      { Price: 'More than double the former price' },
    ])
    expect((await raise(1.5)).status).toBe(200)
  })

  test('an order from its entry to the shipment', async () => {
    await using app = await startApp()
    const { keys, products } = await enterOrder(app)
    const list = 3 * Number(products[0]?.Price)
    const [added] = await rowsOf(app, 'ana', 'orders', { Filters: [eq('Id', keys.Id)] })
    expect(Number(added?.Total)).toBeCloseTo(list + 9, 2)
    expect((await act(app, 'ana', 'Orders', 'Ship', keys)).status).toBe(400)
    expect((await act(app, 'ana', 'Orders', 'Approve', keys)).status).toBe(200)
    expect((await act(app, 'ana', 'Orders', 'Approve', keys)).status).toBe(400)
    const told = `SELECT json_group_array(DISTINCT Title) FROM svc_notifications`
    expect(JSON.parse(await app.store.text({ sql: told, args: {}, runs: 'inline' }))).toEqual([
      `Order ${String(added?.Number)} was approved`,
    ])
    expect((await act(app, 'ana', 'Orders', 'Ship', keys)).status).toBe(200)
    const [product] = await rowsOf(app, 'ana', 'products', { Filters: [eq('Id', products[0]?.Id)] })
    expect(Number(product?.OnHand)).toBe(Number(products[0]?.OnHand) - 3)
    const copied = await act(app, 'ana', 'Orders', 'Copy', keys)
    expect(copied.status).toBe(200)
    const twins = await rowsOf(app, 'ana', 'orders', { Filters: [eq('Total', added?.Total)] })
    expect(twins.length).toBeGreaterThan(1)
    expect((await rowsOf(app, 'ana', 'order-lines')).length).toBeGreaterThan(3)
  })

  test('goods are received as a whole or not at all', async () => {
    await using app = await startApp()
    const [idle] = await rowsOf(app, 'ana', 'products', { Filters: [eq('Active', false)] })
    const before = await rowsOf(app, 'ana', 'stock-movements')
    const refused = await act(app, 'ana', 'Products', 'Receive', { Id: idle?.Id, Quantity: 5 })
    expect([refused.status, refused.body.error]).toEqual([400, 'The product is not active'])
    expect(await rowsOf(app, 'ana', 'stock-movements')).toEqual(before)
  })

  test('authored statements of the stock movements', async () => {
    await using app = await startApp()
    const [product] = await rowsOf(app, 'cy', 'products')
    const entered = await call<Action>(app, 'cy', 'submit', {
      FormName: 'StockMovements',
      Parameters: { ProductId: product?.Id, Quantity: 4, Reason: 'count', Remark: 'counted' },
    })
    const { Keys, Values } = entered.body.data
    expect([Values.Quantity, Values.Product]).toEqual([4, product?.Name])
    const mended = await call<Action>(app, 'cy', 'submit', {
      FormName: 'StockMovements',
      Parameters: { ...Keys, Quantity: 7 },
    })
    expect(mended.body.data.Values.Quantity).toBe(7)
    const nothing = await call(app, 'cy', 'submit', {
      FormName: 'StockMovements',
      Parameters: { ...Keys, Quantity: 0 },
    })
    expect(nothing.body.fieldErrors).toEqual({ Quantity: 'Nothing moved' })
    const taken = await call(app, 'cy', 'delete-row', {
      ObjectName: 'StockMovements',
      Parameters: Keys,
    })
    expect(taken.status).toBe(200)
  })

  test('lookups that fill, depend and list keys', async () => {
    await using app = await startApp()
    const ask = async (body: Cells) =>
      (await call<Cells[]>(app, 'ana', 'field-dataset', body)).body.data
    const [scanned, ...others] = await ask({
      FormName: 'OrderEntry',
      FieldName: 'CustomerId',
      SearchText: 'C-00003',
    })
    expect([scanned?.Code, others]).toEqual(['C-00003', []])
    const Parameters = { CustomerId: scanned?.Value }
    expect(await ask({ FormName: 'Orders', FieldName: 'Region', Parameters })).toEqual([
      { Value: scanned?.Region, Label: scanned?.Region },
    ])
    const form = await call<{ Values: Cells }>(app, 'ana', 'customers/form', {
      Parameters: { Id: scanned?.Value },
    })
    const { Id, RowVersion, Topics } = form.body.data.Values
    expect(Topics).toHaveLength(1)
    const saved = await call<Action>(app, 'ana', 'submit', {
      FormName: 'Customers',
      Parameters: { Id, RowVersion, Topics: ['wood', 'building'] },
    })
    expect(saved.body.data.Values).toMatchObject({
      Topics: ['building', 'wood'],
      Topics__Label: ['Building', 'Woodwork'],
    })
  })

  test('the users that it names', async () => {
    await using app = await startApp()
    expect(Object.keys(app.tokens).sort()).toEqual(demoUsers.map(({ userName }) => userName).sort())
  })
})
