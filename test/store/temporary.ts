/** A store in a folder of its own under the system's temporary one, gone after the test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../src/store/file/open.ts'
import type { StoreLimits } from '../../src/store/limits.ts'
import type { SqlArgs, SqlRow } from '../../src/store/sql.ts'
import type { Store, Tx, WatchedTable } from '../../src/store/store.ts'

export const ALL = { company: 'all', because: 'a test' } as const

export const LIMITS: StoreLimits = {
  readTimeoutMs: 10_000,
  writeTimeoutMs: 10_000,
  writerMaxWaitMs: 60_000,
}

/** Runs for ever. */
export const ENDLESS =
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) AS n FROM r'

export interface Temporary extends AsyncDisposable {
  store: Store
  file: string
  folder: string
}

export function makeFolder(): { folder: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'store-test-'))
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

export async function openTemporary(limits: Partial<StoreLimits> = {}): Promise<Temporary> {
  const made = makeFolder()
  const file = join(made.folder, 'engine.db')
  const store = await openFile(file, limits)
  return {
    store,
    file,
    folder: made.folder,
    async [Symbol.asyncDispose]() {
      await store.close()
      made[Symbol.dispose]()
    },
  }
}

export const openFile = (file: string, limits: Partial<StoreLimits> = {}): Promise<Store> =>
  openStore({ file, migrations: 'engine', lanes: 3, limits: { ...LIMITS, ...limits } })

/**
 * Customers and orders of companies 1 and 2; deleting a customer deletes its orders and their
 * lines.
 */
export async function openShop(limits: Partial<StoreLimits> = {}): Promise<Temporary> {
  const temporary = await openTemporary(limits)
  const { store } = temporary
  await store.migrate(async (tx) => {
    for (const sql of SHOP) await tx.run(sql)
  })
  await store.watch(SHOP_WATCH)
  return temporary
}

const SHOP = [
  `CREATE TABLE customers (Id INTEGER PRIMARY KEY, Name TEXT NOT NULL, CompanyId INTEGER NOT NULL,
     UNIQUE (CompanyId, Name))`,
  `CREATE TABLE orders (Id INTEGER PRIMARY KEY, Number TEXT, CompanyId INTEGER NOT NULL,
     CustomerId INTEGER REFERENCES customers (Id) ON DELETE CASCADE, Total REAL, Picture BLOB,
     CHECK (Total IS NULL OR Total >= 0))`,
  `CREATE TABLE order_lines (OrderId INTEGER NOT NULL REFERENCES orders (Id) ON DELETE CASCADE,
     Line INTEGER NOT NULL, Text TEXT, PRIMARY KEY (OrderId, Line))`,
  `INSERT INTO customers VALUES (1, 'Oak', 1), (2, 'Elm', 1), (3, 'Ash', 2)`,
  `INSERT INTO orders (Id, Number, CompanyId, CustomerId, Total) VALUES
     (1, 'A1', 1, 1, 0.1), (2, 'A2', 1, 2, 0.2), (3, 'B1', 2, 3, 0.3)`,
  `INSERT INTO order_lines VALUES (1, 1, 'first'), (1, 2, 'second'), (3, 1, 'other')`,
]

export const SHOP_WATCH: WatchedTable[] = [
  {
    entity: 'Customer',
    table: 'customers',
    keys: ['Id'],
    columns: ['Id', 'Name', 'CompanyId'],
    company: 'CompanyId',
    references: [],
  },
  {
    entity: 'Order',
    table: 'orders',
    keys: ['Id'],
    columns: ['Id', 'Number', 'CompanyId', 'CustomerId', 'Total', 'Picture'],
    company: 'CompanyId',
    references: [{ column: 'CustomerId', table: 'customers', key: 'Id', company: 'CompanyId' }],
  },
  {
    entity: 'OrderLine',
    table: 'order_lines',
    keys: ['OrderId', 'Line'],
    columns: ['OrderId', 'Line', 'Text'],
    company: undefined,
    references: [],
  },
]

/** Rows of the last commit. */
export const rows = (store: Store, sql: string, args: SqlArgs = {}): Promise<SqlRow[]> =>
  store.all({ sql, args, runs: 'inline' })

/** The tables that a write of all companies touched. */
export const touch = (
  store: Store,
  work: (tx: Tx) => Promise<unknown>,
): Promise<Awaited<ReturnType<Tx['takeChangeLog']>>> =>
  store.write(async (tx) => {
    await work(tx)
    return tx.takeChangeLog()
  }, ALL)

/** The failure of a promise that must fail. */
export async function failureOf(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error) return { ...error, message: error.message }
    throw error
  }
  throw new Error('It did not fail')
}
