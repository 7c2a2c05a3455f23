/**
 * Grows the demo to any size: `bun scripts/grow.ts --data DIR --orders 200000`. An empty folder
 * gets the demo first. The server must not be running. The same number gives the same data.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../src/kernel/clock.ts'
import { createLog } from '../src/kernel/log.ts'
import { lockDataFolder } from '../src/store/file/lock.ts'
import { openStore } from '../src/store/file/open.ts'
import type { Store } from '../src/store/store.ts'
import { openContext } from '../src/server/open-context.ts'
import { configure } from '../src/app.ts'
import { prepareDemo } from '../src/commands/demo.ts'
import { countCustomers, growCustomers, growOrders } from '../data/demo/seed.ts'

/** Orders a transaction: few enough that its log stays small. */
const BATCH = 10_000

const LIMITS = { readTimeoutMs: 60_000, writeTimeoutMs: 60_000, writerMaxWaitMs: 60_000 }

/** Fills the folder with the demo where it is empty, then adds orders until there are so many. */
export async function growDemo(folder: string, orders: number): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = await lockDataFolder(folder)
  try {
    await fillDemo(folder)
    // Without the watch of the model's tables: what grows is neither logged nor audited.
    const store = await openStore({
      file: join(folder, 'engine.db'),
      migrations: 'engine',
      lanes: 1,
      limits: LIMITS,
    })
    try {
      await grow(store, orders)
    } finally {
      await store.close()
    }
  } finally {
    lock.release()
  }
}

async function fillDemo(folder: string): Promise<void> {
  const settings = configure({ dataFolder: folder, environment: 'Development' })
  const log = createLog(systemClock)
  const context = await openContext({ folder, settings, clock: systemClock, log })
  try {
    await prepareDemo(context)
  } finally {
    await context.close()
  }
}

async function grow(store: Store, orders: number): Promise<void> {
  const all = { company: 'all', because: 'a data set for the bench' } as const
  const customers = await count(store, 'customers')
  await store.write((tx) => growCustomers(tx, customers, countCustomers(orders)), all)
  for (let at = await count(store, 'orders'); at < orders; at += BATCH) {
    const to = Math.min(orders, at + BATCH)
    await store.write((tx) => growOrders(tx, at, to), all)
    process.stderr.write(`${to} orders\n`)
  }
}

async function count(store: Store, table: 'customers' | 'orders'): Promise<number> {
  const sql = `SELECT count(*) FROM main.${table}`
  return Number(await store.text({ sql, args: {}, runs: 'inline' }))
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { data: { type: 'string' }, orders: { type: 'string' } },
  })
  const orders = Number(values.orders)
  if (!values.data || !Number.isSafeInteger(orders) || orders < 0) {
    process.stderr.write('Usage: bun scripts/grow.ts --data DIR --orders N\n')
    process.exit(2)
  }
  await growDemo(resolve(values.data), orders)
}
