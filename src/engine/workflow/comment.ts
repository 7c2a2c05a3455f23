/** Comments of people on their actions. */
import { normalizeText } from '../../kernel/blanks.ts'
import { validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'

/** Most characters of a comment, which is not a document. */
const COMMENT_CHARACTERS_MAX = 4000

/** A comment in stored form; null for none. @throws validation for one that is too long */
export function readComment(text: string | null | undefined): string | null {
  const comment = normalizeText(text ?? '')
  if (comment.length > COMMENT_CHARACTERS_MAX)
    throw validation({
      Comment: say`A comment can have at most ${COMMENT_CHARACTERS_MAX} characters`,
    })
  return comment === '' ? null : comment
}
