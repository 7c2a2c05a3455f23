/**
 * Texts as they are stored: composed (NFC) and without blanks at their ends. Blanks are what
 * Unicode calls White_Space, and two characters that show nothing: U+200B and U+FEFF.
 */

/** Every blank, as one text: what SQL's `trim(x, …)` takes. */
export const BLANKS =
  '\t\n\v\f\r \u0085\u00a0\u1680' +
  '\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b' +
  '\u2028\u2029\u202f\u205f\u3000\ufeff'

/** Characters beyond the ones that are always composed (Unicode, NFC_QC). */
const MAYBE_UNCOMPOSED = /[^\u0000-\u02ff]/

const HIGH_BLANKS: ReadonlySet<number> = new Set(
  [...BLANKS].map((blank) => blank.charCodeAt(0)).filter((code) => code > 0xa0),
)

/** Checks that the UTF-16 unit is a blank; all blanks are single units. */
function isBlankUnit(code: number): boolean {
  if (code > 0xa0) return HIGH_BLANKS.has(code)
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0x85 || code === 0xa0
}

/** A text without the blanks at its ends: `" K2\u200b"` is `"K2"`. */
export function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlankUnit(text.charCodeAt(start))) start++
  while (end > start && isBlankUnit(text.charCodeAt(end - 1))) end--
  return end - start === text.length ? text : text.slice(start, end)
}

/** Checks that a text is empty or holds only blanks. */
export function isBlankText(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isBlankUnit(text.charCodeAt(at))) return false
  return true
}

/** A text in Unicode's composed form, NFC: `e` with U+0301 behind it is `é`. */
export const composeText = (text: string): string =>
  MAYBE_UNCOMPOSED.test(text) ? text.normalize('NFC') : text

/** A text composed and without blanks at its ends; most are so already, and are given back. */
export const normalizeText = (text: string): string => composeText(trimBlanks(text))
