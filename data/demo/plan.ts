/** What the seed data are, as values: pure, and the same for the same numbers. */
import { Random } from './random.ts'
import {
  CREDIT_LIMITS,
  FIRM_FIRST,
  FIRM_FORM,
  FIRM_TRADE,
  RANGES,
  REGIONS,
  REMARKS,
} from './words.ts'

/** The last day on which the demo's orders were made; they reach three years back. */
export const LAST_DAY = '2026-10-31'

const DAYS = 3 * 365
const DAY_MS = 86_400_000
const LAST_MS = Date.parse(`${LAST_DAY}T00:00:00.000Z`)

/** Which company an order belongs to, by the last digit of its number: half are NORTH's. */
const SHARES = [0, 1, 0, 2, 0, 1, 0, 2, 0, 1] as const

export interface PlannedCustomer {
  name: string
  region: string
  email: string
  phone: string
  creditLimit: number
  paymentDays: number
  active: number
  /** For the choice of a city, from 0 to 1. */
  place: number
}

/** The customer of this number, from 1. */
export function planCustomer(number: number): PlannedCustomer {
  const random = new Random(number * 3 + 1)
  const first = random.pick(FIRM_FIRST)
  const name = `${first} ${random.pick(FIRM_TRADE)} ${random.pick(FIRM_FORM)}`
  const host = `${first.toLowerCase()}-${number}.example`
  return {
    name,
    region: random.pick(REGIONS),
    email: `office@${host}`,
    phone: `+49 30 ${String(random.int(1000000, 9999999))}`,
    creditLimit: random.pick(CREDIT_LIMITS),
    paymentDays: random.pick([14, 30, 30, 45, 60]),
    active: random.chance(0.95) ? 1 : 0,
    place: random.next(),
  }
}

export interface PlannedProduct {
  sku: string
  name: string
  group: string
  price: number
  cost: number
  reorderLevel: number
  active: number
  listedOn: string
  /** Pieces of its first receipt. */
  received: number
}

/** The product of this number, from 1. */
export function planProduct(number: number): PlannedProduct {
  const random = new Random(number * 3 + 2)
  const range = random.pick(RANGES)
  const cents = random.int(...range.cents)
  return {
    sku: `${range.prefix}-${String(number).padStart(4, '0')}`,
    name: `${random.pick(range.things)}, ${random.pick(range.sizes)}`,
    group: range.group,
    price: cents / 100,
    cost: Math.round(cents * (0.5 + random.next() * 0.25)) / 100,
    reorderLevel: random.pick([10, 25, 50, 100]),
    active: number % 20 === 7 ? 0 : 1,
    listedOn: dayBefore(random.int(DAYS, DAYS + 900)),
    received: random.chance(0.15) ? random.int(20, 60) : random.int(400, 2000),
  }
}

export interface PlannedLine {
  /** For the choice of a product, from 0 to 1. */
  product: number
  quantity: number
  discount: number
}

export interface PlannedOrder {
  /** 0, 1 or 2. */
  company: number
  /** For the choice of a customer, from 0 to 1. */
  customer: number
  orderedAt: string
  dueOn: string
  status: 'new' | 'approved' | 'shipped' | 'cancelled'
  reference: string | null
  remark: string | null
  lines: PlannedLine[]
}

/** The order of this number, from 0. */
export function planOrder(number: number): PlannedOrder {
  const random = new Random(number * 3 + 3)
  const age = Math.floor(random.next() ** 1.3 * DAYS)
  const orderedAt = new Date(LAST_MS - age * DAY_MS + random.int(7 * 3600, 18 * 3600) * 1000)
  const status = planStatus(random, age)
  return {
    company: SHARES[number % 10] ?? 0,
    customer: random.next(),
    orderedAt: orderedAt.toISOString(),
    dueOn: dayBefore(age - random.int(7, 28)),
    status,
    reference: random.chance(0.6) ? `PO ${random.int(10000, 99999)}` : null,
    remark: planRemark(random, status),
    lines: planLines(random),
  }
}

function planStatus(random: Random, age: number): PlannedOrder['status'] {
  const roll = random.next()
  if (age < 30) return roll < 0.5 ? 'new' : roll < 0.85 ? 'approved' : 'shipped'
  if (roll < 0.9) return 'shipped'
  return roll < 0.97 ? 'cancelled' : roll < 0.99 ? 'approved' : 'new'
}

function planRemark(random: Random, status: PlannedOrder['status']): string | null {
  if (status === 'cancelled') return random.pick(['customer', 'stock', 'mistake'])
  return random.chance(0.2) ? random.pick(REMARKS) : null
}

function planLines(random: Random): PlannedLine[] {
  return Array.from({ length: random.int(1, 4) }, () => ({
    product: random.next(),
    quantity: random.int(1, 20),
    discount: random.chance(0.2) ? random.pick([2.5, 5, 10]) : 0,
  }))
}

function dayBefore(days: number): string {
  return new Date(LAST_MS - days * DAY_MS).toISOString().slice(0, 10)
}
