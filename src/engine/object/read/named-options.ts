/** Options are shown by their labels, so texts find them by these as well. */
import { renderMessage } from '../../../kernel/messages.ts'
import type { Field } from '../../../model/compiled/field.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { FilterScope } from './filter-scope.ts'
import { isSeen, listSearched } from './labels.ts'
import { matchesText, type MatchPlace } from './text-match.ts'

const OPERATORS = { anywhere: 'contains', start: 'startsWith', end: 'endsWith' } as const

/** The values of a field that a text finds by their labels alone, in a language. */
export const listNamedOptions = (
  { options }: Pick<Field, 'options'>,
  text: string,
  at: MatchPlace,
  language: string | undefined,
): string[] =>
  options.flatMap(({ value, label }) => {
    const isNamed = matchesText(renderMessage(label, language), text, OPERATORS[at])
    return isNamed && !matchesText(value, text, OPERATORS[at]) ? [value] : []
  })

/** Plans the SQL condition on values of searched fields whose option has the text in its label. */
export function planNamedOptions(
  { view, grant, bindings }: Pick<FilterScope, 'view' | 'grant' | 'bindings'>,
  searchText: string,
): string[] {
  return listNamed({ view, grant }, searchText).map(({ field, values }) => {
    const list = bindings.add(JSON.stringify(values))
    return `${quote(field.name)} IN (SELECT value FROM json_each(${list}))`
  })
}

/**
 * Key part of a search that finds rows by an option's label in the caller's language; '' for other
 * searches. Text indexes do not know these labels.
 */
export const tellNamedOptions = (
  scope: Pick<FilterScope, 'view' | 'grant'>,
  searchText: string,
): string =>
  listNamed(scope, searchText)
    .map(({ field, values }) => JSON.stringify([field.name, ...values]))
    .join()

function listNamed(
  { view, grant }: Pick<FilterScope, 'view' | 'grant'>,
  searchText: string,
): { field: Field; values: string[] }[] {
  const { language } = grant.caller
  return listSearched(view).flatMap((field) => {
    if (field.options.length === 0 || !isSeen(grant, field)) return []
    const values = listNamedOptions(field, searchText, 'anywhere', language)
    return values.length > 0 ? [{ field, values }] : []
  })
}
