/** Runs expire: their owners are warned before, and expired runs are removed. */
import { Loop } from '../../kernel/background.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { MINUTE } from '../../kernel/setting.ts'
import { type Store, systemScope, type Tx } from '../../store/store.ts'
import type { CurrentModel } from '../../model/current.ts'
import { namedUsers } from '../../access/users/recipients.ts'
import { findUserLanguage } from '../../access/users/spoken-language.ts'
import type { NoticeKind } from '../notifications/notice-kinds.ts'
import { saveNotifications } from '../notifications/save-notifications.ts'
import { enqueueMail } from '../object/after-write/outbox.ts'
import type { wizardRuns } from './engine-db.ts'

/** The kind of notification by which users choose how they are notified. */
const KIND: NoticeKind = 'Wizard'

const SCOPE = systemScope('runs of wizards of every company expire')

const LOOK_MS = 10 * MINUTE

/** Runs that one transaction handles, at most. */
const BATCH = 100

interface ExpiryParts {
  store: Store
  models: CurrentModel
  clock: Clock
  /** Milliseconds: the lifetime of runs, and the time before their end when owners are warned. */
  lifetime: number
  warnBefore: number
  /** Language of mails to users without one whose company has none either. */
  language: string
}

type Row = Pick<
  typeof wizardRuns.$inferSelect,
  'Id' | 'Wizard' | 'UserId' | 'CompanyId' | 'ExpiresAt' | 'Version'
>

const DUE = `SELECT Id, Wizard, UserId, CompanyId, ExpiresAt, Version FROM svc_wizard_runs
  WHERE WarnedAt IS NULL AND ExpiresAt > @now AND ExpiresAt <= @until
  ORDER BY ExpiresAt LIMIT ${BATCH}`

const WARNED = `UPDATE svc_wizard_runs SET WarnedAt = @now
  WHERE Id = @id AND Version = @version AND WarnedAt IS NULL`

/** Warns owners of runs that are about to expire, each once until they continue. */
export async function warnOwners(parts: ExpiryParts): Promise<void> {
  const { store, clock, lifetime, warnBefore } = parts
  // Otherwise every run would be about to expire from its beginning.
  if (warnBefore >= lifetime) return
  for (;;) {
    const now = clock.now()
    const until = new Date(now.getTime() + warnBefore).toISOString()
    const args = { now: now.toISOString(), until }
    const rows = await store.all<Row>(DUE, args)
    if (rows.length === 0) return
    await store.write(async (tx) => {
      for (const row of rows) {
        const { Id: id, Version: version } = row
        if ((await tx.run(WARNED, { id, version, now: args.now })) > 0) await warn(tx, parts, row)
      }
    }, SCOPE)
  }
}

async function warn(
  tx: Tx,
  { models, clock, language: fallback }: ExpiryParts,
  row: Row,
): Promise<void> {
  const { Id, Wizard, UserId, CompanyId, ExpiresAt } = row
  const view = models.get().views.get(Wizard)
  if (!view?.wizard) return
  const now = clock.now()
  const language = (await findUserLanguage(tx, UserId, CompanyId)) ?? fallback
  const label = renderMessage(view.label, language)
  const title = renderMessage(say`${label} is still open`, language)
  const at = `${ExpiresAt.slice(0, 16).replace('T', ' ')} UTC`
  const body = renderMessage(
    say`You can continue where you left off until ${at}. After that it expires.`,
    language,
  )
  const told = { kind: KIND, title, body, level: 'warning', url: `wizard/runs/${Id}` }
  const about = { object: null, entity: null, recordKey: null, fromUserId: null }
  const named = { role: null, user: null, ids: [UserId] }
  await saveNotifications(
    tx,
    { ...told, ...about, companyId: CompanyId, now },
    namedUsers(named, CompanyId),
  )
  if (await hasChosen(tx, UserId)) return
  const texts = { To: null, Subject: title, Body: body, Report: null, With: {} }
  const payload = { ...texts, Role: null, User: null, Users: [UserId] }
  await enqueueMail(tx, { now, payload, entity: undefined, key: undefined, company: CompanyId })
}

/** True for users who chose how they are notified: by that choice they get a mail, if they want. */
const hasChosen = async (tx: Tx, user: number): Promise<boolean> =>
  (await tx.get(
    'SELECT 1 AS n FROM svc_notification_preferences WHERE UserId = @user AND Kind = @kind',
    { user, kind: KIND },
  )) !== undefined

const EXPIRED = 'SELECT Id FROM svc_wizard_runs WHERE ExpiresAt <= @now'

const PURGE = `DELETE FROM svc_wizard_runs WHERE Id IN (
  SELECT Id FROM svc_wizard_runs WHERE ExpiresAt <= @now ORDER BY ExpiresAt LIMIT ${BATCH})`

/** Removes expired runs, some at a time; uploads that they named expire with them. */
export async function purgeRuns({ store, clock }: ExpiryParts): Promise<void> {
  const args = { now: clock.now().toISOString() }
  while (await store.get(`${EXPIRED} LIMIT 1`, args))
    await store.write((tx) => tx.run(PURGE, args), SCOPE)
}

/** Warns and removes, again and again. */
export const openWizardExpiry = (parts: ExpiryParts & { log: Log }): Loop =>
  new Loop({
    name: 'runs of wizards that expire',
    everyMs: LOOK_MS,
    log: parts.log,
    steps: [() => warnOwners(parts), () => purgeRuns(parts)],
    failure: 'runs of wizards that expire could not be looked after',
  })
