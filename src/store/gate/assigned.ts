/** The columns that an UPDATE assigns, read from its text. */
import { isMark, isName, isWord, outline } from './outline.ts'
import { tokenize } from './tokenize.ts'

/** Words that end the assignments of an UPDATE. */
const ENDS = ['from', 'where', 'returning', 'order', 'limit'] as const

/**
 * Names of the columns that an UPDATE which passed the gate assigns, in lower case; undefined for
 * an INSERT or DELETE. `UPDATE items SET Grade = 1, (A, B) = (2, 3)` gives `grade`, `a` and `b`.
 */
export function listAssigned(sql: string): string[] | undefined {
  const { tokens, partner, verb, targetAt } = outline(tokenize(sql))
  if (!isWord(verb, 'update') || targetAt === undefined) return undefined
  const names: string[] = []
  let isTarget = true
  for (let at = tokens.findIndex((token, i) => i > targetAt && isWord(token, 'set')) + 1; ; at++) {
    const token = tokens[at]
    if (token === undefined || isWord(token, ...ENDS)) return names
    if (isMark(token, '(')) {
      const close = partner.get(at) ?? at
      if (isTarget) names.push(...tokens.slice(at, close).flatMap((t) => (isName(t) ? t.key : [])))
      at = close
    } else if (isMark(token, '=')) isTarget = false
    else if (isMark(token, ',')) isTarget = true
    else if (isTarget && isName(token)) names.push(token.key)
  }
}
