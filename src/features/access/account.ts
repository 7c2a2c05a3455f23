/** What is done to an account: lock, unlock, reset, removal. */
import { requireWhole } from '../../access/admin-scope.ts'
import { deleteMfa } from '../../access/mfa.ts'
import { deleteUser, requireUnreferenced } from '../../access/user-removal.ts'
import { savePassword } from '../../access/users.ts'
import type { AppContext } from '../../server/context.ts'
import { callerOf } from '../../server/session.ts'
import { endLocked, setActive } from './change-user.ts'
import { loadUser, requireSeen } from './list-users.ts'
import type { AccessUser } from './user-schema.ts'
import { requireAnother, requireMayReset, takePassword, writeUser } from './user-work.ts'

/** Locks a user, whose sessions end, or unlocks them. */
export async function saveLock(
  app: AppContext,
  request: Request,
  id: number,
  active: boolean,
): Promise<AccessUser> {
  const source = active ? 'auth/users/unlock' : 'auth/users/lock'
  const change = { id, source }
  if (active) await endLocked(app, await loadUser(app, callerOf(request), id))
  const user = await writeUser(app, request, change, (work, target) =>
    setActive(work, target, active),
  )
  if (!active) await app.identity.sessions.endAll(id, 'The user was locked')
  return requireSeen(user)
}

/** Gives a user a one-time password, which is told this once, and ends their sessions. */
export async function resetPassword(
  app: AppContext,
  request: Request,
  id: number,
): Promise<{ OneTimePassword: string }> {
  const change = { id, source: 'auth/users/reset-password' }
  await writeUser(app, request, change, async (work, target) => requireMayReset(work, target))
  const { hash, oneTime = '' } = await takePassword(app, request, undefined, [])
  await app.identity.sessions.endAround({ userId: id, because: 'The password was reset' }, () =>
    writeUser(app, request, change, (work, target) => {
      requireMayReset(work, target)
      return savePassword(work.tx, id, { hash, mustChange: true }, work.actor)
    }),
  )
  return { OneTimePassword: oneTime }
}

/** Takes a user's second factor away and ends their sessions. */
export async function resetMfa(app: AppContext, request: Request, id: number): Promise<void> {
  await writeUser(app, request, { id, source: 'auth/users/reset-mfa' }, (work, target) => {
    requireMayReset(work, target)
    return deleteMfa(work.tx, id, 'mfa-reset', work.actor)
  })
  await app.identity.sessions.endAll(id, 'The second factor was reset')
}

/** Deletes a user whom no record refers to. */
export async function removeUser(app: AppContext, request: Request, id: number): Promise<void> {
  await loadUser(app, callerOf(request), id)
  const source = 'auth/users/delete'
  // First who may: what refers to the user is told to nobody else.
  await writeUser(app, request, { id, source }, async (work, target) => {
    requireWhole(work.scope, target)
    requireAnother(work, target)
  })
  await requireUnreferenced(app.store, app.models.get(), id)
  await writeUser(app, request, { id, source }, (work, target) => {
    requireAnother(work, target)
    return deleteUser(work, target)
  })
  await app.identity.sessions.endAll(id, 'The user was deleted')
}
