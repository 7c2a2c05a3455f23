/** Argon2id hashes of passwords: made and checked off the event loop. */
import { invalid } from '../../kernel/failure.ts'
import { newSecret } from '../../kernel/ids.ts'
import { say } from '../../kernel/messages.ts'

/**
 * OWASP's minimum for argon2id (Password Storage Cheat Sheet): 19 MiB, two passes, one lane. Some
 * 30 ms against 130 for Bun's default of 64 MiB, so that a storm of sign-ins leaves the other
 * requests alone.
 */
export const ARGON2ID = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** A longer password is refused before any work is done with it. */
export const PASSWORD_BYTES_MAX = 1024

/** Hash of an unknown password, by `ARGON2ID`: unknown users take as long as known ones. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1' +
  '$KHzgyphRdkxKJ4W6ji1XR8EW6GAXwerWYZ3qdyu9KH4$Ejl+ICUJhqTsojqlqc4W/1qpq/tGYw7gHe62AOUG7rg'

/** Throws 400 for a password of more than `PASSWORD_BYTES_MAX` bytes. */
export function requirePasswordSize(password: string): void {
  if (Buffer.byteLength(password) > PASSWORD_BYTES_MAX)
    throw invalid(say`A password must have at most ${PASSWORD_BYTES_MAX} bytes`, {
      code: 'PASSWORD_TOO_LONG',
    })
}

/** The argon2id hash (PHC string) of a password, which is never empty. Off the event loop. */
export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(toHashed(password), ARGON2ID)

/**
 * Returns true when `hash` was made of `password`. A missing hash, or one of an unknown format,
 * gives false and takes as long as a true one: the time of a failed sign-in tells nothing.
 */
export async function verifyPassword(
  password: string,
  hash: string | null | undefined,
): Promise<boolean> {
  const text = toHashed(password)
  if (hash?.startsWith('$argon2id$')) {
    try {
      return await Bun.password.verify(text, hash)
    } catch {
      // A damaged hash never matches; it takes the way of an unknown user.
    }
  }
  await Bun.password.verify(text, NOBODY)
  return false
}

/** One text for a password however the keyboard composed it (NIST SP 800-63B, 5.1.1.2). */
const toHashed = (password: string): string => password.normalize('NFKC')

const RANDOM_BYTES = 12

/** 16 characters, 96 bits. */
export const newOneTimePassword = (): string => newSecret(RANDOM_BYTES)
