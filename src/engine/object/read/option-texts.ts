/** Reading of options in files: from an option's value or label to its value. */
import { normalizeText } from '../../../kernel/blanks.ts'
import { renderMessage } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { listLanguages } from './heads.ts'

/** More than one record, or option, has the name. */
export const MANY = Symbol('many')

/** The value that a text means; undefined for a text that is not an option. */
type FindOption = (text: string) => string | typeof MANY | undefined

/**
 * Values and labels in every language, to the letter before without regard to case. A text
 * in a column of labels is a label first, in a column of values a value.
 */
export function planOptionTexts(grant: Grant, field: Field, isLabel: boolean): FindOption {
  const values = [field.options.map(({ value }) => [value, value] as const)]
  const labels = listLanguages(grant).map((language) =>
    field.options.map(({ value, label }) => [renderMessage(label, language), value] as const),
  )
  const known = (isLabel ? [labels, values] : [values, labels]).flatMap((lists) => [
    ...lists.map((list) => ({ isLoose: false, texts: toTexts(list, normalizeText) })),
    ...lists.map((list) => ({ isLoose: true, texts: toTexts(list, toLoose) })),
  ])
  return (cell) => {
    const text = normalizeText(cell)
    const loose = text.toLowerCase()
    for (const { isLoose, texts } of known) {
      const found = texts.get(isLoose ? loose : text)
      if (found !== undefined) return found
    }
    return undefined
  }
}

const toLoose = (text: string): string => normalizeText(text).toLowerCase()

function toTexts(
  list: readonly (readonly [text: string, value: string])[],
  toKey: (text: string) => string,
): ReadonlyMap<string, string | typeof MANY> {
  const texts = new Map<string, string | typeof MANY>()
  for (const [text, value] of list) {
    const key = toKey(text)
    const known = texts.get(key)
    texts.set(key, known === undefined || known === value ? value : MANY)
  }
  return texts
}

/** Tells whether the labels of a field's options, as the caller reads them, give its values. */
export function tellsOptions(grant: Grant, field: Field, isLabel: boolean): boolean {
  const find = planOptionTexts(grant, field, isLabel)
  return field.options.every(
    ({ value, label }) => find(renderMessage(label, grant.caller.language)) === value,
  )
}
