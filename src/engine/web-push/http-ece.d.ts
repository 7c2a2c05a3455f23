/** The part of http_ece that is used: it has no types of its own. */
declare module 'http_ece' {
  /** Encrypts by RFC 8188, with the key agreement of RFC 8291. */
  export function encrypt(
    text: Buffer,
    options: {
      version: 'aes128gcm'
      /** Private key of the sender, generated for this message. */
      privateKey: import('node:crypto').ECDH
      /** Public key of the receiver, as base64url. */
      dh: string
      /** Secret that both sides share, as base64url. */
      authSecret: string
    },
  ): Buffer
}
