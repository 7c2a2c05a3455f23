/** Codes of an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds) and recovery codes. */
import { randomInt } from 'node:crypto'
import { generateSecret, generateURI, verifySync } from 'otplib'

const STEP_SECONDS = 30
const CODE = /^\d{6}$/

/** Clocks of telephones go wrong: the step before and the one after pass too (RFC 6238, 5.2). */
const TOLERANCE_SECONDS = STEP_SECONDS

/** Crockford's letters: none is taken for another. 16 of them are 80 bits. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RECOVERY_LETTERS = 16
const GROUP = /.{4}(?!$)/g

/** Recovery codes that a confirmed factor comes with. */
const RECOVERY_CODES = 10

/** A new secret of 160 bits in Base32 (RFC 4226, section 4). */
export const newTotpSecret = (): string => generateSecret()

/** A secret as an authenticator app takes it, for a QR code. */
export const planOtpAuthUri = (secret: string, issuer: string, userName: string): string =>
  generateURI({ secret, issuer, label: userName })

/**
 * Returns the time step of a code, as the number of 30 seconds since 1970; undefined unless it is
 * the present one or a neighbour.
 */
export function findStep(secret: string, code: string, now: Date): number | undefined {
  const token = code.replace(/\s/g, '')
  if (!CODE.test(token)) return undefined
  const epoch = Math.floor(now.getTime() / 1000)
  const result = verifySync({ secret, token, epoch, epochTolerance: TOLERANCE_SECONDS })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}

/** New recovery codes, each `XXXX-XXXX-XXXX-XXXX`. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => newLetters().replace(GROUP, '$&-'))

const newLetters = (): string =>
  Array.from({ length: RECOVERY_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('')

/**
 * Normalizes a typed recovery code: without hyphens and blanks, in upper case, with letters that
 * look like others read as those (`O` as `0`). Undefined for any other text.
 */
export function findRecoveryLetters(code: string): string | undefined {
  const letters = code.replace(/[\s-]/g, '').toUpperCase().replace(/O/g, '0').replace(/[IL]/g, '1')
  return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(letters) ? letters : undefined
}
