/** POST /scripts: a deploy over HTTP, the same as `appengine deploy`, into the running server. */
import { readFile } from 'node:fs/promises'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { Yielder } from '../../kernel/yielder.ts'
import type { Tx } from '../../store/store.ts'
import { keyOfScript, type Script } from '../../model/compiled/script.ts'
import { changeModel } from '../../model/deploy/change-model.ts'
import { type Deployment, executeDeploy } from '../../model/deploy/deploy.ts'
import { anotherDeploy } from '../../model/deploy/overtaken.ts'
import type { DeployOptions, DeployPlan, Preparation } from '../../model/deploy/plan.ts'
import { prepareDeploy } from '../../model/deploy/prepare.ts'
import { formatDiagnostic, toWireFault, toWirePlan } from '../../model/deploy/report.ts'
import type { DeployResult } from '../../model/deploy/schema.ts'
import { MODEL_FILE_BYTES_MAX, type ModelFile } from '../../model/parse/parse.ts'
import { type Actor, actorOf, writeAudit } from '../../access/audit-entry.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { requireStillSystem } from '../../access/rights/admin-scope.ts'
import type { RequestCall } from '../../server/call.ts'
import { receiveMultipart } from '../../server/multipart.ts'
import { isForm } from '../../server/route-table.ts'
import { type DeployRequest, FILE_NAME_CHARACTERS_MAX, FILES_MAX } from './schema.ts'

/**
 * Deploys and lets the new model serve; resolves to the plan.
 * @throws denied (401) to an impersonator, invalid (400) with each fault's place or with the data
 * that would be lost, conflict (409) when other deploys came between each time.
 */
export async function deployFiles(call: RequestCall, body: DeployRequest): Promise<DeployResult> {
  const { caller } = call
  requireNotImpersonated(caller)
  const requested = isForm(call.request) ? await readForm(call) : body
  const rollback = requested.Rollback ?? false
  const files = rollback ? requireNoFiles(requested) : requireFiles(requested.Files ?? [])
  const options: DeployOptions = {
    rollback,
    dryRun: requested.DryRun ?? false,
    allowDataLoss: requested.AllowDataLoss ?? false,
    prune: requested.Prune ?? false,
    overwrite: requested.Overwrite ?? false,
    loadResources: () => call.app.extensions.listResources(),
    by: caller.userId,
  }
  let first: string | undefined
  const run = (): Promise<Deployment> =>
    deploy(call, files, options, ({ rollback }) => {
      first ??= rollback?.deployedAt
      // Planned again after other changes: it must not roll back a deploy that came with them.
      if (first !== rollback?.deployedAt) throw anotherDeploy()
    })
  const deployment = await (options.dryRun ? run() : changeModel(caller.userId, run))
  return requireDone(deployment, options)
}

async function deploy(
  { app, caller, traceId }: RequestCall,
  files: readonly ModelFile[],
  options: DeployOptions,
  requireSame: (plan: DeployPlan) => void,
): Promise<Deployment> {
  const context = { now: app.clock.now(), source: 'scripts', traceId }
  const actor = actorOf(caller, context)
  const preparation = await prepareDeploy(app.store, files, options, app.models.compiler)
  requireSame(preparation.plan)
  return executeDeploy(app, preparation, options, async (tx) => {
    await requireStillSystem(tx, caller)
    await auditScripts(tx, actor, preparation)
    app.callers.forgetAllWith(tx)
  })
}

/** Audits the new scripts with their hashes, against those of before. */
async function auditScripts(tx: Tx, actor: Actor, { ready }: Preparation): Promise<void> {
  if (!ready) return
  const { catalog } = ready
  const before = new Map(catalog.stored.map((script) => [keyOfScript(script), script.versionHash]))
  const write = (script: Script, to: string | null) =>
    writeAudit(tx, actor, {
      entity: 'svc_scripts',
      id: script.name,
      action: 'deploy',
      changes: {
        Type: [null, script.type],
        VersionHash: [before.get(keyOfScript(script)) ?? null, to],
      },
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
  const plan = toWirePlan(deployment)
  const [first] = faults
  if (first)
    throw invalid(
      say`The model has ${faults.length} errors. The first one: ${formatDiagnostic(first)}`,
      {
        code: 'MODEL_FAULTS',
        members: { faults: faults.map(toWireFault), plan },
      },
    )
  const isRefused = losses.length > 0 && !options.allowDataLoss && !options.dryRun
  if (isRefused)
    throw invalid(
      say`This would delete data. Set AllowDataLoss to go ahead: ${losses.join('; ')}`,
      {
        code: 'DATA_LOSS',
        members: { losses, plan },
      },
    )
  return plan
}

/** Reads a form with `files` and the flags of a DeployRequest; nothing of it stays on the disk. */
async function readForm({ app, request }: RequestCall): Promise<DeployRequest> {
  await using form = await receiveMultipart(request, {
    folder: app.files.receivedFolder,
    fileBytesMax: MODEL_FILE_BYTES_MAX,
    filesMax: FILES_MAX,
    keepsPaths: true,
  })
  const flag = (name: string): boolean => readFlag(name, form.fields.get(name.toLowerCase()))
  const files: DeployRequest['Files'] = []
  for (const { fileName, path } of form.files)
    files.push({ FileName: fileName, Body: decode(fileName, await readFile(path)) })
  return {
    Files: files,
    DryRun: flag('DryRun'),
    AllowDataLoss: flag('AllowDataLoss'),
    Prune: flag('Prune'),
    Overwrite: flag('Overwrite'),
    Rollback: flag('Rollback'),
  }
}

/** Reads a flag of a form, which is text; any other word than these is refused, not guessed. */
function readFlag(name: string, text: string | undefined): boolean {
  const word = text?.trim().toLowerCase() ?? ''
  if (word === 'true' || word === '1') return true
  if (word === '' || word === 'false' || word === '0') return false
  throw invalid(say`${name} must be true or false`)
}

/** Decodes a file to its verbatim text, which is stored with its byte order mark. */
function decode(fileName: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalid(say`${fileName} is not valid UTF-8`)
  }
}

/** @throws invalid for a rollback with files, which are not looked at */
function requireNoFiles({ Files, Prune }: DeployRequest): ModelFile[] {
  if ((Files ?? []).length > 0 || Prune)
    throw invalid(say`Rollback rolls the last deploy back: send neither Files nor Prune with it`)
  return []
}

/**
 * Returns the files under names as `appengine deploy` gives them: paths below the model's folder.
 * @throws invalid for no file, for an unfit name, for one that is there twice.
 */
function requireFiles(files: NonNullable<DeployRequest['Files']>): ModelFile[] {
  if (files.length === 0) throw invalid(say`Files must contain at least one model file`)
  const names = new Set<string>()
  return files.map(({ FileName, Body }) => {
    if (!isFileName(FileName)) throw invalid(say`FileName must be a path below the model folder`)
    if (names.has(FileName)) throw invalid(say`${FileName} is included twice`)
    // Text that UTF-8 cannot hold could not be stored verbatim.
    if (!Body.isWellFormed()) throw invalid(say`${FileName} is not valid UTF-8`)
    names.add(FileName)
    return { name: FileName, body: Body }
  })
}

const isFileName = (name: string): boolean =>
  name.length <= FILE_NAME_CHARACTERS_MAX &&
  name.isWellFormed() &&
  !/[\p{Cc}\\]/u.test(name) &&
  name.split('/').every((part) => part.trim() !== '' && part !== '.' && part !== '..')
