/** The text that a request seeks. */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import { isMatchable, TEXT_CHARACTERS_MAX } from './text-match.ts'

/** Without the blanks around it; undefined for none. @throws invalid for what nothing can hold. */
export function requireSearchText(text: string | null | undefined): string | undefined {
  const sought = text?.trim()
  if (!sought) return undefined
  if (sought.length > TEXT_CHARACTERS_MAX) {
    throw invalid(say`SearchText has at most ${TEXT_CHARACTERS_MAX} characters`)
  }
  if (!isMatchable(sought)) throw invalid(say`SearchText is no valid text`)
  return sought
}
