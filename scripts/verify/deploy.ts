/**
 * `kill -9` during a deploy that rebuilds tables, and during its rollback: the old model or the new
 * one, not a mixture.
 */
import { Database } from 'bun:sqlite'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitForCommit } from './commit-moment.ts'
import { inspectFolder, readDatabase } from './database.ts'
import { runToEnd, ServerProcess } from './process.ts'
import { type Bench, printFigures, type Report } from './report.ts'

const SHELVES = 200
const ITEMS = 20_000

/**
 * Columns come, go, move and change their type; tables under a cascading reference are rebuilt, and
 * follow its new key; a column is filled by query, and a migration runs.
 */
const MODELS = {
  old: `<Model>
  <Entity Name="Shelf" Table="shelves" Display="Code">
    <Column Name="Code" Type="Text" Key="true"/>
    <Column Name="Aisle" Type="Text"/>
  </Entity>
  <Entity Name="Item" Table="items" Display="Name">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="ShelfId" References="Shelf" Required="true" OnDelete="Cascade"/>
    <Column Name="Name" Type="Text" Was="Title" Required="true"/>
    <Column Name="Weight" Type="Integer" Required="true"/>
  </Entity>
  <Entity Name="Unit" Table="units"><Column Name="Code" Type="Text" Key="true"/></Entity>
  <ObjectView Name="Items" Entity="Item"/>
  <Rows Entity="Unit" Key="Code"><Row Code="kg"/></Rows>
</Model>`,
  new: `<Model>
  <Entity Name="Shelf" Table="shelves" Display="Code">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="Code" Type="Text" Required="true" Unique="true"/>
  </Entity>
  <Entity Name="Item" Table="items" Display="Title">
    <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
    <Column Name="ShelfId" References="Shelf" Required="true" OnDelete="Restrict"/>
    <Column Name="Title" Type="Text" Was="Name" Required="true"/>
    <Column Name="Weight" Type="Decimal" Required="true"/>
    <Column Name="Grade" Type="Text" Required="true" Fill="'first'"/>
    <Column Name="Place" Type="Integer" Required="true">
      <Fill>SELECT count(*) FROM units u WHERE u.Label &lt; @Name</Fill></Column>
    <Index Columns="Grade Weight"/>
  </Entity>
  <Entity Name="Unit" Table="units">
    <Column Name="Code" Type="Text" Key="true"/>
    <Column Name="Label" Type="Text"/>
  </Entity>
  <Entity Name="Bin" Table="bins"><Column Name="Id" Type="Integer" Key="true"/></Entity>
  <ObjectView Name="Items" Entity="Item" Label="Articles"/>
  <Migration Name="Tidy">
    <Sql>UPDATE items SET Grade = 'second' WHERE Weight &lt; 7</Sql>
  </Migration>
  <Rows Entity="Unit" Key="Code"><Row Code="kg" Label="Kilogram"/><Row Code="t" Label="Ton"/></Rows>
</Model>`,
} as const

type Side = keyof typeof MODELS

const OTHER: Readonly<Record<Side, Side>> = { old: 'new', new: 'old' }

/** The same without a loss: `new` is rolled back. Reference rows stay, so `old` has them too. */
const LOSSLESS = {
  old: MODELS.old.replace('<Row Code="kg"/>', '$&<Row Code="t"/>'),
  new: MODELS.new.replace(
    '<Column Name="Code" Type="Text" Required="true" Unique="true"/>',
    '$&<Column Name="Aisle" Type="Text"/>',
  ),
} as const

/** Deploys back and forth over thousands of rows, each time killed first and then left alone. */
export const verifyDeploys = (bench: Bench): Promise<Report> =>
  verifySides(bench, { models: MODELS, isRolledBack: false })

/** Rolls a deploy back, each time killed first and then left alone. */
export const verifyRollbacks = (bench: Bench): Promise<Report> =>
  verifySides(bench, { models: LOSSLESS, isRolledBack: true })

/** The models of a depot, and the way from the new one to the old one. */
interface Sides {
  models: Readonly<Record<Side, string>>
  isRolledBack: boolean
}

async function verifySides(bench: Bench, sides: Sides): Promise<Report> {
  const depot = new Depot(bench, sides)
  const figures = { rounds: 0, 'still old': 0, 'already new': 0, mixed: 0, starts: 0 }
  const faults: string[] = []
  await depot.prepare()
  if (sides.isRolledBack) await depot.deploy('new')
  for (let round = 1; round <= bench.rounds; round++) {
    const from = depot.side
    await depot.killDeploy(OTHER[from], round % 2 === 0)
    const found = depot.look(OTHER[from])
    if (found.side === from) figures['still old']++
    else if (found.side === OTHER[from]) figures['already new']++
    else figures.mixed++
    const told = [...found.faults, ...(await depot.start())]
    if (found.side === undefined) told.push(`neither model: ${found.told}`)
    faults.push(...told.map((fault) => `round ${round}, from ${from}: ${fault}`))
    figures.starts++
    figures.rounds++
    await depot.deploy(OTHER[from])
    if (sides.isRolledBack) await depot.deploy('new')
  }
  return { figures: printFigures(figures), faults }
}

class Depot {
  side: Side = 'old'
  readonly #bench: Bench
  readonly #folder: string
  readonly #isRolledBack: boolean
  /** Content of the files under each model, as one text. */
  readonly #known = new Map<string, Side>()
  /** How long the way to a model takes that is left alone. */
  readonly #wholeMs = { old: 0, new: 0 }

  constructor(bench: Bench, { models, isRolledBack }: Sides) {
    this.#bench = bench
    this.#isRolledBack = isRolledBack
    this.#folder = join(bench.home, 'data')
    for (const [side, text] of Object.entries(models)) {
      mkdirSync(join(bench.home, side))
      writeFileSync(join(bench.home, side, 'depot.xml'), text)
    }
  }

  /** The old model with its rows; then both models once, for what each looks like. */
  async prepare(): Promise<void> {
    await this.deploy('old')
    const database = new Database(join(this.#folder, 'engine.db'))
    database.exec(`
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${SHELVES})
        INSERT INTO shelves (Code, Aisle) SELECT 'S-' || i, 'A' FROM n;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ITEMS})
        INSERT INTO items (ShelfId, Name, Weight)
        SELECT 'S-' || (1 + i % ${SHELVES}), 'Item ' || i, i % 97 FROM n`)
    database.close()
    const first = this.#describe()
    this.#known.set(first, 'old')
    for (const side of ['new', 'old'] as const) {
      await this.deploy(side)
      this.#known.set(this.#describe(), side)
    }
    if (this.#isRolledBack && this.#describe() !== first)
      throw new Error('the rollback left another state than the one before the deploy')
    this.#forgetMigration()
    this.#known.set(this.#describe(), 'old')
  }

  /** The next deploy of the new model runs it once more; a rollback has forgotten it itself. */
  #forgetMigration(): void {
    if (this.#isRolledBack) return
    using database = new Database(join(this.#folder, 'engine.db'))
    database.run('DELETE FROM svc_migrations')
  }

  /** Deploys to the end. Throws when it fails: after a kill, too, it must just work. */
  async deploy(side: Side): Promise<void> {
    const startedAt = performance.now()
    const end = await runToEnd(this.#command(side))
    this.#wholeMs[side] = performance.now() - startedAt
    if (end.exitCode !== 0) throw new Error(`deploy: exit code ${end.exitCode}, ${end.stderr}`)
    this.side = side
  }

  /** Kills a deploy at any moment, or at one around its commit. */
  async killDeploy(side: Side, atCommit: boolean): Promise<void> {
    if (side === 'new') this.#forgetMigration()
    if (!atCommit) {
      await runToEnd(this.#command(side), this.#bench.random.next() * this.#wholeMs[side])
      return
    }
    const child = Bun.spawn(this.#command(side), { stdio: ['ignore', 'ignore', 'ignore'] })
    let isOver = false
    void child.exited.then(() => (isOver = true))
    await waitForCommit(this.#bench, this.#folder, { size: 0, isOver: () => isOver })
    child.kill('SIGKILL')
    await child.exited
  }

  /** Which model the files hold, whole, after a deploy of `wanted` was killed. */
  look(wanted: Side): { side: Side | undefined; faults: string[]; told: string } {
    const faults = inspectFolder(this.#folder)
    const told = this.#describe()
    const side = this.#known.get(told)
    if (wanted === 'new' && side === 'old' && this.#isMigrated())
      faults.push('the migration is reported as done, but is not')
    return { side, faults, told }
  }

  #isMigrated(): boolean {
    return readDatabase(this.#folder, 'engine', (database) =>
      Boolean(database.query('SELECT 1 FROM svc_migrations').get()),
    )
  }

  /** A server starts on it by itself. */
  async start(): Promise<string[]> {
    const server = new ServerProcess([this.#bench.executable], this.#folder, [])
    try {
      await server.listening
      return (await server.stop()) === 0 ? [] : ['the server did not stop as it should']
    } catch (error) {
      return [String(error)]
    } finally {
      await server.kill()
    }
  }

  #command(side: Side): string[] {
    const goesBack = this.#isRolledBack && side === 'old' && this.side === 'new'
    const words = goesBack ? ['--rollback'] : [join(this.#bench.home, side), '--prune']
    const flags = ['--allow-data-loss', '--data', this.#folder]
    return [this.#bench.executable, 'deploy', ...words, ...flags]
  }

  /** Catalog, tables, indexes, references and rows: all that a deploy moves. */
  #describe(): string {
    return readDatabase(this.#folder, 'engine', (database) => {
      const ask = (sql: string): unknown => database.query(sql).values()
      const tables = `SELECT name FROM sqlite_schema WHERE type = 'table'
        AND name NOT LIKE 'svc_%' AND name NOT LIKE 'sqlite_%'`
      return JSON.stringify([
        ask(`SELECT Type, Name, VersionHash FROM svc_scripts WHERE IsCurrent = 1 ORDER BY 1, 2`),
        ask(`SELECT t.name, c.name, c.type, c."notnull" FROM (${tables}) t
          JOIN pragma_table_info(t.name) c ORDER BY 1, 2`),
        ask(`SELECT t.name, i.name, i."unique" FROM (${tables}) t
          JOIN pragma_index_list(t.name) i ORDER BY 1, 2`),
        ask(`SELECT t.name, f."table", f."from", f.on_delete FROM (${tables}) t
          JOIN pragma_foreign_key_list(t.name) f ORDER BY 1, 2, 3`),
        ask('SELECT * FROM units ORDER BY 1'),
        ask('SELECT count(*), sum(Id), sum(Weight) FROM items'),
        ask('SELECT ShelfId, count(*) FROM items GROUP BY 1 ORDER BY 1'),
        ask('SELECT count(*), sum(length(Code)) FROM shelves'),
        ask('SELECT Name FROM svc_migrations'),
      ])
    })
  }
}
