/** Verbs that name a day, a number or an option by its noun: `hired` the hire date. */
import { renderMessage } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { toWords } from '../../../model/names.ts'
import type { Language } from './language.ts'
import { toPlain } from './words.ts'

/** Cost of a meaning by a noun of the same root. */
const BY_VERB = 0.3

interface Own {
  field: Field
  label: string
  depth: number
}

/** A verb for a field, or for one of its options. */
type VerbMeaning<Reached> =
  | { kind: 'field'; at: Reached; cost: number }
  | { kind: 'option'; at: Reached; value: string; label: string; cost: number }

/** The meanings of the verbs of a language for an object's own fields. */
export function listVerbs<Reached extends Own>(
  fields: readonly Reached[],
  language: Language,
): readonly (readonly [string, VerbMeaning<Reached>])[] {
  const named = fields
    .filter(({ depth, field }) => depth === 0 && field.column?.kind !== 'tracking')
    .map((at) => ({ at, names: listNames(at, language) }))
  return [...language.verbs].flatMap(([phrase, nouns]) =>
    named.flatMap(({ at, names }) =>
      listMeanings(at, names, nouns, language).map((meaning) => [phrase, meaning] as const),
    ),
  )
}

/** The names of a field, in the language and as its author wrote them. */
function listNames({ field, label }: Own, { name }: Language): string[] {
  const synonyms = field.synonyms === undefined ? [] : [field.synonyms]
  return [
    label,
    renderMessage(field.label),
    toWords(field.name),
    ...synonyms.flatMap((each) => [renderMessage(each, name), renderMessage(each)]),
  ].flatMap((text) => toPlain(text).split(/\s*,\s*/))
}

function listMeanings<Reached extends Own>(
  at: Reached,
  names: readonly string[],
  nouns: readonly string[],
  { name }: Language,
): VerbMeaning<Reached>[] {
  const { isDated, number } = FIELD_KINDS[at.field.type]
  const isCalled = (fits: (word: string, noun: string) => boolean): boolean =>
    names.some((each) => nouns.some((noun) => each.split(' ').some((word) => fits(word, noun))))
  // `Einstellungsdatum` begins with its noun; a number is called by it as a whole.
  const isMeant = isDated
    ? isCalled((word, noun) => word.startsWith(noun))
    : number !== undefined && names.some((each) => nouns.includes(each))
  const field: VerbMeaning<Reached>[] = isMeant ? [{ kind: 'field', at, cost: BY_VERB }] : []
  const options = at.field.options.flatMap(({ value, label }): VerbMeaning<Reached>[] => {
    const text = renderMessage(label, name)
    const words = [text, renderMessage(label), toWords(value)].flatMap((each) =>
      toPlain(each).split(' '),
    )
    // `Wareneingang` ends with its noun.
    const fits = words.some((word) =>
      nouns.some((noun) => word.startsWith(noun) || word.endsWith(noun)),
    )
    return fits ? [{ kind: 'option', at, value, label: text, cost: BY_VERB }] : []
  })
  return [...field, ...options]
}
