/** Orders that one user enters, changes and reads again, while anything may fail. */
import type { Random } from '../../data/demo/random.ts'
import { type Answer, type Api, type Page, ROUTES } from './api.ts'
import type { Trader } from './client.ts'
import { readDatabase } from './database.ts'

/** An acknowledged state of an order. */
export interface Acked {
  reference: string
  remark: string
  /** When the answer was here, in milliseconds since 1970, rounded up. */
  at: number
}

interface Order {
  id: number
  stamp: string
  reference: string
  remark: string
  /** Remarks of changes that were not acknowledged, any of which may hold. */
  unsure: string[]
}

interface Saved {
  Keys: { Id: number }
  RowVersion: string
}

interface Form {
  Values: { Remark: string | null }
}

/** A refusal for the disk's sake, in the envelope. */
const REFUSAL =
  /^503 \{"success":false,"error":"[^"]+","code":"[A-Z_]+","traceId":"[0-9a-f]{32}"\}$/

/** The code of a refusal behind a COMMIT, which may have gone through. */
const UNKNOWN = 'OUTCOME_UNKNOWN'

/** One user at work; each order is this one's alone, so that every answer can be judged. */
export class OrderLoad {
  readonly acked: Acked[] = []
  readonly faults: string[] = []
  refused = 0
  /** Refusals that say that the write may be there. */
  unknown = 0
  reads = 0
  readonly #parts: { api: Api; trader: Trader; random: Random; prefix: string }
  /** References of orders whose creation was refused: none of them may be there. */
  readonly #absent: string[] = []
  #orders: Order[] = []
  #count = 0

  constructor(parts: { api: Api; trader: Trader; random: Random; prefix: string }) {
    this.#parts = parts
  }

  /** Works until `isOver`; throws NoAnswer when the server is gone. */
  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.step()
  }

  /** One request; whether it was served. */
  async step(): Promise<boolean> {
    const { random } = this.#parts
    const order = this.#orders[random.int(0, Math.max(0, this.#orders.length - 1))]
    const roll = random.next()
    if (order === undefined || roll < 0.4) return this.#create()
    return roll < 0.7 ? this.#update(order) : this.#read(order)
  }

  /**
   * Compares the file of a disk that stood still at some time, in milliseconds since 1970, with the
   * writes acknowledged until then.
   */
  checkImage(folder: string, stoodAt: number): string[] {
    const acked = Map.groupBy(this.acked, ({ reference }) => reference)
    return readDatabase(folder, 'engine', (database) => {
      const find = database.query('SELECT Remark FROM orders WHERE Reference = ?')
      return [...acked].flatMap(([reference, states]) => {
        const sure = states.filter(({ at }) => at <= stoodAt)
        const later = this.#orders.find((order) => order.reference === reference)?.unsure ?? []
        const possible = [...states.slice(Math.max(0, sure.length - 1)), ...later]
        const remarks = find.values(reference).map(([value]) => String(value))
        if (sure.length === 0 && remarks.length === 0) return []
        const names = possible.map((state) => (typeof state === 'string' ? state : state.remark))
        if (remarks.length === 1 && names.includes(remarks[0] ?? '')) return []
        return [`${reference} is ${remarks.join()}, acknowledged was ${sure.at(-1)?.remark}`]
      })
    })
  }

  /** Compares the file with the acknowledged writes, as sentences. */
  checkFile(folder: string): string[] {
    return readDatabase(folder, 'engine', (database) => {
      const find = database.query('SELECT Remark FROM orders WHERE Reference = ?')
      const stored = this.#absent.filter((reference) => find.values(reference).length > 0)
      const wrong = this.#orders.flatMap(({ reference, remark, unsure }) => {
        const remarks = find.values(reference).map(([value]) => String(value))
        const isRight = remarks.length === 1 && [remark, ...unsure].includes(remarks[0] ?? '')
        return isRight ? [] : [`${reference} is ${remarks.join()}, acknowledged was ${remark}`]
      })
      return [...wrong, ...stored.map((reference) => `${reference} was refused, and is stored`)]
    })
  }

  async #create(): Promise<boolean> {
    const { trader, random, prefix } = this.#parts
    const reference = `${prefix}-${++this.#count}`
    const lines = [0, 1].map((at) => ({
      LineNumber: at + 1,
      ProductId: trader.products[(this.#count + at) % trader.products.length],
      Quantity: 1 + at,
    }))
    const customer = trader.customers[random.int(0, trader.customers.length - 1)]
    const answer = await this.#submit(
      { CustomerId: customer, Reference: reference, Remark: 'new' },
      { Details: { Lines: { Upsert: lines } } },
    )
    if (!this.#isServed(answer)) {
      if (answer.body.code !== UNKNOWN) this.#absent.push(reference)
      return false
    }
    const { Keys, RowVersion } = answer.body.data
    this.#orders.push({ id: Keys.Id, stamp: RowVersion, reference, remark: 'new', unsure: [] })
    this.acked.push({ reference, remark: 'new', at: Date.now() + 1 })
    return true
  }

  async #update(order: Order): Promise<boolean> {
    const remark = `${order.reference} ${this.#parts.random.int(0, 1e9)}`
    order.unsure.push(remark)
    const parameters = { Id: order.id, RowVersion: order.stamp, Remark: remark }
    const answer = await this.#submit(parameters)
    if (order.unsure.length > 1 && answer.status === 409) {
      // A change that was refused was done after all; its stamp is another one.
      this.#orders = this.#orders.filter((other) => other !== order)
      return true
    }
    if (!this.#isServed(answer)) {
      if (answer.body.code !== UNKNOWN) order.unsure.pop()
      return false
    }
    Object.assign(order, { remark, stamp: answer.body.data.RowVersion, unsure: [] })
    this.acked.push({ reference: order.reference, remark, at: Date.now() + 1 })
    return true
  }

  /** An answer without the order, or with another remark, is a fault; a refusal is none. */
  async #read(order: Order): Promise<boolean> {
    const { api, trader } = this.#parts
    const filter = { Field: 'Reference', Operator: 'eq', Value: order.reference }
    const { token } = trader
    const path = '/api/v1/svc/object/orders/table'
    const page = await api.send<Page<object>>(path, { Filters: [filter] }, { token })
    const request = { Parameters: { Id: order.id } }
    const form = await api.send<Form>(ROUTES.form, request, { token })
    if (!this.#isServed(page) || !this.#isServed(form)) return false
    this.reads++
    const rows = `${page.body.data.Rows.length} of ${page.body.data.Pagination.TotalRows} rows`
    const remark = form.body.data.Values.Remark ?? ''
    if (rows !== '1 of 1 rows' || ![order.remark, ...order.unsure].includes(remark))
      this.faults.push(
        `read ${order.reference}: ${rows}, remark ${remark}, acknowledged was ${order.remark}`,
      )
    return true
  }

  #submit(parameters: object, more: object = {}): Promise<Answer<Saved>> {
    const { api, trader } = this.#parts
    const body = { FormName: 'orders', Parameters: parameters, ...more }
    return api.send<Saved>(ROUTES.submit, body, { token: trader.token })
  }

  #isServed(answer: Answer<unknown>): boolean {
    if (answer.status === 200) return true
    const told = `${answer.status} ${JSON.stringify(answer.body)}`
    if (!REFUSAL.test(told)) this.faults.push(`answered ${told}`)
    this.refused++
    if (answer.body.code === UNKNOWN) this.unknown++
    return false
  }
}
