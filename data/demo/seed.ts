/** Puts the demo's data into the tables of its model, by plain SQL within a store transaction. */
import type { Tx } from '../../src/store/store.ts'
import { planCustomer, type PlannedOrder, planOrder, planProduct } from './plan.ts'

/** Orders at scale 1. */
export const ORDERS_AT_SCALE_1 = 400

const CODES = ['NORTH', 'SOUTH', 'WEST'] as const
const PRODUCTS_A_COMPANY = 60

/** The first orders also move stock; beyond them the data only grow. */
const ORDERS_THAT_MOVE_STOCK = 400

/** A company with what orders are made of. */
interface Trade {
  id: number
  /** Users who enter its orders. */
  owners: number[]
  customers: { Id: number; Region: string }[]
  products: { Id: number; Price: number; Cost: number }[]
  /** Orders that it has. */
  orders: number
}

/** One topic a customer, two for every third. */
const INSERT_TOPICS = `INSERT INTO main.customer_topics (CustomerId, TopicCode, CompanyId)
  SELECT c.Id, t.Code, c.CompanyId FROM main.customers c
  JOIN (SELECT Code, row_number() OVER (ORDER BY Code) AS n FROM main.topics) t
    ON t.n = c.Id % 5 + 1 OR (c.Id % 3 = 0 AND t.n = (c.Id + 2) % 5 + 1)`

/** A contract for every fourth customer. */
const INSERT_CONTRACTS = `INSERT INTO main.customer_contracts
  (CompanyId, CustomerId, Kind, VatNumber, SignedOn)
  SELECT c.CompanyId, c.Id, 'company', coalesce(c.CountryCode, 'DE') ||
    printf('%09d', c.Id * 7919 % 1000000000), date('2024-01-08', '+' || c.Id || ' days')
  FROM main.customers c WHERE c.Id % 4 = 0`

/**
 * Fills the tables of a freshly deployed demo: customers, products, stock and `scale` times 400
 * orders with their lines. The companies and users of `demo.ts` must be there. Nothing is audited.
 */
export async function seedDemo(tx: Tx, scale = 1): Promise<void> {
  const orders = Math.round(ORDERS_AT_SCALE_1 * scale)
  await tx.silently(async () => {
    const companies = await loadCompanies(tx)
    for (const company of companies) await insertProducts(tx, company)
    await insertCustomers(tx, companies, 0, countCustomers(orders))
    await tx.run(INSERT_TOPICS)
    await tx.run(INSERT_CONTRACTS)
    await growOrders(tx, 0, orders)
  })
}

/** Customers that so many orders come from. */
export function countCustomers(orders: number): number {
  return Math.max(120, Math.floor(orders / 100))
}

/** Adds the customers numbered from `from` up to `to`, a third to each company. */
export async function growCustomers(tx: Tx, from: number, to: number): Promise<void> {
  await insertCustomers(tx, await loadCompanies(tx), from, to)
}

/**
 * Adds the orders numbered from `from` up to `to`, in the order of their dates. The same calls give
 * the same data.
 */
export async function growOrders(tx: Tx, from: number, to: number): Promise<void> {
  const trades = await loadTrades(tx)
  const planned = Array.from({ length: Math.max(0, to - from) }, (_, at) => ({
    order: planOrder(from + at),
    movesStock: from + at < ORDERS_THAT_MOVE_STOCK,
  }))
  planned.sort((a, b) => (a.order.orderedAt < b.order.orderedAt ? -1 : 1))
  const last = await tx.get<{ Id: number | null }>('SELECT max(Id) AS Id FROM main.orders')
  let id = Number(last?.Id ?? 0)
  for (const { order, movesStock } of planned) {
    const trade = trades[order.company]
    if (trade) await insertOrder(tx, ++id, trade, order, movesStock)
  }
  for (const trade of trades) await saveNumbers(tx, trade)
  await tx.run(`UPDATE main.products SET OnHand = (SELECT coalesce(sum(Quantity), 0)
    FROM main.stock_movements m WHERE m.ProductId = main.products.Id)`)
}

async function loadCompanies(tx: Tx): Promise<{ Id: number; Code: string }[]> {
  const rows = await tx.all<{ Id: number; Code: string }>('SELECT Id, Code FROM main.svc_companies')
  return CODES.map((code) => {
    const company = rows.find((row) => row.Code === code)
    if (!company) throw new Error(`The demo's company ${code} does not exist`)
    return company
  })
}

async function loadTrades(tx: Tx): Promise<Trade[]> {
  const trades: Trade[] = []
  for (const { Id } of await loadCompanies(tx)) {
    const args = { company: Id }
    const owners = await tx.all<{ Id: number }>(
      `SELECT u.Id FROM main.svc_users u JOIN main.svc_user_companies c ON c.UserId = u.Id
       WHERE c.CompanyId = @company AND u.UserName IN ('ana', 'cy', 'dee') ORDER BY u.Id`,
      args,
    )
    const customers = await tx.all<Trade['customers'][number]>(
      'SELECT Id, Region FROM main.customers WHERE CompanyId = @company ORDER BY Id',
      args,
    )
    const products = await tx.all<Trade['products'][number]>(
      'SELECT Id, Price, Cost FROM main.products WHERE CompanyId = @company ORDER BY Id',
      args,
    )
    const orders = await tx.get<{ n: number }>(
      'SELECT count(*) AS n FROM main.orders WHERE CompanyId = @company',
      args,
    )
    const ownerIds = owners.map((owner) => Number(owner.Id))
    trades.push({ id: Id, owners: ownerIds, customers, products, orders: Number(orders?.n ?? 0) })
  }
  return trades
}

async function insertProducts(tx: Tx, company: { Id: number; Code: string }): Promise<void> {
  const offset = CODES.findIndex((code) => code === company.Code) * PRODUCTS_A_COMPANY
  for (let at = 1; at <= PRODUCTS_A_COMPANY; at++) {
    const { received, ...product } = planProduct(offset + at)
    const row = await tx.get<{ Id: number }>(
      `INSERT INTO main.products
         (CompanyId, Sku, Name, GroupCode, Price, Cost, OnHand, ReorderLevel, Active, ListedOn)
       VALUES (@company, @sku, @name, @group, @price, @cost, 0, @reorderLevel, @active, @listedOn)
       RETURNING Id`,
      { company: company.Id, ...product },
    )
    await tx.run(
      `INSERT INTO main.stock_movements (CompanyId, ProductId, Quantity, Reason, Remark, MovedAt)
       VALUES (@company, @product, @received, 'receipt', 'Opening stock', @movedAt)`,
      {
        company: company.Id,
        product: row?.Id ?? null,
        received,
        movedAt: `${product.listedOn}T08:00:00.000Z`,
      },
    )
  }
}

async function insertCustomers(
  tx: Tx,
  companies: readonly { Id: number }[],
  from: number,
  to: number,
): Promise<void> {
  const cities = await tx.all<{ Id: number; CountryCode: string }>(
    'SELECT Id, CountryCode FROM main.cities ORDER BY CountryCode, Name',
  )
  for (let number = from; number < to; number++) {
    const { place, ...customer } = planCustomer(number + 1)
    const city = cities[Math.floor(place * cities.length)]
    const company = companies[number % companies.length]
    const code = Math.floor(number / companies.length) + 1
    await tx.run(
      `INSERT INTO main.customers (CompanyId, Code, Name, Region, CountryCode, CityId, Email, Phone,
         CreditLimit, PaymentDays, Active, Note)
       VALUES (@company, @code, @name, @region, @country, @city, @email, @phone,
         @creditLimit, @paymentDays, @active, @note)`,
      {
        company: company?.Id ?? null,
        code: `C-${String(code).padStart(5, '0')}`,
        country: city?.CountryCode ?? null,
        city: city?.Id ?? null,
        note: customer.active === 1 ? null : 'No longer trading',
        ...customer,
      },
    )
    await saveNumber(tx, { name: 'CustomerCode', company: company?.Id ?? 0, period: '' }, code)
  }
}

async function insertOrder(
  tx: Tx,
  id: number,
  trade: Trade,
  order: PlannedOrder,
  movesStock: boolean,
): Promise<void> {
  const customer = trade.customers[Math.floor(order.customer * trade.customers.length)]
  const lines = order.lines.map(({ product, ...line }) => {
    const chosen = trade.products[Math.floor(product * trade.products.length)]
    return { ...line, id: chosen?.Id ?? 0, price: chosen?.Price ?? 0, cost: chosen?.Cost ?? 0 }
  })
  const total = sum(lines, (line) => line.quantity * line.price * (1 - line.discount / 100))
  trade.orders += 1
  await tx.run(
    `INSERT INTO main.orders (Id, Number, CompanyId, CustomerId, OwnerId, Region, Status, OrderedAt,
       DueOn, Total, Cost, Reference, Remark, CreatedAt, CreatedBy, ChangedAt, ChangedBy)
     VALUES (@id, @number, @company, @customer, @owner, @region, @status, @orderedAt,
       @dueOn, @total, @cost, @reference, @remark, @orderedAt, @owner, @orderedAt, @owner)`,
    {
      id,
      number: `SO-${order.orderedAt.slice(0, 4)}-${String(trade.orders).padStart(5, '0')}`,
      company: trade.id,
      customer: customer?.Id ?? null,
      owner: trade.owners[id % trade.owners.length] ?? null,
      region: customer?.Region ?? null,
      status: order.status,
      orderedAt: order.orderedAt,
      dueOn: order.dueOn,
      total,
      cost: sum(lines, (line) => line.quantity * line.cost),
      reference: order.reference,
      remark: order.remark,
    },
  )
  let lineNumber = 0
  for (const line of lines) {
    await tx.run(
      `INSERT INTO main.order_lines
         (CompanyId, OrderId, LineNumber, ProductId, Quantity, Price, Discount)
       VALUES (@company, @order, @lineNumber, @id, @quantity, @price, @discount)`,
      { company: trade.id, order: id, lineNumber: ++lineNumber, ...line },
    )
    if (movesStock && order.status === 'shipped') {
      await insertShipment(tx, { company: trade.id, order: id, product: line.id }, line.quantity)
    }
  }
}

async function insertShipment(
  tx: Tx,
  keys: { company: number; order: number; product: number },
  quantity: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO main.stock_movements (CompanyId, ProductId, OrderId, Quantity, Reason, MovedAt)
     SELECT @company, @product, @order, @quantity, 'shipment', OrderedAt
     FROM main.orders WHERE Id = @order`,
    { ...keys, quantity: -quantity },
  )
}

/** New orders of the years that have some go on after the last number. */
async function saveNumbers(tx: Tx, trade: Trade): Promise<void> {
  const years = await tx.all<{ Year: string }>(
    `SELECT DISTINCT substr(OrderedAt, 1, 4) AS Year FROM main.orders WHERE CompanyId = @company`,
    { company: trade.id },
  )
  for (const { Year } of years) {
    const sequence = { name: 'OrderNumber', company: trade.id, period: Year }
    await saveNumber(tx, sequence, trade.orders)
  }
}

async function saveNumber(
  tx: Tx,
  sequence: { name: string; company: number; period: string },
  last: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO svc_sequences (Name, CompanyId, Period, Last) VALUES (@name, @company, @period, @last)
     ON CONFLICT (Name, CompanyId, Period) DO UPDATE SET Last = max(Last, @last)`,
    { ...sequence, last },
  )
}

function sum<T>(list: readonly T[], value: (item: T) => number): number {
  return Math.round(list.reduce((total, item) => total + value(item), 0) * 100) / 100
}
