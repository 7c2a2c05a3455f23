/**
 * Characters that are the same to a search: they differ in case (Unicode's simple case folding,
 * CaseFolding.txt, C and S) or in accents alone.
 */

/** A folded letter, then the letters that fold to it beside its one upper-case letter. */
const VARIANTS: readonly string[] = [
  ...['k\u212a', 's\u017f', 'å\u212b', 'ß\u1e9e', 'ω\u2126', 'ṡ\u1e9b'],
  ...['ǆǅ', 'ǉǈ', 'ǌǋ', 'ǳǲ', 'ΐ\u1fd3', 'ΰ\u1fe3', '\ufb06\ufb05'],
  ...['βϐ', 'εϵ', 'θϑϴ', 'ι\u0345\u1fbe', 'κϰ', 'μ\u00b5', 'πϖ', 'ρϱ', 'σς', 'φϕ'],
  ...['в\u1c80', 'д\u1c81', 'о\u1c82', 'с\u1c83', 'т\u1c84\u1c85', 'ъ\u1c86', 'ѣ\u1c87', 'ꙋ\u1c88'],
  ...['ᾀᾈ', 'ᾁᾉ', 'ᾂᾊ', 'ᾃᾋ', 'ᾄᾌ', 'ᾅᾍ', 'ᾆᾎ', 'ᾇᾏ', 'ᾐᾘ', 'ᾑᾙ', 'ᾒᾚ', 'ᾓᾛ', 'ᾔᾜ', 'ᾕᾝ'],
  ...['ᾖᾞ', 'ᾗᾟ', 'ᾠᾨ', 'ᾡᾩ', 'ᾢᾪ', 'ᾣᾫ', 'ᾤᾬ', 'ᾥᾭ', 'ᾦᾮ', 'ᾧᾯ', 'ᾳᾼ', 'ῃῌ', 'ῳῼ'],
]

const variantsOf = new Map(VARIANTS.map(([folded = '', ...others]) => [folded, others]))

/** Letters that `toLowerCase` leaves as another one than their fold. */
const foldOf = new Map(
  VARIANTS.flatMap(([folded = '', ...others]) =>
    others.filter((other) => other.toLowerCase() !== folded).map((other) => [other, folded]),
  ),
)
const IRREGULAR = new RegExp(`[${[...foldOf.keys()].join('')}]`, 'gu')

/** A letter whose lower case is two characters, which it is not the same as. */
const DOTTED_CAPITAL_I = 'İ'

/** The fold of a text without regard to case alone, character by character. */
export function foldCase(text: string): string {
  const lower = text.includes(DOTTED_CAPITAL_I)
    ? text
        .split(DOTTED_CAPITAL_I)
        .map((part) => part.toLowerCase())
        .join(DOTTED_CAPITAL_I)
    : text.toLowerCase()
  return lower.replace(IRREGULAR, (letter) => foldOf.get(letter) ?? letter)
}

/** The characters that differ in case alone, this one among them. */
function listCaseForms(character: string): string[] {
  const folded = foldCase(character)
  const forms = new Set([character, folded, ...(variantsOf.get(folded) ?? [])])
  const upper = folded.toUpperCase()
  if ([...upper].length === 1 && foldCase(upper) === folded) forms.add(upper)
  return [...forms]
}

const ACCENTS = /[\u0300-\u036f]/g
const LETTER = /^\p{L}$/u

/** Letters with a stroke or without a dot, which people type as these where a key is missing. */
const PLAIN: Readonly<Record<string, string>> = {
  ø: 'o',
  ǿ: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
}

/** Scripts with accents: Latin, Greek and Cyrillic, and their letters among the symbols. */
const ACCENTED_RANGES = [
  [0xc0, 0x52f],
  [0x1e00, 0x1fff],
  [0x2126, 0x212b],
] as const

/** The fold of one character of those ranges, which is one as well. */
function foldAccented(character: string): string {
  const folded = foldCase(character)
  if (!LETTER.test(character)) return folded
  const plain = PLAIN[folded] ?? folded.normalize('NFD').replace(ACCENTS, '')
  return [...plain].length === 1 ? foldCase(plain) : folded
}

interface Accents {
  /** Characters with an accent or a stroke, by fold. */
  accentedOf: ReadonlyMap<string, readonly string[]>
  /** Characters left to fold in a text in lower case. */
  foldedOf: ReadonlyMap<string, string>
  unfolded: RegExp
}

let accents: Accents | undefined

/** Reads the accents at the first text that is searched: a start does without. */
function readAccents(): Accents {
  const accentedOf = new Map<string, string[]>()
  const foldedOf = new Map(foldOf)
  for (const [first, last] of ACCENTED_RANGES) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code)
      const folded = foldAccented(character)
      if (folded === foldCase(character)) continue
      foldedOf.set(character, folded)
      accentedOf.set(folded, [...(accentedOf.get(folded) ?? []), character])
    }
  }
  const unfolded = new RegExp(`[${[...foldedOf.keys()].join('')}]`, 'gu')
  return { accentedOf, foldedOf, unfolded }
}

/**
 * The fold of a text, character by character: a text holds another one without regard to case and
 * accents exactly when its fold holds the other's fold.
 */
export function foldText(text: string): string {
  const lower = text.replaceAll(DOTTED_CAPITAL_I, 'i').toLowerCase()
  const { foldedOf, unfolded } = (accents ??= readAccents())
  return lower.replace(unfolded, (letter) => foldedOf.get(letter) ?? letter)
}

/** The characters of the same fold, this one among them. */
export function listForms(character: string): string[] {
  const folded = foldText(character)
  const { accentedOf } = (accents ??= readAccents())
  const all = [character, folded, ...(accentedOf.get(folded) ?? [])]
  return [...new Set(all.flatMap(listCaseForms))]
}
