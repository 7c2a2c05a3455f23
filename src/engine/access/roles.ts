/**
 * Roles as users who manage access see them, and roles made here: in an Rbac script of their own,
 * which no model folder knows.
 */
import { conflict, denied, invalid, notFound, validation } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { Script } from '../../model/compiled/script.ts'
import { changeModel } from '../../model/deploy/change-model.ts'
import type { Model } from '../../model/model.ts'
import {
  listRoleNames,
  planNewRole,
  planRbacBody,
  planRoleLabel,
  planWithoutRole,
} from '../../model/rbac/edit.ts'
import { actorOf, type AuditEntry, writeAudit } from '../../access/audit-entry.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import {
  ACCESS_ADMINS,
  type AdminScope,
  loadScope,
  renewScope,
} from '../../access/rights/admin-scope.ts'
import { listAssigners } from '../../access/rights/delegation.ts'
import { countHolders } from '../../access/users/scoped-users.ts'
import { BUILT_IN_ROLES } from '../../access/users/users.ts'
import type { LocalizedSource } from './principals.ts'
import { type AccessEngine, executeEdits, findFreeName, prepareEdits } from './rbac-scripts.ts'
import { listBoardRoles } from './resources.ts'
import type { AccessRole } from './schema.ts'

/** A change of a role, with its caller and request. */
interface RoleChange {
  caller: Caller
  traceId: string
  /** The role's name. */
  role: string
}

const OWN_NAME = 'BoardRoles'
const OWN_FILE = 'board-roles.xml'
const LABEL_MAX = 128

/** True when the role was made here, so that it is deleted here. */
const isMadeHere = (model: Model, role: string): boolean =>
  findHome(model, role)?.fileName === OWN_FILE

/** Every role: the built-in ones first, then those of the model. */
export async function listRoles(source: LocalizedSource): Promise<AccessRole[]> {
  const { reader, model, scope, language } = source
  const users = await countHolders(reader, scope)
  return listBoardRoles(model).map(({ name, label, isBuiltIn }) => {
    const role = model.roles.get(name)
    return {
      Name: name,
      Label: renderMessage(label, language),
      IsBuiltIn: isBuiltIn,
      IsDeclared: role !== undefined && !isMadeHere(model, name),
      AssignableBy: [...listAssigners(model, name)],
      Users: users.get(name) ?? 0,
      Grants: (role?.grants ?? []).map(({ resource, verbs, capabilities }) => ({
        Resource: resource,
        Verbs: [...verbs],
        Capabilities: [...capabilities],
      })),
      RowFilters: (role?.rowFilters ?? []).map(({ resource, verbs, dataSet, condition }) => ({
        Resource: resource,
        Verbs: verbs ? [...verbs] : null,
        DataSet: dataSet ?? null,
        Sql: condition.text,
      })),
      FieldRules: (role?.fieldRules ?? []).map(({ resource, field, access }) => ({
        Resource: resource,
        Field: field,
        Access: access,
      })),
    }
  })
}

/**
 * Makes a role that grants nothing yet. 400 for a bad name or label, 409 for a name that another
 * role has in any case, or that users still hold of a role that no longer exists.
 */
export const createRole = (
  engine: AccessEngine,
  change: RoleChange,
  label: string,
): Promise<void> => changeModel(change.caller.userId, () => makeRole(engine, change, label))

async function makeRole(engine: AccessEngine, change: RoleChange, label: string): Promise<void> {
  const { role } = change
  requireNotImpersonated(change.caller)
  await loadScope(engine.store, change.caller, ACCESS_ADMINS)
  if (!/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(role))
    throw validation({
      Name: say`A role name must be letters, digits and underscores, starting with a letter`,
    })
  requireLabel(label)
  const model = engine.models.get()
  const taken = [...BUILT_IN_ROLES, ...model.roles.keys()]
  if (taken.some((name) => name.toLowerCase() === role.toLowerCase()))
    throw conflict(say`A role with this name already exists`)
  const own = model.scripts.find(({ fileName }) => fileName === OWN_FILE)
  const name = own?.name ?? findFreeName(model, OWN_NAME)
  const body = planNewRole(own?.body ?? planRbacBody(name), role, label)
  const script = { name, fileName: OWN_FILE, body, base: own?.body }
  const audit = { action: 'create role', from: null, to: label }
  // A role that a deploy took out: users must not get rights back by another's hand.
  await execute(engine, change, script, audit, async (tx) => {
    await requireUnheld(tx, role)
    await tx.run(UNSHARE, { role })
  })
}

/** Gives a role another label. 404 for an unknown one, 400 for a built-in one. */
export const saveRoleLabel = (
  engine: AccessEngine,
  change: RoleChange,
  label: string,
): Promise<void> => changeModel(change.caller.userId, () => labelRole(engine, change, label))

async function labelRole(engine: AccessEngine, change: RoleChange, label: string): Promise<void> {
  requireNotImpersonated(change.caller)
  requireEverywhere(await loadScope(engine.store, change.caller, ACCESS_ADMINS))
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
export const deleteRole = (engine: AccessEngine, change: RoleChange): Promise<void> =>
  changeModel(change.caller.userId, () => removeRole(engine, change))

/** Views that are shared with a role go with it: another role of its name is of other people. */
const UNSHARE = `DELETE FROM svc_saved_views WHERE OwnerId IS NULL AND Role = @role`

async function removeRole(engine: AccessEngine, change: RoleChange): Promise<void> {
  const { role, caller } = change
  requireNotImpersonated(caller)
  requireEverywhere(await loadScope(engine.store, caller, ACCESS_ADMINS))
  const model = engine.models.get()
  const home = requireHome(model, role)
  if (home.fileName !== OWN_FILE)
    throw conflict(
      say`This role is declared in ${home.fileName}. Remove it there and deploy again.`,
    )
  const script = { ...home, body: planWithoutRole(home.body, role), base: home.body }
  const from = writtenLabel(model, role)
  const audit = { action: 'delete role', from, to: null }
  await execute(engine, change, script, audit, (tx) => requireUnheld(tx, role))
}

/** The label as the script has it. */
function writtenLabel(model: Model, role: string): string | null {
  const label = model.roles.get(role)?.label
  return label === undefined ? null : String(label)
}

const findHome = (model: Model, role: string): Script | undefined =>
  model.scripts.find((script) => script.type === 'Rbac' && listRoleNames(script).includes(role))

function requireHome(model: Model, role: string): Script {
  const home = findHome(model, role)
  if (home) return home
  const builtIn: readonly string[] = BUILT_IN_ROLES
  if (builtIn.includes(role)) throw invalid(say`This is a built-in role and cannot be changed`)
  throw notFound(say`There is no such role`)
}

/** Requires a scope of all companies: a role's name and existence hold in each of them. */
function requireEverywhere(scope: AdminScope): void {
  if (!scope.isEverywhere)
    throw denied(say`Only users who manage access in all their companies can change roles`)
}

function requireLabel(label: string): void {
  if (label.trim() === '' || label.length > LABEL_MAX || /\p{C}/u.test(label))
    throw validation({ Label: say`A name must have 1 to ${LABEL_MAX} visible characters` })
}

/** A script to store, and the text that it was made from; undefined for a new one. */
type Edited = Pick<Script, 'name' | 'fileName' | 'body'> & { base: string | undefined }

/** The audit entry's text for a change of a role's label. */
interface RoleAudit {
  action: string
  from: string | null
  to: string | null
}

/** Compiles the whole model with the edited script and executes it as a change of the board. */
async function execute(
  engine: AccessEngine,
  { caller, role, traceId }: RoleChange,
  script: Edited,
  { action, from, to }: RoleAudit,
  requireMore: (tx: Tx) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const file = { name: script.fileName, body: script.body }
  const prepared = await prepareEdits(engine, [{ file, script: undefined }], caller.userId)
  const actor = actorOf(caller, { now: engine.clock.now(), source: 'auth/roles', traceId })
  const entry: AuditEntry = {
    entity: 'svc_scripts',
    id: script.name,
    action,
    changes: { [role]: [from, to] },
  }
  await executeEdits(engine, prepared, caller.userId, async (tx) => {
    const scope = await renewScope(tx, caller, ACCESS_ADMINS)
    if (action !== 'create role') requireEverywhere(scope)
    await requireBase(tx, script)
    await requireMore(tx)
    await writeAudit(tx, actor, entry)
    engine.callers.forgetAllWith(tx)
  })
}

async function requireUnheld(tx: Tx, role: string): Promise<void> {
  const sql = 'SELECT 1 AS found FROM svc_user_roles WHERE Role = @role LIMIT 1'
  if (await tx.get(sql, { role }))
    throw conflict(say`Users still have this role. Remove it from them first.`)
}

/** Requires that the script is still the one read: a later change would be lost. 409 otherwise. */
async function requireBase(tx: Tx, { name, base }: Edited): Promise<void> {
  const sql = "SELECT Body FROM svc_scripts WHERE IsCurrent AND Type = 'Rbac' AND Name = @name"
  const stored = await tx.get(sql, { name })
  if (stored?.Body !== base)
    throw conflict(say`The roles were changed by someone else. Please try again.`)
}
