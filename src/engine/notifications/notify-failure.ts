/** Notifies the user of a job that it failed for good: no other user looks at it. */
import type { FieldErrors } from '../../kernel/failure.ts'
import { type Message, renderMessage, say } from '../../kernel/messages.ts'
import type { FailedJob, JobKind, JobRow } from '../jobs/job.ts'
import type { NoticeKind } from './notice-kinds.ts'
import { notifyUser } from './notify-user.ts'

/** The notification about a failed job. */
interface FailureNotice {
  /** The kind by which users choose their channels. */
  kind: NoticeKind
  /** The title, for a job of any arguments: an operator may have changed them. */
  title: (job: JobRow) => Message
}

const UNKNOWN = say`See the server log for the reason`

/** Most lines of faults in a notification, which is not a document. */
const FAULTS_MAX = 50

function listFaults(fieldErrors: FieldErrors, language: string | undefined): string[] {
  const named = Object.entries(fieldErrors).filter(([name]) => name !== '')
  const shown = named.slice(0, FAULTS_MAX)
  const lines = shown.map(([name, fault]) => `${name}: ${renderMessage(fault, language)}`)
  const more = named.length - shown.length
  return more > 0 ? [...lines, renderMessage(say`More errors: ${more}`, language)] : lines
}

/** A `JobKind.onFailure` that notifies the user; a job of the engine's own has none to notify. */
export const planFailureNotice =
  ({ kind, title: planTitle }: FailureNotice): NonNullable<JobKind['onFailure']> =>
  async (tx, { job, reason, fieldErrors, now }: FailedJob) => {
    const { UserId: userId, CompanyId: companyId, Language } = job
    if (userId === null || companyId === null) return
    const language = Language ?? undefined
    const title = renderMessage(planTitle(job), language)
    const body = [
      renderMessage(reason ?? UNKNOWN, language),
      ...listFaults(fieldErrors ?? {}, language),
    ].join('\n')
    const notice = { kind, title, body, level: 'error', url: null, now } as const
    await notifyUser(tx, { userId, companyId }, notice)
  }
