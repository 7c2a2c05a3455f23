/** A database with two companies beside a canary file: what passes the gate runs here, watched. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { composeDml, composeRead } from '../../src/store/gate/compose.ts'
import type { GateFacts } from '../../src/store/gate/facts.ts'
import { ENGINE_DDL } from '../../src/model/sql/ddl.ts'

/** Tables of a model, as the engine would make them. */
export const MODEL_DDL = [
  `CREATE TABLE customers (Id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    CompanyId INTEGER NOT NULL, Code TEXT, Name TEXT, Region TEXT, Email TEXT, CreditLimit REAL, Active INTEGER) STRICT`,
  `CREATE TABLE orders (Id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, Number TEXT,
    CompanyId INTEGER NOT NULL, CustomerId INTEGER REFERENCES customers (Id), OwnerId INTEGER,
    Status TEXT, OrderedAt TEXT, DueOn TEXT, Total REAL, Cost REAL, Phone TEXT, Remark TEXT,
    Note TEXT, CountryId INTEGER, CityId INTEGER, Contract TEXT) STRICT`,
  'CREATE INDEX orders_company ON orders (CompanyId, Status)',
  'CREATE INDEX customers_company ON customers (CompanyId, Name)',
  `CREATE TABLE order_lines (Id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    OrderId INTEGER NOT NULL REFERENCES orders (Id) ON DELETE CASCADE, Quantity INTEGER, Price REAL)
    STRICT`,
  'CREATE TABLE cities (Id INTEGER PRIMARY KEY, Name TEXT, CountryId INTEGER) STRICT',
]

/** Parts of the scratch database of a gate. */
export const GATE_DDL = [...ENGINE_DDL, ...MODEL_DDL]

/** Stands in every row that company 1 may not see, and in the canary file. */
export const SECRET = 'HIDDEN-7f3a'

const ROWS = [
  `INSERT INTO customers (Id, CompanyId, Name) VALUES (1, 1, 'own'), (2, 2, '${SECRET}')`,
  `INSERT INTO orders (Id, Number, CompanyId, CustomerId, Status)
    VALUES (1, 'A', 1, 1, 'new'), (2, '${SECRET}', 2, 2, '${SECRET}')`,
  'INSERT INTO order_lines (OrderId, Quantity, Price) VALUES (1, 2, 3)',
  "INSERT INTO cities (Id, Name, CountryId) VALUES (1, 'Town', 1)",
  `INSERT INTO svc_users (Id, UserName, DisplayName, Active, PasswordHash)
    VALUES (1, 'own', 'Own', 1, '${SECRET}'), (2, '${SECRET}', '${SECRET}', 1, '${SECRET}')`,
  `INSERT INTO svc_companies VALUES (1, 'ONE', 'One', 'UTC'), (2, '${SECRET}', '${SECRET}', 'UTC')`,
  `INSERT INTO svc_user_roles VALUES (1, 'Clerk', 1), (2, '${SECRET}', 2), (2, '${SECRET}', NULL)`,
  'INSERT INTO svc_user_companies VALUES (1, 1), (2, 2)',
  `INSERT INTO svc_keys VALUES ('${SECRET}')`,
]

/** The store's guard of the targets of writes, in short. */
const GUARDS = ['orders', 'customers'].flatMap((table) => [
  ...['UPDATE', 'DELETE'].map(
    (verb) => `CREATE TEMP TRIGGER guard_${table}_${verb} BEFORE ${verb} ON main.${table}
      WHEN OLD.CompanyId IS NOT 1 BEGIN SELECT RAISE(IGNORE); END`,
  ),
  ...['INSERT', 'UPDATE'].map(
    (verb) => `CREATE TEMP TRIGGER hold_${table}_${verb} BEFORE ${verb} ON main.${table}
      WHEN NEW.CompanyId IS NOT 1 BEGIN SELECT RAISE(ABORT, 'company'); END`,
  ),
])

const TABLES = [
  ...['customers', 'orders', 'order_lines', 'cities'],
  ...['svc_users', 'svc_companies', 'svc_user_roles', 'svc_user_companies', 'svc_keys'],
]

export class Jail {
  readonly #folder = mkdtempSync(join(tmpdir(), 'gate-jail-'))
  readonly canary = join(this.#folder, 'canary.txt')
  readonly #db: Database.Database
  readonly #before: string

  constructor() {
    writeFileSync(this.canary, SECRET)
    this.#db = new Database(join(this.#folder, 'jail.db'))
    const ddl = [
      ...GATE_DDL,
      'ALTER TABLE svc_users ADD COLUMN PasswordHash TEXT',
      'CREATE TABLE svc_keys (PrivateJwk TEXT)',
      ...ROWS,
      ...GUARDS,
    ]
    for (const statement of ddl) this.#db.exec(statement)
    this.#before = this.#dump()
  }

  /** Runs an accepted statement behind its shadows and undoes it; returns what came of it. */
  run(text: string, facts: GateFacts, head: string): { result: string; harm: string[] } {
    const sql =
      facts.writes.length > 0 ? composeDml(head, text, facts.withAt) : composeRead(head, text)
    this.#db.exec('BEGIN')
    try {
      const result = JSON.stringify(this.#runOnce(sql))
      return { result, harm: [...this.#findHarm(withChildren(facts.writes)), ...findLeak(result)] }
    } finally {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
    }
  }

  close(): void {
    this.#db.close()
    rmSync(this.#folder, { recursive: true })
  }

  #runOnce(sql: string): unknown {
    const args = { CurrentCompanyId: 1, Id: 1 }
    try {
      return this.#db.prepare(sql).raw(true).all(args)
    } catch (error) {
      return error instanceof Error ? error.message : 'failed'
    }
  }

  /** Changes that no statement may make: to other tables, other companies' rows, files. */
  #findHarm(writes: readonly string[]): string[] {
    const harm: string[] = []
    if (readFileSync(this.canary, 'utf8') !== SECRET) harm.push('the canary file was changed')
    const files = readdirSync(this.#folder).filter((file) => !/^jail\.db(-.+)?$/.test(file))
    if (files.join() !== 'canary.txt') harm.push(`there are other files: ${files.join()}`)
    if (!this.#db.inTransaction) harm.push('the transaction was ended')
    if (this.#dump(writes) !== this.#dumpBefore(writes)) harm.push('hidden rows were changed')
    return harm
  }

  /** All rows; of tables that a statement may write only those of the other company. */
  #dump(writes: readonly string[] = []): string {
    const tables = TABLES.map((table): [string, unknown[]] => {
      const rows = this.#db.prepare(`SELECT * FROM main.${table}`).raw(true).all()
      const kept = rows.filter((row) => JSON.stringify(row).includes(SECRET))
      return [table, writes.includes(table) ? kept : rows]
    })
    return JSON.stringify([tables, this.#db.prepare('SELECT sql FROM sqlite_schema').all()])
  }

  #dumpBefore(writes: readonly string[]): string {
    if (writes.length === 0) return this.#before
    const [tables, schema] = JSON.parse(this.#before) as [[string, unknown[]][], unknown]
    const kept = tables.map(([table, rows]) => [
      table,
      writes.includes(table) ? rows.filter((row) => JSON.stringify(row).includes(SECRET)) : rows,
    ])
    return JSON.stringify([kept, schema])
  }
}

/** The lines of an order go with it. */
const withChildren = (writes: readonly string[]): readonly string[] =>
  writes.includes('orders') ? [...writes, 'order_lines'] : writes

const findLeak = (result: string): string[] =>
  result.includes(SECRET) ? [`it read what is hidden: ${result}`] : []
