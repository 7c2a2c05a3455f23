/** Authored SQL that a deploy runs itself: its gate, over new tables and tables to be removed. */
import { SqlFault } from '../../store/gate/fault.ts'
import { type GateFacts, openGate, type SqlGate } from '../../store/gate/gate.ts'
import {
  checkParameter,
  CONTEXT_ONLY,
  type ParameterScope,
  scopeOf,
} from '../compile/parameters.ts'
import { SourceTexts } from '../compile/source-texts.ts'
import type { AuthoredSql } from '../compiled/authored-sql.ts'
import type { Script } from '../compiled/script.ts'
import type { Migration, QueryFill } from '../migrate/migration.ts'
import type { PlannedMigration } from '../migrate/model-migrations.ts'
import { needsRebuild } from '../migrate/rebuild-reasons.ts'
import { openSchema } from '../migrate/rebuild.ts'
import type { TableSchema } from '../migrate/table-schema.ts'
import type { Model } from '../model.ts'
import type { Diagnostic, Place } from '../parse/element.ts'
import { ENGINE_DDL, renderTable } from '../sql/ddl.ts'
import { planShadows, type ScopedTables, type ShadowScope, withShadows } from '../sql/shadow.ts'

/** A `Fill` that is asked for each stored row without a value. */
export interface CompiledFill extends QueryFill {
  authored: AuthoredSql
  scope: ShadowScope
}

/** A `<Migration>` with its statements. */
export interface CompiledMigration extends PlannedMigration {
  statements: readonly AuthoredSql[]
}

/** The writes of a deploy besides its rows, in order. */
export interface DeploySql {
  fills: readonly CompiledFill[]
  migrations: readonly CompiledMigration[]
  /** The tables that it may name while it runs. */
  scope: ScopedTables
}

interface Input {
  migration: Migration
  pending: readonly PlannedMigration[]
  model: Model
  scripts: readonly Script[]
}

/** Passes fills and migrations through the gate; opens nothing where there are none. */
export async function compileDeploySql(
  input: Input,
): Promise<{ sql: DeploySql; faults: Diagnostic[] }> {
  const { migration, pending } = input
  const scope = planScope(migration)
  if (migration.queryFills.length === 0 && pending.length === 0)
    return { sql: { fills: [], migrations: [], scope }, faults: [] }
  const tables = listOpenTables(migration)
  const gate = await openGate([
    ...ENGINE_DDL,
    ...tables.map((table) => renderTable(table, table.table)),
  ])
  try {
    const compiler = new DeploySqlCompiler(gate, scope, input)
    const fills = migration.queryFills.flatMap((fill) => compiler.compileFill(fill))
    const migrations = pending.map((each) => compiler.compileMigration(each))
    return { sql: { fills, migrations, scope }, faults: compiler.faults }
  } finally {
    gate.close()
  }
}

/** Lists every table as it is between opening and closing. */
function listOpenTables({ match, closing }: Migration): TableSchema[] {
  const dropped = new Set(closing.flatMap(({ kind, table }) => (kind === 'dropTable' ? table : [])))
  return [
    ...match.tables.map((table) => (needsRebuild(table, match) ? openSchema(table) : table.wanted)),
    ...match.removed.filter(({ table }) => dropped.has(table)),
  ]
}

function planScope({ match }: Migration): ScopedTables {
  const entityByTable = new Map<string, { table: string; company: string | undefined }>()
  for (const { table, company } of match.removed)
    entityByTable.set(table.toLowerCase(), { table, company: company ?? undefined })
  for (const { entity } of match.tables) entityByTable.set(entity.table.toLowerCase(), entity)
  return { entityByTable }
}

class DeploySqlCompiler {
  readonly faults: Diagnostic[] = []
  readonly #gate: SqlGate
  readonly #scope: ScopedTables
  readonly #model: Model
  readonly #texts: SourceTexts

  constructor(gate: SqlGate, scope: ScopedTables, { model, scripts }: Input) {
    this.#gate = gate
    this.#scope = scope
    this.#model = model
    this.#texts = new SourceTexts(scripts)
  }

  /**
   * Compiles a fill, which binds the row's columns by their stored and by their new names. The
   * tenant column is filled first, and over all companies.
   */
  compileFill(fill: QueryFill): CompiledFill[] {
    const { table, match, place, sql } = fill
    const { company } = table.entity
    const scope = company === undefined || match.column.name === company ? 'all' : 'company'
    const names = [...table.wanted.columns, ...(table.stored?.columns ?? [])]
    const parameters = scopeOf(() => names.map(({ name }) => name))
    const source = { text: sql, place, placeAt: () => place }
    const authored = this.#compile(source, parameters, () =>
      this.#gate.read(sql, (tables) => this.#shadow(tables, scope)),
    )
    if (authored && authored.columns.length !== 1) {
      this.faults.push({ place, message: 'This query must have one output column' })
      return []
    }
    return authored ? [{ ...fill, authored, scope }] : []
  }

  compileMigration(migration: PlannedMigration): CompiledMigration {
    const statements = migration.elements.flatMap((element) => {
      const { text, place } = element
      const placeAt = (offset: number): Place => this.#texts.placeInText(element, offset)
      const authored = this.#compile({ text, place, placeAt }, CONTEXT_ONLY, () =>
        this.#gate.write(text, (tables) => this.#shadow(tables, 'all')),
      )
      return authored ? [authored] : []
    })
    return { ...migration, statements }
  }

  #shadow(tables: readonly string[], scope: ShadowScope): string {
    return withShadows(planShadows(this.#scope, tables, scope))
  }

  #compile(
    source: { text: string; place: Place; placeAt: (offset: number) => Place },
    scope: ParameterScope,
    ask: () => GateFacts,
  ): AuthoredSql | undefined {
    try {
      const facts = ask()
      const unknown = facts.parameters.flatMap((name) => {
        const message = checkParameter(name, scope, this.#model)
        return message === undefined ? [] : [{ place: source.place, message }]
      })
      this.faults.push(...unknown)
      return { text: source.text, place: source.place, ...facts }
    } catch (error) {
      if (!(error instanceof SqlFault)) throw error
      this.faults.push({ place: source.placeAt(error.offset), message: error.message })
      return undefined
    }
  }
}
