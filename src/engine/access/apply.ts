/** Changes of the access board: checked, their impact shown, made all together or not at all. */
import { conflict, invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { type Reader, systemScope, type Tx } from '../../store/store.ts'
import { changeModel } from '../../model/deploy/change-model.ts'
import type { Preparation } from '../../model/deploy/plan.ts'
import type { Model } from '../../model/model.ts'
import { type Actor, actorOf, writeAudit } from '../../access/audit-entry.ts'
import { renewCaller } from '../../access/callers/caller-validity.ts'
import { type Caller, SYSTEM_ROLE } from '../../access/callers/caller.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import {
  ACCESS_ADMINS,
  type AdminScope,
  loadScope,
  narrowScope,
} from '../../access/rights/admin-scope.ts'
import { deleteUserRole, requireSystemLeft, saveUserRole } from '../../access/rights/role-rows.ts'
import { requireRoles } from '../../access/users/users.ts'
import type { ApplyRequest, ApplyResult } from './board-schema.ts'
import {
  type BoardChanges,
  givenIn,
  isEffectiveIn,
  type MembershipChange,
  planChanges,
  requireMayChange,
} from './changes.ts'
import { loadImpact } from './impact.ts'
import { isDirect, loadBoardVersion, scopeOfVersion } from './matrix.ts'
import {
  type AccessEngine,
  executeEdits,
  planRbacEdits,
  prepareEdits,
  type RbacEdit,
} from './rbac-scripts.ts'

/** One request, with the parts that carry it out. */
interface Application {
  engine: AccessEngine
  caller: Caller
  actor: Actor
  model: Model
  request: ApplyRequest
}

/**
 * Changes rights of roles and memberships of users in the scope of the version.
 * @throws denied (401) for a change that the caller may not make, invalid (400) for one that is not
 * a change, conflict (409) when the board moved. Nothing is changed then.
 */
export async function applyBoard(
  engine: AccessEngine,
  caller: Caller,
  request: ApplyRequest,
  traceId: string,
): Promise<ApplyResult> {
  requireNotImpersonated(caller)
  return changeModel(caller.userId, () => applyNow(engine, caller, request, traceId))
}

async function applyNow(
  engine: AccessEngine,
  caller: Caller,
  request: ApplyRequest,
  traceId: string,
): Promise<ApplyResult> {
  const actor = actorOf(caller, { now: engine.clock.now(), source: 'access-board', traceId })
  const model = engine.models.get()
  const application = { engine, caller, actor, model, request }
  const { store } = engine
  const { scope, changes } = await requireChanges(application, store)
  const edits = await planRbacEdits(model, changes.rights)
  const prepared = edits.length > 0 ? await prepareEdits(engine, edits, caller.userId) : undefined
  const after = prepared?.ready?.model ?? model
  const transition = { before: model, after, changes, now: actor.now, language: caller.language }
  const { entries, omitted } = await loadImpact({ reader: store, scope, model }, transition)
  if (request.DryRun) await tryOut(application)
  else await carryOut(application, edits, prepared)
  const version = await loadBoardVersion(store, scope)
  return { Applied: !request.DryRun, Impact: entries, Omitted: omitted, Version: version }
}

/** The changes as they are read and checked now; 409 when the board is not that of the request. */
async function requireChanges(
  { caller, model, request }: Application,
  reader: Reader,
): Promise<{ scope: AdminScope; changes: BoardChanges }> {
  const administered = await loadScope(reader, caller, ACCESS_ADMINS)
  const scope = narrowScope(administered, scopeOfVersion(request.Version))
  const changes = await planChanges({ reader, scope, model }, request.Changes)
  requireMayChange(scope, model, changes)
  if (changes.rights.some(({ role }) => role === SYSTEM_ROLE))
    throw invalid(say`System always has all rights. They cannot be changed.`)
  if ((await loadBoardVersion(reader, scope)) !== request.Version) throw moved()
  return { scope, changes }
}

const moved = () =>
  conflict(say`The rights were changed by someone else. Reload them and try again.`)
const EVERYWHERE = systemScope('rights of roles hold in every company')

async function carryOut(
  application: Application,
  edits: readonly RbacEdit[],
  prepared: Preparation | undefined,
): Promise<void> {
  const { engine, actor, caller } = application
  const within = async (tx: Tx): Promise<void> => {
    await changeWithin(application, tx)
    for (const { name, changes } of edits)
      await writeAudit(tx, actor, {
        entity: 'svc_scripts',
        id: name,
        action: 'board',
        changes: Object.fromEntries(
          changes.map(({ role, resource, right, isGranted }) => [
            `${role} ${resource} ${right}`,
            [!isGranted, isGranted],
          ]),
        ),
      })
    engine.callers.forgetAllWith(tx)
  }
  if (prepared) await executeEdits(engine, prepared, caller.userId, within)
  else await engine.store.write(within, EVERYWHERE)
}

/** Checks once more within the transaction, then changes the memberships. */
async function changeWithin(application: Application, tx: Tx): Promise<void> {
  const { caller, engine, model, actor } = application
  await renewCaller(caller)
  if (!engine.models.holds(model)) throw moved()
  const { scope, changes } = await requireChanges(application, tx)
  await changeMemberships(tx, scope, changes.memberships, actor)
}

/**
 * Makes and ends memberships of the scope, each with its audit row; existing ones stay. Throws 409
 * when no user would be left to act as System.
 */
async function changeMemberships(
  tx: Tx,
  scope: AdminScope,
  changes: readonly MembershipChange[],
  actor: Actor,
): Promise<void> {
  const effective = changes.filter(isEffectiveIn(scope))
  const companyId = givenIn(scope)
  requireRoles(
    effective.flatMap(({ role, isGranted }) => (isGranted ? [{ role, companyId }] : [])),
    effective.map(({ role }) => role),
  )
  for (const { user, role, isGranted } of effective) {
    const userId = user.user.Id
    if (isGranted) await saveUserRole(tx, { userId, role, companyId }, actor)
    else
      for (const held of user.roles)
        if (held.role === role && isDirect(scope, held))
          await deleteUserRole(tx, { userId, role, companyId: held.companyId }, actor)
  }
  if (effective.some(({ role, isGranted }) => role === SYSTEM_ROLE && !isGranted))
    await requireSystemLeft(tx)
}

/** Thrown by a dry run so that its transaction is rolled back. */
export class RollbackSignal extends Error {}

async function tryOut(application: Application): Promise<void> {
  const work = async (tx: Tx): Promise<void> => {
    await changeWithin(application, tx)
    throw new RollbackSignal()
  }
  await application.engine.store.write(work, EVERYWHERE).catch((error: unknown) => {
    if (!(error instanceof RollbackSignal)) throw error
  })
}
