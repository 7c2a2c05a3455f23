/** What a deploy would do: planned from the files, the catalog and the stored rows. */
import { Semaphore } from '../kernel/semaphore.ts'
import { openGate } from '../store/sql-gate.ts'
import { SqlFault } from '../store/gate-fault.ts'
import type { Reader } from '../store/store.ts'
import { describeStale } from './stale-scripts.ts'
import { loadChangedHere, loadDeployedRbac, loadScripts } from './catalog.ts'
import type { ChangedScript, Execution } from './catalog.ts'
import { findRepeats, planCatalog } from './catalog-plan.ts'
import type { CatalogPlan, KeptScript, MergedScript } from './catalog-plan.ts'
import { COMPILER_HERE } from './compile-scripts.ts'
import type { CompiledScripts, Compiler, CompileScripts } from './compile-scripts.ts'
import { sortFaults } from './compile/fault-list.ts'
import { ENGINE_DDL, renderTable } from './ddl.ts'
import type { Diagnostic } from './element.ts'
import type { FaultyScript } from './faulty-scripts.ts'
import { askRows, loadStoredSchema, SCHEMA_FACT, type RowSource } from './migrate/stored-schema.ts'
import type { StoredSchema } from './migrate/stored-schema.ts'
import type { Probe } from './migrate/probe.ts'
import { compileDeploySql } from './deploy-sql.ts'
import type { DeploySql } from './deploy-sql.ts'
import { loadFact } from './facts.ts'
import { loadDoneMigrations, planModelMigrations } from './model-migrations.ts'
import type { DoneMigrations, PlannedMigration } from './model-migrations.ts'
import { planMigration } from './migration.ts'
import type { Migration } from './migration.ts'
import type { Script, ScriptType } from './compiled/script.ts'
import type { Model } from './model.ts'
import type { ModelFile, ParsedFile } from './parse.ts'
import { quote } from './quote.ts'
import { planRbacDeploy } from './rbac-deploy.ts'
import { prepareRights } from './rights/change-rights.ts'
import type { PreparedRights } from './rights/change-rights.ts'
import type { Rename } from './rbac-facts.ts'
import { describeRename } from './rbac-renames.ts'
import { planRows } from './rows-plan.ts'
import type { PlannedRows } from './rows-plan.ts'
import { diffLines } from './text-diff.ts'

export interface DeployOptions {
  dryRun?: boolean
  /** Lets the listed losses happen. */
  allowDataLoss?: boolean
  /** Takes what the files do not hold out of the model: all of it, or scripts of one type. */
  prune?: boolean | ScriptType
  /** Replaces what was changed here since its last deploy. */
  overwrite?: boolean
  /** Who deploys; undefined on the command line. */
  by?: number
  /**
   * What changes the model here, where that is no deploy of files: it replaces what it names, and
   * writes no reference rows.
   */
  change?: Pick<Execution, 'by' | 'document'> & {
    source: Exclude<Execution['source'], 'deploy'>
    /** The model that serves: what changes its rights alone goes a short way. */
    served?: Model
    /** The scripts of the files, where they are known to be valid. */
    parsed?: readonly Script[] | undefined
  }
}

/** A script, as a plan names it. */
export interface ScriptName {
  type: Script['type']
  name: string
  fileName: string
}

/** A script that is kept as it was changed here. */
export interface KeptName extends ScriptName {
  /** Whether the file has changed too since the last deploy. */
  isFileChanged: boolean
  /** From the file to what is kept, in lines: `- ` in the file alone, `+ ` here alone. */
  diff: readonly string[]
}

/** An Rbac script that was changed here, and merges with what is deployed. */
export interface MergedName extends ScriptName {
  /** What was changed here and stays, and what the files bring: a sentence each. */
  fromHere: readonly string[]
  fromFile: readonly string[]
}

/** What a deploy does, or would do. With faults, or losses not allowed, it does nothing. */
export interface DeployPlan {
  new: readonly ScriptName[]
  changed: readonly ScriptName[]
  same: readonly ScriptName[]
  removed: readonly ScriptName[]
  /** Reports and workflows that were changed here since their last deploy. */
  kept: readonly KeptName[]
  merged: readonly MergedName[]
  /** The steps of the migration, a sentence each. */
  steps: readonly string[]
  /** What would be lost, a sentence each. */
  losses: readonly string[]
  warnings: readonly Diagnostic[]
  faults: readonly Diagnostic[]
}

/** A deploy that is ready to run. */
export interface PreparedDeploy {
  kind: 'deploy'
  catalog: CatalogPlan
  model: Model
  migration: Migration
  rows: readonly PlannedRows[]
  /** Roles and capabilities that go by another name. */
  renames: readonly Rename[]
  /** Fills by query and migrations. */
  sql: DeploySql
  /** Migrations that are done without being run. */
  needless: readonly PlannedMigration[]
  /** The model as the next start reads it. */
  snapshot: CompiledScripts['snapshot']
}

/** The plan, and what it takes to carry it out; without faults only. */
export interface Preparation {
  plan: DeployPlan
  ready: PreparedDeploy | PreparedRights | undefined
}

/** What a deploy meets: the stored scripts and tables. */
interface DeployBase {
  scripts: readonly Script[]
  changedHere: readonly ChangedScript[]
  /** Rbac scripts as they were last deployed, by name. */
  deployedRbac: ReadonlyMap<string, string>
  schema: StoredSchema
  done: DoneMigrations
  reader: RowSource
}

const EMPTY: DeployBase = {
  scripts: [],
  changedHere: [],
  deployedRbac: new Map(),
  schema: { tables: [], foreign: new Set() },
  done: new Map(),
  reader: { all: () => Promise.resolve([]) },
}

/** Plans a deploy, the first one without a reader. Reads, and changes nothing. */
export async function planDeploy(
  reader: Reader | undefined,
  files: readonly ModelFile[],
  options: DeployOptions,
): Promise<DeployPlan> {
  return (await prepareDeploy(reader, files, options)).plan
}

/**
 * Parses and compiles by `compiler`, and asks the stored rows; whatever is wrong stands in the
 * plan's faults.
 * @throws unavailable (503) when too many deploys wait for others
 */
export function prepareDeploy(
  reader: Reader | undefined,
  files: readonly ModelFile[],
  options: DeployOptions,
  compiler = COMPILER_HERE,
): Promise<Preparation> {
  const { change, prune = false } = options
  if (reader && change?.served) {
    const { served, parsed } = change
    return prepareRights(reader, served, { files, parsed }, prune).then((rights) =>
      rights ? toPreparation(rights) : prepareWhole(reader, files, options, compiler),
    )
  }
  return prepareWhole(reader, files, options, compiler)
}

function toPreparation(ready: PreparedRights): Preparation {
  const { catalog, warnings } = ready
  return { plan: { ...namesOf(catalog), steps: [], losses: [], warnings, faults: [] }, ready }
}

function prepareWhole(
  reader: Reader | undefined,
  files: readonly ModelFile[],
  options: DeployOptions,
  { parse, compile }: Compiler,
): Promise<Preparation> {
  const { change, by } = options
  const input = loadInput(reader, parse(files), change?.document?.script)
  // Whoever waits for its turn hears of it then.
  input.catch(() => undefined)
  const work = async (): Promise<Preparation> => prepare(await input, options, compile)
  return preparing.run(work, String(change?.by ?? by ?? ''))
}

/** One after another, in the order in which they came: what each holds meanwhile is large. */
const preparing = new Semaphore(1)

/** What is deployed, and what it meets. */
interface DeployInput {
  given: readonly Script[]
  faults: readonly Diagnostic[]
  /** Scripts of files that have faults. */
  faulty: readonly FaultyScript[]
  base: DeployBase
}

async function loadInput(
  reader: Reader | undefined,
  parsing: Promise<readonly ParsedFile[]>,
  document: Script | undefined,
): Promise<DeployInput> {
  const parsed = await parsing
  const faults = parsed.flatMap((file) => file.faults)
  const given = [...parsed.flatMap((file) => file.scripts), ...(document ? [document] : [])]
  const faulty = parsed.flatMap((file) => file.faulty)
  const base = reader ? withoutFaulty(await loadBase(reader), faulty) : EMPTY
  return { given, faults, faulty, base }
}

/** What is deployed anew, though with faults, is not held to what it was before. */
function withoutFaulty(base: DeployBase, faulty: readonly FaultyScript[]): DeployBase {
  const isFaulty = ({ type, name }: Script): boolean =>
    faulty.some((each) => each.type === type && each.name === name)
  return { ...base, scripts: base.scripts.filter((script) => !isFaulty(script)) }
}

async function prepare(
  { given, faults, faulty, base }: DeployInput,
  options: DeployOptions,
  compile: CompileScripts,
): Promise<Preparation> {
  const isReplaced = (options.overwrite ?? false) || options.change !== undefined
  const planned = planCatalog(base.scripts, given, {
    prune: options.prune ?? false,
    changedHere: isReplaced ? [] : base.changedHere,
    former: options.change?.document?.former,
  })
  const rbac = await planRbacDeploy(planned, {
    ...{ given, deployed: base.deployedRbac, isReplaced },
    isRemovedHere: options.change !== undefined,
  })
  const { catalog } = rbac
  const compileBeside = (scripts: readonly Script[]) => compile(scripts, faulty)
  const compiled = await compileBeside(catalog.scripts)
  const { model } = compiled
  const repeats = findRepeats(given)
  const own = [...faults, ...rbac.faults, ...repeats]
  if (model === undefined || own.length > 0) {
    const explained = await describeStale(catalog, given, compiled.faults, compileBeside)
    // Warnings beside scripts that were not compiled would be guesses.
    if (faults.length > 0) return refuse(sortFaults([...own, ...explained]))
    return refuse(sortFaults([...own, ...explained]), catalog, compiled.warnings)
  }
  const isRowsToo = options.change === undefined
  return prepareTables(base, rbac, { ...compiled, model }, isRowsToo)
}

async function loadBase(reader: Reader): Promise<DeployBase> {
  const scripts = await loadScripts(reader)
  const schema = await loadStoredSchema(await loadFact(reader, SCHEMA_FACT), reader, scripts)
  const changedHere = await loadChangedHere(reader)
  const deployedRbac = await loadDeployedRbac(reader)
  const done = await loadDoneMigrations(reader)
  return { scripts, changedHere, deployedRbac, schema, done, reader }
}

function refuse(
  faults: readonly Diagnostic[],
  catalog?: CatalogPlan,
  warnings: readonly Diagnostic[] = [],
): Preparation {
  const plan = { ...namesOf(catalog), steps: [], losses: [], warnings, faults }
  return { plan, ready: undefined }
}

function namesOf(
  catalog: CatalogPlan | undefined,
): Pick<DeployPlan, 'new' | 'changed' | 'same' | 'removed' | 'kept' | 'merged'> {
  const names = (scripts: readonly Script[] = []): ScriptName[] =>
    scripts.map(({ type, name, fileName }) => ({ type, name, fileName }))
  return {
    new: names(catalog?.new),
    changed: names(catalog?.changed),
    same: names(catalog?.same),
    removed: names(catalog?.removed),
    kept: (catalog?.kept ?? []).map(describeKept),
    merged: (catalog?.merged ?? []).flatMap(describeMerged),
  }
}

function describeKept({ stored, given, isFileChanged }: KeptScript): KeptName {
  const { type, name, fileName } = given ?? stored
  const diff = given ? diffLines(given.body, stored.body) : []
  return { type, name, fileName, isFileChanged, diff }
}

function describeMerged({ result, fromHere, fromFile }: MergedScript): MergedName[] {
  if (!result) return []
  const { type, name, fileName } = result
  return [{ type, name, fileName, fromHere, fromFile }]
}

const NO_ROWS: ReturnType<typeof planRows> = { rows: [], faults: [] }

async function prepareTables(
  { scripts, schema, done, reader }: DeployBase,
  { catalog, renames }: Pick<PreparedDeploy, 'catalog' | 'renames'>,
  { model, warnings, snapshot }: CompiledScripts & { model: Model },
  isRowsToo: boolean,
): Promise<Preparation> {
  const { rows, faults: rowFaults } = isRowsToo ? planRows(model) : NO_ROWS
  const todo = planModelMigrations(catalog.scripts, done, scripts.length === 0)
  const { pending } = todo
  const writes = {
    hasMigrations: pending.length > 0,
    rows: new Map(rows.map(({ entity, key }) => [entity.name, key])),
  }
  const migration = await planMigration(schema.tables, model, writes)
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
  const answers = await askProbes(migration.probes, reader)
  const steps = [...describeSteps(migration, sql), ...renames.map(describeRename)]
  const plan = { ...namesOf(catalog), steps, ...answers, warnings }
  const { needless } = todo
  if (answers.faults.length > 0) return { plan, ready: undefined }
  const prepared = { catalog, model, migration, rows, renames, sql, needless, snapshot }
  return { plan, ready: { kind: 'deploy', ...prepared } }
}

/** In the order in which they run. */
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

/** Losses and faults that the stored rows bring up, with their numbers. */
export async function askProbes(
  probes: readonly Probe[],
  reader: RowSource,
): Promise<Pick<DeployPlan, 'losses' | 'faults'>> {
  const losses: string[] = []
  const faults: Diagnostic[] = []
  for (const { kind, place, sql, describe } of probes) {
    const count = Number((await askRows(reader, sql))[0]?.n)
    if (count === 0) continue
    if (kind === 'fault' && place !== undefined) faults.push({ place, message: describe(count) })
    else losses.push(describe(count))
  }
  return { losses, faults }
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
