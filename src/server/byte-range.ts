/** Which bytes of a file a request asks for (RFC 9110, section 14). */

/** A part of a file: its first byte and its last one. */
export interface ByteRange {
  first: number
  last: number
}

const ONE_RANGE = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i

/**
 * The range that a `Range` header means, `unsatisfiable` where the file has none of it, undefined
 * where the whole file is meant: without a header, for several ranges, for what is no range.
 */
export function findRange(
  header: string | null,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = ONE_RANGE.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  if (from !== '' && to !== '' && Number(to) < first) return undefined
  return first > last ? 'unsatisfiable' : { first, last }
}
