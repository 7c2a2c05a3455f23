/** Jobs that the user has running in the background, and what those of the last day came to. */
import { computed, signal } from '@preact/signals'
import { onHub } from '../api/hub.ts'
import type { CallerUser } from '../api/tokens.ts'
import { type Schemas, take, wire } from '../api/wire.ts'

/** A job as the server lists it. */
export type OwnJob = Schemas['OwnJob']

/** The part of its life that a job is in. */
export type JobStage = 'waiting' | 'running' | 'done' | 'failed' | 'stopped'

const STAGES: Readonly<Record<OwnJob['State'], JobStage>> = {
  Enqueued: 'waiting',
  Scheduled: 'waiting',
  Awaiting: 'waiting',
  Held: 'waiting',
  Processing: 'running',
  Succeeded: 'done',
  Failed: 'failed',
  Deleted: 'stopped',
}

/** The part of its life that a job is in now. */
export const stageOf = ({ State }: OwnJob): JobStage => STAGES[State]

/** Stages whose end the user is told; who has stopped a job knows of it. */
const TELLS_END: Readonly<Record<JobStage, boolean>> = {
  waiting: false,
  running: false,
  done: true,
  failed: true,
  stopped: false,
}

const POLL_MS = 2000
/** The server writes down the end of a job a little after the hub has told of it. */
const SETTLED_MS = 400

/** The listed jobs, the newest first. */
export const ownJobs = signal<readonly OwnJob[]>([])

/** Numbers of jobs whose end the user has seen. */
const seen = signal<ReadonlySet<number>>(new Set())

/** True from when the panel is asked for until it is closed. */
export const isJobPanelOpen = signal(false)

/** The jobs that are not over. */
export const activeJobs = computed(() => ownJobs.value.filter(({ EndedAt }) => EndedAt === null))

/** The jobs that have ended without the user having seen it. */
export const unseenJobs = computed(() =>
  ownJobs.value.filter((job) => TELLS_END[stageOf(job)] && !seen.value.has(job.Id)),
)

/** The key in this browser of the jobs that a user has seen; undefined while nobody is followed. */
let storedAt: string | undefined

function loadSeen(key: string): ReadonlySet<number> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return new Set(Array.isArray(kept) ? kept.map(Number) : [])
  } catch {
    return new Set()
  }
}

/** Notes that the user has seen how jobs ended. */
export function markJobsSeen(ids: readonly number[]): void {
  if (storedAt === undefined || ids.length === 0) return
  // Another tab may have noted some meanwhile.
  const all = new Set([...loadSeen(storedAt), ...seen.peek(), ...ids])
  const first = Math.min(...ownJobs.peek().map(({ Id }) => Id), ...ids)
  seen.value = new Set([...all].filter((id) => id >= first))
  localStorage.setItem(storedAt, JSON.stringify([...seen.peek()]))
}

let timer: ReturnType<typeof setTimeout> | undefined

/** Loads the list again after a while; an earlier turn counts. */
function loadSoon(milliseconds: number): void {
  clearTimeout(timer)
  timer = setTimeout(noteJobs, milliseconds)
}

/** Loads the list, now and for as long as a job runs. @throws ServerError */
export async function loadJobs(): Promise<void> {
  const key = storedAt
  try {
    const listed = await take(wire.GET('/api/v1/svc/jobs/mine'))
    if (key === storedAt) ownJobs.value = listed
  } finally {
    if (activeJobs.peek().length > 0) loadSoon(POLL_MS)
  }
}

/** Loads the list because something has begun or ended; the next turn makes good a failure. */
export const noteJobs = (): void => void loadJobs().catch(() => undefined)

/** Stops a job: what it has done so far is undone. @throws ServerError */
export async function stopJob({ Id }: OwnJob): Promise<void> {
  const params = { path: { id: Id } }
  const stopped = await take(wire.DELETE('/api/v1/svc/jobs/mine/{id}', { params }))
  ownJobs.value = ownJobs.peek().map((each) => (each.Id === Id ? stopped : each))
}

/** Progress as the hub tells it: `job:41` is the job of that number. */
interface ToldProgress {
  OperationId: string
  Done: number
  Total: number | null
  State: string
}

/** Takes what the hub tells; a job that is not listed yet makes the list load. */
function hearProgress({ OperationId, Done, Total, State }: ToldProgress): void {
  const [, id] = /^job:(\d+)$/.exec(OperationId) ?? []
  if (id === undefined) return
  const known = ownJobs.peek().find(({ Id }) => Id === Number(id))
  if (!known || State !== 'running' || stageOf(known) !== 'running') return loadSoon(SETTLED_MS)
  const Progress = { Done, Total: Total ?? known.Progress?.Total ?? null }
  ownJobs.value = ownJobs.peek().map((each) => (each === known ? { ...each, Progress } : each))
}

/** Follows the jobs of a user in a company; returns what ends it. */
export function followJobs({ Id, Company, Impersonator }: CallerUser): () => void {
  storedAt = `seenJobs ${Id} ${Company.Id} ${Impersonator?.Id ?? ''}`.trim()
  seen.value = loadSeen(storedAt)
  const ends = [
    onHub('progress', (told) => hearProgress(told as ToldProgress)),
    onHub('notification', () => loadSoon(SETTLED_MS)),
    onHub('resynced', noteJobs),
  ]
  noteJobs()
  return () => {
    clearTimeout(timer)
    ends.forEach((end) => end())
    storedAt = undefined
    ownJobs.value = []
    isJobPanelOpen.value = false
  }
}
