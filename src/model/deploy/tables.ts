/** Plans what a deploy would do to tables and rows, from the stored ones. */
import { SqlFault } from '../../store/gate/fault.ts'
import { openGate } from '../../store/gate/gate.ts'
import type { CompiledScripts } from '../compile/compile-scripts.ts'
import type { Script } from '../compiled/script.ts'
import type { ChangedScript } from './catalog.ts'
import { type DeployPlan, namesOf, type Preparation, type PreparedDeploy, refuse } from './plan.ts'
import { planRows } from './rows-plan.ts'
import { compileDeploySql, type DeploySql } from './sql.ts'
import { type Migration, planMigration } from '../migrate/migration.ts'
import { type DoneMigrations, planModelMigrations } from '../migrate/model-migrations.ts'
import type { Probe } from '../migrate/probe.ts'
import { askRows, type RowSource, type StoredSchema } from '../migrate/stored-schema.ts'
import type { Undoing } from '../migrate/undoing.ts'
import type { Model } from '../model.ts'
import type { Diagnostic } from '../parse/element.ts'
import { describeRename } from '../rbac/renames.ts'
import { describeUnshared } from '../rbac/shared-views.ts'
import { ENGINE_DDL, renderTable } from '../sql/ddl.ts'
import { quote } from '../sql/quote.ts'

/** The stored scripts and tables that a deploy meets. */
export interface DeployBase {
  scripts: readonly Script[]
  changedHere: readonly ChangedScript[]
  /** Rbac scripts as they were last deployed, by name. */
  deployedRbac: ReadonlyMap<string, string>
  schema: StoredSchema
  done: DoneMigrations
  reader: RowSource
}

/** The parts of a deploy beside its scripts. */
interface TablesScope {
  /** Entities whose reference rows are written. */
  rowsOf: 'all' | ReadonlySet<string>
  /** Questions beside those of the migration. */
  probes: readonly Probe[]
  /** Set where a deploy is rolled back. */
  undoing?: Undoing
}

/** Plans the tables and rows of a compiled model, and asks the stored rows what would be lost. */
export async function prepareTables(
  { scripts, schema, done, reader }: DeployBase,
  { catalog, renames }: Pick<PreparedDeploy, 'catalog' | 'renames'>,
  { model, warnings, snapshot }: CompiledScripts & { model: Model },
  { rowsOf, probes, undoing }: TablesScope,
): Promise<Preparation> {
  const { rows, faults: rowFaults } = planRows({
    entities: model.entities,
    rows: model.rows.filter(({ entity }) => rowsOf === 'all' || rowsOf.has(entity)),
  })
  const todo = planModelMigrations(catalog.scripts, done, scripts.length === 0)
  const { pending } = todo
  const writes = {
    hasMigrations: pending.length > 0,
    rows: new Map(rows.map(({ entity, key }) => [entity.name, key])),
  }
  const planned = await planMigration(schema.tables, model, writes, undoing)
  const migration = { ...planned, probes: [...planned.probes, ...probes] }
  const compiled = { migration, pending, model, scripts: catalog.scripts }
  const { sql, faults: sqlFaults } = await compileDeploySql(compiled)
  const faults = [
    ...migration.faults,
    ...todo.faults,
    ...foreignTableFaults(schema, model),
    ...rowFaults,
    ...sqlFaults,
    ...(await checkFills(schema, migration)),
  ]
  if (faults.length > 0) return refuse(faults, catalog, warnings)
  const { lossy, ...answers } = await askProbes(migration.probes, reader)
  const steps = [
    ...describeSteps(migration, sql),
    ...renames.map(describeRename),
    ...(await describeUnshared(reader, model, renames)),
  ]
  const plan = { ...namesOf(catalog), steps, ...answers, outdated: [], warnings }
  const { needless } = todo
  if (answers.faults.length > 0) return { plan, ready: undefined }
  const prepared = { catalog, model, migration, rows, renames, sql, needless, snapshot, lossy }
  return { plan, ready: { kind: 'deploy', ...prepared } }
}

/** Describes the steps in the order in which they run. */
function describeSteps(
  { opening, closing }: Migration,
  { fills, migrations }: DeploySql,
): string[] {
  const textsOf = (steps: Migration['opening']): string[] =>
    steps.flatMap(({ text }) => (text === '' ? [] : text))
  return [
    ...textsOf(opening),
    ...fills.map(({ table, match }) => `fill ${table.wanted.table}.${match.wanted.name} by query`),
    ...migrations.map(({ name }) => `run migration ${name}`),
    ...textsOf(closing),
  ]
}

/** Answers of the stored rows to the probes of a migration. */
interface ProbeAnswers extends Pick<DeployPlan, 'losses' | 'faults'> {
  /** The probes that found a loss, in the order of the losses. */
  lossy: readonly Probe[]
}

/** Losses and faults that the stored rows bring up, with their numbers. */
export async function askProbes(
  probes: readonly Probe[],
  reader: RowSource,
): Promise<ProbeAnswers> {
  const losses: string[] = []
  const lossy: Probe[] = []
  const faults: Diagnostic[] = []
  for (const probe of probes) {
    const { kind, place, sql, describe } = probe
    const count = Number((await askRows(reader, sql))[0]?.n)
    if (count === 0) continue
    if (kind === 'fault' && place !== undefined) faults.push({ place, message: describe(count) })
    else {
      losses.push(describe(count))
      lossy.push(probe)
    }
  }
  return { losses, lossy, faults }
}

function foreignTableFaults({ foreign }: StoredSchema, model: Model): Diagnostic[] {
  return [...model.entities.values()]
    .filter((entity) => foreign.has(entity.table.toLowerCase()))
    .map(({ place, table }) => ({
      place,
      message: `The database has a table ${table} that no deploy made: choose another Table`,
    }))
}

/** A Fill speaks of the stored row, so the gate has the stored tables here. */
async function checkFills({ tables }: StoredSchema, { fills }: Migration): Promise<Diagnostic[]> {
  if (fills.length === 0) return []
  const gate = await openGate([
    ...ENGINE_DDL,
    ...tables.map((table) => renderTable(table, table.table)),
  ])
  try {
    return fills.flatMap(({ sql, table, place }) => {
      try {
        const { parameters } = gate.condition(sql, `SELECT * FROM ${quote(table)}`)
        const message = 'A Fill may only use the stored row, and takes no parameter'
        return parameters.length > 0 ? [{ place, message }] : []
      } catch (error) {
        if (error instanceof SqlFault) return [{ place, message: `Fill: ${error.message}` }]
        throw error
      }
    })
  } finally {
    gate.close()
  }
}
