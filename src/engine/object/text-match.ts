/**
 * Text matching that ignores case for all of Unicode. SQLite's LIKE folds ASCII only, so a text
 * becomes a GLOB pattern in which every letter with another case is a class of its forms.
 */

/**
 * Longest text that is sought. SQLite tries it at every place of every text, in one step that no
 * deadline reaches into.
 */
export const TEXT_CHARACTERS_MAX = 200

/** Whether any stored text can hold it: no text holds NUL or half a character. */
export const isMatchable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** The pattern of a text at the start, the end or anywhere. */
export function planTextPattern(text: string, at: 'anywhere' | 'start' | 'end'): string {
  let pattern = ''
  for (const character of text.normalize('NFC')) pattern += matchCharacter(character)
  return `${at === 'start' ? '' : '*'}${pattern}${at === 'end' ? '' : '*'}`
}

/** Whether a text holds another one, as the patterns have it. */
export function matchesText(
  text: string,
  sought: string,
  operator: 'contains' | 'startsWith' | 'endsWith',
): boolean {
  const [held, wanted] = [foldText(text), foldText(sought)]
  if (operator === 'startsWith') return held.startsWith(wanted)
  return operator === 'endsWith' ? held.endsWith(wanted) : held.includes(wanted)
}

const foldText = (text: string): string => text.normalize('NFC').toUpperCase().toLowerCase()

function matchCharacter(character: string): string {
  if (character === '*' || character === '?' || character === '[') return `[${character}]`
  const forms = caseForms(character)
  return forms.length === 1 ? character : `[${forms.join('')}]`
}

/** Single characters that only differ in case; Kelvin, long s and final sigma among them. */
function caseForms(character: string): string[] {
  const forms = new Set([character])
  for (const form of [character.toLowerCase(), character.toUpperCase()]) {
    addForm(forms, form)
    addForm(forms, form.toLowerCase())
    addForm(forms, form.toUpperCase())
  }
  for (const extra of EXTRA_FORMS.get(character.toLowerCase()) ?? []) forms.add(extra)
  return [...forms]
}

function addForm(forms: Set<string>, form: string): void {
  if ([...form].length === 1) forms.add(form)
}

/** Folds of Unicode's CaseFolding.txt that upper and lower case alone do not find. */
const EXTRA_FORMS = new Map<string, string[]>([
  ['k', ['\u212a']],
  ['s', ['\u017f']],
  ['å', ['\u212b']],
  ['ß', ['\u1e9e']],
  ['σ', ['ς']],
  ['ς', ['σ', 'Σ']],
  ['µ', ['μ', 'Μ']],
  ['μ', ['µ']],
  ['ω', ['\u2126']],
  ['θ', ['ϑ', 'ϴ']],
])
