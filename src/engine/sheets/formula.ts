/**
 * Text that a spreadsheet would run as a formula, in files that have no types (CSV). Export and
 * import share the pair: `restoreText(neutralizeText(text))` is `text` for every text.
 */

/**
 * A tab or line break at the very beginning, or a sign of a formula, also in its wide form, behind
 * nothing but blanks, line breaks and quotation marks. Apostrophes in front make it no less of one:
 * that is what makes the way back unmistakable.
 */
const FORMULA = /^'*(?:[\t\r\n]|["\s\uFEFF]*[=+\-@|\uFF1D\uFF0B\uFF0D\uFF20\uFF5C])/

/** The text with an apostrophe in front, where a spreadsheet could take it for a formula. */
export const neutralizeText = (text: string): string => (FORMULA.test(text) ? `'${text}` : text)

/** The text that was neutralised; any other as it is. */
export const restoreText = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text.slice(1)) ? text.slice(1) : text
