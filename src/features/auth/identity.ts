/** What the routes of `/api/v1/auth` work with, made once for an app. */
import type { CallerFacts } from '../../access/caller-facts.ts'
import { PasswordQueue } from '../../access/password.ts'
import { Sessions } from '../../access/sessions.ts'
import type { OpenSession } from '../../access/sessions.ts'
import { Throttle } from '../../access/throttle.ts'
import { planClaims } from '../../access/token.ts'
import type { SignToken } from '../../access/token.ts'
import { newId } from '../../kernel/ids.ts'
import type { AppContext } from '../../server/context.ts'
import { openSigner } from '../../server/sign.ts'
import type { Tokens, User } from './schema.ts'

/** Sign-ins that may wait for their turn: some seconds of work, less than a client waits. */
const WAITING_MAX = 256

export interface Identity {
  readonly app: AppContext
  readonly sessions: Sessions
  readonly throttle: Throttle
  readonly passwords: PasswordQueue
  readonly sign: SignToken
}

/** The parts of identity by the app's settings. */
export function openIdentity(app: AppContext): Identity {
  const { settings, state, clock } = app
  return {
    app,
    sessions: new Sessions({
      state,
      clock,
      watcher: app.callers,
      refreshLifetime: settings.get('Svc:Tokens:RefreshLifetime'),
      refreshKey: app.keys.refreshKey,
    }),
    throttle: new Throttle({
      state,
      clock,
      userFailures: settings.get('Svc:SignIn:UserFailures'),
      addressFailures: settings.get('Svc:SignIn:AddressFailures'),
      window: settings.get('Svc:SignIn:Window'),
    }),
    passwords: new PasswordQueue({
      concurrency: settings.get('Svc:SignIn:Concurrency'),
      waitingMax: WAITING_MAX,
    }),
    sign: openSigner(app.keys),
  }
}

/** The tokens of a session as it is now. Throws the 401 of a user who is no longer admitted. */
export async function issueTokens(identity: Identity, session: OpenSession): Promise<Tokens> {
  const { app, sign } = identity
  const facts = await app.callers.load(session.userId, session.companyId)
  const { policy } = app.callers
  const claims = planClaims({ ...facts, id: session.id }, policy, {
    id: newId(),
    now: app.clock.now(),
  })
  return {
    AccessToken: await sign(claims),
    TokenType: 'Bearer',
    ExpiresIn: Math.floor(policy.accessLifetime / 1000),
    RefreshToken: session.refreshToken,
    RefreshExpiresIn: Math.floor(app.settings.get('Svc:Tokens:RefreshLifetime') / 1000),
    User: toUser(facts),
    ...(facts.mustChangePassword && { MustChangePassword: true as const }),
  }
}

/** The user as the wire shows them. */
export const toUser = (facts: CallerFacts): User => ({
  Id: facts.userId,
  UserName: facts.userName,
  DisplayName: facts.displayName,
  Email: facts.email ?? null,
  Roles: [...facts.roles],
  Company: { Id: facts.companyId, Code: facts.companyCode, Name: facts.companyName },
  TimeZone: facts.timeZone,
  Impersonator: null,
})
