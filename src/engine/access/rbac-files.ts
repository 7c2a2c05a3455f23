/** The access of an installation as files and lists: taken out, and taken back in. */
import { renewScope } from '../../access/admin-scope.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import type { Actor } from '../../access/audit-entry.ts'
import { readRows } from '../../access/board-users.ts'
import type { Caller } from '../../access/caller.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { requireSystemLeft } from '../../access/system-users.ts'
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { executeDeploy } from '../../model/deploy.ts'
import { prepareDeploy } from '../../model/deploy-plan.ts'
import type { DeployOptions, Preparation } from '../../model/deploy-plan.ts'
import { formatDiagnostic, toWireFault, toWirePlan } from '../../model/deploy-report.ts'
import type { Diagnostic } from '../../model/element.ts'
import type { Model } from '../../model/model.ts'
import { parseModelFiles } from '../../model/parse.ts'
import type { ModelFile } from '../../model/parse.ts'
import { systemScope } from '../../store/store.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { Undone } from './apply.ts'
import type { BoardEngine } from './apply.ts'
import { changeUserRoles } from './user-roles-import.ts'
import type { ChangedUser, UserRoles } from './user-roles-import.ts'

export interface RbacFile {
  FileName: string
  /** The XML, verbatim. */
  Body: string
}

export interface RbacExport {
  Files: RbacFile[]
  Users: (UserRoles & { Companies: string[] })[]
}

export interface RbacImportRequest {
  /** The whole Rbac: scripts of it that are not among these go. Undefined: it stays. */
  Files: readonly RbacFile[] | undefined
  /** All that each of these users is to hold; others stay as they are. */
  Users: readonly UserRoles[] | undefined
  DryRun: boolean
}

export interface RbacImport {
  Applied: boolean
  /** As a deploy tells it; null without files. */
  Plan: Record<string, unknown> | null
  Users: ChangedUser[]
}

/** The Rbac scripts of the model and every membership. */
export async function exportRbac(store: Reader, model: Model): Promise<RbacExport> {
  const scripts = model.scripts.filter(({ type }) => type === 'Rbac')
  const isAlone = (fileName: string): boolean =>
    scripts.filter((script) => script.fileName === fileName).length === 1
  const users = await readRows(
    store,
    'SELECT u.UserName, (SELECT json_group_array(Code) FROM (SELECT c.Code FROM ' +
      'svc_user_companies m JOIN svc_companies c ON c.Id = m.CompanyId WHERE m.UserId = u.Id ' +
      'ORDER BY c.Code)) AS Companies, (SELECT json_group_array(Held) FROM (SELECT r.Role || ' +
      "coalesce('@' || c.Code, '') AS Held FROM svc_user_roles r LEFT JOIN svc_companies c " +
      'ON c.Id = r.CompanyId WHERE r.UserId = u.Id ORDER BY 1)) AS Roles ' +
      'FROM svc_users u ORDER BY u.UserNameKey',
    {},
  )
  return {
    Files: scripts.map(({ name, fileName, body }) => ({
      FileName: isAlone(fileName) ? fileName : `${name}.xml`,
      Body: body,
    })),
    Users: users.map((row) => ({
      UserName: String(row.UserName),
      Companies: JSON.parse(String(row.Companies)) as string[],
      Roles: JSON.parse(String(row.Roles)) as string[],
    })),
  }
}

/**
 * Takes an export back, by the path of a deploy, in one transaction.
 * @throws denied (401) while acting as somebody else, invalid (400) with each fault's file, line
 * and column, conflict (409) when nobody would be left to act as System.
 */
export async function importRbac(
  engine: BoardEngine,
  caller: Caller,
  request: RbacImportRequest,
  traceId: string,
): Promise<RbacImport> {
  requireNotImpersonated(caller)
  const actor = actorOf(caller, { now: engine.clock.now(), source: 'rbac/import', traceId })
  const files = (request.Files ?? []).map(({ FileName, Body }) => ({ name: FileName, body: Body }))
  const options: DeployOptions = {
    prune: 'Rbac',
    change: { origin: 'import', by: caller.userId, served: engine.models.get() },
  }
  const prepared = files.length > 0 ? await prepare(engine, files, options) : undefined
  const model = prepared?.ready?.model ?? engine.models.get()
  let users: ChangedUser[] = []
  const within = async (tx: Tx): Promise<void> => {
    const scope = await renewScope(tx, caller, [])
    users = await changeUserRoles(tx, request.Users ?? [], { scope, model, actor })
    if (users.length > 0) await requireSystemLeft(tx)
    if (prepared) await auditScripts(tx, actor, prepared)
    if (request.DryRun) throw new Undone()
    engine.callers.forgetAllWith(tx)
  }
  const isDone = await run(engine, prepared, options, within)
  const plan = prepared && toWirePlan({ plan: prepared.plan, isDone, recordsWritten: 0 })
  return { Applied: isDone, Plan: plan ?? null, Users: users }
}

async function run(
  engine: BoardEngine,
  prepared: Preparation | undefined,
  options: DeployOptions,
  within: (tx: Tx) => Promise<void>,
): Promise<boolean> {
  try {
    if (!prepared)
      await engine.store.write(within, systemScope('rights of roles hold in every company'))
    else requireDone((await executeDeploy(engine, prepared, options, within)).plan.faults)
    return true
  } catch (error) {
    if (error instanceof Undone) return false
    throw error
  }
}

async function prepare(
  engine: BoardEngine,
  files: readonly ModelFile[],
  options: DeployOptions,
): Promise<Preparation> {
  const parsed = await parseModelFiles(files)
  const others = parsed.flatMap(({ scripts }) => scripts.filter(({ type }) => type !== 'Rbac'))
  requireDone(
    others.map(({ type, element }) => ({
      place: element.place,
      message: `Only Rbac is imported here, not ${type}: deploy the model`,
    })),
  )
  const preparation = await prepareDeploy(engine.store, files, options)
  requireDone(preparation.plan.faults)
  return preparation
}

/** 400 with the first fault in words and all of them in `faults`. */
function requireDone(faults: readonly Diagnostic[]): void {
  const [first] = faults
  if (!first) return
  throw invalid(say`The Rbac has ${faults.length} faults, the first: ${formatDiagnostic(first)}`, {
    code: 'MODEL_FAULTS',
    members: { faults: faults.map(toWireFault) },
  })
}

async function auditScripts(tx: Tx, actor: Actor, { plan }: Preparation): Promise<void> {
  const changed = [...plan.new, ...plan.changed, ...plan.removed]
  for (const { name } of changed)
    await writeAudit(tx, actor, { entity: 'svc_scripts', id: name, action: 'import', changes: {} })
}
