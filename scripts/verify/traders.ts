/** The demo's users at work: who enters orders; whether the server says what it acknowledged. */
import { demoUsers } from '../../data/demo/demo.ts'
import type { Random } from '../../data/demo/random.ts'
import { type Api, ROUTES, type Tokens } from './api.ts'
import { Client, type Order, type Trader } from './client.ts'
import { Ledger } from './ledger.ts'

/** A sales manager in one company and a clerk in another, with so many clients each. */
const CLIENTS: Readonly<Record<string, number>> = { ana: 6, cy: 4 }

/** Signs a demo user in. */
export async function signInDemo(api: Api, userName: string): Promise<Tokens> {
  const user = demoUsers.find((candidate) => candidate.userName === userName)
  return api.signIn(userName, user?.password ?? '')
}

/** The clients of all traders. */
export async function openClients(api: Api, random: Random): Promise<Client[]> {
  const clients: Client[] = []
  for (const [userName, count] of Object.entries(CLIENTS)) {
    const trader = await openTrader(api, userName)
    for (let at = 0; at < count; at++)
      clients.push(
        new Client({ api, trader, random, prefix: `v-${userName}${at}`, ledger: new Ledger() }),
      )
  }
  return clients
}

/** A signed-in user with the products and customers that orders may name. */
export async function openTrader(api: Api, userName: string): Promise<Trader> {
  const { AccessToken: token } = await signInDemo(api, userName)
  const request = { Filters: [{ Field: 'Active', Operator: 'eq', Value: true }], PageSize: 1000 }
  const ids = async (object: string): Promise<number[]> =>
    (await api.loadRows<{ Id: number }>(token, object, request)).map(({ Id }) => Id)
  return {
    token,
    userName,
    isManager: userName === 'ana',
    products: await ids('products'),
    customers: await ids('customers'),
  }
}

interface OrderForm {
  Values: { Number: string; Status: string; Remark: string | null }
}

interface LineRow {
  OrderId: number
  LineNumber: number
  Quantity: number
}

/** Orders asked for at once; their lines must fit one page. */
const CHUNK = 100

/** Loads every order that a client is sure of and holds it against what was acknowledged. */
export async function compareOverHttp(api: Api, clients: readonly Client[]): Promise<string[]> {
  const faults: string[] = []
  const byToken = new Map<string, Order[]>()
  for (const { trader, touched } of clients) {
    const orders = byToken.get(trader.token) ?? []
    byToken.set(trader.token, [...orders, ...[...touched].filter((order) => !order.isUnsure)])
  }
  for (const [token, orders] of byToken)
    for (let from = 0; from < orders.length; from += CHUNK)
      faults.push(...(await compareOrders(api, token, orders.slice(from, from + CHUNK))))
  return faults
}

async function compareOrders(api: Api, token: string, orders: Order[]): Promise<string[]> {
  const lines = await api.loadRows<LineRow>(token, 'OrderLines', {
    Filters: [{ Field: 'OrderId', Operator: 'in', Value: orders.map(({ id }) => id) }],
    PageSize: 1000,
    CountMode: 'none',
  })
  const compared = orders.map(async (order) => {
    const { status, body } = await api.send<OrderForm>(
      ROUTES.form,
      { Parameters: { Id: order.id } },
      { token },
    )
    const own = lines.filter((line) => line.OrderId === order.id)
    const is = status === 200 ? describe(body.data.Values, linesOf(own)) : status
    const should = order.isDeleted ? 404 : describe(toValues(order), [...order.lines])
    return is === should ? [] : [`over HTTP ${order.reference} is ${is}, acknowledged ${should}`]
  })
  return (await Promise.all(compared)).flat()
}

const toValues = ({ number, status, remark }: Order): OrderForm['Values'] => ({
  Number: number,
  Status: status,
  Remark: remark,
})

const linesOf = (rows: readonly LineRow[]): [number, number][] =>
  rows.map((row) => [row.LineNumber, row.Quantity])

function describe(order: OrderForm['Values'], lines: [number, number][]): string {
  lines.sort(([a], [b]) => a - b)
  const told = lines.map((line) => line.join('x')).join(' ')
  return `${order.Number} ${order.Status} ${order.Remark} ${told}`
}
