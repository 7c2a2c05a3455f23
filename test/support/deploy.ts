/** Deploys of small models into a database file of their own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../src/store/file/open.ts'
import type { SqlRow } from '../../src/store/sql.ts'
import type { Store } from '../../src/store/store.ts'
import { emptyModel } from '../../src/model/compile/compile.ts'
import { CurrentModel } from '../../src/model/current.ts'
import { type Deployment, deployModel } from '../../src/model/deploy/deploy.ts'
import type { DeployOptions } from '../../src/model/deploy/plan.ts'

/** The time of every deploy. */
export const NOW = '2026-03-04T05:06:07.000Z'

/** A store in a folder that goes with it. */
export class DeployTarget implements AsyncDisposable {
  readonly models = new CurrentModel(emptyModel())
  readonly store: Store
  readonly #folder: string | undefined

  private constructor(store: Store, folder: string | undefined) {
    this.store = store
    this.#folder = folder
  }

  /** In a folder of its own, or in one that stays. */
  static async open(given?: string): Promise<DeployTarget> {
    const folder = given ?? mkdtempSync(join(tmpdir(), 'deploy-'))
    const limits = { readTimeoutMs: 30_000, writeTimeoutMs: 3_000, writerMaxWaitMs: 10_000 }
    const file = join(folder, 'engine.db')
    const store = await openStore({ file, migrations: 'engine', lanes: 1, limits })
    return new DeployTarget(store, given === undefined ? folder : undefined)
  }

  /** Deploys bodies by their file names. */
  deploy(files: Record<string, string>, options: DeployOptions = {}): Promise<Deployment> {
    const list = Object.entries(files).map(([name, body]) => ({ name, body }))
    return deployModel(this.store, this.models, list, options, { now: () => new Date(NOW) })
  }

  /** Runs statements as engine work. */
  run(...statements: string[]): Promise<void> {
    return this.store.write(
      async (tx) => {
        for (const sql of statements) await tx.run(sql)
      },
      { company: 'all', because: 'a test' },
    )
  }

  rows(sql: string): Promise<SqlRow[]> {
    return this.store.all({ sql, args: {}, runs: 'inline' })
  }

  /** Everything that the file holds: schema and rows. */
  async dump(): Promise<string> {
    const schema = await this.rows('SELECT name, type, sql FROM sqlite_schema ORDER BY name')
    const tables = schema.filter((row) => row.type === 'table').map((row) => String(row.name))
    const rows: SqlRow[][] = []
    for (const table of tables) rows.push(await this.rows(`SELECT * FROM "${table}"`))
    return JSON.stringify({ schema, rows })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close()
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
  }
}
