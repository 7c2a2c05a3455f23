/** The job that rebuilds the index of the global search on request. */
import { HOUR } from '../../kernel/setting.ts'
import type { Tx } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { findRebuild, noteRebuild, type RebuildEngine } from './rebuild.ts'
import { isWorkLeft } from './text-index/work.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import { type JobKind, type JobRun, ownerOf } from '../jobs/job.ts'

const REBUILD_JOB = 'search-rebuild'

/** Many millions of records; each transaction is short. */
const TIMEOUT_MS = 24 * HOUR

const TRIES = 5

/** Arguments of a rebuild job. */
interface RebuildOrder {
  ViewIds: number[]
  Entries: number
}

/** A request to rebuild views, and its caller. */
interface RebuildRequest {
  caller: Caller
  language: string
  model: Model
  /** Names of views; all searched ones by default. */
  views: ReadonlySet<string> | undefined
  now: Date
}

/** Notes the work and the job that does it, together; resolves to the job's Id. */
export async function enqueueRebuild(tx: Tx, request: RebuildRequest): Promise<number> {
  const { caller, language, model, views, now } = request
  const { viewIds, entries } = await noteRebuild(tx, model, views)
  const order: RebuildOrder = { ViewIds: viewIds, Entries: entries }
  return enqueueJob(tx, {
    name: REBUILD_JOB,
    arguments: { ...order },
    owner: ownerOf(caller, language),
    now,
    source: 'search/rebuild',
    queue: 'low',
    attemptsMax: TRIES,
    exclusiveKey: REBUILD_JOB,
  })
}

/**
 * See `JobKind`. The work that is left is in the database, so a run continues where the one before
 * it was cut off.
 */
export const rebuildJob = (engine: RebuildEngine): JobKind => ({
  name: REBUILD_JOB,
  staysInside: true,
  timeoutMs: TIMEOUT_MS,
  run: (run) => rebuild(engine, run),
})

async function rebuild(engine: RebuildEngine, run: JobRun): Promise<{ Records: number }> {
  const { ViewIds: viewIds, Entries: entries } = run.arguments as unknown as RebuildOrder
  const own = new Set(viewIds)
  const rebuilding = findRebuild(engine)
  let [done, records] = [0, 0]
  // Each record is read once for its row, and once for its entry.
  using _ = rebuilding.follow(({ viewId, kind, rows }) => {
    if (!own.has(viewId)) return
    done += rows
    if (kind === 'anew') records += rows
    run.progress(done, Math.max(done, 2 * entries))
  })
  while (await isWorkLeft(engine.store, viewIds)) {
    run.signal.throwIfAborted()
    await rebuilding.step()
  }
  run.progress(done, done)
  return { Records: records }
}
