/**
 * Actions from a mail: a link works once, and while its task is open. Its action is checked by the
 * rights of its user at the time of use. A link opens no more than a sign-in would: it ends with a
 * lock, another password and another address (`endTaskLinks`), and tells nothing to a user who must
 * first change a password or set up a second factor.
 */
import { createHash, randomBytes } from 'node:crypto'
import { Failure, notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { WorkNotes } from '../../kernel/read-notes.ts'
import { DAY } from '../../kernel/setting.ts'
import { getRow } from '../../store/rows.ts'
import type { Reader, Store, Tx } from '../../store/store.ts'
import { workflowLinks } from '../../store/tables/workflows.ts'
import type { Transition } from '../../model/compiled/workflow.ts'
import { planAnewWhenReplaced } from '../../model/current.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { Callers } from '../../access/callers/callers.ts'
import { type Mutation, newMutation, type ObjectEngine } from '../object/mutation.ts'
import { isServed } from '../object/read/find-view.ts'
import { loadSaved } from '../object/record/record.ts'
import type { RecordAccess } from '../object/view-access.ts'
import { type ActionOutcome, performAction } from './act.ts'
import { findInstanceUse, type InstanceUse, requireStateSeen } from './instance-use.ts'
import { labelOfState } from './state-label.ts'
import { findTask, type TaskRow } from './task-rows.ts'
import { requireMovable } from './versions.ts'

type LinkRow = typeof workflowLinks.$inferSelect

const TOKEN_BYTES = 32
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Longest lifetime of a link, however long its task is open. */
export const LIFETIME_MS = 30 * DAY

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** 404: of a used link, of one whose task is closed, and of any other text. */
const missingLink = () =>
  notFound(say`This link is not valid, or has already been used`, { code: 'LINK_NOT_FOUND' })

const INSERT = `INSERT INTO svc_workflow_links (TokenHash, TaskId, UserId, Action, ExpiresAt)
  SELECT @hash, @task, @user, @action, @until
  WHERE EXISTS (SELECT 1 FROM svc_workflow_tasks WHERE Id = @task AND Status = 'Open')
    AND EXISTS (SELECT 1 FROM svc_users WHERE Id = @user AND Active)`

/** Makes a link's token; its stored form cannot be used as a link. */
export async function saveLink(
  tx: Tx,
  { task, user, action, now }: { task: number; user: number; action: string; now: Date },
  token: string,
): Promise<void> {
  const until = new Date(now.getTime() + LIFETIME_MS).toISOString()
  await tx.run(INSERT, { hash: hashOf(token), task, user, action, until })
}

/** A random token that cannot be guessed. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

/** The engine that links are used with. */
export interface LinkEngine extends ObjectEngine {
  readonly callers: Callers
  readonly reads: WorkNotes
}

/** A link that its user may use now. */
interface OpenLink {
  link: LinkRow
  task: TaskRow
  found: InstanceUse
  transition: Transition
  caller: Caller
}

async function openLink(engine: LinkEngine, model: Model, token: string): Promise<OpenLink> {
  const link = TOKEN.test(token) ? await findLink(engine.store, hashOf(token)) : undefined
  const now = engine.clock.now().toISOString()
  const task = link && link.ExpiresAt > now ? await findTask(engine.store, link.TaskId) : undefined
  if (!link || task?.Status !== 'Open') throw missingLink()
  const caller = await findOwner(engine, { userId: link.UserId, companyId: task.CompanyId })
  if (!caller) throw missingLink()
  const by = { engine, caller, model }
  const found = await findInstanceUse(by, task.InstanceId)
  const transition = found?.workflow.transitions.find(
    ({ action, after, from }) =>
      action === link.Action && after === undefined && from.includes(task.State),
  )
  if (!found || !transition) throw missingLink()
  requireMovable(found)
  return { link, task, found, transition, caller }
}

/** Undefined for a user who could not sign in: locked, gone, or with a duty to do first. */
async function findOwner(
  { callers }: LinkEngine,
  owner: { userId: number; companyId: number },
): Promise<Caller | undefined> {
  try {
    const caller = await callers.loadWithoutSession(owner)
    return hasDuty(caller) ? undefined : caller
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unauthorized') return undefined
    throw error
  }
}

/** Tells whether a user must first change a password or set up a second factor. */
export const hasDuty = ({ mustChangePassword, mustSetUpMfa }: Caller): boolean =>
  mustChangePassword === true || mustSetUpMfa === true

const findLink = (reader: Reader, hash: string) =>
  getRow(reader, workflowLinks, 'WHERE TokenHash = @hash', { hash })

/** Description of a link's action: reading it does nothing. */
interface DescribedLink {
  Workflow: string
  State: string
  Action: string
  Label: string
  Title: string
  Object: string
  DueAt: string | null
  ExpiresAt: string
  DisplayName: string
}

/** Describes a link. @throws notFound, also for a user who is locked or has left */
export const describeLink = (
  engine: LinkEngine,
  token: string,
  language: string,
): Promise<DescribedLink> =>
  planAnewWhenReplaced(
    engine,
    async (model) => {
      const { link, task, found, transition, caller } = await openLink(engine, model, token)
      const { workflow, view } = found
      const { userId, companyId } = caller
      const by = () => ({ userId, companyId, place: 'workflow/link', request: undefined })
      return {
        Workflow: renderMessage(workflow.label, language),
        State: labelOfState(workflow, task.State, language),
        Action: link.Action,
        Label: renderMessage(transition.label, language),
        Title: await engine.reads.run(by, () => loadTitle(engine.store, found)),
        Object: view.name,
        DueAt: task.DueAt,
        ExpiresAt: link.ExpiresAt,
        DisplayName: caller.displayName,
      }
    },
    { isReading: true },
  )

/** The title of the record, from the columns of its Display that the caller sees. */
export async function loadTitle(store: Store, { use, key, view }: InstanceUse): Promise<string> {
  const values = await loadSaved({ ...use, reader: store }, key, 'read')
  const names = use.entity.display.filter((name) => {
    const field = view.fieldByName.get(name.toLowerCase())
    return field && isServed(view, use.grant, field)
  })
  const texts = names.map((name) => values?.[name]).filter((value) => typeof value === 'string')
  const keys = key.values.map(({ value }) => String(value)).join(' ')
  return texts.length > 0 ? texts.join(' ') : keys
}

const USE = `DELETE FROM svc_workflow_links WHERE TokenHash = @hash`

/** Deletes the link; refuses one already used, unless its task has ended and taken it along. */
async function useUp(tx: Tx, { TokenHash, TaskId }: LinkRow): Promise<void> {
  if ((await tx.run(USE, { hash: TokenHash })) > 0) return
  if ((await findTask(tx, TaskId))?.Status === 'Open') throw missingLink()
}

/** Takes the action of a link and uses the link up. @throws as `performAction` */
export const useLink = <T>(engine: LinkEngine, used: UsedLink, present: Present<T>): Promise<T> =>
  planAnewWhenReplaced(engine, (model) => useLinkBy(engine, model, { used, present }))

interface UsedLink {
  token: string
  comment: string | undefined
  traceId: string
}

/** Makes the answer of an action. */
type Present<T> = (tx: Tx, outcome: ActionOutcome, mutation: Mutation) => Promise<T>

async function useLinkBy<T>(
  engine: LinkEngine,
  model: Model,
  {
    used: { token, comment, traceId },
    present,
  }: {
    used: UsedLink
    present: Present<T>
  },
): Promise<T> {
  const { link, task, found, caller } = await openLink(engine, model, token)
  const mutation = newMutation({ engine, caller, model, traceId })
  const requireSeen = requireStateSeen(found, missingLink)
  const wanted = {
    action: link.Action,
    comment,
    taskId: task.Id,
    parameters: new Map<string, unknown>(),
    check: async (access: RecordAccess): Promise<void> => {
      // A write queued before this one may have ended the link.
      if (!(await findLink(access.reader, link.TokenHash))) throw missingLink()
      await requireSeen(access)
    },
  }
  return performAction(mutation, found, wanted, async (tx, outcome) => {
    await useUp(tx, link)
    return present(tx, outcome, mutation)
  })
}
