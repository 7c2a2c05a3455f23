/** API keys: made, listed and revoked by their user, or by an administrator of the user. */
import { notFound, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import {
  type ApiKeyRow,
  loadKeys,
  readCompanies,
  readRoles,
  revokeKey,
  saveNewKey,
} from '../../access/api-keys.ts'
import { type Actor, writeAudit } from '../../access/audit-entry.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { requireNoMore } from '../../access/rights/account-takeover-guard.ts'
import {
  loadScope,
  renewScope,
  requireWhole,
  USER_ADMINS,
} from '../../access/rights/admin-scope.ts'
import { notifyOwner } from '../../access/security-notification.ts'
import { findScopedUser, loadWholeUser } from '../../access/users/scoped-users.ts'
import { authorOf, type OwnRequest } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import type { ApiKey, ApiKeyRequest, MadeApiKey } from './schema.ts'

const BECAUSE = 'API keys belong to users'

/** Lists the keys of the caller, or of a user whom they administer, the oldest first. */
export async function listKeys(
  app: AppContext,
  caller: Caller,
  userId = caller.userId,
): Promise<ApiKey[]> {
  if (userId !== caller.userId) {
    const scope = await loadScope(app.store, caller, USER_ADMINS)
    const found = await findScopedUser(app.store, scope, userId)
    if (!found) throw notFound(say`There is no such user`)
  }
  const rows = await loadKeys(app.store, userId)
  const used = await app.callers.uses.findKeys(rows.map(({ Id }) => Id))
  return rows.map((row) => toApiKey(row, used.get(row.Id)))
}

/**
 * Makes a key and notifies its user by mail. 400 with `fieldErrors` for roles and companies that
 * are not the user's, 401 for a user beyond the caller.
 */
export async function createKey(
  app: AppContext,
  body: ApiKeyRequest,
  from: OwnRequest,
): Promise<MadeApiKey> {
  const { caller } = from
  const userId = body.UserId ?? caller.userId
  const key = {
    name: body.Name,
    roles: body.Roles,
    companies: body.Companies,
    expiresAt: readInstant(body.ExpiresAt ?? undefined),
  }
  const actor = authorOf(app, from, 'auth/api-keys')
  const { row, secret } = await app.store.write(
    async (tx) => {
      await requireKeyGiver(app, tx, caller, userId)
      const made = await saveNewKey(tx, userId, key, { now: actor.now, userId: caller.userId })
      await auditKey(tx, actor, made.row, 'create')
      await notifyOwner(tx, userId, 'api key', actor)
      return made
    },
    scopeOf(caller, BECAUSE),
  )
  return { ...toApiKey(row, undefined), Key: secret }
}

/**
 * Revokes a key of the caller's, or of a user whose whole account they administer: it holds for the
 * next request. 404 for any other id.
 */
export async function deleteKey(
  app: AppContext,
  { id, userId }: { id: number; userId: number | undefined },
  from: OwnRequest,
): Promise<void> {
  const { caller } = from
  const of = { id, userId: userId ?? caller.userId }
  const actor = authorOf(app, from, 'auth/api-keys')
  await app.store.write(
    async (tx) => {
      if (of.userId !== caller.userId) {
        const scope = await renewScope(tx, caller, USER_ADMINS)
        requireWhole(scope, await loadWholeUser(tx, scope, of.userId))
      }
      const row = await revokeKey(tx, of, actor.now)
      if (!row) throw notFound(say`There is no such key`)
      app.callers.forgetKeyWith(tx, id)
      await auditKey(tx, actor, row, 'delete')
    },
    scopeOf(caller, BECAUSE),
  )
}

/**
 * Requires that a key is for the caller, or a service account that they could take over. 401 for
 * users beyond the caller, 404 for those of other companies, 400 for one who signs in themselves.
 */
async function requireKeyGiver(
  { models }: AppContext,
  tx: Tx,
  caller: Caller,
  userId: number,
): Promise<void> {
  if (userId === caller.userId) return
  const scope = await renewScope(tx, caller, USER_ADMINS)
  const target = await loadWholeUser(tx, scope, userId)
  requireNoMore({ scope, model: models.get() }, target)
  if (target.user.PasswordHash !== null)
    throw validation({
      UserId: say`You can only create keys for yourself and for users without a password`,
    })
}

/** Audits all of a key but its secret. */
function auditKey(
  tx: Tx,
  actor: Actor,
  row: ApiKeyRow,
  action: 'create' | 'delete',
): Promise<void> {
  const { Id: id, UserId, Name, ExpiresAt } = row
  const values = { UserId, Name, Roles: readRoles(row), Companies: readCompanies(row), ExpiresAt }
  const changes = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      action === 'create' ? ([null, value] as const) : ([value, null] as const),
    ]),
  )
  return writeAudit(tx, actor, { entity: 'svc_api_keys', id, action, changes })
}

function readInstant(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const at = new Date(text)
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) || Number.isNaN(at.getTime()))
    throw validation({ ExpiresAt: say`must be an instant like 2027-01-31T00:00:00Z` })
  return at
}

const toApiKey = (row: ApiKeyRow, used: string | undefined): ApiKey => ({
  Id: row.Id,
  Name: row.Name,
  Roles: readRoles(row),
  Companies: readCompanies(row),
  CreatedAt: row.CreatedAt,
  ExpiresAt: row.ExpiresAt,
  LastUsedAt: used ?? null,
})
