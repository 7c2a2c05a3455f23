/** A trading company in the shape of the public database Northwind, with data made for it. */
import tradeXml from './trade.xml' with { type: 'text' }
import { type Cell, SourceMaker, type SourceTable } from '../../support/account-takeover.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

export const NORTHWIND: TestApplication = {
  files: [{ name: 'trade.xml', body: String(tradeXml) }],
  ...makePeople('NORTH', { keeper: 'Keeper' }),
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** `ALFKI`: five letters, each key once. */
function makeCustomerKeys(make: SourceMaker, count: number): string[] {
  const keys = new Set<string>()
  while (keys.size < count)
    keys.add(Array.from({ length: 5 }, () => make.pick([...LETTERS])).join(''))
  return [...keys]
}

const REGIONS = [1, 2, 3, 4]
/** Digits that begin with a zero are no numbers. */
const TERRITORIES = Array.from({ length: 20 }, (_, at) => `0${1581 + at * 37}`)
const DEMOGRAPHICS = ['RETAIL', 'WHOLESALE', 'B-2-B']

/** Keys of the tables that others refer to. */
type Keys = ReturnType<typeof makeKeys>

const makeKeys = (make: SourceMaker) => ({
  category: make.keys(8),
  supplier: make.keys(12),
  product: make.keys(40),
  shipper: make.keys(3),
  employee: make.keys(9),
  customer: makeCustomerKeys(make, 30),
  order: make.keys(120),
})

/** The tables in an order in which each finds what it refers to. */
export function makeNorthwind(seed: number): SourceTable[] {
  const make = new SourceMaker(seed)
  const ids = makeKeys(make)
  return [
    ...planGoods(make, ids),
    ...planStaff(make, ids),
    ...planCustomers(make, ids),
    ...planOrders(make, ids),
  ]
}

function planGoods(make: SourceMaker, ids: Keys): SourceTable[] {
  return [
    {
      view: 'CategoryList',
      table: 'Categories',
      columns: ['CategoryID', 'CategoryName', 'Description'],
      rows: make.shuffle(
        ids.category.map((key, at) => [key, `Category ${at}`, make.text('All of\nit', at)]),
      ),
    },
    {
      view: 'SupplierList',
      table: 'Suppliers',
      columns: ['SupplierID', 'CompanyName', 'City', 'HomePage'],
      rows: make.shuffle(
        ids.supplier.map((key, at) => [
          key,
          make.text('Supplier', at),
          make.pickOrNull(['London', 'Göteborg', 'Osaka']),
          make.pickOrNull([`Catalogue#https://example.com/${key}#`]),
        ]),
      ),
    },
    {
      view: 'ProductList',
      table: 'Products',
      columns: [
        'ProductID',
        'ProductName',
        'SupplierID',
        'CategoryID',
        'UnitPrice',
        'Discontinued',
      ],
      rows: make.shuffle(
        ids.product.map((key, at) => [
          key,
          make.text('Product', at),
          make.pickOrNull(ids.supplier),
          make.pickOrNull(ids.category),
          make.random.int(1, 2_000_000) / 10_000,
          make.random.int(0, 1),
        ]),
      ),
    },
    {
      view: 'ShipperList',
      table: 'Shippers',
      columns: ['ShipperID', 'CompanyName'],
      rows: make.shuffle(ids.shipper.map((key, at) => [key, `Shipper ${at}`])),
    },
  ]
}

function planStaff(make: SourceMaker, ids: Keys): SourceTable[] {
  return [
    {
      view: 'RegionList',
      table: 'Region',
      columns: ['RegionID', 'RegionDescription'],
      rows: make.shuffle(REGIONS.map((key) => [key, `Region ${key}`])),
    },
    {
      view: 'TerritoryList',
      table: 'Territories',
      columns: ['TerritoryID', 'TerritoryDescription', 'RegionID'],
      rows: make.shuffle(TERRITORIES.map((key) => [key, `Town ${key}`, make.pick(REGIONS)])),
    },
    {
      view: 'EmployeeList',
      table: 'Employees',
      columns: ['EmployeeID', 'LastName', 'FirstName', 'BirthDate', 'ReportsTo'],
      rows: planEmployees(make, ids.employee),
    },
    {
      view: 'EmployeeTerritoryList',
      table: 'EmployeeTerritories',
      columns: ['EmployeeID', 'TerritoryID'],
      rows: make.shuffle(TERRITORIES.map((key) => [make.pick(ids.employee), key])),
    },
  ]
}

function planCustomers(make: SourceMaker, ids: Keys): SourceTable[] {
  return [
    {
      view: 'DemographicList',
      table: 'CustomerDemographics',
      columns: ['CustomerTypeID', 'CustomerDesc'],
      rows: DEMOGRAPHICS.map((key) => [key, `They are ${key}`]),
    },
    {
      view: 'CustomerList',
      table: 'Customers',
      columns: ['CustomerID', 'CompanyName', 'Country'],
      rows: make.shuffle(
        ids.customer.map((key, at) => [
          key,
          make.text('Customer', at),
          make.pickOrNull(['UK', 'México', 'Österreich']),
        ]),
      ),
    },
    {
      view: 'CustomerDemoList',
      table: 'CustomerCustomerDemo',
      columns: ['CustomerID', 'CustomerTypeID'],
      rows: ids.customer.slice(0, 10).map((key) => [key, make.pick(DEMOGRAPHICS)]),
    },
  ]
}

function planOrders(make: SourceMaker, ids: Keys): SourceTable[] {
  return [
    {
      view: 'OrderList',
      table: 'Orders',
      columns: ['OrderID', 'CustomerID', 'EmployeeID', 'OrderDate', 'ShipVia', 'Freight'],
      rows: make.shuffle(
        ids.order.map((key) => [
          key,
          make.pickOrNull(ids.customer),
          make.pick(ids.employee),
          make.date(),
          make.pickOrNull(ids.shipper),
          make.random.int(1, 5_000_000) / 10_000,
        ]),
      ),
    },
    {
      view: 'OrderDetailList',
      table: 'OrderDetails',
      columns: ['OrderID', 'ProductID', 'UnitPrice', 'Quantity', 'Discount'],
      rows: make.shuffle(
        ids.order.flatMap((order) =>
          ids.product
            .filter(() => make.random.chance(0.06))
            .map((product) => [
              order,
              product,
              make.random.int(1, 2_000_000) / 10_000,
              make.random.int(1, 100),
              make.pick([0, 0.05, 0.1, 0.25]),
            ]),
        ),
      ),
    },
  ]
}

/** Each reports to one of lower rank; the file has them in any order. */
function planEmployees(make: SourceMaker, keys: readonly number[]): Cell[][] {
  const ranked = make.shuffle(keys)
  const rows = ranked.map((key, rank): Cell[] => [
    key,
    `Last${rank}`,
    `First${rank}`,
    make.date(),
    rank === 0 ? null : make.pick(ranked.slice(0, rank)),
  ])
  return make.shuffle(rows)
}
