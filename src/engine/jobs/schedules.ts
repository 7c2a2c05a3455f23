/** Scheduled procedures and reports of the model, as recurring jobs. */
import type { Reader } from '../../store/store.ts'
import type { Schedule } from '../../model/compiled/schedule.ts'
import type { CompanyOfWork } from '../../access/callers/engine-caller.ts'
import { loadCompaniesOfWork } from '../../access/companies.ts'
import type { JobArguments } from './job.ts'
import type { RecurringJob } from './recurring-job.ts'

/** A procedure or report with its schedules. */
interface Scheduled {
  /** The script's name. */
  name: string
  schedules: readonly Schedule[]
  /** The job of a schedule. */
  plan: (schedule: Schedule) => { job: string; arguments: JobArguments }
  /** True when it is always done in each company. */
  perCompany?: boolean
}

/**
 * One recurring job for each schedule, or for each of its companies; the engine owns them.
 * `timeZone` is that of jobs over all companies.
 */
export async function listRecurring(
  store: Reader,
  scheduled: readonly Scheduled[],
  timeZone: string,
): Promise<RecurringJob[]> {
  const all = scheduled.flatMap((each) =>
    each.schedules.map((schedule, at) => ({ each, schedule, name: nameOf(each.name, at) })),
  )
  if (all.length === 0) return []
  const companies = await loadCompaniesOfWork(store)
  return all.flatMap(({ each, schedule, name }) => {
    const toJob = (company?: CompanyOfWork): RecurringJob => ({
      key: company ? `${name}@${company.id}` : name,
      name: company ? `${name}@${company.code}` : name,
      ...each.plan(schedule),
      cron: schedule.cron,
      timeZone: schedule.timeZone ?? company?.timeZone ?? timeZone,
      missed: schedule.missed,
      companyId: company?.id ?? null,
      userId: null,
    })
    return each.perCompany || schedule.perCompany ? companies.map(toJob) : [toJob()]
  })
}

/** The first schedule of a script bears its name, further ones a number, too. */
const nameOf = (name: string, at: number): string => (at === 0 ? name : `${name}.${at + 1}`)
