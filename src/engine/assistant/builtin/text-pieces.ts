/** Pieces of typed texts by which values are looked up. */

/** The longest word of a text. */
export const longestOf = (text: string, between = /[^\p{L}\p{N}\p{M}]+/u): string =>
  text.split(between).toSorted((one, other) => other.length - one.length)[0] ?? ''

/** Letters with marks, and what people type in their place: `Malmö`, `Malmoe`. */
const UMLAUTS = /[äöüß]|[aou]e|ss/iu
/** Fewest letters by which texts are looked up that may be written otherwise. */
const PIECE_MIN = 2

/** The part of a word that stays however it is typed; undefined where there is no other way. */
export function findPiece(text: string): string | undefined {
  if (!UMLAUTS.test(longestOf(text))) return undefined
  const piece = longestOf(text, new RegExp(`[^\\p{L}\\p{N}]+|${UMLAUTS.source}`, 'iu'))
  return piece.length >= PIECE_MIN ? piece : undefined
}
