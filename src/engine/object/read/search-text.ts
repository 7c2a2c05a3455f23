/** The text that a request seeks. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { isMatchable, TEXT_CHARACTERS_MAX } from './text-match.ts'

/** Trims a search text; undefined for none. @throws invalid for a text that nothing can hold. */
export function requireSearchText(text: string | null | undefined): string | undefined {
  const searchText = text?.trim()
  if (!searchText) return undefined
  if (searchText.length > TEXT_CHARACTERS_MAX) {
    throw invalid(say`SearchText can have at most ${TEXT_CHARACTERS_MAX} characters`)
  }
  if (!isMatchable(searchText))
    throw invalid(say`SearchText contains characters that cannot be searched for`)
  return searchText
}
