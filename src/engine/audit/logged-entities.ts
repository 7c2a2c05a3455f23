/** Entities whose reading is logged (`Audit="Reads"`), and which statements may read their rows. */
import { Lru } from '../../kernel/lru.ts'
import type { Model } from '../../model/model.ts'
import { listTables } from './read-tables.ts'

/** Characters of statements whose tables are kept. */
const TEXTS_CHARACTERS_MAX = 4 * 1024 * 1024

const NONE: readonly string[] = []

/** The entities of a model whose reading is logged. */
export class LoggedEntities {
  readonly #byTable: ReadonlyMap<string, string>
  readonly #bySql = new Lru<string, readonly string[]>(TEXTS_CHARACTERS_MAX)
  readonly #bySet = new WeakMap<readonly string[], readonly string[]>()

  constructor(byTable: ReadonlyMap<string, string>) {
    this.#byTable = byTable
  }

  has(entity: string): boolean {
    for (const name of this.#byTable.values()) if (name === entity) return true
    return false
  }

  /** The names of those that a statement may read. */
  findInSql(sql: string): readonly string[] {
    const known = this.#bySql.find(sql)
    if (known !== undefined) return known
    const tables = [...listTables(sql)]
    const found = tables.flatMap((table) => this.#byTable.get(table) ?? [])
    return this.#bySql.keep(sql, found.length === 0 ? NONE : found, sql.length)
  }

  /** The names of those among some tables, named in lower case; the same list each time. */
  findInTables(tables: readonly string[]): readonly string[] {
    return this.#bySet.getOrInsertComputed(tables, () =>
      tables.flatMap((table) => this.#byTable.get(table) ?? []),
    )
  }
}

const ofModel = new WeakMap<Pick<Model, 'entities'>, { logged: LoggedEntities | undefined }>()

/** Finds the entities of a model whose reading is logged; undefined where there are none. */
export const findLogged = (model: Pick<Model, 'entities'>): LoggedEntities | undefined =>
  ofModel.getOrInsertComputed(model, () => ({ logged: planLogged(model) })).logged

function planLogged({ entities }: Pick<Model, 'entities'>): LoggedEntities | undefined {
  const byTable = new Map<string, string>()
  for (const { name, table, logsReads } of entities.values())
    if (logsReads) byTable.set(table.toLowerCase(), name)
  return byTable.size === 0 ? undefined : new LoggedEntities(byTable)
}
