/** Carries a deploy out: all files or none, in one transaction. */
import type { Clock } from '../../kernel/clock.ts'
import { Yielder, yieldNow } from '../../kernel/yielder.ts'
import { type Store, systemScope, type Tx } from '../../store/store.ts'
import type { CurrentModel } from '../current.ts'
import { listMoved, saveCatalog } from './catalog-plan.ts'
import { type Execution, forgetStamps, loadScriptNames } from './catalog.ts'
import {
  ComputeError,
  COMPUTES_FACT,
  fillComputes,
  planComputesFact,
  planFills,
} from './compute-fill.ts'
import { loadFact, saveFact } from './facts.ts'
import {
  isLastDeploy,
  readStateBefore,
  saveLastDeploy,
  saveRolledBack,
  type StateBefore,
} from './last-deploy.ts'
import { anotherDeploy, overtaken } from './overtaken.ts'
import type { DeployOptions, DeployPlan, Preparation, PreparedDeploy } from './plan.ts'
import { prepareDeploy } from './prepare.ts'
import { saveRollback } from './rollback-catalog.ts'
import { RowsError, saveRows } from './rows.ts'
import { renameSequences, type SequenceMove } from './sequence-renames.ts'
import { askProbes } from './tables.ts'
import { DeploySqlError, describeChanged, listWritten, runFills, runMigrations } from './writes.ts'
import { MODEL_FACT } from '../load.ts'
import { listGiven } from '../migrate/given.ts'
import { probeConverted } from '../migrate/losses.ts'
import { forgetMigrations, saveDoneMigrations } from '../migrate/model-migrations.ts'
import { planWrittenProbes } from '../migrate/probes.ts'
import { moveRecordKeys } from '../migrate/record-keys.ts'
import { runSteps, StepError } from '../migrate/step.ts'
import { planSchemaFact, SCHEMA_FACT } from '../migrate/stored-schema.ts'
import type { ModelFile } from '../parse/parse.ts'
import { renameRoles } from '../rbac/renames.ts'
import { isSameCatalog, saveRights } from '../rbac/rights/change-rights.ts'
import { unshareViews } from '../rbac/shared-views.ts'
import { watchedTables } from '../watched-tables.ts'

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
 * is not allowed, or as a dry run it changes nothing. With `rollback` it rolls the last deploy back
 * instead: scripts, tables and names are those of before it.
 * @throws conflict (409) when another deploy came between; for a rollback also where there is
 *   nothing to go back to, or the last deploy lost data
 */
export async function deployModel(
  store: Store,
  models: CurrentModel | undefined,
  files: readonly ModelFile[],
  options: DeployOptions,
  clock: Clock,
): Promise<Deployment> {
  const preparation = await prepareDeploy(store, files, options, models?.compiler)
  return executeDeploy({ store, models, clock }, preparation, options)
}

/** The parts that a deploy changes: the store, and the model that serves from it. */
interface DeployParts {
  store: Store
  models: CurrentModel | undefined
  clock: Clock
  /** Fills tables once they are there, before reference rows; what it throws undoes all. */
  load?: (tx: Tx) => Promise<void>
}

/**
 * Carries a prepared deploy out; see `deployModel`. A change that moves no table (`options.change`)
 * is a write like any other. `within` runs first in the same transaction; what it throws undoes
 * all.
 */
export async function executeDeploy(
  { store, models, clock, load }: DeployParts,
  { plan, ready }: Preparation,
  options: DeployOptions,
  within: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<Deployment> {
  const isRefused = plan.losses.length > 0 && !options.allowDataLoss
  if (ready === undefined || isRefused || options.dryRun)
    return { plan, isDone: false, recordsWritten: 0 }
  const { change } = options
  const by = change ? change.by : options.by
  const { source = 'deploy', document } = change ?? {}
  const execution: Execution = { at: clock.now(), source, by, document }
  const serve = async (tx: Tx): Promise<void> => {
    // With the watch, before any other write: no write meets the tables of another model.
    tx.endGroup()
    tx.afterCommit(() => models?.replace(ready.model))
    await within(tx)
  }
  if (ready.kind === 'rights') {
    const save = (tx: Tx) => serve(tx).then(() => saveRights(tx, ready, execution))
    await store.write(save, systemScope('a deploy changes what every company has'))
    return { plan, isDone: true, recordsWritten: 0 }
  }
  const watched = watchedTables(ready.model)
  const snapshot = await ready.snapshot()
  const work = async (tx: Tx): Promise<CarriedOut> => {
    await serve(tx)
    return carryOut(tx, ready, { snapshot, execution, load })
  }
  const movesTables = change === undefined || ready.migration.steps.length > 0
  const emptied = listWritten(ready.sql.migrations, ready.model).map(({ table }) => table)
  try {
    const { recordsWritten, losses } = movesTables
      ? await store.migrate(work, watched, emptied)
      : await store.write(work, systemScope('a deploy changes what every company has'))
    return { plan: { ...plan, losses }, isDone: true, recordsWritten }
  } catch (error) {
    const faults = faultsOf(error)
    if (faults === undefined) throw error
    return { plan: { ...plan, faults }, isDone: false, recordsWritten: 0 }
  }
}

/** Faults that only the rows brought up, once they were written; undefined for other errors. */
function faultsOf(error: unknown): DeployPlan['faults'] | undefined {
  if (error instanceof LateFaults) return error.faults
  const place = placeOf(error)
  return error instanceof Error && place ? [{ place, message: error.message }] : undefined
}

function placeOf(error: unknown): DeployPlan['faults'][number]['place'] | undefined {
  if (error instanceof RowsError || error instanceof ComputeError) return error.place
  if (error instanceof DeploySqlError) return error.place
  return error instanceof StepError ? error.step.place : undefined
}

class LateFaults extends Error {
  readonly faults: DeployPlan['faults']

  constructor(faults: DeployPlan['faults']) {
    super('The stored rows do not allow this deploy')
    this.faults = faults
  }
}

/** The result of a deploy that was carried out. */
interface CarriedOut {
  recordsWritten: number
  /** Losses as of the deploy. */
  losses: readonly string[]
}

/**
 * Tables, then rows, fills and migrations, then what goes and the constraints (src/model/README.md,
 * Deploy).
 */
async function carryOut(
  tx: Tx,
  ready: PreparedDeploy,
  {
    snapshot,
    execution,
    load,
  }: Pick<DeployParts, 'load'> & {
    snapshot: string
    execution: Execution
  },
): Promise<CarriedOut> {
  const { catalog, model, migration, rows, renames, sql, needless, undo } = ready
  const now = execution.at
  const { losses, lasting } = await requireUnchanged(tx, ready)
  const isKept = undo === undefined && execution.source === 'deploy'
  const before = isKept ? await noteBefore(tx, ready) : undefined
  await runSteps(tx, migration.opening)
  await moveRecordKeys(tx, migration, model, now)
  const sequences = await renameSequences(tx, model, undo?.last.sequences)
  if (undo) await saveRollback(tx, catalog, undo.touched, execution)
  else await saveCatalog(tx, catalog, execution)
  await renameRoles(tx, renames, execution)
  await unshareViews(tx, model, execution)
  await load?.(tx)
  const yielder = new Yielder()
  const recordsWritten = await saveRows(tx, rows, model, now)
  await runFills({ tx, sql, model, now })
  const changed = await runMigrations({ tx, sql, model, now })
  await saveDoneMigrations(tx, [...sql.migrations, ...needless], now)
  await requireWritten(tx, ready)
  await runSteps(tx, migration.closing)
  const written = listWritten(sql.migrations, model).map(({ name }) => name)
  await forgetStamps(tx, [...migration.touched, ...written])
  await yielder.yieldWhenDue()
  const fact = await planSchemaFact(migration.schema, tx)
  await yielder.yieldWhenDue()
  if (fact !== (await loadFact(tx, SCHEMA_FACT))) await saveFact(tx, SCHEMA_FACT, fact)
  await yielder.yieldWhenDue()
  await saveFact(tx, MODEL_FACT, snapshot)
  await yielder.yieldWhenDue()
  await computeStored(tx, ready, recordsWritten > 0, now)
  if (undo) {
    await forgetMigrations(tx, undo.last.migrations)
    await saveRolledBack(tx, undo.last, now)
  }
  const lost = [...lasting, ...describeChanged(changed, migration.match)]
  if (before) await keepDeploy(tx, ready, execution, { ...before, sequences, lost })
  return { recordsWritten, losses }
}

/** The state before a deploy, and values that going back would not bring back as they are. */
interface NotedBefore {
  before: StateBefore
  unrestored: readonly string[]
}

async function noteBefore(tx: Tx, { catalog, migration }: PreparedDeploy): Promise<NotedBefore> {
  const before = await readStateBefore(tx, catalog, listMoved(catalog))
  const { match } = migration
  const { losses } = await askProbes(probeConverted(match), tx)
  return { before, unrestored: losses }
}

/** Keeps the deploy as the last one, which can be rolled back. */
function keepDeploy(
  tx: Tx,
  ready: PreparedDeploy,
  execution: Execution,
  {
    before,
    unrestored,
    sequences,
    lost,
  }: NotedBefore & { sequences: readonly SequenceMove[]; lost: readonly string[] },
): Promise<void> {
  const given = listGiven(ready.migration.match, ready.rows)
  const done = { before, sequences, given, lost: [...lost, ...unrestored] }
  return saveLastDeploy(tx, ready, execution, done)
}

/** Runs the probes that need the written rows, before the constraints are put up. */
async function requireWritten(tx: Tx, { migration, sql, model }: PreparedDeploy): Promise<void> {
  const filled = sql.fills.map(({ table }) => table.entity)
  const written = new Set([...filled, ...listWritten(sql.migrations, model)])
  const probes = [...migration.lateProbes, ...planWrittenProbes([...written], model)]
  const { faults } = await askProbes(probes, tx)
  if (faults.length > 0) throw new LateFaults(faults)
}

/**
 * Reference rows have no after-write pass in a migration, and a rebuilt table may have other
 * values.
 */
async function computeStored(
  tx: Tx,
  { model, migration, rows, sql }: PreparedDeploy,
  hasWritten: boolean,
  now: Date,
): Promise<void> {
  const rebuilt = migration.steps.flatMap(({ rebuild, table }) => {
    const entity = model.entityByTable.get(table.toLowerCase())
    return rebuild && entity ? [entity.name] : []
  })
  const saved = hasWritten ? rows.map(({ entity }) => entity.name) : []
  const filled = sql.fills.map(({ table }) => table.entity.name)
  const migrated = listWritten(sql.migrations, model).map(({ name }) => name)
  const fact = await loadFact(tx, COMPUTES_FACT)
  const written = new Set([...rebuilt, ...saved, ...filled, ...migrated])
  const nodes = planFills(model, { fact, written })
  await fillComputes({ tx, model, now }, nodes)
  await saveFact(tx, COMPUTES_FACT, planComputesFact(model))
}

/**
 * Checks within the writer that what was planned beside it still holds: catalog and rows. The
 * losses may be more or fewer by now; resolves to those of now, and to those of stored values.
 */
async function requireUnchanged(
  tx: Tx,
  { catalog, migration, lossy, undo }: PreparedDeploy,
): Promise<{ losses: readonly string[]; lasting: readonly string[] }> {
  if (undo && !(await isLastDeploy(tx, undo.text))) throw anotherDeploy()
  const stored = await loadScriptNames(tx)
  await yieldNow()
  const answers = await askProbes(migration.probes, tx)
  const isSame = isSameCatalog(stored, catalog.stored)
  const isKnown = answers.lossy.every((probe) => lossy.includes(probe))
  if (!isSame || !isKnown || answers.faults.length > 0) throw overtaken()
  const lasting = answers.losses.filter((_, at) => answers.lossy[at]?.isLasting)
  return { losses: answers.losses, lasting }
}
