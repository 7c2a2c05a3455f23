/** Asks for a job, in the transaction that it follows from. */
import { tooLarge } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { MB } from '../../kernel/setting.ts'
import type { Tx } from '../../store/store.ts'
import { type JobState, USUAL_STATE } from '../../store/tables/jobs.ts'
import type { NewJob } from './job.ts'

/** The queue of jobs that name none. */
const DEFAULT_QUEUE = 'default'

/** Tries of a job before it is a dead letter: the first one, and ten more. */
const ATTEMPTS_MAX = 11

const ARGUMENTS_BYTES_MAX = MB

/**
 * Jobs are asked for within a submit, where each bound value takes time: these are bound by place;
 * values that most jobs leave at their default are bound only where a job has one.
 */
const COLUMNS = ['Name', 'CompanyId', 'UserId', 'Source', 'Arguments', 'CreatedAt', 'Language']
const SELDOM = [
  ['State', `'${USUAL_STATE}'`],
  ['Queue', `'${DEFAULT_QUEUE}'`],
  ['Priority', '0'],
  ['AttemptsMax', String(ATTEMPTS_MAX)],
  ['ImpersonatorId', 'NULL'],
  ['ApiKeyId', 'NULL'],
  ['ExclusiveKey', 'NULL'],
  ['DueAt', 'NULL'],
  ['AfterId', 'NULL'],
  ['BatchId', 'NULL'],
  ['AfterBatch', 'NULL'],
  ['Recurring', 'NULL'],
] as const

const INSERT_USUAL = planInsert(SELDOM.map(([, usual]) => usual))
const INSERT_WHOLE = planInsert(
  SELDOM.map(([, usual], at) => `coalesce(?${COLUMNS.length + at + 1}, ${usual})`),
)

function planInsert(seldom: readonly string[]): string {
  const columns = [...COLUMNS, ...SELDOM.map(([name]) => name), 'Attempts', 'History']
  const place = (name: (typeof COLUMNS)[number]): string => `?${COLUMNS.indexOf(name) + 1}`
  const places = COLUMNS.map((name) =>
    name === 'Language'
      ? composeLanguage(place(name), place('UserId'), place('CompanyId'))
      : place(name),
  )
  const at = place('CreatedAt')
  const history = `'[{"State":"' || ${seldom[0]} || '","At":"' || ${at} || '"}]'`
  const values = [...places, ...seldom, '0', history]
  return `INSERT INTO svc_jobs (${columns.join()}) VALUES (${values.join()})`
}

/** The language of the user, else of the company, else that of the request that asks for it. */
function composeLanguage(asked: string, user: string, company: string): string {
  return `coalesce((SELECT u.Language FROM main.svc_users u WHERE u.Id = ${user}),
    iif(${user} IS NULL, NULL,
      (SELECT c.Language FROM main.svc_companies c WHERE c.Id = ${company})), ${asked})`
}

/** Writes the job down; it begins after the commit. Resolves to its Id. */
export async function enqueueJob(tx: Tx, job: NewJob): Promise<number> {
  const { owner, now, dueAt } = job
  const given = JSON.stringify(job.arguments ?? {})
  if (Buffer.byteLength(given) > ARGUMENTS_BYTES_MAX)
    throw tooLarge(say`The arguments of a job can have at most ${ARGUMENTS_BYTES_MAX} bytes`)
  const values = [
    job.name,
    owner.companyId,
    owner.userId,
    job.source,
    given,
    now.toISOString(),
    owner.language ?? null,
  ]
  const state = firstState(job)
  const seldom = [
    state === USUAL_STATE ? undefined : state,
    job.queue,
    job.priority,
    job.attemptsMax,
    owner.impersonatorId,
    owner.apiKeyId,
    job.exclusiveKey,
    dueAt?.toISOString(),
    job.afterId,
    job.batchId,
    job.afterBatch,
    job.recurring,
  ]
  if (seldom.every((value) => value === undefined)) return tx.insert(INSERT_USUAL, values)
  return tx.insert(INSERT_WHOLE, [...values, ...seldom.map((value) => value ?? null)])
}

function firstState({ afterId, afterBatch, dueAt, now }: NewJob): JobState {
  if (afterId !== undefined || afterBatch !== undefined) return 'Awaiting'
  return dueAt !== undefined && dueAt > now ? 'Scheduled' : USUAL_STATE
}
