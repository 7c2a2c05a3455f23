/** The mail about a task, with a link for each action that can be taken from it. */
import { Failure } from '../../kernel/failure.ts'
import { ENGINE_LANGUAGES, type Message, renderMessage, say } from '../../kernel/messages.ts'
import type { Settings } from '../../kernel/settings.ts'
import type { SqlValue } from '../../store/sql.ts'
import { systemScope, type Tx } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import { findUserLanguage, LANGUAGE } from '../../access/users/spoken-language.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import type { JobKind, JobRun } from '../jobs/job.ts'
import { planRun } from '../jobs/plan-run.ts'
import { type Paragraph, renderEmail } from '../mail/email-template.ts'
import type { Links } from '../mail/links.ts'
import type { Mail } from '../mail/mail.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { MailFacts } from '../object/after-write/mail-trace.ts'
import { addTrace } from '../object/after-write/record-traces.ts'
import { findInstanceUse, type InstanceUse } from './instance-use.ts'
import { hasDuty, type LinkEngine, loadTitle, newToken, saveLink } from './mail-links.ts'
import { TASK_MAIL_JOB } from './schedule.ts'
import { labelOfState } from './state-label.ts'
import { findTask, listHolders, type TaskRow } from './task-rows.ts'

/** The client's page that describes the action of a link and takes it. */
const LINK_PATH = '/task'

/** Most recipients of mails about one task; a larger role finds it in its list. */
const RECIPIENTS_MAX = 200

const SCOPE = systemScope('mails of tasks of every company are sent')

/** The engine that mails are made with. */
interface TaskMailEngine extends LinkEngine {
  readonly mailer: Mailer
  readonly links: Links
  readonly settings: Settings
}

interface MailOrder {
  Task: number
  /** Undefined: all users who have the task. */
  User?: number
}

/** See `JobKind`: a first job enqueues a mail to each user who has the task, then those run. */
export const taskMailJob = (engine: TaskMailEngine): JobKind => ({
  name: TASK_MAIL_JOB,
  run: (run) => {
    const { Task, User } = run.arguments as unknown as MailOrder
    return User === undefined
      ? planRun(engine, run, (model) => spread(engine, model, Task))
      : send(engine, run, { id: Task, userId: User })
  },
})

async function spread(engine: TaskMailEngine, model: Model, id: number): Promise<unknown> {
  const task = await findTask(engine.store, id)
  if (task?.Status !== 'Open') return { Mails: 0 }
  const of = { id, company: task.CompanyId, except: task.ExceptUserId }
  const users = (await listHolders(engine.store, of)).slice(0, RECIPIENTS_MAX)
  const owner = { userId: null, companyId: task.CompanyId }
  const now = engine.clock.now()
  const seen = await listReached(engine, model, { task, users })
  await engine.store.write(async (tx) => {
    traceTaskMail(tx, model, { task, seen })
    for (const User of users) {
      const order = { name: TASK_MAIL_JOB, arguments: { Task: id, User }, owner, now }
      await enqueueJob(tx, { ...order, source: task.Workflow })
    }
  }, SCOPE)
  return { Mails: users.length }
}

/** The task of a mail, and its user. */
interface MailTo {
  id: number
  userId: number
}

async function send(engine: TaskMailEngine, run: JobRun, to: MailTo): Promise<unknown> {
  const mail = await planRun(engine, run, (model) => planMail(engine, model, to))
  if (mail) await engine.mailer.deliver(mail)
  return { Sent: mail !== undefined }
}

/** Plans the mail; undefined where there is nothing to report, or no recipient. */
async function planMail(
  engine: TaskMailEngine,
  model: Model,
  { id, userId }: MailTo,
): Promise<Mail | undefined> {
  const task = await findTask(engine.store, id)
  if (task?.Status !== 'Open') return undefined
  const seen = await findSeen(engine, model, { task, userId })
  if (!seen?.email) return undefined
  const own = await findUserLanguage(engine.store, userId, task.CompanyId)
  const language = own ?? engine.settings.get(LANGUAGE)
  const { found, email, displayName, mayLink } = seen
  const paragraphs = await planParagraphs(engine, { task, found, userId, language, mayLink })
  const subject = writeSubject(found, language)
  return {
    to: { name: displayName, address: email },
    ...renderEmail({ subject, paragraphs }, language),
    id: `workflow-task-${id}-${userId}`,
  }
}

interface Seen {
  found: InstanceUse
  email: string | undefined
  displayName: string
  /** True if a link may act for them: only once they have no duty that a sign-in asks for first. */
  mayLink: boolean
}

const writeSubject = ({ workflow }: InstanceUse, language?: string): Message =>
  say`Task: ${renderMessage(workflow.label, language)}`

/** A user whom the mail about a task reaches, as they see it. */
type Reached = Seen & { userId: number }

async function listReached(
  engine: TaskMailEngine,
  model: Model,
  { task, users }: { task: TaskRow; users: readonly number[] },
): Promise<Reached[]> {
  const reached: Reached[] = []
  for (const userId of users) {
    const seen = await findSeen(engine, model, { task, userId })
    if (seen?.email) reached.push({ ...seen, userId })
  }
  return reached
}

/** Traces the mail at the record: one, to all whom it reaches. */
function traceTaskMail(
  tx: Tx,
  model: Model,
  { task, seen }: { task: TaskRow; seen: readonly Reached[] },
): void {
  const [found] = seen.map((each) => each.found)
  const entity = found && model.entities.get(found.instance.Entity)
  if (!entity) return
  const write = (language?: string) => renderMessage(writeSubject(found, language), language)
  const tags = new Set([...ENGINE_LANGUAGES, ...model.languages])
  const facts: MailFacts = {
    Instance: task.InstanceId,
    Subject: write(),
    Subjects: Object.fromEntries([...tags].map((tag) => [tag.toLowerCase(), write(tag)])),
    Object: found.workflow.view,
    Named: {},
    Users: seen.map(({ userId }) => userId),
  }
  addTrace(tx, {
    entity,
    key: JSON.parse(found.instance.RecordKey) as SqlValue[],
    company: task.CompanyId,
    action: 'mail',
    facts: { ...facts },
  })
}

/** The task as a user sees it; undefined for a user who is locked, has left or may not see it. */
async function findSeen(
  engine: TaskMailEngine,
  model: Model,
  { task, userId }: { task: TaskRow; userId: number },
): Promise<Seen | undefined> {
  try {
    const owner = { userId, companyId: task.CompanyId }
    const caller = await engine.callers.loadWithoutSession(owner)
    const by = { engine, caller, model }
    const found = await findInstanceUse(by, task.InstanceId)
    const { email, displayName } = caller
    return found && { found, email, displayName, mayLink: !hasDuty(caller) }
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

async function planParagraphs(
  { store, links, clock }: TaskMailEngine,
  of: { task: TaskRow; found: InstanceUse; userId: number; language: string; mayLink: boolean },
): Promise<Paragraph[]> {
  const { task, found, userId, language, mayLink } = of
  const { workflow, use } = found
  const title = await loadTitle(store, found)
  const state = labelOfState(workflow, task.State, language)
  const label = renderMessage(workflow.label, language)
  const paragraphs: Paragraph[] = [say`${label}: ${title} is waiting for you (${state}).`]
  const due = task.DueAt?.slice(0, 16).replace('T', ' ')
  if (due !== undefined) paragraphs.push(say`It is due on ${due} UTC.`)
  const actions = workflow.transitions.filter(
    ({ from, after, capability, parameters }) =>
      mayLink &&
      after === undefined &&
      from.includes(task.State) &&
      use.grant.holds(capability ?? 'Update') &&
      parameters.every(({ required, requiredWhen }) => !required && !requiredWhen),
  )
  for (const { action, label: name } of new Map(actions.map((a) => [a.action, a])).values()) {
    const token = newToken()
    const link = { task: task.Id, user: userId, action, now: clock.now() }
    await store.write((tx) => saveLink(tx, link, token), SCOPE)
    const shown = renderMessage(name, language)
    paragraphs.push(say`${shown} (this link works once; you confirm before anything happens):`)
    paragraphs.push({ link: links.to(LINK_PATH, { token }) })
  }
  return paragraphs
}
