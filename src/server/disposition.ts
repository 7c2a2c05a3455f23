/** Content-Disposition: whether a browser shows a file or saves it, and as what. */

/** What RFC 8187 lets stand as it is. */
const PLAIN = /^[A-Za-z0-9!#$&+.^_`|~-]$/

/**
 * The header for a file's name (RFC 6266): in ASCII for old clients, and in full for all others
 * where that says more.
 */
export function planDisposition(kind: 'inline' | 'attachment', fileName: string): string {
  const ascii = [...fileName.normalize('NFKD')]
    .filter((letter) => !/\p{M}/u.test(letter))
    .map((letter) => (/^[\x20-\x7e]$/.test(letter) && !/["\\%]/.test(letter) ? letter : '_'))
    .join('')
  const quoted = `${kind}; filename="${ascii}"`
  return ascii === fileName ? quoted : `${quoted}; filename*=UTF-8''${encode(fileName)}`
}

function encode(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) => {
      const letter = String.fromCharCode(byte)
      return PLAIN.test(letter) ? letter : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}
