/** Numbers as people type them. */

/** The marks of a language: `,` and `.` in German. */
function marksOf(name: string): { decimal: string; group: string } {
  const parts = new Intl.NumberFormat(name).formatToParts(12345.6)
  const find = (wanted: string): string => parts.find(({ type }) => type === wanted)?.value ?? ''
  return { decimal: find('decimal') || '.', group: find('group') }
}

/**
 * The number that a text means in a language: `1.234,5` in German is 1234.5. A text where a double
 * would round it, and the text itself where it means none, for the server to refuse.
 */
export function parseNumber(text: string, name: string): number | string | null {
  const { decimal, group } = marksOf(name)
  const bare = text.replaceAll(/\s/g, '').replaceAll(group, '').replace(decimal, '.')
  if (bare === '') return null
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(bare)) return text
  return Number.isSafeInteger(Math.trunc(Number(bare))) ? Number(bare) : bare
}
