/** Changes of the access board: judged, their impact told, made all together or not at all. */
import {
  loadBoardVersion,
  loadRolesIn,
  planAdminReach,
  scopeOfVersion,
} from '../../access/board-users.ts'
import type { BoardScopeOf } from '../../access/board-users.ts'
import { actorOf, writeAudit } from '../../access/audit-entry.ts'
import type { Actor } from '../../access/audit-entry.ts'
import { renewCaller } from '../../access/caller-validity.ts'
import type { Caller } from '../../access/caller.ts'
import { SYSTEM_ROLE } from '../../access/caller.ts'
import type { Callers } from '../../access/callers.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import type { Clock } from '../../kernel/clock.ts'
import { conflict, invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { CurrentModel } from '../../model/current.ts'
import type { Preparation } from '../../model/deploy-plan.ts'
import type { Model } from '../../model/model.ts'
import { systemScope } from '../../store/store.ts'
import type { Reader, Store, Tx } from '../../store/store.ts'
import { executeBoardDeploy, prepareBoardDeploy } from './board-deploy.ts'
import { planChanges } from './changes.ts'
import type { BoardChange, BoardChanges } from './changes.ts'
import { loadImpact } from './impact.ts'
import type { Impact } from './impact.ts'
import { validateChanges } from './validate-changes.ts'
import { changeMemberships } from './memberships.ts'
import { planRbacEdits } from './rbac-plan.ts'
import type { RbacEdit } from './rbac-plan.ts'

/** The parts of the server that the board works with. */
export interface BoardEngine {
  readonly store: Store
  readonly models: CurrentModel
  readonly callers: Callers
  readonly clock: Clock
}

export interface ApplyRequest {
  /** Of the matrix that the changes were decided on; it names their scope, too. */
  Version: string
  Changes: readonly BoardChange[]
  /** Tells the impact and changes nothing. */
  DryRun: boolean
}

export interface ApplyResult {
  Applied: boolean
  Impact: Impact[]
  /** Affected users beyond those that Impact tells of. */
  Omitted: number
  Version: string
}

/** One request on its way. */
interface Change {
  engine: BoardEngine
  caller: Caller
  actor: Actor
  reach: BoardScopeOf
  model: Model
  request: ApplyRequest
}

/**
 * Changes rights of roles and memberships of users in the scope of the version.
 * @throws denied (401) for what is not the caller's to change, invalid (400) for what is none,
 * conflict (409) when the board moved. Nothing is changed then.
 */
export async function applyBoard(
  engine: BoardEngine,
  caller: Caller,
  request: ApplyRequest,
  traceId: string,
): Promise<ApplyResult> {
  requireNotImpersonated(caller)
  const actor = actorOf(caller, { now: engine.clock.now(), source: 'access-board', traceId })
  const reach = planAdminReach(caller, scopeOfVersion(request.Version))
  const change = { engine, caller, actor, reach, model: engine.models.get(), request }
  const changes = await requireChanges(change, engine.store)
  const edits = planRbacEdits(change.model, changes.rights)
  const files = edits.map(({ file }) => file)
  const prepared =
    edits.length > 0 ? await prepareBoardDeploy(engine, files, caller.userId) : undefined
  const impact = await loadImpact(
    { reader: engine.store, reach, model: change.model },
    {
      ...{ before: change.model, after: prepared?.ready?.model ?? change.model, changes },
      ...{ reader: engine.store, now: actor.now },
    },
  )
  if (request.DryRun) await tryOut(change)
  else await carryOut(change, edits, prepared)
  const version = await loadBoardVersion(engine.store, reach)
  const { entries, omitted } = impact
  return { Applied: !request.DryRun, Impact: entries, Omitted: omitted, Version: version }
}

/** The changes as they are read and judged now; 409 when the board is not that of the request. */
async function requireChanges(change: Change, reader: Reader): Promise<BoardChanges> {
  const { caller, reach, model, request } = change
  const changes = await planChanges({ reader, reach, model }, request.Changes)
  const roles = await loadRolesIn(reader, caller.userId, caller.companyId)
  validateChanges({ userId: caller.userId, roles, reach }, model, changes)
  if (changes.rights.some(({ role }) => role === SYSTEM_ROLE))
    throw invalid(say`System passes every gate: its rights cannot be changed`)
  if ((await loadBoardVersion(reader, reach)) !== request.Version) throw moved()
  return changes
}

const moved = () => conflict(say`The access board moved meanwhile: load it again`)

async function carryOut(
  change: Change,
  edits: readonly RbacEdit[],
  prepared: Preparation | undefined,
): Promise<void> {
  const { engine, actor, caller } = change
  const within = async (tx: Tx): Promise<void> => {
    await changeWithin(change, tx)
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
  if (!prepared)
    return engine.store.write(within, systemScope('rights of roles hold in every company'))
  return executeBoardDeploy(engine, prepared, caller.userId, within)
}

/** Judges once more by what the transaction sees, then changes the memberships. */
async function changeWithin(change: Change, tx: Tx): Promise<void> {
  await renewCaller(change.caller)
  if (change.engine.models.get() !== change.model) throw moved()
  const { memberships } = await requireChanges(change, tx)
  await changeMemberships(tx, change.reach, memberships, change.actor)
}

/** What a dry run throws to undo what it tried. */
export class Undone extends Error {}

async function tryOut(change: Change): Promise<void> {
  const work = async (tx: Tx): Promise<void> => {
    await changeWithin(change, tx)
    throw new Undone()
  }
  await change.engine.store
    .write(work, systemScope('rights of roles hold in every company'))
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error
    })
}
