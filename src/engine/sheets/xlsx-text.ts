/** Texts in the XML of a workbook. */

/** Longest text of a cell, in UTF-16 units: a longer one makes the file unreadable. */
export const CELL_TEXT_MAX = 32_767

const SPECIAL = /[&<>"\x00-\x08\x0B-\x1F\uFFFE\uFFFF]|_x[0-9A-Fa-f]{4}_/
const ALL_SPECIAL = new RegExp(SPECIAL, 'g')

const NAMED: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
])

/** Text as an element’s content: characters XML cannot hold are `_x0008_`, as spreadsheets do. */
export const escapeCellText = (text: string): string =>
  SPECIAL.test(text) ? text.replace(ALL_SPECIAL, escapePart) : text

function escapePart(part: string): string {
  if (part.length > 1) return `_x005F${part}`
  return NAMED.get(part) ?? `_x${part.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
}

const LAST_BLANK = 32

/** A text's element, which keeps blanks at its ends. */
export function composeText(text: string): string {
  const isTight = text.charCodeAt(0) > LAST_BLANK && text.charCodeAt(text.length - 1) > LAST_BLANK
  return `<t${isTight ? '' : ' xml:space="preserve"'}>${escapeCellText(text)}</t>`
}

/** Text as the value of an attribute, without characters that XML cannot hold. */
export const escapeAttribute = (text: string): string =>
  text.replace(ALL_SPECIAL, (part) => (part.length > 1 ? part : (NAMED.get(part) ?? '')))

const LETTERS = 26

/** Letters of the column at an index from 0: A, Z, AA. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % LETTERS))
  return index < LETTERS ? last : columnLetters(Math.floor(index / LETTERS) - 1) + last
}

const TITLE_MAX = 31

/** The name of a sheet as spreadsheets allow it; from the second on with its number. */
export function sheetName(title: string, number: number): string {
  const end = number === 1 ? '' : ` (${number})`
  const clean = title.replace(/[[\]:*?/\\\p{C}]/gu, ' ').replace(/^[\s']+/, '')
  const name = cutText(clean, TITLE_MAX - end.length).replace(/[\s']+$/, '')
  return (name === '' || name.toLowerCase() === 'history' ? 'Sheet' : name) + end
}

/** Cuts a text to so many UTF-16 units, without splitting a character. */
function cutText(text: string, units: number): string {
  const cut = text.slice(0, units)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
