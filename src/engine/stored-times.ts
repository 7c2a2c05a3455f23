/** Times that the engine's rooms store, and how far ahead of the clock each may be. */
import { WAIT_MS_MAX } from '../kernel/retry.ts'
import type { StoredTime } from '../kernel/stored-times.ts'
import { composeStates } from '../store/tables/jobs.ts'
import { PROPOSAL_MS } from './assistant/proposals.ts'
import { RESERVED_MS } from './object/write/reservation.ts'
import { REST_MS } from './web-push/push-options.ts'
import { FORMER_MS } from './webhooks/webhook-records.ts'
import { LIFETIME_MS } from './workflow/mail-links.ts'

/** Time at which a job entered its state, by its history. */
const JOB_SINCE = `json_extract(History, '$[#-1].At')`

const TASK_SINCE =
  '(SELECT t.CreatedAt FROM svc_workflow_tasks AS t WHERE t.Id = svc_workflow_assignees.TaskId)'

const inEngine = (table: string, column: string, more: Partial<StoredTime> = {}): StoredTime => ({
  in: 'engine.db',
  table,
  column,
  aheadMs: 0,
  ...more,
})

/** Times of the engine's tables; in a table, the time that moves another comes before it. */
export const ENGINE_TIMES: readonly StoredTime[] = [
  inEngine('svc_jobs', 'DueAt', { since: JOB_SINCE, where: composeStates(({ isDue }) => isDue) }),
  inEngine('svc_jobs', 'FinishedAt', {
    where: `FinishedAt IS NOT NULL AND ${composeStates(({ end }) => end !== undefined)}`,
  }),
  inEngine('svc_outbox', 'DueAt', { aheadMs: WAIT_MS_MAX, where: `State = 'pending'` }),
  inEngine('svc_outbox', 'At'),
  inEngine('svc_uploads', 'ExpiresAt', { since: 'CreatedAt', with: ['CreatedAt'] }),
  inEngine('svc_imports', 'ExpiresAt', { since: 'At', with: ['At'] }),
  inEngine('svc_reservations', 'ExpiresAt', { aheadMs: RESERVED_MS }),
  inEngine('svc_notifications', 'CreatedAt'),
  inEngine('svc_wizard_runs', 'ExpiresAt', { since: 'ChangedAt', with: ['ChangedAt'] }),
  inEngine('svc_push_subscriptions', 'RestUntil', { aheadMs: REST_MS }),
  inEngine('svc_assistant_conversations', 'UpdatedAt'),
  inEngine('svc_assistant_proposals', 'ExpiresAt', { aheadMs: PROPOSAL_MS }),
  inEngine('svc_assistant_proposals', 'DoneAt'),
  inEngine('svc_webhooks', 'FormerUntil', { aheadMs: FORMER_MS }),
  inEngine('svc_webhooks', 'FailingSince'),
  inEngine('svc_webhook_deliveries', 'At', { where: `State <> 'pending'` }),
  inEngine('svc_workflow_assignees', 'Due', {
    since: TASK_SINCE,
    where: `IsOpen = 1 AND Due <> '~'`,
  }),
  inEngine('svc_workflow_tasks', 'DueAt', {
    since: 'CreatedAt',
    with: ['CreatedAt'],
    where: `Status = 'Open'`,
  }),
  inEngine('svc_workflow_links', 'ExpiresAt', { aheadMs: LIFETIME_MS }),
  { in: 'state.db', table: 'svc_strays', column: 'Since', aheadMs: 0 },
  { in: 'state.db', table: 'svc_exports', column: 'ExpiresAt', aheadMs: 0, since: 'CreatedAt' },
  {
    in: 'state.db',
    table: 'svc_assistant_tokens',
    column: 'Day',
    aheadMs: 0,
    isForgotten: true,
  },
]
