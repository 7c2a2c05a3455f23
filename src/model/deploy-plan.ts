/** What a deploy would do: planned from the files, the catalog and the stored rows. */
import { openGate } from '../store/gate.ts'
import { SqlFault } from '../store/gate-fault.ts'
import type { Reader } from '../store/store.ts'
import { loadFact, loadScripts } from './catalog.ts'
import { findRepeats, planCatalog } from './catalog-plan.ts'
import type { CatalogPlan } from './catalog-plan.ts'
import { compileModel } from './compile/compile.ts'
import type { Compiled } from './compile/compile.ts'
import { ENGINE_DDL, renderTable } from './ddl.ts'
import type { Fault } from './element.ts'
import { askReader } from './migrate/ask.ts'
import type { Ask } from './migrate/ask.ts'
import { loadStoredSchema, SCHEMA_FACT } from './migrate/stored-schema.ts'
import type { StoredSchema } from './migrate/stored-schema.ts'
import { planMigration } from './migration.ts'
import type { Migration } from './migration.ts'
import type { Model, Script } from './model.ts'
import { parseModelFile } from './parse.ts'
import type { ModelFile } from './parse.ts'
import { quote } from './quote.ts'
import { planRows } from './rows-plan.ts'
import type { PlannedRows } from './rows-plan.ts'

export interface DeployOptions {
  dryRun?: boolean
  /** Lets the listed losses happen. */
  allowDataLoss?: boolean
  /** Takes what the files do not hold out of the model. */
  prune?: boolean
  /** Replaces what was changed here since its last deploy; nothing can be yet. */
  overwrite?: boolean
}

/** A script, as a plan names it. */
export interface ScriptName {
  type: Script['type']
  name: string
  fileName: string
}

/** What a deploy does, or would do. With faults, or losses not allowed, it does nothing. */
export interface DeployPlan {
  new: readonly ScriptName[]
  changed: readonly ScriptName[]
  same: readonly ScriptName[]
  removed: readonly ScriptName[]
  /** The steps of the migration, a sentence each. */
  steps: readonly string[]
  /** What would be lost, a sentence each. */
  losses: readonly string[]
  warnings: readonly Fault[]
  faults: readonly Fault[]
}

/** A deploy that is ready to run. */
export interface PreparedDeploy {
  catalog: CatalogPlan
  model: Model
  migration: Migration
  rows: readonly PlannedRows[]
  /** What the gate said, for the next start. */
  remember: Compiled['remember']
}

/** The plan, and what it takes to carry it out; without faults only. */
export interface Preparation {
  plan: DeployPlan
  ready: PreparedDeploy | undefined
}

/** What a deploy meets: the stored scripts and tables. */
interface DeployBase {
  scripts: readonly Script[]
  schema: StoredSchema
  ask: Ask
}

const EMPTY: DeployBase = {
  scripts: [],
  schema: { tables: [], foreign: new Set() },
  ask: () => Promise.resolve([]),
}

/** Plans a deploy, the first one without a reader. Reads, and changes nothing. */
export async function planDeploy(
  reader: Reader | undefined,
  files: readonly ModelFile[],
  options: DeployOptions,
): Promise<DeployPlan> {
  return (await prepareDeploy(reader, files, options)).plan
}

/** Parses, compiles, and asks the stored rows; whatever is wrong stands in the plan's faults. */
export async function prepareDeploy(
  reader: Reader | undefined,
  files: readonly ModelFile[],
  options: DeployOptions,
): Promise<Preparation> {
  const parsed = await Promise.all(files.map(parseModelFile))
  const faults = parsed.flatMap((file) => file.faults)
  if (faults.length > 0) return refuse(faults)
  const base = reader === undefined ? EMPTY : await loadBase(reader)
  const given = parsed.flatMap((file) => file.scripts)
  const catalog = planCatalog(base.scripts, given, options.prune ?? false)
  const compiled = await compileModel(catalog.scripts)
  const { model } = compiled
  const repeats = findRepeats(given)
  if (model === undefined || repeats.length > 0)
    return refuse([...compiled.faults, ...repeats], catalog, compiled.warnings)
  return prepareTables(base, catalog, { ...compiled, model })
}

async function loadBase(reader: Reader): Promise<DeployBase> {
  const ask = askReader(reader)
  const schema = await loadStoredSchema(await loadFact(reader, SCHEMA_FACT), ask)
  return { scripts: await loadScripts(reader), schema, ask }
}

function refuse(
  faults: readonly Fault[],
  catalog?: CatalogPlan,
  warnings: readonly Fault[] = [],
): Preparation {
  const plan = { ...namesOf(catalog), steps: [], losses: [], warnings, faults }
  return { plan, ready: undefined }
}

function namesOf(
  catalog: CatalogPlan | undefined,
): Pick<DeployPlan, 'new' | 'changed' | 'same' | 'removed'> {
  const names = (scripts: readonly Script[] = []): ScriptName[] =>
    scripts.map(({ type, name, fileName }) => ({ type, name, fileName }))
  return {
    new: names(catalog?.new),
    changed: names(catalog?.changed),
    same: names(catalog?.same),
    removed: names(catalog?.removed),
  }
}

async function prepareTables(
  { schema, ask }: DeployBase,
  catalog: CatalogPlan,
  { model, warnings, remember }: Compiled & { model: Model },
): Promise<Preparation> {
  const migration = planMigration(schema.tables, model)
  const { rows, faults: rowFaults } = planRows(model)
  const faults = [
    ...migration.faults,
    ...foreignTableFaults(schema, model),
    ...rowFaults,
    ...(await checkFills(schema, migration)),
  ]
  if (faults.length > 0) return refuse(faults, catalog, warnings)
  const answers = await askProbes(migration, ask)
  const steps = migration.steps.map((step) => step.text)
  const plan = { ...namesOf(catalog), steps, ...answers, warnings }
  const ready =
    answers.faults.length > 0 ? undefined : { catalog, model, migration, rows, remember }
  return { plan, ready }
}

/** Losses and faults that the stored rows bring up, with their numbers. */
export async function askProbes(
  migration: Migration,
  ask: Ask,
): Promise<Pick<DeployPlan, 'losses' | 'faults'>> {
  const losses: string[] = []
  const faults: Fault[] = []
  for (const { kind, place, sql, tell } of migration.probes) {
    const count = Number((await ask(sql))[0]?.n)
    if (count === 0) continue
    if (kind === 'fault' && place !== undefined) faults.push({ place, message: tell(count) })
    else losses.push(tell(count))
  }
  return { losses, faults }
}

function foreignTableFaults({ foreign }: StoredSchema, model: Model): Fault[] {
  return [...model.entities.values()]
    .filter((entity) => foreign.has(entity.table.toLowerCase()))
    .map(({ place, table }) => ({
      place,
      message: `The database has a table ${table} that no deploy made: choose another Table`,
    }))
}

/** A Fill speaks of the stored row, so the gate has the stored tables here. */
async function checkFills({ tables }: StoredSchema, { fills }: Migration): Promise<Fault[]> {
  if (fills.length === 0) return []
  const gate = await openGate([
    ...ENGINE_DDL,
    ...tables.map((table) => renderTable(table, table.table)),
  ])
  try {
    return fills.flatMap(({ sql, table, place }) => {
      try {
        const { parameters } = gate.condition(sql, `SELECT * FROM ${quote(table)}`)
        const message = 'A Fill speaks of the stored row alone, and takes no parameter'
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
