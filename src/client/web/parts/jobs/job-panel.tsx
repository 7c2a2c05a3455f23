/** The panel of jobs: how far each is, what it came to, and how to stop it. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { TextKey } from '../../texts/en.ts'
import { formatInstant, say } from '../../texts/texts.ts'
import { loadFile } from '../../api/load-file.ts'
import { addressOf, go } from '../../state/address.ts'
import {
  type JobStage,
  loadJobs,
  markJobsSeen,
  type OwnJob,
  ownJobs,
  stageOf,
  stopJob,
  unseenJobs,
} from '../../state/jobs.ts'
import { Button } from '../button.tsx'
import { Fault } from '../fault.tsx'
import { keepFile } from '../keep-file.ts'

type Result = NonNullable<OwnJob['Result']>

/** How a kind of job is named, and how its result is told. */
interface JobWords {
  name: 'jobImport' | 'jobImportCheck' | 'jobExport' | 'jobBulkEdit' | 'jobReport'
  /** The button that fetches its file. */
  file: 'jobDownload' | 'importErrorFile'
  written?: 'jobWritten' | 'jobWouldWrite'
}

const WORDS: Readonly<Record<OwnJob['Kind'], JobWords>> = {
  import: { name: 'jobImport', file: 'importErrorFile', written: 'jobWritten' },
  importCheck: { name: 'jobImportCheck', file: 'importErrorFile', written: 'jobWouldWrite' },
  export: { name: 'jobExport', file: 'jobDownload' },
  bulkEdit: { name: 'jobBulkEdit', file: 'jobDownload', written: 'jobWritten' },
  report: { name: 'jobReport', file: 'jobDownload' },
}

const STAGE_TEXTS = {
  waiting: 'jobWaits',
  running: 'jobRuns',
  done: 'jobEnded',
  failed: 'jobFailed',
  stopped: 'jobStopped',
} as const satisfies Readonly<Record<JobStage, TextKey>>

const nameOf = ({ Kind, Label }: OwnJob): string => say(WORDS[Kind].name, { label: Label })

/** Describes the result of a job in sentences. */
function describeResult(kind: OwnJob['Kind'], { Rows, Written, Failed, IsExpired }: Result) {
  const { written } = WORDS[kind]
  return [
    written && Written !== null ? say(written, { count: Written }) : undefined,
    Written === null && Rows !== null ? say('rows', { count: Rows }) : undefined,
    Failed ? say('jobLeftOut', { count: Failed }) : undefined,
    IsExpired ? say('jobExpired') : undefined,
  ].filter((each) => each !== undefined)
}

/** Draws the list; the ends that it shows are seen then. */
export function JobPanel({ onClose }: { onClose(): void }) {
  const list = useRef<HTMLUListElement>(null)
  const fault = useSignal<unknown>(undefined)
  const isLoaded = useSignal(ownJobs.peek().length > 0)
  const run = async (work: Promise<void>): Promise<void> => {
    fault.value = undefined
    try {
      await work
      isLoaded.value = true
    } catch (thrown) {
      fault.value = thrown
    }
  }
  useEffect(() => void run(loadJobs()), [])
  const ended = unseenJobs.value.map(({ Id }) => Id).join()
  useEffect(() => markJobsSeen(unseenJobs.peek().map(({ Id }) => Id)), [ended])
  const stop = async (job: OwnJob): Promise<void> => {
    await run(stopJob(job))
    // Its button is gone.
    list.current?.closest<HTMLElement>('[popover]')?.focus()
  }
  const jobs = ownJobs.value
  return (
    <>
      <div class="notification-head">
        <h2>{say('jobs')}</h2>
        <button
          type="button"
          class="icon-button"
          aria-label={say('close')}
          title={say('close')}
          onClick={onClose}
        >
          ×
        </button>
      </div>
      <Fault of={fault.value} />
      {isLoaded.value && jobs.length === 0 && <p class="quiet">{say('jobsNone')}</p>}
      <ul ref={list} class="job-list">
        {jobs.map((job) => (
          <JobLine
            key={job.Id}
            job={job}
            onStop={() => void stop(job)}
            onFetch={(file) => void run(fetchMade(file))}
            onOpen={(address) => {
              onClose()
              go(address)
            }}
          />
        ))}
      </ul>
    </>
  )
}

type MadeFile = NonNullable<Result['File']>

async function fetchMade({ Url, FileName }: MadeFile): Promise<void> {
  keepFile(await loadFile(Url), FileName)
}

interface LineProps {
  job: OwnJob
  onStop(): void
  onFetch(file: MadeFile): void
  onOpen(address: string): void
}

/** A job with what can be done about it; its name says what each button is about. */
function JobLine({ job, onStop, onFetch, onOpen }: LineProps) {
  const { Kind, Object: object, Label, Result: result, EndedAt, At } = job
  const stage = stageOf(job)
  const name = nameOf(job)
  const file = result?.File
  return (
    <li class="job" data-stage={stage}>
      <strong>{name}</strong>
      <small class="quiet">{formatInstant(EndedAt ?? At)}</small>
      {EndedAt === null ? <JobMeter job={job} /> : <JobEnd job={job} />}
      <div class="buttons">
        {EndedAt === null && (
          <Button kind="danger" title={say('jobStopOf', { name })} onClick={onStop}>
            {say('jobStop')}
          </Button>
        )}
        {file && (
          <Button title={`${say(WORDS[Kind].file)}: ${name}`} onClick={() => onFetch(file)}>
            {say(WORDS[Kind].file)}
          </Button>
        )}
        {object !== null && EndedAt !== null && (
          <Button kind="quiet" onClick={() => onOpen(addressOf(['object', object], {}))}>
            {say('jobOpen', { label: Label })}
          </Button>
        )}
      </div>
    </li>
  )
}

/** How far a job is; without a total the bar only moves. */
function JobMeter({ job }: { job: OwnJob }) {
  const { Progress: progress } = job
  const total = progress?.Total ?? undefined
  const done = progress?.Done ?? 0
  const isCounted = total !== undefined && total > 0
  const text = isCounted
    ? say('importWrittenRows', { done, total })
    : done > 0
      ? say('rows', { count: done })
      : say(STAGE_TEXTS[stageOf(job)])
  return (
    <>
      <progress
        aria-label={nameOf(job)}
        max={isCounted ? total : undefined}
        value={isCounted ? done : undefined}
      />
      <span class="quiet">{text}</span>
    </>
  )
}

/** How a job ended: its result, why it failed, or that it was stopped. */
function JobEnd({ job }: { job: OwnJob }) {
  const stage = stageOf(job)
  if (stage === 'failed')
    return <span class="job-fault">{job.Error ?? say(STAGE_TEXTS[stage])}</span>
  if (!job.Result) return <span class="quiet">{say(STAGE_TEXTS[stage])}</span>
  return <span>{describeResult(job.Kind, job.Result).join(' ')}</span>
}
