/**
 * The SQL gate: every authored statement, by any author, passes it before its first run
 * (src/store/README.md, SQL gate). First its tokens are held to rules, then SQLite compiles it,
 * without running it, on a scratch database that has the tables of the model and no rows.
 */
import Database from 'libsql'
import { Yielder } from '../../kernel/yielder.ts'
import { composeCondition, composeDeep, composeDml, composeRead } from './compose.ts'
import {
  type ConditionFacts,
  type GateColumn,
  type GateFacts,
  listMentioned,
  planFacts,
  requireDistinct,
  requireExpression,
  requireRead,
  requireWrite,
} from './facts.ts'
import { SqlFault, suggestName } from './fault.ts'
import { PUBLISHED_TABLES } from './lists.ts'
import { plainFault } from './message.ts'
import { isName, isWriteVerb, outline, type Outline } from './outline.ts'
import { type Catalog, type Program, readCatalog, readProgram } from './program.ts'
import { type KnownNames, requireRules } from './rules.ts'
import { tokenize } from './tokenize.ts'
import { joinZoneByYear } from '../read/zone-join.ts'

export type { ConditionFacts, GateFacts }

/** `WITH a AS (…), …⏎` for the tables that need to be held to a company, or ''. */
type Shadow = (tables: readonly string[]) => string

interface ReadOptions {
  /** Two output columns of one name are refused, unless this is true. */
  namesMayRepeat?: boolean
}

/**
 * Opens a gate over the tables that `ddl` makes: the model's and the published engine tables. It
 * holds one connection to a database in memory; `close` ends it. It opens in turns of the event
 * loop.
 */
export async function openGate(ddl: readonly string[]): Promise<SqlGate> {
  const db = new Database(':memory:')
  // So that only what the author wrote is opened, no parents and children of it.
  db.exec('PRAGMA foreign_keys = OFF')
  const pacing = new Yielder()
  for (const statement of ddl) {
    db.exec(statement)
    await pacing.yieldWhenDue()
  }
  return new SqlGate(db, await readCatalog(db))
}

/** A gate; its methods throw `SqlFault` for what they refuse. */
export class SqlGate {
  readonly #db: Database.Database
  readonly #catalog: Catalog
  readonly #known: KnownNames
  readonly #queries = new Map<string, readonly GateColumn[]>()

  constructor(db: Database.Database, catalog: Catalog) {
    this.#db = db
    this.#catalog = catalog
    this.#known = planKnownNames(db, this.#catalog)
  }

  /** Checks that a text is a data-changing statement, by its first verb. */
  isWrite(text: string): boolean {
    return isWriteVerb(outline(tokenize(text)).verb)
  }

  /** Passes a query: SELECT, WITH … SELECT or VALUES. `shadow` is tried out around it. */
  read(text: string, shadow?: Shadow, options: ReadOptions = {}): GateFacts {
    const shape = this.#outline(text, requireRead)
    const program = this.#compile(shape, text, (part) => part)
    if (program.writes.size > 0) throw new SqlFault('Only reading is available here', 0)
    const facts = planFacts(shape, this.#catalog, program)
    this.#requireShadowed(shape, text, facts.reads, composeDeep)
    if (shadow) this.#compile(shape, text, (part) => composeRead(shadow(facts.reads), part))
    const columns = this.#readColumns(text)
    if (!options.namesMayRepeat) {
      requireDistinct(columns, shape)
      this.#queries.set(text, columns)
    }
    return {
      ...facts,
      writes: [],
      columns,
      cells: [...program.cells],
      withAt: undefined,
    }
  }

  /** Passes an INSERT, UPDATE or DELETE of one of the model's tables. */
  write(text: string, shadow?: Shadow): GateFacts {
    const shape = this.#outline(text, requireWrite)
    const target = this.#requireTarget(shape)
    const program = this.#compile(shape, text, (part) => part)
    const stray = [...program.writes].find((table) => table !== target)
    if (stray !== undefined) throw new SqlFault(`It may change ${target} only, not ${stray}`, 0)
    const { withAt } = shape
    const own = new Set([target])
    const facts = planFacts(shape, this.#catalog, { reads: program.reads.difference(own) })
    this.#requireShadowed(shape, text, facts.reads, (head, part) => composeDml(head, part, withAt))
    if (shadow) this.#compile(shape, text, (part) => composeDml(shadow(facts.reads), part, withAt))
    const cells = [...program.cells]
    return {
      ...facts,
      writes: [target],
      columns: this.#readColumns(text),
      cells,
      withAt,
    }
  }

  /** Passes a condition on the output columns of a query, which passes `read` itself. */
  condition(text: string, queryText: string, shadow?: Shadow): ConditionFacts {
    const columns = this.#columnsOf(queryText)
    const shape = this.#outline(text, requireExpression)
    // The query's columns without its tables, so that every opened table is the condition's own.
    const bare = planEmptyRows(columns.map(({ name }) => name))
    const program = this.#compile(shape, text, (part) => composeCondition('', bare, part), columns)
    if (program.writes.size > 0) throw new SqlFault('Only reading is available here', 0)
    const facts = planFacts(shape, this.#catalog, program)
    this.#requireShadowed(shape, text, facts.reads, (head, part) =>
      composeDeep(head, composeCondition('', bare, part)),
    )
    const mentioned = listMentioned(outline(tokenize(queryText)))
    const others = mentioned.flatMap((key) => this.#catalog.tables.get(key)?.name ?? [])
    const head = shadow?.([...new Set([...facts.reads, ...others])]) ?? ''
    this.#compile(shape, text, (part) => composeCondition(head, queryText, part), columns)
    return facts
  }

  /**
   * SQLite's query plan of a statement that passes, a line a step, nested ones indented; with
   * `tail` behind it, which is the engine's own.
   */
  explain(text: string, shadow?: Shadow, tail = ''): string[] {
    const isWrite = this.isWrite(text)
    const facts = isWrite
      ? this.write(text, shadow)
      : this.read(text, shadow, { namesMayRepeat: true })
    const head = shadow?.(facts.reads) ?? ''
    const sql = isWrite ? composeDml(head, text, facts.withAt) : composeRead(head, text)
    const steps = this.#db
      .prepare(`EXPLAIN QUERY PLAN ${joinZoneByYear(sql)}${tail}`)
      .all() as PlanStep[]
    const depths = new Map<number, number>()
    return steps.map(({ id, parent, detail }) => {
      const depth = (depths.get(parent) ?? -1) + 1
      depths.set(id, depth)
      return '  '.repeat(depth) + detail
    })
  }

  close(): void {
    this.#db.close()
  }

  /** Pass one. */
  #outline(text: string, requireOpening: (shape: Outline) => void): Outline {
    const shape = outline(tokenize(text))
    if (shape.tokens.length === 0) throw new SqlFault('The SQL is empty', 0)
    requireOpening(shape)
    requireRules(shape, this.#known)
    return shape
  }

  #tableNames(): string[] {
    return [...this.#catalog.tables.values()].map(({ name }) => name)
  }

  #requireTarget({ tokens, targetAt }: Outline): string {
    const target = tokens[targetAt ?? tokens.length]
    if (target === undefined)
      throw new SqlFault('The statement names no table', tokens.at(-1)?.end ?? 0)
    const table = this.#catalog.tables.get(target.key)
    if (target.key.startsWith('svc_'))
      throw new SqlFault(`${target.value} belongs to the engine: it can only be read`, target.start)
    if (!isName(target) || target.kind === 'text' || !table) {
      const nearest = suggestName(target.value, this.#tableNames())
      throw new SqlFault(`${target.value} is not a table of the model${nearest}`, target.start)
    }
    return table.name
  }

  /** Pass two on a composition of the text; faults are placed in the text itself. */
  #compile(
    shape: Outline,
    text: string,
    compose: (part: string) => string,
    columns?: readonly GateColumn[],
  ): Program {
    const attempt = (part: string): Program => readProgram(this.#db, compose(part), this.#catalog)
    try {
      return attempt(text)
    } catch (error) {
      if (error instanceof SqlFault) throw error
      throw plainFault(messageOf(error), {
        text,
        tokens: shape.tokens,
        tables: this.#tableNames(),
        columns: columns?.map(({ name }) => name) ?? this.#columnsIn(shape),
        tryBeginning: (part) => {
          try {
            attempt(part)
            return undefined
          } catch (failure) {
            return messageOf(failure)
          }
        },
      })
    }
  }

  /**
   * Shows that the shadows hold the text: with an empty expression in the place of each table that
   * it reads, it may open no table but its target. What it opens then, no shadow would cover.
   */
  #requireShadowed(
    shape: Outline,
    text: string,
    reads: readonly string[],
    compose: (head: string, part: string) => string,
  ): void {
    const expressions = reads.map((table) => {
      const columns = PUBLISHED.get(table) ?? this.#catalog.tables.get(table.toLowerCase())?.columns
      return `${quote(table)} AS (${planEmptyRows(columns ?? [])})`
    })
    const head = expressions.length > 0 ? `WITH ${expressions.join(', ')}\n` : ''
    const { reads: opened, writes } = this.#compile(shape, text, (part) => compose(head, part))
    const target = this.#catalog.tables.get(shape.tokens[shape.targetAt ?? -1]?.key ?? '')?.name
    const stray = [...opened, ...writes].find((table) => table !== target)
    if (stray !== undefined)
      throw new SqlFault(`${stray} is named in a way that cannot be limited to a company`, 0)
  }

  /** Columns of the tables that the text names, to suggest one of them. */
  #columnsIn(shape: Outline): string[] {
    return shape.tokens.flatMap(({ key }) => this.#catalog.tables.get(key)?.columns ?? [])
  }

  #readColumns(text: string): GateColumn[] {
    return this.#db
      .prepare(text)
      .columns()
      .map(({ name, table, column }) => ({
        name,
        table: table ?? undefined,
        column: column ?? undefined,
      }))
  }

  #columnsOf(queryText: string): readonly GateColumn[] {
    return this.#queries.get(queryText) ?? this.read(queryText).columns
  }
}

interface PlanStep {
  id: number
  parent: number
  detail: string
}

const PUBLISHED: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(PUBLISHED_TABLES))

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Rows of these columns that no optimisation can foresee, from no table at all. */
const planEmptyRows = (columns: readonly string[]): string =>
  `SELECT ${columns.map((column) => `value AS ${quote(column)}`).join(', ')} FROM json_each('[]')`

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

function planKnownNames(db: Database.Database, { tables, hidden }: Catalog): KnownNames {
  const modules = db.prepare('SELECT name FROM pragma_module_list').all() as { name: string }[]
  const columns = [...tables.values()].flatMap((table) => table.columns)
  return {
    tables: new Set(tables.keys()),
    columns: new Set(columns.map((column) => column.toLowerCase())),
    modules: new Set(modules.map(({ name }) => name.toLowerCase())),
    hidden,
  }
}
