/** Counts the values of a JSON text before any of them is made. */
const QUOTE = 0x22
const COMMA = 0x2c
const LIST = 0x5b
const BACKSLASH = 0x5c
const OBJECT = 0x7b

/**
 * Checks that a JSON text, in UTF-8 or as it is, holds more than `max` values inside of its
 * outermost one, lists and objects among them: nested values cost as much as values side by side.
 * An empty list or object counts twice.
 */
export function holdsMoreValues(text: Uint8Array | string, max: number): boolean {
  if (text.length <= max) return false
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  let values = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) isText = !isText
    else if (isText) at += byte === BACKSLASH ? 1 : 0
    else if (byte === COMMA || byte === LIST || byte === OBJECT) values++
    if (values > max) return true
  }
  return false
}
