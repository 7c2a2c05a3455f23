/**
 * Second factors: an authenticator app per user and its recovery codes. A mail tells their owner of
 * each change. The caller of a change calls `Callers.forgetUser` after the commit.
 */
import { conflict, validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { DAY } from '../../kernel/setting.ts'
import { allRows, getRow, insertRow, updateRows, upsertRow } from '../../store/rows.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { type Actor, writeAudit } from '../audit-entry.ts'
import { mfa, recoveryCodes } from '../engine-db.ts'
import { findRecoveryLetters, findStep, newRecoveryCodes, newTotpSecret } from './code.ts'
import { markText, openSealed, sealText } from '../seal.ts'
import { notifyOwner } from '../security-notification.ts'

type FactorRow = typeof mfa.$inferSelect

/** Whose factor it is, and the key of the installation that their secret is sealed with. */
export interface FactorOwner {
  userId: number
  sealKey: Uint8Array
}

/**
 * Outcome of a code: `taken` lets in, once. `repeated` was taken before or is older than a taken
 * one; it does not count as a guess. `none`: the user has no confirmed factor.
 */
export type CodeOutcome = 'taken' | 'repeated' | 'wrong' | 'none'

/** Returns true when a sign-in of the user asks for a code. */
export async function isMfaEnabled(reader: Reader, userId: number): Promise<boolean> {
  const row = await findFactor(reader, userId)
  return row !== undefined && row.ConfirmedAt !== null
}

const REPLACE = `ON CONFLICT (UserId)
  DO UPDATE SET Secret = excluded.Secret, CreatedAt = excluded.CreatedAt, LastStep = NULL`

/**
 * Makes a secret that asks for nothing before it is confirmed, in the place of an earlier one that
 * was not. Resolves to it, for this once. 409 when a factor is confirmed.
 */
export async function saveMfaSetup(tx: Tx, owner: FactorOwner, actor: Actor): Promise<string> {
  const known = await findFactor(tx, owner.userId)
  if (known && known.ConfirmedAt !== null) throw isOnAlready()
  const secret = newTotpSecret()
  const made = {
    UserId: owner.userId,
    Secret: sealText(owner.sealKey, secret, placeOf(owner.userId)),
    CreatedAt: actor.now.toISOString(),
  }
  await upsertRow(tx, mfa, made, REPLACE)
  await writeAudit(tx, actor, {
    entity: 'svc_users',
    id: owner.userId,
    action: 'mfa-setup',
    changes: {},
  })
  return secret
}

const REMOVE_FACTOR = 'DELETE FROM svc_mfa WHERE UserId = @userId RETURNING *'
const REMOVE_CODES = 'DELETE FROM svc_recovery_codes WHERE UserId = @userId'

/**
 * Confirms the secret with a code of it: from now on sign-ins ask for one. Resolves to the recovery
 * codes, shown this once. 409 when nothing was set up or a factor is confirmed, 400 for a wrong
 * code.
 */
export async function saveMfaConfirmed(
  tx: Tx,
  owner: FactorOwner,
  code: string,
  actor: Actor,
): Promise<string[]> {
  const row = await findFactor(tx, owner.userId)
  if (!row) throw conflict(say`Set up a second factor first`, { code: 'MFA_NOT_SET_UP' })
  if (row.ConfirmedAt !== null) throw isOnAlready()
  const step = findStep(openSecret(owner, row), code, actor.now)
  if (step === undefined) throw wrongCode()
  const { userId } = owner
  const set = { ConfirmedAt: actor.now.toISOString(), LastStep: step }
  await updateRows(tx, mfa, 'WHERE UserId = @userId', { userId, set })
  await tx.run(REMOVE_CODES, { userId })
  const codes = newRecoveryCodes()
  for (const each of codes)
    await insertRow(tx, recoveryCodes, { Hash: hashRecovery(owner, each), UserId: userId })
  await writeAudit(tx, actor, {
    entity: 'svc_users',
    id: owner.userId,
    action: 'mfa-confirm',
    changes: { MfaEnabled: [false, true] },
  })
  await notifyOwner(tx, owner.userId, 'factor confirmed', actor)
  return codes
}

/** The 400 of a code that is not the right one. */
export const wrongCode = () => validation({ Code: say`The code is wrong` })

/** RFC 6238: a code for each half minute. */
const STEP_MS = 30_000
/** A step so far ahead was taken by a clock that was wrong; it must not refuse codes for a year. */
const STEP_AHEAD_MS = DAY

/**
 * Uses a code of the app or a recovery code up. No step is taken twice, nor one before a step that
 * was, whatever the clock does meanwhile, unless it was ahead by more than a day.
 */
export async function spendCode(
  tx: Tx,
  owner: FactorOwner,
  code: string,
  actor: Actor,
): Promise<CodeOutcome> {
  const row = await findFactor(tx, owner.userId)
  if (!row || row.ConfirmedAt === null) return 'none'
  if (findRecoveryLetters(code) !== undefined) return spendRecovery(tx, owner, code, actor)
  const step = findStep(openSecret(owner, row), code, actor.now)
  if (step === undefined) return 'wrong'
  const isAhead = (row.LastStep ?? 0) * STEP_MS > actor.now.getTime() + STEP_AHEAD_MS
  if (row.LastStep !== null && step <= row.LastStep && !isAhead) return 'repeated'
  const { userId } = owner
  await updateRows(tx, mfa, 'WHERE UserId = @userId', { userId, set: { LastStep: step } })
  return 'taken'
}

/**
 * Deletes a user's factor and its recovery codes: for the user, or for an administrator who rescues
 * them and ends their sessions. Resolves to true when there was one.
 */
export async function deleteMfa(
  tx: Tx,
  userId: number,
  action: 'mfa-disable' | 'mfa-reset',
  actor: Actor,
): Promise<boolean> {
  const removed = await tx.get<FactorRow>(REMOVE_FACTOR, { userId })
  await tx.run(REMOVE_CODES, { userId })
  if (!removed) return false
  await writeAudit(tx, actor, {
    entity: 'svc_users',
    id: userId,
    action,
    changes: { MfaEnabled: [removed.ConfirmedAt !== null, false] },
  })
  if (removed.ConfirmedAt !== null) await notifyOwner(tx, userId, 'factor removed', actor)
  return true
}

async function spendRecovery(
  tx: Tx,
  owner: FactorOwner,
  code: string,
  actor: Actor,
): Promise<CodeOutcome> {
  const hash = hashRecovery(owner, code)
  const row = await getRow(tx, recoveryCodes, 'WHERE Hash = @hash', { hash })
  if (row?.UserId !== owner.userId) return 'wrong'
  if (row.UsedAt !== null) return 'repeated'
  const set = { UsedAt: actor.now.toISOString() }
  await updateRows(tx, recoveryCodes, 'WHERE Hash = @hash', { hash, set })
  const { userId } = owner
  const left = await allRows(tx, recoveryCodes, 'WHERE UserId = @userId AND UsedAt IS NULL', {
    userId,
  })
  await writeAudit(tx, actor, {
    entity: 'svc_users',
    id: owner.userId,
    action: 'mfa-recovery-code',
    changes: { RecoveryCodesLeft: [left.length + 1, left.length] },
  })
  await notifyOwner(tx, owner.userId, 'recovery code', actor)
  return 'taken'
}

const findFactor = (reader: Reader, userId: number): Promise<FactorRow | undefined> =>
  getRow(reader, mfa, 'WHERE UserId = @userId', { userId })

const isOnAlready = () =>
  conflict(say`A second factor is already set up. Disable it first.`, { code: 'MFA_ENABLED' })

const placeOf = (userId: number): string => `svc_mfa.Secret/${userId}`

const openSecret = ({ sealKey, userId }: FactorOwner, { Secret }: FactorRow): string =>
  openSealed(sealKey, Secret, placeOf(userId))

const hashRecovery = ({ sealKey, userId }: FactorOwner, code: string): string =>
  markText(sealKey, `${userId}:${findRecoveryLetters(code)}`, 'recovery codes')
