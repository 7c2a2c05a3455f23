/** Carries a deploy out: all files or none, in one transaction. */
import type { Clock } from '../kernel/clock.ts'
import { conflict } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import type { Reader, Store, Tx, WatchedTable } from '../store/store.ts'
import {
  forgetStamps,
  loadFact,
  loadFactIn,
  loadScripts,
  loadScriptsIn,
  retireScripts,
  saveFact,
  saveScripts,
} from './catalog.ts'
import { compileModel } from './compile/compile.ts'
import {
  COMPUTES_FACT,
  ComputeError,
  fillComputes,
  planComputesFact,
  planFills,
} from './compute-fill.ts'
import type { CurrentModel } from './current.ts'
import { askProbes, prepareDeploy } from './deploy-plan.ts'
import type { DeployOptions, DeployPlan, PreparedDeploy } from './deploy-plan.ts'
import { askTx } from './migrate/ask.ts'
import { runSteps, StepError } from './migrate/run-steps.ts'
import { planSchemaFact, SCHEMA_FACT } from './migrate/stored-schema.ts'
import type { Entity, Model, Script } from './model.ts'
import type { ModelFile } from './parse.ts'
import { RowsError, saveRows } from './rows.ts'

/** Where the gate's answers about the deployed scripts are kept. */
const GATE_FACT = 'gate'

/** A plan, and whether it was carried out. */
export interface Deployment {
  plan: DeployPlan
  isDone: boolean
  /** Records of reference data that were inserted or changed. */
  recordsWritten: number
}

/**
 * Deploys model files: checks all of them, then migrates, stores the scripts and writes the
 * reference rows in one transaction, and lets the new model serve. With a fault, with a loss that
 * is not allowed, or as a dry run it changes nothing. 409 when another deploy came between.
 */
export async function deployModel(
  store: Store,
  models: CurrentModel | undefined,
  files: readonly ModelFile[],
  options: DeployOptions,
  clock: Clock,
): Promise<Deployment> {
  const { plan, ready } = await prepareDeploy(store, files, options)
  const isRefused = plan.losses.length > 0 && !options.allowDataLoss
  if (ready === undefined || isRefused || options.dryRun)
    return { plan, isDone: false, recordsWritten: 0 }
  const now = clock.now()
  try {
    const recordsWritten = await store.migrate((tx) => {
      // With the watch, before any other write: none meets the tables of another model.
      tx.afterCommit(() => models?.replace(ready.model))
      return carryOut(tx, ready, plan, now)
    }, watchedTables(ready.model))
    return { plan, isDone: true, recordsWritten }
  } catch (error) {
    const place = placeOf(error)
    if (!(error instanceof Error) || place === undefined) throw error
    const faults = [{ place, message: error.message }]
    return { plan: { ...plan, faults }, isDone: false, recordsWritten: 0 }
  }
}

function placeOf(error: unknown): DeployPlan['faults'][number]['place'] | undefined {
  if (error instanceof RowsError || error instanceof ComputeError) return error.place
  return error instanceof StepError ? error.step.place : undefined
}

async function carryOut(
  tx: Tx,
  { catalog, model, migration, rows, remember }: PreparedDeploy,
  plan: DeployPlan,
  now: Date,
): Promise<number> {
  await requireUnchanged(tx, catalog, migration, plan)
  await runSteps(tx, migration.steps)
  await forgetStamps(tx, migration.touched)
  await saveScripts(tx, [...catalog.new, ...catalog.changed], now.toISOString())
  await retireScripts(tx, catalog.removed)
  const fact = await planSchemaFact(migration.schema, askTx(tx))
  if (fact !== (await loadFactIn(tx, SCHEMA_FACT))) await saveFact(tx, SCHEMA_FACT, fact)
  await saveFact(tx, GATE_FACT, remember())
  const written = await saveRows(tx, rows, model, now)
  await computeStored(tx, { model, migration, rows }, written > 0, now)
  return written
}

/** Reference rows have no settle pass in a migration, and a rebuilt table may have other values. */
async function computeStored(
  tx: Tx,
  { model, migration, rows }: Pick<PreparedDeploy, 'model' | 'migration' | 'rows'>,
  hasWritten: boolean,
  now: Date,
): Promise<void> {
  const rebuilt = migration.steps.flatMap(({ rebuild, table }) => {
    const entity = model.entityByTable.get(table.toLowerCase())
    return rebuild && entity ? [entity.name] : []
  })
  const saved = hasWritten ? rows.map(({ entity }) => entity.name) : []
  const fact = await loadFactIn(tx, COMPUTES_FACT)
  const nodes = planFills(model, { fact, written: new Set([...rebuilt, ...saved]) })
  await fillComputes({ tx, model, now }, nodes)
  await saveFact(tx, COMPUTES_FACT, planComputesFact(model))
}

/** What was planned beside the writer must still hold within it: catalog and rows. */
async function requireUnchanged(
  tx: Tx,
  catalog: PreparedDeploy['catalog'],
  migration: PreparedDeploy['migration'],
  plan: DeployPlan,
): Promise<void> {
  const identify = (scripts: readonly Script[]): string =>
    scripts
      .map(({ type, name, versionHash }) => `${type} ${name} ${versionHash}`)
      .sort()
      .join()
  const stored = await loadScriptsIn(tx)
  const answers = await askProbes(migration, askTx(tx))
  const isSame = identify(stored) === identify(catalog.stored)
  const isSafe = answers.faults.length === 0 && answers.losses.join() === plan.losses.join()
  if (!isSame || !isSafe) throw conflict(say`The data or the model changed meanwhile: deploy again`)
}

/**
 * Compiles the stored scripts, at a start; an empty model when there are none. Throws an Error with
 * every fault when a newer engine no longer takes what an older one stored.
 */
export async function loadModel(reader: Reader): Promise<Model> {
  const memory = await loadFact(reader, GATE_FACT)
  const { model, faults } = await compileModel(await loadScripts(reader), memory)
  if (model !== undefined) return model
  const lines = faults.map(
    ({ place, message }) => `${place.file}:${place.line}:${place.column}: ${message}`,
  )
  throw new Error(`The stored model does not compile:\n${lines.join('\n')}`)
}

/** Every entity's table: columns, tenant column, references that must stay in the company. */
export function watchedTables(model: Model): WatchedTable[] {
  return [...model.entities.values()]
    .filter((entity) => !entity.builtIn)
    .map((entity) => ({
      entity: entity.name,
      table: entity.table,
      keys: entity.keys.map((key) => key.name),
      columns: entity.columns.map((column) => column.name),
      company: entity.company,
      references: companyReferences(entity, model),
    }))
}

/** Only from company to company: what has no tenant column is there for all. */
function companyReferences(entity: Entity, model: Model): WatchedTable['references'] {
  if (entity.company === undefined) return []
  return entity.columns.flatMap((column) => {
    const target = model.entities.get(column.references ?? '')
    const key = target?.keys[0]?.name
    return target?.company !== undefined && key !== undefined
      ? [{ column: column.name, table: target.table, key, company: target.company }]
      : []
  })
}
