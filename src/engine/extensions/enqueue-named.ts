/** Jobs that users ask for by name: scripts and jobs of extensions. */
import { tooMany } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import { ASKED_JOBS, composeStates } from '../../store/tables/jobs.ts'
import type { Model } from '../../model/model.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { Extensions } from './extensions.ts'
import { requireExecutable } from './find-executable.ts'
import { USER_JOBS_MAX } from './limits.ts'
import { JOBS_QUEUE } from './part-names.ts'
import { readPartParameters } from './part-parameters.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import { ownerOf } from '../jobs/job.ts'
import type { ObjectEngine } from '../object/mutation.ts'

/** The caller, and the parts that serve the request. */
interface NamedJobCall {
  engine: ObjectEngine
  extensions: Extensions
  caller: Caller
  readonly model: Model
  language: string
}

/** A request for a job by name. */
interface NamedJob {
  name: string
  parameters: Record<string, unknown> | null | undefined
  /** The source of the request: `enqueue/…` or `execute-script/…`. */
  source: string
  delayMs?: number | undefined
  queue?: string | undefined
  exclusiveKey?: string | undefined
  /** Writes more in the same transaction. */
  alongside?: (tx: Tx) => Promise<void>
}

const RETRY_SECONDS = 60

/**
 * Asks for a job as the caller; it runs by the rights that they have then. Resolves to its Id.
 * @throws denied, notFound for its name, validation for its parameters, tooMany
 */
export async function enqueueNamed(by: NamedJobCall, asked: NamedJob): Promise<number> {
  const { engine, extensions, caller, language } = by
  const { part } = await requireExecutable(extensions, by, asked.name)
  const parameters = readPartParameters(part.Parameters, asked.parameters)
  await requireRoom(engine, caller)
  const { delayMs, queue, exclusiveKey } = asked
  const isJob = part.Kind === 'job'
  return engine.store.write(async (tx) => {
    const now = engine.clock.now()
    await asked.alongside?.(tx)
    return enqueueJob(tx, {
      name: part.Name,
      arguments: parameters,
      owner: ownerOf(caller, language),
      source: asked.source,
      now,
      queue: queue ?? (isJob ? part.Queue : JOBS_QUEUE),
      attemptsMax: (isJob ? part.Attempts : null) ?? undefined,
      ...(delayMs !== undefined && { dueAt: new Date(now.getTime() + delayMs) }),
      // Keys of a company are its own: no other company's jobs wait for them.
      ...(exclusiveKey !== undefined && {
        exclusiveKey: `extension/${caller.companyId}/${exclusiveKey}`,
      }),
    })
  }, scopeOf(caller))
}

/** True when a user asked for a job by name, and so needs Execute when it runs, too. */
export const wasAsked = ({ Source }: { Source: string }): boolean =>
  /^(?:enqueue|execute-script)\//.test(Source)

const COUNT = `SELECT count(*) AS Waiting FROM (SELECT 1 FROM svc_jobs
  WHERE ${composeStates(({ isQueued }) => isQueued)} AND UserId = @user AND ${ASKED_JOBS}
    AND (Source GLOB 'enqueue/*' OR Source GLOB 'execute-script/*') LIMIT @max)`

async function requireRoom({ store }: ObjectEngine, { userId }: Caller): Promise<void> {
  const args = { user: userId, max: USER_JOBS_MAX }
  const row = await store.get<{ Waiting: number }>({ sql: COUNT, args, runs: 'lane' })
  if ((row?.Waiting ?? 0) >= USER_JOBS_MAX)
    throw tooMany(
      say`You already have ${USER_JOBS_MAX} jobs waiting. Please try again later.`,
      RETRY_SECONDS,
    )
}
