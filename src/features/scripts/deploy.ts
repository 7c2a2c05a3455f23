/** POST /scripts: a deploy over HTTP, the same as `appengine deploy`, into the running server. */
import { requireStillSystem } from '../../access/admin-scope.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import type { Actor } from '../../access/audit-entry.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { Yielder } from '../../kernel/yielder.ts'
import { executeDeploy } from '../../model/deploy.ts'
import type { Deployment } from '../../model/deploy.ts'
import { prepareDeploy } from '../../model/deploy-plan.ts'
import type { DeployOptions, Preparation } from '../../model/deploy-plan.ts'
import { formatDiagnostic, toWireFault, toWirePlan } from '../../model/deploy-report.ts'
import type { Script } from '../../model/model.ts'
import type { ModelFile } from '../../model/parse.ts'
import type { AppContext } from '../../server/context.ts'
import { isForm } from '../../server/route-table.ts'
import { callerOf, traceIdOf } from '../../server/session.ts'
import type { Tx } from '../../store/store.ts'
import { readForm, requireFiles } from './files.ts'
import type { DeployRequest, DeployResult } from './schema.ts'

/**
 * Deploys and lets the new model serve; resolves to the plan.
 * @throws denied (401) while acting as somebody else, invalid (400) with each fault's place or with
 * what would be lost, conflict (409) when another deploy came between.
 */
export async function deployFiles(
  app: AppContext,
  request: Request,
  body: DeployRequest,
): Promise<DeployResult> {
  const caller = callerOf(request)
  requireNotImpersonated(caller)
  const requested = isForm(request) ? await readForm(app, request) : body
  const files = requireFiles(requested.Files ?? [])
  const options: DeployOptions = {
    dryRun: requested.DryRun ?? false,
    allowDataLoss: requested.AllowDataLoss ?? false,
    prune: requested.Prune ?? false,
    overwrite: requested.Overwrite ?? false,
    by: caller.userId,
  }
  const deployment = await deploy(app, request, files, options)
  return requireDone(deployment, options)
}

async function deploy(
  app: AppContext,
  request: Request,
  files: readonly ModelFile[],
  options: DeployOptions,
): Promise<Deployment> {
  const caller = callerOf(request)
  const way = { now: app.clock.now(), source: 'scripts', traceId: traceIdOf(request) }
  const actor = actorOf(caller, way)
  const preparation = await prepareDeploy(app.store, files, options, app.models.compile)
  return executeDeploy(app, preparation, options, async (tx) => {
    await requireStillSystem(tx, caller)
    await auditScripts(tx, actor, preparation)
    app.callers.forgetAllWith(tx)
  })
}

/** The new scripts with their hashes, from what they were before. */
async function auditScripts(tx: Tx, actor: Actor, { ready }: Preparation): Promise<void> {
  if (!ready) return
  const { catalog } = ready
  const keyOf = ({ type, name }: Script): string => `${type} ${name}`
  const before = new Map(catalog.stored.map((script) => [keyOf(script), script.versionHash]))
  const write = (script: Script, to: string | null) =>
    writeAudit(tx, actor, {
      entity: 'svc_scripts',
      id: script.name,
      action: 'deploy',
      changes: { Type: [null, script.type], VersionHash: [before.get(keyOf(script)) ?? null, to] },
    })
  const yielder = new Yielder()
  for (const script of [...catalog.new, ...catalog.changed]) {
    await write(script, script.versionHash)
    await yielder.yieldWhenDue()
  }
  for (const script of catalog.removed) await write(script, null)
}

function requireDone(deployment: Deployment, options: DeployOptions): DeployResult {
  const { faults, losses } = deployment.plan
  const plan = toWirePlan(deployment) as DeployResult
  const [first] = faults
  if (first)
    throw invalid(
      say`The model has ${faults.length} faults, the first: ${formatDiagnostic(first)}`,
      {
        code: 'MODEL_FAULTS',
        members: { faults: faults.map(toWireFault), plan },
      },
    )
  const isRefused = losses.length > 0 && !options.allowDataLoss && !options.dryRun
  if (isRefused)
    throw invalid(say`This would lose data; AllowDataLoss lets it happen: ${losses.join('; ')}`, {
      code: 'DATA_LOSS',
      members: { losses, plan },
    })
  return plan
}
