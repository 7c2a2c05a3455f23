/**
 * Which characters only differ in case: Unicode's simple case folding (CaseFolding.txt, C and S).
 * Two texts are the same without regard to case exactly when their folds are.
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

/** Its lower case is two characters, which it is not the same as. */
const DOTTED_CAPITAL_I = 'İ'

/**
 * The fold of a text, character by character: a text holds another one without regard to case
 * exactly when its fold holds the other's fold.
 */
export function foldText(text: string): string {
  const lower = text.includes(DOTTED_CAPITAL_I)
    ? text
        .split(DOTTED_CAPITAL_I)
        .map((part) => part.toLowerCase())
        .join(DOTTED_CAPITAL_I)
    : text.toLowerCase()
  return lower.replace(IRREGULAR, (letter) => foldOf.get(letter) ?? letter)
}

/** The characters of the same fold, this one among them. */
export function listCaseForms(character: string): string[] {
  const folded = foldText(character)
  const forms = new Set([character, folded, ...(variantsOf.get(folded) ?? [])])
  const upper = folded.toUpperCase()
  if ([...upper].length === 1 && foldText(upper) === folded) forms.add(upper)
  return [...forms]
}
