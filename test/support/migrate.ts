/** Migrations of a database in memory, without the store: what the planner's SQL does by itself. */
import { expect } from 'bun:test'
import Database from 'libsql'
import type { SqlRead, SqlRow } from '../../src/store/sql.ts'
import type { Reader } from '../../src/store/store.ts'
import type { Entity } from '../../src/model/compiled/entity.ts'
import { planMigration } from '../../src/model/migrate/migration.ts'
import { runSteps } from '../../src/model/migrate/step.ts'
import { loadStoredSchema, planSchemaFact } from '../../src/model/migrate/stored-schema.ts'
import type { Diagnostic } from '../../src/model/parse/element.ts'
import { columnOf, entitiesOf, entityOf, identity } from './entities.ts'

export interface Outcome {
  /** The texts of the steps. */
  steps: string[]
  losses: string[]
  faults: string[]
}

export class Migrated {
  readonly db = new Database(':memory:')
  #fact: string | undefined

  constructor() {
    this.db.exec('CREATE TABLE svc_users (Id INTEGER PRIMARY KEY AUTOINCREMENT)')
    this.db.exec('CREATE TABLE svc_companies (Id INTEGER PRIMARY KEY AUTOINCREMENT)')
  }

  /** Plans, asks, and runs the steps when nothing stands against it. */
  async migrate(entities: readonly Entity[], allowDataLoss = false): Promise<Outcome> {
    const stored = await loadStoredSchema(this.#fact, this.#reader)
    const migration = await planMigration(stored.tables, entitiesOf(...entities), NO_WRITES)
    const faults = migration.faults.map((fault: Diagnostic) => fault.message)
    const losses: string[] = []
    for (const probe of faults.length > 0 ? [] : migration.probes) {
      const count = Number((await this.ask(probe.sql))[0]?.n)
      if (count > 0) (probe.kind === 'fault' ? faults : losses).push(probe.describe(count))
    }
    const steps = migration.steps.flatMap(({ text }) => (text === '' ? [] : text))
    if (faults.length > 0 || (losses.length > 0 && !allowDataLoss)) return { steps, losses, faults }
    this.db.exec('PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE')
    await runSteps(this.#tx, migration.steps)
    this.#fact = await planSchemaFact(migration.schema, this.#reader)
    this.db.exec('COMMIT; PRAGMA foreign_keys = ON')
    return { steps, losses, faults }
  }

  readonly ask = async (sql: string): Promise<SqlRow[]> => this.db.prepare(sql).all().filter(isRow)

  readonly #reader: Pick<Reader, 'all'> = {
    all: async <R extends SqlRow>(read: SqlRead | string) =>
      (await this.ask(typeof read === 'string' ? read : read.sql)) as R[],
  }

  /** Rows as arrays of cells. */
  rows(sql: string): unknown[] {
    return this.db.prepare(sql).raw(true).all()
  }

  readonly #tx = {
    get: async (sql: string): Promise<SqlRow | undefined> => (await this.ask(sql))[0],
    run: async (sql: string): Promise<number> => this.db.prepare(sql).run().changes,
  }
}

const isRow = (row: unknown): row is SqlRow => typeof row === 'object' && row !== null

const NO_WRITES = { hasMigrations: false, rows: new Map() }

/** One migration: what was stored, what is wanted, and what comes of it. */
export interface Scenario {
  name: string
  before: Entity[]
  seed: string
  after: Entity[]
  allowDataLoss?: boolean
  steps?: string[]
  losses?: string[]
  faults?: string[]
  /** The rows of a SELECT after the migration. */
  rows?: [string, unknown[]]
}

/** Migrates to `before`, seeds, migrates to `after`; what ran has nothing more to do. */
export async function runScenario(scenario: Scenario): Promise<void> {
  const database = new Migrated()
  await database.migrate(scenario.before)
  database.db.exec(scenario.seed)
  const outcome = await database.migrate(scenario.after, scenario.allowDataLoss)
  expect(outcome.faults).toEqual(scenario.faults ?? [])
  expect(outcome.losses).toEqual(scenario.losses ?? [])
  if (scenario.steps) expect(outcome.steps).toEqual(scenario.steps)
  if (scenario.rows) expect(database.rows(scenario.rows[0])).toEqual(scenario.rows[1])
  if (outcome.faults.length > 0) return
  if (outcome.losses.length > 0 && !scenario.allowDataLoss) return
  expect((await database.migrate(scenario.after)).steps).toEqual([])
}

/** An entity Thing with a number as its key and these columns. */
export const thing = (...columns: Parameters<typeof columnOf>[]): Entity =>
  entityOf('Thing', 'things', [identity(), ...columns.map((column) => columnOf(...column))])
