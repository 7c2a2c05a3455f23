/** One mail a day with a user's unread notifications, for users who want it so. */
import type { Clock } from '../../kernel/clock.ts'
import { invalid } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Settings } from '../../kernel/settings.ts'
import type { Store, Tx } from '../../store/store.ts'
import { loadCompaniesOfWork } from '../../access/companies.ts'
import { findUserLanguage, LANGUAGE } from '../../access/users/spoken-language.ts'
import type { JobKind, JobRun } from '../jobs/job.ts'
import type { ListRecurring } from '../jobs/recurring-job.ts'

/** The parts that digests are made with. */
interface DigestParts {
  store: Store
  clock: Clock
  settings: Settings
}

const NAME = 'notification-digest'

/** The time of digests: each morning, by the clock of the company. */
const CRON = '0 7 * * *'

/** Most notifications named in a digest; more are counted. */
const NAMED_MAX = 50

const WANTED = 'SELECT 1 AS Found FROM svc_notification_preferences WHERE Digest LIMIT 1'

/** Lists one digest for each company, if any user wants one. */
export const listDigests =
  ({ store }: DigestParts): ListRecurring =>
  async () => {
    if (!(await store.get({ sql: WANTED, args: {}, runs: 'inline' }))) return []
    return (await loadCompaniesOfWork(store)).map(({ id, code, timeZone }) => ({
      key: `${NAME}@${id}`,
      name: `NotificationDigest@${code}`,
      job: NAME,
      cron: CRON,
      timeZone,
      missed: 'Relaxed',
      arguments: {},
      companyId: id,
      userId: null,
    }))
  }

/** The `JobKind` of digests. */
export const digestJob = (parts: DigestParts): JobKind => ({
  name: NAME,
  run: (run) => writeDigests(parts, run),
})

/** Unread ones of kinds that a user wants in a digest, which no digest had before. */
const FROM = `FROM svc_notifications n
  JOIN svc_notification_preferences p ON p.UserId = n.UserId AND p.Kind = n.Kind AND p.Digest
  JOIN main.svc_users u ON u.Id = n.UserId AND u.Active AND u.Email IS NOT NULL
  JOIN main.svc_user_companies m ON m.UserId = u.Id AND m.CompanyId = n.CompanyId
  LEFT JOIN svc_notification_digests d ON d.UserId = n.UserId AND d.CompanyId = n.CompanyId
  WHERE n.CompanyId = @company AND n.ReadAt IS NULL AND n.Id > coalesce(d.LastId, 0)`

const USERS = `SELECT n.UserId, count(*) AS Count, max(n.Id) AS LastId ${FROM} GROUP BY n.UserId`

const TITLES = `SELECT n.Title ${FROM} AND n.UserId = @user ORDER BY n.Id LIMIT ${NAMED_MAX}`

const MAIL = `INSERT INTO svc_outbox
  (At, Kind, CompanyId, UserId, Source, Payload, State, Attempts)
  VALUES (@at, 'mail', @company, @user, 'notification-digest', @payload, 'pending', 0)`

const DONE = `INSERT INTO svc_notification_digests (UserId, CompanyId, LastId)
  VALUES (@user, @company, @last)
  ON CONFLICT (UserId, CompanyId) DO UPDATE SET LastId = excluded.LastId`

type Due = { UserId: number; Count: number; LastId: number }

async function writeDigests(
  { store, clock, settings }: DigestParts,
  run: JobRun,
): Promise<unknown> {
  const company = run.job.CompanyId
  if (company === null) throw invalid(say`A digest can only be sent within a company`)
  const of = () => ({ company, now: clock.now(), fallback: settings.get(LANGUAGE) })
  const due = await store.all<Due>({ sql: USERS, args: { company }, runs: 'lane' })
  for (const each of due) await store.write((tx) => writeDigest(tx, each, of()), { company })
  return { Mails: due.length }
}

/** The mail and how far it goes, together: no notification is in two digests. */
async function writeDigest(
  tx: Tx,
  { UserId: user, Count, LastId: last }: Due,
  { company, now, fallback }: { company: number; now: Date; fallback: string },
): Promise<void> {
  const language = (await findUserLanguage(tx, user, company)) ?? fallback
  const titles = await tx.all<{ Title: string }>(TITLES, { company, user })
  const more = Count - titles.length
  const lines = titles.map(({ Title }) => `- ${Title}`)
  if (more > 0) lines.push(renderMessage(say`and ${more} more`, language))
  const payload = JSON.stringify({
    To: null,
    Role: null,
    User: null,
    Users: [user],
    Report: null,
    With: {},
    Subject: renderMessage(say`Unread notifications: ${Count}`, language),
    Body: lines.join('\n'),
  })
  await tx.run(MAIL, { at: now.toISOString(), company, user, payload })
  await tx.run(DONE, { company, user, last })
}
