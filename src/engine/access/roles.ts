/** Roles that are made here: in an Rbac script of their own, which no model folder knows. */
import { loadScope, renewScope } from '../../access/admin-scope.ts'
import type { AdminScope } from '../../access/admin-scope.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import type { AuditEntry } from '../../access/audit-entry.ts'
import { ACCESS_MANAGER_ROLE, ADMIN_ROLE } from '../../access/caller.ts'
import type { Caller } from '../../access/caller.ts'
import type { Callers } from '../../access/callers.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { BUILT_IN_ROLES } from '../../access/users.ts'
import type { Clock } from '../../kernel/clock.ts'
import { conflict, denied, invalid, notFound, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Model, Script } from '../../model/model.ts'
import { listRoleNames, planRbacBody } from '../../model/rbac-edit.ts'
import { planNewRole, planRoleLabel, planWithoutRole } from '../../model/rbac-role.ts'
import type { Store, Tx } from '../../store/store.ts'
import { executeBoardDeploy, findFreeName, prepareBoardDeploy } from './board-deploy.ts'

/** Roles that manage access (src/server/README.md, Gates); System passes every gate. */
export const ACCESS_ROLES = [ADMIN_ROLE, ACCESS_MANAGER_ROLE]

/** The parts of the server that roles are changed with. */
export interface RoleEngine {
  readonly store: Store
  readonly models: CurrentModel
  readonly callers: Callers
  readonly clock: Clock
}

/** Who changes a role, in which request. */
export interface RoleChange {
  caller: Caller
  traceId: string
  /** The role's name. */
  role: string
}

const OWN_NAME = 'BoardRoles'
const OWN_FILE = 'board-roles.xml'
const LABEL_MAX = 128

/** Whether the role was made here, so that it is deleted here. */
export const isMadeHere = (model: Model, role: string): boolean =>
  findHome(model, role)?.fileName === OWN_FILE

/**
 * Makes a role that grants nothing yet. 400 for a bad name or label, 409 for a name that another
 * role has in any case, or that users hold of a role which is no more.
 */
export async function createRole(
  engine: RoleEngine,
  change: RoleChange,
  label: string,
): Promise<void> {
  const { role } = change
  requireNotImpersonated(change.caller)
  await loadScope(engine.store, change.caller, ACCESS_ROLES)
  if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(role))
    throw validation({ Name: say`A role’s name has letters, digits and underscores` })
  requireLabel(label)
  const model = engine.models.get()
  const taken = [...BUILT_IN_ROLES, ...model.roles.keys()]
  if (taken.some((name) => name.toLowerCase() === role.toLowerCase()))
    throw conflict(say`There is a role with this name`)
  const own = model.scripts.find(({ fileName }) => fileName === OWN_FILE)
  const name = own?.name ?? findFreeName(model, OWN_NAME)
  const body = planNewRole(own?.body ?? planRbacBody(name), role, label)
  const script = { name, fileName: OWN_FILE, body, base: own?.body }
  const told = { action: 'create role', from: null, to: label }
  // Of a role that a deploy took out: nobody has rights come back to them by another's hand.
  await execute(engine, change, script, told, (tx) => requireUnheld(tx, role))
}

/** Gives a role another label. 404 for an unknown one, 400 for a built-in one. */
export async function saveRoleLabel(
  engine: RoleEngine,
  change: RoleChange,
  label: string,
): Promise<void> {
  requireNotImpersonated(change.caller)
  requireEverywhere(await loadScope(engine.store, change.caller, ACCESS_ROLES))
  requireLabel(label)
  const model = engine.models.get()
  const home = requireHome(model, change.role)
  const from = writtenLabel(model, change.role)
  if (from === label) return
  const body = planRoleLabel(home.body, change.role, label)
  const script = { ...home, body, base: home.body }
  await execute(engine, change, script, { action: 'label role', from, to: label })
}

/**
 * Removes a role that was made here. 404 for an unknown one, 409 for one of the model and for one
 * that a user holds.
 */
export async function deleteRole(engine: RoleEngine, change: RoleChange): Promise<void> {
  const { role, caller } = change
  requireNotImpersonated(caller)
  requireEverywhere(await loadScope(engine.store, caller, ACCESS_ROLES))
  const model = engine.models.get()
  const home = requireHome(model, role)
  if (home.fileName !== OWN_FILE)
    throw conflict(say`This role is declared in ${home.fileName}: remove it there and deploy`)
  const script = { ...home, body: planWithoutRole(home.body, role), base: home.body }
  const from = writtenLabel(model, role)
  const told = { action: 'delete role', from, to: null }
  await execute(engine, change, script, told, (tx) => requireUnheld(tx, role))
}

/** The label as the script has it. */
function writtenLabel(model: Model, role: string): string | null {
  const label = model.roles.get(role)?.label
  return label === undefined ? null : String(label)
}

const findHome = (model: Model, role: string): Script | undefined =>
  model.scripts.find(({ type, body }) => type === 'Rbac' && listRoleNames(body).includes(role))

function requireHome(model: Model, role: string): Script {
  const home = findHome(model, role)
  if (home) return home
  const builtIn: readonly string[] = BUILT_IN_ROLES
  if (builtIn.includes(role)) throw invalid(say`This role is built in`)
  throw notFound(say`There is no such role`)
}

/** What a role is called and that it is there holds in every company. */
function requireEverywhere(scope: AdminScope): void {
  if (!scope.isEverywhere)
    throw denied(say`Roles are changed by those who manage access in all of their companies`)
}

function requireLabel(label: string): void {
  if (label.trim() === '' || label.length > LABEL_MAX || /\p{C}/u.test(label))
    throw validation({ Label: say`A name has 1 to ${LABEL_MAX} visible characters` })
}

/** A script as it is to be, and the text that this was made of; undefined for a new one. */
type Edited = Pick<Script, 'name' | 'fileName' | 'body'> & { base: string | undefined }

interface Told {
  action: string
  from: string | null
  to: string | null
}

/** Compiles the whole model with the edited script and executes it as a change of the board. */
async function execute(
  engine: RoleEngine,
  { caller, role, traceId }: RoleChange,
  script: Edited,
  { action, from, to }: Told,
  judge: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const files = [{ name: script.fileName, body: script.body }]
  const prepared = await prepareBoardDeploy(engine, files, caller.userId)
  const actor = actorOf(caller, { now: engine.clock.now(), source: 'auth/roles', traceId })
  const entry: AuditEntry = {
    entity: 'svc_scripts',
    id: script.name,
    action,
    changes: { [role]: [from, to] },
  }
  await executeBoardDeploy(engine, prepared, caller.userId, async (tx) => {
    const scope = await renewScope(tx, caller, ACCESS_ROLES)
    if (action !== 'create role') requireEverywhere(scope)
    await requireBase(tx, script)
    await judge(tx)
    await writeAudit(tx, actor, entry)
    engine.callers.forgetAllWith(tx)
  })
}

async function requireUnheld(tx: Tx, role: string): Promise<void> {
  const sql = 'SELECT 1 AS found FROM svc_user_roles WHERE Role = @role LIMIT 1'
  if (await tx.get(sql, { role }))
    throw conflict(say`Users hold this role: take it from them first`)
}

/** What was executed since the text was read would be lost with it: 409. */
async function requireBase(tx: Tx, { name, base }: Edited): Promise<void> {
  const sql = "SELECT Body FROM svc_scripts WHERE IsCurrent AND Type = 'Rbac' AND Name = @name"
  const stored = await tx.get(sql, { name })
  if (stored?.Body !== base) throw conflict(say`Roles were changed meanwhile: try again`)
}
