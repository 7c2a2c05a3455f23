/** Names of countries and cities in the languages of questions and in their own. */
import places from './languages/places.json'
import { toPlain } from './words.ts'

const LANGUAGES = ['en', 'de']
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

/** Names of one place by each of them, in the form to compare. */
let namesOf: ReadonlyMap<string, readonly string[]> | undefined

/** The other names of a place: of `Österreich` Austria and AT; none for what is no place. */
export function listOtherNames(text: string): readonly string[] {
  namesOf ??= compile()
  const plain = toPlain(text)
  return (namesOf.get(plain) ?? []).filter((name) => toPlain(name) !== plain)
}

function compile(): Map<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  const add = (names: readonly string[], code?: string): void => {
    const all = [...new Set(code === undefined ? names : [...names, code])]
    for (const name of names) if (!found.has(toPlain(name))) found.set(toPlain(name), all)
  }
  const kept: Readonly<Record<string, readonly string[]>> = places.regions
  for (const [code, names] of listRegions()) add([...names, ...(kept[code] ?? [])], code)
  for (const names of places.cities) add(names)
  return found
}

/** The countries that the runtime knows, with their names in the languages of questions. */
function* listRegions(): Iterable<[string, string[]]> {
  const named = LANGUAGES.flatMap((language) =>
    (['long', 'short'] as const).map(
      (style) => new Intl.DisplayNames([language], { type: 'region', style, fallback: 'none' }),
    ),
  )
  for (const first of LETTERS)
    for (const second of LETTERS) {
      const code = `${first}${second}`
      // Most codes are no country: they are asked for in one language alone.
      if (named[0]?.of(code) === undefined) continue
      yield [code, named.flatMap((each) => each.of(code) ?? [])]
    }
}
