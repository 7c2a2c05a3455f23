/** Carries a deploy out: all files or none, in one transaction. */
import type { Clock } from '../kernel/clock.ts'
import { conflict } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { nextTurn, Pacing } from '../kernel/pacing.ts'
import type { Store, Tx } from '../store/store.ts'
import type { Execution, ScriptVersion } from './catalog.ts'
import {
  forgetStamps,
  loadFactIn,
  loadScriptNamesIn,
  retireScripts,
  saveDeployed,
  saveFact,
  saveScripts,
} from './catalog.ts'
import { listTranslations } from './compile/translate.ts'
import {
  COMPUTES_FACT,
  ComputeError,
  fillComputes,
  planComputesFact,
  planFills,
} from './compute-fill.ts'
import type { CurrentModel } from './current.ts'
import { askProbes, prepareDeploy } from './deploy-plan.ts'
import type { DeployOptions, DeployPlan, Preparation, PreparedDeploy } from './deploy-plan.ts'
import { askTx } from './migrate/ask.ts'
import { moveFileRows } from './migrate/file-rows.ts'
import { writeModel } from './kept/kept-model.ts'
import { MODEL_FACT } from './load.ts'
import { runSteps, StepError } from './migrate/run-steps.ts'
import { planSchemaFact, SCHEMA_FACT } from './migrate/stored-schema.ts'
import type { ModelFile } from './parse.ts'
import { renameRoles } from './rbac-renames.ts'
import { RowsError, saveRows } from './rows.ts'
import { watchedTables } from './watched-tables.ts'

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
  const preparation = await prepareDeploy(store, files, options)
  return executeDeploy({ store, models, clock }, preparation, options)
}

/** What a deploy changes: the store, and the model that serves from it. */
export interface DeployParts {
  store: Store
  models: CurrentModel | undefined
  clock: Clock
}

/**
 * Carries a prepared deploy out; see `deployModel`. A change that moves no table (`options.change`)
 * is a write like any other. `within` runs first in the same transaction; what it throws undoes
 * all.
 */
export async function executeDeploy(
  { store, models, clock }: DeployParts,
  { plan, ready }: Preparation,
  options: DeployOptions,
  within: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<Deployment> {
  const isRefused = plan.losses.length > 0 && !options.allowDataLoss
  if (ready === undefined || isRefused || options.dryRun)
    return { plan, isDone: false, recordsWritten: 0 }
  const { change } = options
  const by = change ? change.by : options.by
  const execution = { at: clock.now(), origin: change?.origin ?? 'deploy', by } as const
  const watched = watchedTables(ready.model)
  const translations = await listTranslations(ready.model)
  const memory = ready.remember()
  const kept = await writeModel({ model: ready.model, watched, memory, translations })
  const work = async (tx: Tx): Promise<number> => {
    // With the watch, before any other write: none meets the tables of another model.
    tx.afterCommit(() => models?.replace(ready.model))
    await within(tx)
    return carryOut(tx, ready, { plan, kept, execution })
  }
  const movesTables = change === undefined || ready.migration.steps.length > 0
  try {
    const recordsWritten = movesTables
      ? await store.migrate(work, watched)
      : await store.write(work, { company: 'all' })
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
  { catalog, model, migration, rows, renames }: PreparedDeploy,
  { plan, kept, execution }: { plan: DeployPlan; kept: string; execution: Execution },
): Promise<number> {
  await requireUnchanged(tx, catalog, migration, plan)
  await runSteps(tx, migration.steps)
  await forgetStamps(tx, migration.touched)
  if (migration.steps.length > 0) await moveFileRows(tx, model)
  const executed = [...catalog.new, ...catalog.changed, ...catalog.adopted]
  await saveScripts(tx, executed, execution)
  await saveMerged(tx, catalog, execution)
  await renameRoles(tx, renames, execution)
  await retireScripts(tx, catalog.removed)
  const pacing = new Pacing()
  const fact = await planSchemaFact(migration.schema, askTx(tx))
  await pacing.step()
  if (fact !== (await loadFactIn(tx, SCHEMA_FACT))) await saveFact(tx, SCHEMA_FACT, fact)
  await pacing.step()
  await saveFact(tx, MODEL_FACT, kept)
  await pacing.step()
  const written = await saveRows(tx, rows, model, execution.at)
  await computeStored(tx, { model, migration, rows }, written > 0, execution.at)
  return written
}

/** What the files say is the base of the next merge; what it was merged to is current. */
async function saveMerged(
  tx: Tx,
  { merged }: PreparedDeploy['catalog'],
  execution: Execution,
): Promise<void> {
  const bases = merged.filter(({ isNewBase }) => isNewBase)
  const origin = execution.origin === 'deploy' ? 'merge' : execution.origin
  await saveDeployed(
    tx,
    bases.flatMap(({ given }) => given ?? []),
    execution,
  )
  const changed = merged.filter(
    ({ isNewBase, result, stored }) => isNewBase || result?.versionHash !== stored?.versionHash,
  )
  await saveScripts(
    tx,
    changed.flatMap(({ result }) => result ?? []),
    { ...execution, origin },
  )
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
  const identify = (scripts: readonly ScriptVersion[]): string =>
    scripts
      .map(({ type, name, versionHash }) => `${type} ${name} ${versionHash}`)
      .sort()
      .join()
  const stored = await loadScriptNamesIn(tx)
  await nextTurn()
  const answers = await askProbes(migration, askTx(tx))
  const isSame = identify(stored) === identify(catalog.stored)
  const isSafe = answers.faults.length === 0 && answers.losses.join() === plan.losses.join()
  if (!isSame || !isSafe) throw conflict(say`The data or the model changed meanwhile: deploy again`)
}
