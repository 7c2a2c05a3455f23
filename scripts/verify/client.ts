/** A client that enters orders with lines, changes and deletes them, and runs row actions. */
import type { Random } from '../../data/demo/random.ts'
import { type Answer, type Api, ROUTES } from './api.ts'
import type { Ledger } from './ledger.ts'

/** An order as the answers say it is. */
export interface Order {
  id: number
  number: string
  reference: string
  remark: string | null
  status: 'new' | 'approved' | 'shipped' | 'cancelled'
  /** Quantity by line number. */
  lines: Map<number, number>
  /** Where its products begin: line n has the n-th after it, so that no product comes twice. */
  first: number
  isDeleted: boolean
  /** Copies have its reference. */
  copies: number
  /** A write to it was not answered: it is not used any more. */
  isUnsure: boolean
}

/** User and data that a client works with. */
export interface Trader {
  token: string
  userName: string
  products: number[]
  customers: number[]
  /** Holds every capability. */
  isManager: boolean
}

type Saved = { Keys: { Id: number }; Values: { Number: string } }

/** Orders that a client works on at the same time. */
const OPEN_MAX = 12

export class Client {
  /** Orders that this round has touched. */
  readonly touched = new Set<Order>()
  readonly #api: Api
  readonly #trader: Trader
  readonly #random: Random
  readonly #prefix: string
  #ledger: Ledger
  #orders: Order[] = []
  #count = 0

  constructor(parts: { api: Api; trader: Trader; random: Random; prefix: string; ledger: Ledger }) {
    this.#api = parts.api
    this.#trader = parts.trader
    this.#random = parts.random
    this.#prefix = parts.prefix
    this.#ledger = parts.ledger
  }

  get trader(): Trader {
    return this.#trader
  }

  /** Begins a round: a new ledger; what is unsure is left alone from here on. */
  begin(ledger: Ledger): void {
    this.#ledger = ledger
    this.touched.clear()
    this.#orders = this.#orders.filter((order) => !order.isUnsure && !order.isDeleted)
    this.#orders = this.#orders.slice(-OPEN_MAX)
  }

  /** Works until `isOver`; throws NoAnswer when the server is gone. */
  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#step()
  }

  async #step(): Promise<void> {
    const open = this.#orders.filter((order) => order.status === 'new' && !order.isDeleted)
    const order = open[this.#random.int(0, Math.max(0, open.length - 1))]
    const roll = this.#random.next()
    if (order === undefined || roll < 0.4) await this.#create()
    else if (roll < 0.65) await this.#update(order)
    else if (roll < 0.75) await this.#delete(order)
    else if (roll < 0.85 && this.#trader.isManager) await this.#receive()
    else await this.#act(order)
  }

  async #create(): Promise<void> {
    const reference = `${this.#prefix}-${++this.#count}`
    const first = this.#random.int(0, this.#trader.products.length - 1)
    const length = this.#random.int(2, 5)
    const lines = new Map(Array.from({ length }, (_, at) => [at + 1, this.#random.int(1, 9)]))
    const body = {
      FormName: 'orders',
      Parameters: { CustomerId: this.#customer(), Reference: reference },
      Details: {
        Lines: {
          Upsert: [...lines].map(([number, quantity]) => ({
            LineNumber: number,
            ProductId: this.#product(first + number),
            Quantity: quantity,
          })),
        },
      },
    }
    const expects = { 'Order insert': 1, 'OrderLine insert': length }
    const { status, body: answer } = await this.#ledger.note('create', expects, (trace) =>
      this.#api.send<Saved>(ROUTES.submit, body, { token: this.#trader.token, trace }),
    )
    if (status !== 200) return
    const { Keys, Values } = answer.data
    const facts = { id: Keys.Id, number: Values.Number, reference, remark: null, lines, first }
    const order: Order = {
      ...facts,
      status: 'new',
      isDeleted: false,
      copies: 0,
      isUnsure: false,
    }
    this.#orders.push(order)
    this.touched.add(order)
  }

  /** A new remark, one line changed, one more, and one less where there are enough. */
  async #update(order: Order): Promise<void> {
    const stamp = await this.#loadStamp(order)
    const ids = await this.#loadLines(order)
    const [changed, ...others] = [...order.lines.keys()]
    const removed = others.length > 1 ? others.at(-1) : undefined
    const added = Math.max(...order.lines.keys()) + 1
    const quantity = (order.lines.get(changed ?? 0) ?? 0) + 1
    const lines = new Map(order.lines).set(changed ?? 0, quantity).set(added, added)
    if (removed !== undefined) lines.delete(removed)
    const remark = `${order.reference} ${this.#random.int(0, 1e9)}`
    const body = {
      FormName: 'orders',
      Parameters: { Id: order.id, RowVersion: stamp, Remark: remark },
      Details: {
        Lines: {
          Upsert: [
            { Id: ids.get(changed ?? 0), Quantity: quantity },
            { LineNumber: added, ProductId: this.#product(order.first + added), Quantity: added },
          ],
          Delete: removed === undefined ? [] : [{ Id: ids.get(removed) }],
        },
      },
    }
    const expects = {
      'Order update': 1,
      'OrderLine update': 1,
      'OrderLine insert': 1,
      ...(removed !== undefined && { 'OrderLine delete': 1 }),
    }
    await this.#change(order, 'update', expects, ROUTES.submit, body, () => {
      order.remark = remark
      order.lines = lines
    })
  }

  async #delete(order: Order): Promise<void> {
    const stamp = await this.#loadStamp(order)
    const body = { ObjectName: 'orders', Parameters: { Id: order.id }, RowVersion: stamp }
    const expects = { 'Order delete': 1, 'OrderLine delete': order.lines.size }
    await this.#change(order, 'delete', expects, ROUTES.delete, body, () => {
      order.isDeleted = true
    })
  }

  async #act(order: Order): Promise<void> {
    const run = async (
      name: string,
      expects: Record<string, number>,
      done: () => void,
      more: object = {},
    ): Promise<void> => {
      const parameters = { Id: order.id, ...more }
      const body = { ObjectName: 'orders', ActionName: name, Parameters: parameters }
      const traces = { ...expects, 'Order action': 1 }
      await this.#change(order, name, traces, ROUTES.action, body, done)
    }
    const lines = order.lines.size
    if (this.#random.chance(0.4)) {
      const expects = { 'Order insert': 1, 'OrderLine insert': lines }
      await run('Copy', expects, () => {
        order.copies++
      })
    } else if (!this.#trader.isManager || this.#random.chance(0.3)) {
      const cancel = (): void => {
        order.status = 'cancelled'
        order.remark = 'mistake'
      }
      await run('Cancel', { 'Order update': 1 }, cancel, { Reason: 'mistake' })
    } else {
      await run('Approve', { 'Order update': 1 }, () => (order.status = 'approved'))
      if (order.status !== 'approved') return
      const moves = { 'Order update': 1, 'StockMovement insert': lines, 'Product update': lines }
      await run('Ship', moves, () => (order.status = 'shipped'))
    }
  }

  /** Goods come in: two statements, on rows that other clients write too. */
  async #receive(): Promise<void> {
    const body = {
      ObjectName: 'products',
      ActionName: 'Receive',
      Parameters: {
        Id: this.#product(this.#random.int(0, 5)),
        Quantity: this.#random.int(1, 50),
      },
    }
    const expects = { 'StockMovement insert': 1, 'Product update': 1, 'Product action': 1 }
    await this.#ledger.note('Receive', expects, (trace) =>
      this.#api.send(ROUTES.action, body, { token: this.#trader.token, trace }),
    )
  }

  async #change(
    order: Order,
    what: string,
    expects: Record<string, number>,
    path: string,
    body: object,
    done: () => void,
  ): Promise<void> {
    this.touched.add(order)
    order.isUnsure = true
    const answer: Answer<unknown> = await this.#ledger.note(what, expects, (trace) =>
      this.#api.send(path, body, { token: this.#trader.token, trace }),
    )
    order.isUnsure = false
    if (answer.status === 200) done()
  }

  async #loadStamp(order: Order): Promise<string> {
    const { token } = this.#trader
    type Form = { Values: { RowVersion: string } }
    const request = { Parameters: { Id: order.id } }
    const { status, body } = await this.#api.send<Form>(ROUTES.form, request, { token })
    if (status !== 200) throw new Error(`The form of ${order.reference}: ${JSON.stringify(body)}`)
    return body.data.Values.RowVersion
  }

  /** Ids of an order's lines by line number. */
  async #loadLines(order: Order): Promise<Map<number, number>> {
    const filter = { Field: 'OrderId', Operator: 'eq', Value: order.id }
    const request = { Filters: [filter], CountMode: 'none' }
    const rows = await this.#api.loadRows<{ Id: number; LineNumber: number }>(
      this.#trader.token,
      'OrderLines',
      request,
    )
    return new Map(rows.map((row) => [row.LineNumber, row.Id]))
  }

  #product(at: number): number {
    const { products } = this.#trader
    return products[at % products.length] ?? 0
  }

  #customer(): number {
    const { customers } = this.#trader
    return customers[this.#random.int(0, customers.length - 1)] ?? 0
  }
}
