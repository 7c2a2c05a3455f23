/** Report pages that are mailed on a schedule, each recipient's made by their own rights. */
import type { Clock } from '../../kernel/clock.ts'
import { Failure, invalid, notFound } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { insertRow } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'
import { type MailPayload, outbox } from '../../store/tables/outbox.ts'
import type { Report } from '../../model/compiled/report.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Callers } from '../../access/callers/callers.ts'
import { Grant } from '../../access/rights/grant.ts'
import { loadRecipients } from '../../access/users/recipients.ts'
import type { JobKind, JobRun } from '../jobs/job.ts'
import type { ListRecurring } from '../jobs/recurring-job.ts'
import { listRecurring } from '../jobs/schedules.ts'

/** The parts that scheduled reports are mailed with. */
interface ScheduledReportParts {
  store: Store
  callers: Callers
  models: CurrentModel
  clock: Clock
}

const NAME = 'report-mail'

/** The payload of such a job. */
interface ReportMail {
  Report: string
  Role: string
  With: Readonly<Record<string, string | number | null>>
}

/** Schedules of reports that name a role: in each company, for those who have the role there. */
export const listScheduledReports =
  ({ store, models }: ScheduledReportParts, timeZone: string): ListRecurring =>
  () =>
    listRecurring(
      store,
      [...models.get().reports.values()].map(({ name, schedules }) => ({
        name,
        schedules: schedules.filter(({ to }) => to !== undefined),
        perCompany: true,
        plan: ({ to, arguments: With }) => ({
          job: NAME,
          arguments: { Report: name, Role: to, With },
        }),
      })),
      timeZone,
    )

/** The job that writes one mail for each recipient; the deliverer makes their files. */
export const planReportMails = (parts: ScheduledReportParts): JobKind => ({
  name: NAME,
  run: (run) => writeMails(parts, run),
})

async function writeMails(parts: ScheduledReportParts, run: JobRun): Promise<{ Mails: number }> {
  const { store, models, clock } = parts
  const { Report: name, Role: role, With } = run.arguments as unknown as ReportMail
  const companyId = run.job.CompanyId
  if (companyId === null) throw invalid(say`A report can only be mailed within a company`)
  const report = models.get().reports.get(name)
  if (!report) throw notFound(say`There is no such report`)
  const users = await loadRecipients(store, { role, user: null, ids: null }, companyId)
  const readers: number[] = []
  for (const { Id, UserName } of users) {
    if (await mayTake(parts, report, Id, companyId)) readers.push(Id)
    else run.log(say`${UserName} gets no mail: the rights List and Export are missing`)
  }
  run.log(say`Mails sent: ${readers.length}`)
  const payload: Omit<MailPayload, 'Users'> = {
    To: null,
    Role: null,
    User: null,
    Body: null,
    Report: name,
    With,
    Subject: renderMessage(report.label),
  }
  const base = { At: clock.now().toISOString(), Kind: 'mail', State: 'pending', Attempts: 0 }
  await store.write(
    async (tx) => {
      for (const userId of readers)
        await insertRow(tx, outbox, {
          ...base,
          CompanyId: companyId,
          UserId: userId,
          Source: `schedule/${name}`,
          Payload: JSON.stringify({ ...payload, Users: [userId] }),
        })
    },
    { company: companyId },
  )
  return { Mails: readers.length }
}

/** Tells whether a user could have the file made now. */
async function mayTake(
  { callers, models }: ScheduledReportParts,
  { name }: Report,
  userId: number,
  companyId: number,
): Promise<boolean> {
  try {
    const caller = await callers.loadWithoutSession({ userId, companyId })
    const grant = Grant.find(caller, models.get(), name, 'List')
    return grant?.may('Export') ?? false
  } catch (error) {
    // Locked meanwhile.
    if (error instanceof Failure && error.kind === 'unauthorized') return false
    throw error
  }
}
