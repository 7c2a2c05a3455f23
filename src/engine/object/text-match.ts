/**
 * Text matching that ignores case for all of Unicode. SQLite's LIKE folds ASCII only, so a text
 * becomes a GLOB pattern in which every letter with another case is a class of its forms.
 */

/** The pattern of a text at the start, the end or anywhere. */
export function planTextPattern(text: string, at: 'anywhere' | 'start' | 'end'): string {
  let pattern = ''
  for (const character of text.normalize('NFC')) pattern += matchCharacter(character)
  return `${at === 'start' ? '' : '*'}${pattern}${at === 'end' ? '' : '*'}`
}

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
