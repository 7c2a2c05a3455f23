/** The access of an installation as files and lists: exported, and imported again. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { type Reader, systemScope, type Tx } from '../../store/store.ts'
import { changeModel } from '../../model/deploy/change-model.ts'
import { executeDeploy } from '../../model/deploy/deploy.ts'
import type { DeployOptions, Preparation } from '../../model/deploy/plan.ts'
import { prepareDeploy } from '../../model/deploy/prepare.ts'
import { formatDiagnostic, toWireFault, toWirePlan } from '../../model/deploy/report.ts'
import type { Model } from '../../model/model.ts'
import type { Diagnostic } from '../../model/parse/element.ts'
import { type ModelFile, parseModelFiles } from '../../model/parse/parse.ts'
import { type Actor, actorOf, writeAudit } from '../../access/audit-entry.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { requireStillSystem } from '../../access/rights/admin-scope.ts'
import { deleteUserRole, requireSystemLeft, saveUserRole } from '../../access/rights/role-rows.ts'
import { parseRoleGrant, toUserNameKey } from '../../access/users/user-names.ts'
import { type RecordedRole, selectUsers } from '../../access/users/user-records.ts'
import { requireRoles } from '../../access/users/users.ts'
import { RollbackSignal } from './apply.ts'
import type {
  ChangedUser,
  RbacExport,
  RbacImport,
  RbacImportRequest,
  UserRoles,
} from './board-schema.ts'
import type { AccessEngine } from './rbac-scripts.ts'

/** The Rbac scripts of the model and every membership. */
export async function exportRbac(store: Reader, model: Model): Promise<RbacExport> {
  const scripts = model.scripts.filter(({ type }) => type === 'Rbac')
  const isAlone = (fileName: string): boolean =>
    scripts.filter((script) => script.fileName === fileName).length === 1
  const users = await selectUsers(store, { where: '1', args: {} })
  return {
    Files: scripts.map(({ name, fileName, body }) => ({
      FileName: isAlone(fileName) ? fileName : `${name}.xml`,
      Body: body,
    })),
    Users: users.map(({ user, companies, roles }) => ({
      UserName: user.UserName,
      Companies: companies.map(({ code }) => code),
      Roles: roles.map(({ text }) => text).sort(),
    })),
  }
}

/**
 * Takes an export back, by the path of a deploy, in one transaction.
 * @throws denied (401) while impersonating another user, invalid (400) with each fault's file, line
 * and column, conflict (409) when no user would be left to act as System.
 */
export async function importRbac(
  engine: AccessEngine,
  caller: Caller,
  request: RbacImportRequest,
  traceId: string,
): Promise<RbacImport> {
  requireNotImpersonated(caller)
  return changeModel(caller.userId, () => importNow(engine, caller, request, traceId))
}

async function importNow(
  engine: AccessEngine,
  caller: Caller,
  request: RbacImportRequest,
  traceId: string,
): Promise<RbacImport> {
  const actor = actorOf(caller, { now: engine.clock.now(), source: 'rbac/import', traceId })
  const files = (request.Files ?? []).map(({ FileName, Body }) => ({ name: FileName, body: Body }))
  const options: DeployOptions = {
    prune: 'Rbac',
    change: { source: 'import', by: caller.userId, served: engine.models.get() },
  }
  const prepared = files.length > 0 ? await prepare(engine, files, options) : undefined
  const model = prepared?.ready?.model ?? engine.models.get()
  let users: ChangedUser[] = []
  const within = async (tx: Tx): Promise<void> => {
    await requireStillSystem(tx, caller)
    users = await changeUserRoles(tx, request.Users ?? [], model, actor)
    if (users.length > 0) await requireSystemLeft(tx)
    if (prepared) await auditScripts(tx, actor, prepared)
    if (request.DryRun) throw new RollbackSignal()
    engine.callers.forgetAllWith(tx)
  }
  const isDone = await run(engine, prepared, options, within)
  const plan = prepared && toWirePlan({ plan: prepared.plan, isDone, recordsWritten: 0 })
  return { Applied: isDone, Plan: plan ?? null, Users: users }
}

async function run(
  engine: AccessEngine,
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
    if (error instanceof RollbackSignal) return false
    throw error
  }
}

async function prepare(
  engine: AccessEngine,
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
  const preparation = await prepareDeploy(engine.store, files, options, engine.models.compiler)
  requireDone(preparation.plan.faults)
  return preparation
}

/** 400 with the first fault in words and all of them in `faults`. */
function requireDone(faults: readonly Diagnostic[]): void {
  const [first] = faults
  if (!first) return
  throw invalid(
    say`The Rbac has ${faults.length} errors. The first one: ${formatDiagnostic(first)}`,
    {
      code: 'MODEL_FAULTS',
      members: { faults: faults.map(toWireFault) },
    },
  )
}

async function auditScripts(tx: Tx, actor: Actor, { plan }: Preparation): Promise<void> {
  const changed = [...plan.new, ...plan.changed, ...plan.removed]
  for (const { name } of changed)
    await writeAudit(tx, actor, { entity: 'svc_scripts', id: name, action: 'import', changes: {} })
}

/**
 * Gives and takes the difference between the roles that users hold and those they are to hold.
 * @throws invalid (400) for an unknown user, role or company, or one that the user is not of
 */
async function changeUserRoles(
  tx: Tx,
  users: readonly UserRoles[],
  model: Model,
  actor: Actor,
): Promise<ChangedUser[]> {
  const changed: ChangedUser[] = []
  for (const user of users) {
    const change = await changeUser(tx, user, model, actor)
    if (change.Given.length + change.Taken.length > 0) changed.push(change)
  }
  return changed
}

async function changeUser(
  tx: Tx,
  { UserName, Roles }: UserRoles,
  model: Model,
  actor: Actor,
): Promise<ChangedUser> {
  const key = { key: toUserNameKey(UserName) }
  const [found] = await selectUsers(tx, { where: 'u.UserNameKey = @key', args: key })
  if (!found) throw invalid(say`There is no user ${UserName.slice(0, 80)}`)
  const { user, roles, companies } = found
  const grants = Roles.map(parseRoleGrant)
  requireRoles(grants, model.roles.keys())
  const wanted = grants.map(({ role, company }): RecordedRole => {
    if (company === undefined) return { role, companyId: null, text: role }
    const own = companies.find(({ code }) => code.toLowerCase() === company.toLowerCase())
    if (!own)
      throw invalid(
        say`${UserName.slice(0, 80)} does not belong to company ${company.slice(0, 80)}`,
      )
    return { role, companyId: own.id, text: `${role}@${own.code}` }
  })
  const before = new Map(roles.map((held) => [held.text, held]))
  const after = new Map(wanted.map((held) => [held.text, held]))
  const given = [...after.values()].filter(({ text }) => !before.has(text))
  const taken = [...before.values()].filter(({ text }) => !after.has(text))
  for (const held of given) await saveUserRole(tx, { ...held, userId: user.Id }, actor)
  for (const held of taken) await deleteUserRole(tx, { ...held, userId: user.Id }, actor)
  return {
    UserName: user.UserName,
    Given: given.map(({ text }) => text),
    Taken: taken.map(({ text }) => text),
  }
}
