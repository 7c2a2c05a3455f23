/** The bytes that matter in the JSON text of a page of rows, and tools to read it. */
export const QUOTE = 34
export const COMMA = 44
const MINUS = 45
const DOT = 46
const ZERO = 48
export const OPEN = 91
export const BACKSLASH = 92
export const CLOSE = 93
export const SMALL_F = 102
export const SMALL_N = 110
export const SMALL_T = 116
export const OPEN_OBJECT = 123

/** `5.0` before `end`, or `-0`. */
export const isWholeReal = (page: Uint8Array, end: number): boolean =>
  page[end - 1] === ZERO && (page[end - 2] === DOT || page[end - 2] === MINUS)

/** The same bytes as a Buffer. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Bytes of ASCII as text. */
export const readAscii = (bytes: Uint8Array, from: number, to: number): string =>
  asBuffer(bytes).toString('latin1', from, to)

/** Returns the place after the quotation mark that ends a JSON text; `from` is inside it. */
export function findTextEnd(page: Uint8Array, from: number): number {
  let at = from
  while (at < page.length && page[at] !== QUOTE) at += page[at] === BACKSLASH ? 2 : 1
  return at + 1
}
