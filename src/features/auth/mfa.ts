/** A user's own second factor: set up, confirmed, disabled. */
import { renderSVG } from 'uqr'
import { conflict, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { text } from '../../kernel/setting.ts'
import { scopeOf } from '../../access/callers/caller-validity.ts'
import { requireNotImpersonated } from '../../access/impersonation.ts'
import { planOtpAuthUri } from '../../access/mfa/code.ts'
import {
  deleteMfa,
  type FactorOwner,
  saveMfaConfirmed,
  saveMfaSetup,
  spendCode,
  wrongCode,
} from '../../access/mfa/mfa.ts'
import { requirePasswordSize, verifyPassword } from '../../access/passwords/password.ts'
import { toUserNameKey } from '../../access/users/user-names.ts'
import { findUserById } from '../../access/users/users.ts'
import { authorOf, type OwnRequest } from '../../server/client-info.ts'
import type { AppContext } from '../../server/context.ts'
import type {
  MfaConfirmRequest,
  MfaDisableRequest,
  MfaSetup,
  MfaSetupRequest,
  RecoveryCodes,
} from './schema.ts'

export const MFA_ISSUER = text(
  'Svc:Mfa:Issuer',
  'What authenticator apps call this installation',
  'Application Engine',
  { pattern: /^[^:\p{C}]{1,64}$/u, expected: 'at most 64 characters, and no colon' },
)

/**
 * A new secret and its QR code; it asks for nothing before it is confirmed. 400 with `fieldErrors`
 * for a wrong password (which counts as a failed sign-in), 409 when a factor is confirmed, 429 for
 * too many secrets.
 */
export async function setUpMfa(
  app: AppContext,
  { Password }: MfaSetupRequest,
  from: OwnRequest,
): Promise<MfaSetup> {
  requireNotImpersonated(from.caller)
  await requireOwnPassword(app, Password, from)
  await app.identity.throttles.mfaSetup.spend({ user: String(from.caller.userId) })
  const actor = authorOf(app, from, 'auth/mfa/setup')
  const secret = await app.store.write(
    (tx) => saveMfaSetup(tx, ownerOf(app, from), actor),
    scopeOf(from.caller, 'users belong to no one company'),
  )
  const issuer = app.settings.get(MFA_ISSUER)
  const uri = planOtpAuthUri(secret, issuer, from.caller.userName)
  return { Secret: secret, OtpAuthUri: uri, QrSvg: renderSVG(uri, { ecc: 'M' }) }
}

/**
 * Confirms the secret by a code of it and ends the caller's other sessions, which were opened
 * without. 400 for a wrong code, 409 when there is nothing to confirm.
 */
export async function confirmMfa(
  app: AppContext,
  body: MfaConfirmRequest,
  from: OwnRequest,
): Promise<RecoveryCodes> {
  requireNotImpersonated(from.caller)
  const { userId, sessionId } = from.caller
  const actor = authorOf(app, from, 'auth/mfa/confirm')
  const codes = await app.store.write(
    (tx) => saveMfaConfirmed(tx, ownerOf(app, from), body.Code, actor),
    scopeOf(from.caller, 'users belong to no one company'),
  )
  app.callers.forgetUser(userId)
  await app.identity.sessions.endAll(userId, 'A second factor was confirmed', sessionId)
  return { RecoveryCodes: codes }
}

/**
 * Takes the caller's second factor away. 400 with `fieldErrors` for a wrong password (which counts
 * as a failed sign-in) or a wrong code (which counts as one), 409 without a factor, 429 when either
 * was wrong too often.
 */
export async function disableMfa(
  app: AppContext,
  body: MfaDisableRequest,
  from: OwnRequest,
): Promise<void> {
  requireNotImpersonated(from.caller)
  const { caller, address } = from
  await requireOwnPassword(app, body.Password, from)
  const codes = { user: String(caller.userId), address }
  if (!(await app.identity.throttles.mfa.guard(codes, () => spendAndDelete(app, body.Code, from))))
    throw wrongCode()
  app.callers.forgetUser(caller.userId)
}

/** Throws 400 with `fieldErrors` for another password than the caller's, 429 after too many. */
async function requireOwnPassword(
  app: AppContext,
  password: string,
  { caller, address }: OwnRequest,
): Promise<void> {
  requirePasswordSize(password)
  const { throttles, passwords } = app.identity
  const attempt = { user: toUserNameKey(caller.userName), address }
  const isOwner = await passwords.run(attempt, () =>
    throttles.login.guard(attempt, async () => {
      const user = await findUserById(app.store, caller.userId)
      return verifyPassword(password, user?.PasswordHash)
    }),
  )
  if (!isOwner) throw validation({ Password: say`The password is wrong` })
}

async function spendAndDelete(app: AppContext, code: string, from: OwnRequest): Promise<boolean> {
  const actor = authorOf(app, from, 'auth/mfa/disable')
  const outcome = await app.store.write(
    async (tx) => {
      const spent = await spendCode(tx, ownerOf(app, from), code, actor)
      if (spent === 'taken') await deleteMfa(tx, from.caller.userId, 'mfa-disable', actor)
      return spent
    },
    scopeOf(from.caller, 'users belong to no one company'),
  )
  if (outcome === 'none')
    throw conflict(say`This account has no second factor`, { code: 'MFA_NOT_SET_UP' })
  if (outcome === 'repeated') throw wrongCode()
  return outcome === 'taken'
}

const ownerOf = (app: AppContext, { caller }: OwnRequest): FactorOwner => ({
  userId: caller.userId,
  sealKey: app.keys.sealKey,
})
