/** A trading company in the shape of Northwind: taken over, used, and then given other keys. */
import { describe, expect, test } from 'bun:test'
import { deployModel } from '../../src/model/deploy/deploy.ts'
import type { DeployOptions } from '../../src/model/deploy/plan.ts'
import { makeNorthwind, NORTHWIND } from './northwind/northwind.ts'
import { expectTaken, takeOver } from '../support/account-takeover.ts'
import { startApp } from '../support/app.ts'
import { Imports } from '../support/imports.ts'
import { refusal, type Row } from '../support/objects.ts'

const SOURCE = makeNorthwind(3)

/** Rows of a table of the source as records. */
function records(name: string): Row[] {
  const found = SOURCE.find(({ table }) => table === name)
  if (!found) throw new Error(`There is no table ${name}`)
  return found.rows.map((row) => Object.fromEntries(found.columns.map((key, at) => [key, row[at]])))
}

async function openTrade(): Promise<Imports> {
  const trade = new Imports(await startApp({ application: NORTHWIND }))
  await takeOver(trade, 'keeper', SOURCE)
  return trade
}

/** Deploys the model with parts of its text replaced; resolves to what it refuses to lose. */
async function redeploy(
  trade: Imports,
  changes: readonly (readonly [string, string])[],
  options: DeployOptions = {},
): Promise<readonly string[]> {
  const { store, models, clock } = trade.app.context
  const files = NORTHWIND.files.map(({ name, body }) => {
    for (const [from] of changes) expect(body).toContain(from)
    return { name, body: changes.reduce((text, [from, to]) => text.replaceAll(from, to), body) }
  })
  const { plan, isDone } = await deployModel(store, models, files, options, clock)
  expect(plan.faults).toEqual([])
  return isDone ? [] : plan.losses
}

describe('the take-over', () => {
  test('keeps every row under its key, of numbers, letters and both', async () => {
    await using trade = await openTrade()
    await expectTaken(trade, SOURCE)
  })

  test('takes employees in any order of their file', async () => {
    await using trade = await openTrade()
    const { Rows } = await trade.table('keeper', 'employee-list', { PageSize: 1000 })
    const names = new Map(records('Employees').map((row) => [row.EmployeeID, row.LastName]))
    const reports = new Map(records('Employees').map((row) => [row.EmployeeID, row.ReportsTo]))
    for (const row of Rows) {
      const boss = reports.get(row.EmployeeID)
      if (boss !== null) expect(row.ReportsTo__Label).toContain(String(names.get(boss)))
    }
  })
})

describe('the company', () => {
  test('values its orders with their discounts', async () => {
    await using trade = await openTrade()
    const values = new Map<unknown, number>()
    for (const { OrderID, UnitPrice, Quantity, Discount } of records('OrderDetails')) {
      const value = Number(UnitPrice) * Number(Quantity) * (1 - Number(Discount))
      values.set(OrderID, (values.get(OrderID) ?? 0) + value)
    }
    const { Rows } = await trade.table('keeper', 'order-list', { PageSize: 1000 })
    expect(Rows).toHaveLength(records('Orders').length)
    for (const row of Rows) expect(Number(row.Value)).toBeCloseTo(values.get(row.OrderID) ?? 0, 1)
  })

  test('lists the towns of an employee under keys that begin with a zero', async () => {
    await using trade = await openTrade()
    const { EmployeeID } = records('EmployeeTerritories')[0] ?? {}
    const { Values } = await trade.form('keeper', 'EmployeeList', { EmployeeID })
    const expected = records('EmployeeTerritories')
      .filter((row) => row.EmployeeID === EmployeeID)
      .map((row) => row.TerritoryID)
    expect([...(Values.Territories as unknown[])].sort()).toEqual([...expected].sort())
  })
})

describe('the company grows', () => {
  const IDENTITY = [
    [
      '<Column Name="CustomerID" Type="Text" Key="true" MaxLength="5" Pattern="^[A-Z]{5}$"/>',
      '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>' +
        '<Column Name="CustomerID" Type="Text" MaxLength="5" Unique="true"/>',
    ],
  ] as const

  test('customers get numbers for keys, and every order keeps its customer', async () => {
    await using trade = await openTrade()
    expect(await redeploy(trade, IDENTITY)).toEqual([])
    const orders = await trade.stored(
      'SELECT o.OrderID, c.CustomerID FROM Orders o LEFT JOIN Customers c ON c.Id = o.CustomerID',
    )
    const before = new Map(records('Orders').map((row) => [row.OrderID, row.CustomerID]))
    expect(orders).toHaveLength(before.size)
    for (const { OrderID, CustomerID } of orders)
      expect([OrderID, CustomerID]).toEqual([OrderID, before.get(OrderID)])
    const demos = await trade.stored(
      `SELECT c.CustomerID, d.CustomerTypeID FROM CustomerCustomerDemo d
       JOIN Customers c ON c.Id = d.CustomerID`,
    )
    const pairs = (rows: readonly Row[]): string[] =>
      rows.map((row) => `${String(row.CustomerID)} ${String(row.CustomerTypeID)}`).sort()
    expect(pairs(demos)).toEqual(pairs(records('CustomerCustomerDemo')))
    const saved = await trade.save('keeper', 'CustomerList', { CompanyName: 'Newcomer' })
    expect(Number(saved.Values.Id)).toBeGreaterThan(records('Customers').length)
  })

  test('fewer decimals are refused with what would be lost, then rounded', async () => {
    await using trade = await openTrade()
    const coarse = [
      ['Name="Freight" Type="Decimal" Scale="4"', 'Name="Freight" Type="Decimal" Scale="2"'],
    ] as const
    expect((await redeploy(trade, coarse)).join()).toMatch(/Freight/)
    expect(await redeploy(trade, coarse, { allowDataLoss: true })).toEqual([])
    const { Rows } = await trade.table('keeper', 'order-list', { PageSize: 1000 })
    const before = new Map(records('Orders').map((row) => [row.OrderID, Number(row.Freight)]))
    for (const row of Rows) {
      const rounded = Math.round(Number(((before.get(row.OrderID) ?? 0) * 100).toFixed(4))) / 100
      expect([row.OrderID, row.Freight]).toEqual([row.OrderID, rounded])
      const found = await trade.stored(
        `SELECT Freight FROM Orders WHERE OrderID = ${Number(row.OrderID)}`,
      )
      expect(found[0]?.Freight).toBe(rounded)
    }
  })

  test('a circle of bosses is refused', async () => {
    await using trade = await openTrade()
    const top = records('Employees').find(({ ReportsTo }) => ReportsTo === null)
    const under = records('Employees').find(({ ReportsTo }) => ReportsTo === top?.EmployeeID)
    const circle = { EmployeeID: top?.EmployeeID, ReportsTo: under?.EmployeeID }
    const refused = refusal(await trade.submit('keeper', 'EmployeeList', circle), 400)
    expect(Object.keys(refused.fieldErrors ?? {})).toEqual(['ReportsTo'])
  })
})
