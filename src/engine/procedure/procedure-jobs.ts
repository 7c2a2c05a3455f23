/** Stored procedures as jobs: of effects, and of schedules. */
import { notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import type { CompanyOfWork } from '../../access/callers/engine-caller.ts'
import { loadCompaniesOfWork } from '../../access/companies.ts'
import { Grant } from '../../access/rights/grant.ts'
import type { JobKind, JobRun } from '../jobs/job.ts'
import { planRun } from '../jobs/plan-run.ts'
import type { ListRecurring } from '../jobs/recurring-job.ts'
import { listRecurring } from '../jobs/schedules.ts'
import type { RowLimits } from '../object/capped-rows.ts'
import { newMutation, type ObjectEngine } from '../object/mutation.ts'
import { requireProcedure, runOwnProcedure, runProcedure } from './run-procedure.ts'

/** Finds the procedure that jobs of a name run; undefined where the model has none. */
export const findProcedureJobs =
  (engine: ObjectEngine, limits: RowLimits) =>
  (name: string): JobKind | undefined => {
    const procedure = engine.models.get().procedures.get(name.toLowerCase())
    if (!procedure) return undefined
    return {
      name: procedure.name,
      staysInside: true,
      // A job with its own arguments is a call of its user, who needs what a call needs.
      requireMayAsk: (caller) => {
        Grant.requireCapability(caller, engine.models.get(), procedure.resource, 'Execute')
      },
      run: (run) => planRun(engine, run, (model) => runAsJob(engine, run, model, limits)),
    }
  }

/**
 * Runs as the user who caused the job, or as the engine. The gate was that of the action, event or
 * schedule which asked for it: Execute is for direct calls.
 */
async function runAsJob(
  engine: ObjectEngine,
  run: JobRun,
  model: Model,
  limits: RowLimits,
): Promise<unknown> {
  const { job, arguments: parameters } = run
  const procedure = requireProcedure(model, job.Name)
  const traceId = `job-${job.Id}`
  const call = { procedure, parameters, limits }
  if (job.UserId === null) {
    const company = await findCompany(engine, job.CompanyId)
    return parse(await runOwnProcedure(engine, model, { ...call, company, traceId }))
  }
  const caller = await run.requireCaller()
  const grant = Grant.ofCause(caller, model, procedure.resource)
  const mutation = newMutation({ engine, caller, model, traceId })
  return parse(await runProcedure(mutation, { ...call, grant }))
}

const parse = ({ text }: { text: string }): unknown => JSON.parse(text)

/** @throws notFound for a company that has been closed */
async function findCompany(
  { store }: ObjectEngine,
  id: number | null,
): Promise<CompanyOfWork | undefined> {
  if (id === null) return undefined
  const company = (await loadCompaniesOfWork(store)).find((each) => each.id === id)
  if (!company) throw notFound(say`The company is closed`, { code: 'COMPANY_CLOSED' })
  return company
}

/** Lists procedures with a schedule; `timeZone` is that of schedules over all companies. */
export const listScheduledProcedures =
  ({ store, models }: ObjectEngine, timeZone: string): ListRecurring =>
  () =>
    listRecurring(
      store,
      [...models.get().procedures.values()].map(({ name, schedules }) => ({
        name,
        schedules,
        plan: (schedule) => ({ job: name, arguments: schedule.arguments }),
      })),
      timeZone,
    )
