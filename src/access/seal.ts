/**
 * Secrets at rest, sealed with the installation's own key, so that a copied table or an export
 * reveals none of them. The key lies in `svc_keys`: a copy of the whole file has it, too.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Derives the key of a purpose from the one of the installation (RFC 5869). */
const deriveKey = (sealKey: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', sealKey, '', purpose, KEY_BYTES))

/** Seals a text; `place` (table, column, key) is where it may be opened, and nowhere else. */
export function sealText(sealKey: Uint8Array, text: string, place: string): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, deriveKey(sealKey, 'seal'), nonce)
  cipher.setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')
}

/** Opens what `sealText` sealed for this place. Throws when it was altered, moved or cut. */
export function openSealed(sealKey: Uint8Array, sealed: string, place: string): string {
  const bytes = Buffer.from(sealed, 'base64url')
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const options = { authTagLength: TAG_BYTES }
  const decipher = createDecipheriv(CIPHER, deriveKey(sealKey, 'seal'), nonce, options)
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const text = bytes.subarray(NONCE_BYTES, -TAG_BYTES)
  return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
}

/** Returns a hash that only this installation can make: guesses cannot be tried elsewhere. */
export const markText = (sealKey: Uint8Array, text: string, purpose: string): string =>
  createHmac('sha256', deriveKey(sealKey, purpose)).update(text).digest('base64url')
