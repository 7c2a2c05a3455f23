/** Acting as another user: `/api/v1/impersonation`. */
import { denied, invalid, notFound, unauthenticated, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { DAY, duration, HOUR, MINUTE } from '../../kernel/setting.ts'
import { systemScope } from '../../store/store.ts'
import { writeAudit } from '../../access/audit-entry.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { findHome, loadCompaniesOf } from '../../access/companies.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { requireStillSystem } from '../../access/rights/admin-scope.ts'
import { findLiveSession } from '../../access/sessions/sessions.ts'
import { toNetwork } from '../../access/throttle.ts'
import { findUserRecord } from '../../access/users/user-records.ts'
import type { UserRow } from '../../access/users/users.ts'
import { authorOf, type OwnRequest, ownRequestOf } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import type { Feature } from '../../server/feature.ts'
import { AUTHENTICATED, rolesGate } from '../../server/gate.ts'
import { ok } from '../../server/reply.ts'
import { route, type RouteGroup } from '../../server/route.ts'
import { Envelope } from '../../server/schema.ts'
import { Tokens } from '../../server/token-schema.ts'
import { issueTokens } from '../../server/tokens.ts'
import { GERMAN } from './german.ts'
import { StartImpersonationRequest } from './schema.ts'

const MAX_TIME = duration(
  'Svc:Impersonation:MaxTime',
  'The longest time that someone may act as another user',
  HOUR,
  [MINUTE, DAY],
)

/**
 * Opens a session as another user. 400 with `fieldErrors` without a reason, for too many minutes,
 * and for a user who could not sign in; 404 for an unknown one; 401 (denied) from an impersonated
 * session, and for a System user.
 */
async function startImpersonation(
  app: AppContext,
  body: StartImpersonationRequest,
  from: OwnRequest,
): Promise<Tokens> {
  const { caller, client, address } = from
  requireNotImpersonated(caller)
  const reason = requireReason(body)
  const minutes = requireMinutes(app, body)
  const user = await requireTarget(app, caller, body.UserId)
  const companyId = await requireCompany(app, user)
  const actor = authorOf(app, from, 'impersonation/start')
  const endsAt = new Date(actor.now.getTime() + minutes * MINUTE)
  const changes = { Reason: [null, reason], Until: [null, endsAt.toISOString()] } as const
  // The audit comes first: acting as another user always has its entry.
  await app.store.write(async (tx) => {
    await requireStillSystem(tx, caller)
    const entry = { entity: 'svc_users', id: user.Id, action: 'impersonate', changes } as const
    await writeAudit(tx, actor, entry)
  }, systemScope('users belong to no one company'))
  const session = await app.identity.sessions.open({
    userId: user.Id,
    companyId,
    client,
    address,
    impersonation: {
      impersonatorId: caller.userId,
      fromSessionId: caller.sessionId,
      reason,
      endsAt,
    },
  })
  return issueTokens(app, session)
}

function requireReason({ Reason }: StartImpersonationRequest): string {
  const reason = Reason.trim()
  if (reason === '') throw validation({ Reason: say`Please give a reason` })
  return reason
}

function requireMinutes(app: AppContext, { Minutes }: StartImpersonationRequest): number {
  const max = Math.floor(app.settings.get(MAX_TIME) / MINUTE)
  if (Minutes > max) throw validation({ Minutes: say`must be at most ${max} minutes` })
  return Minutes
}

async function requireTarget(app: AppContext, caller: Caller, id: number): Promise<UserRow> {
  if (id === caller.userId) throw denied(say`You cannot act as yourself`)
  const found = await findUserRecord(app.store, id)
  if (!found) throw notFound(say`There is no such user`)
  if (found.isSystem) throw denied(say`You cannot act as a System user`)
  if (!found.user.Active) throw validation({ UserId: say`This user is locked` })
  return found.user
}

/** Returns the company as at a sign-in: that of the last one, else the first by code. */
async function requireCompany(app: AppContext, user: UserRow): Promise<number> {
  const company = findHome(await loadCompaniesOf(app.store, user.Id), user)
  if (!company) throw validation({ UserId: say`This user does not belong to any company` })
  return company.Id
}

/**
 * Ends the caller's session and resumes the one that began it. 400 when the caller acts as no other
 * user; 401 when either session has ended, so that of two stops one gets tokens. From another
 * network than the one that it was begun from it ends as well, but gives no tokens (401
 * `IMPERSONATION_ENDED`): a stolen token of a user's rights must not become one of System's.
 */
async function stopImpersonation(app: AppContext, from: OwnRequest): Promise<Tokens> {
  const { caller, address } = from
  if (caller.impersonatorId === undefined)
    throw invalid(say`You are not acting as another user`, { code: 'NOT_IMPERSONATING' })
  const { sessions } = app.identity
  const actor = authorOf(app, from, 'impersonation/stop')
  const row = await findLiveSession(app.state, caller.sessionId, actor.now)
  const isEnded = await sessions.end(caller.sessionId, 'The impersonation was stopped')
  if (!isEnded || !row?.ImpersonatorSessionId)
    throw unauthenticated(say`The session has ended. Please sign in again.`, 'SESSION_ENDED')
  await app.store.write(
    (tx) =>
      writeAudit(tx, actor, {
        entity: 'svc_users',
        id: caller.userId,
        action: 'impersonate-end',
        changes: { Reason: [row.ImpersonationReason, null] },
      }),
    systemScope('users belong to no one company'),
  )
  if (toNetwork(address) !== toNetwork(row.Address ?? ''))
    throw unauthenticated(
      say`Acting as this user has ended. Continue with your own tokens.`,
      'IMPERSONATION_ENDED',
    )
  return issueTokens(app, await sessions.resume(row.ImpersonatorSessionId))
}

const START = {
  body: StartImpersonationRequest,
  response: Envelope(Tokens),
  detail: {
    'x-gate': rolesGate('System'),
    operationId: 'startImpersonation',
    summary: 'Act as another user for some minutes',
    description:
      'The tokens are the user’s, with their rights and rows in the company of their last ' +
      'sign-in, and carry the claim `act` (RFC 8693). All that is written is audited under both ' +
      'names. The session ends after its minutes, with the session that began it, and when the ' +
      'impersonator is locked or is System no longer. Passwords, second factors, users, roles ' +
      'and companies cannot be changed in it. Gate: System.',
  },
}

const STOP = {
  response: Envelope(Tokens),
  detail: {
    'x-gate': AUTHENTICATED,
    operationId: 'stopImpersonation',
    summary: 'Be oneself again',
    description:
      'Ends the session that acts as another user and gives new tokens of the one that began ' +
      'it, which lives no longer for it. 400 from any other session. From another network than ' +
      'the one that began it, it only ends (401 IMPERSONATION_ENDED): go on with your own tokens.',
  },
}

const AREA = {
  name: 'Impersonation',
  description:
    'A System user acts as another one for some minutes, with that user’s rights; what is ' +
    'written is audited under both names.',
}

/** Gates: start is for System, stop for any caller. */
const IMPERSONATION_ROUTES: RouteGroup = {
  prefix: '/api/v1/impersonation',
  area: AREA.name,
  routes: [
    route('POST', '/start', START, async (call) =>
      ok(await startImpersonation(call.app, call.body, ownRequestOf(call))),
    ),
    route('POST', '/stop', STOP, async (call) =>
      ok(await stopImpersonation(call.app, ownRequestOf(call))),
    ),
  ],
}

/** See `Feature`. */
export const impersonationFeature: Feature = {
  areas: [AREA],
  routes: [IMPERSONATION_ROUTES],
  settings: [{ MAX_TIME }],
  translations: { de: GERMAN },
}
