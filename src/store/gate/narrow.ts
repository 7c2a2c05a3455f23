/**
 * Holds what an authored INSERT, UPDATE or DELETE evaluates of its target to the rows of a company.
 * Nothing of the text is changed: its conditions are put between brackets of the engine's.
 */
import { isWord, outline, type Outline } from './outline.ts'
import { tokenize } from './tokenize.ts'

/** The company that the rows of a target must have. */
interface Narrowing {
  /** The tenant column, quoted. */
  column: string
  /** The parameter that holds the company, with its `@`. */
  parameter: string
}

/** Text that goes in at an offset. */
interface Insertion {
  at: number
  text: string
}

/**
 * Puts a CASE around each condition that may look at the target: only CASE says for certain what is
 * evaluated first. The rows that a SET or RETURNING meets are then own ones too.
 */
export function narrowWrite(text: string, narrowing: Narrowing): string {
  const shape = outline(tokenize(text))
  const { verb, targetAt } = shape
  if (targetAt === undefined) return text
  const guard = `${nameTarget(shape, targetAt)}.${narrowing.column} IS ${narrowing.parameter}`
  const open = listOpen(shape, targetAt)
  const insertions =
    verb?.key === 'insert' ? planUpserts(shape, open, guard) : planWhere(shape, open, guard)
  return insert(text, insertions)
}

/** The target as its columns are qualified: by its alias, where it has one. */
function nameTarget({ tokens }: Outline, targetAt: number): string {
  const alias = isWord(tokens[targetAt + 1], 'as') ? tokens[targetAt + 2] : undefined
  return `"${(alias ?? tokens[targetAt])?.value.replaceAll('"', '""')}"`
}

/** Lists indexes behind the target of tokens that are in no bracket and qualify nothing. */
function listOpen({ tokens, partner }: Outline, targetAt: number): number[] {
  const open: number[] = []
  for (let at = targetAt + 1; at < tokens.length; at++) {
    const close = partner.get(at)
    if (close !== undefined && close > at) at = close
    else if (tokens[at - 1]?.value !== '.') open.push(at)
  }
  return open
}

/** The condition between the word WHERE at `from`, if there is one, and the offset `end`. */
function planCondition(
  { tokens }: Outline,
  { from, end, guard }: { from: number | undefined; end: number; guard: string },
): Insertion[] {
  if (from === undefined) return [{ at: end, text: `\nWHERE ${guard}\n` }]
  return [
    { at: tokens[from]?.end ?? 0, text: ` CASE WHEN ${guard} THEN (\n` },
    { at: end, text: '\n) ELSE 0 END\n' },
  ]
}

const startOf = (tokens: Outline['tokens'], at: number | undefined): number =>
  at === undefined ? Infinity : (tokens[at]?.start ?? Infinity)

/** The ON of a join cannot name the target, so its WHERE is all there is. */
function planWhere(shape: Outline, open: readonly number[], guard: string): Insertion[] {
  const { tokens } = shape
  const from = open.find((at) => isWord(tokens[at], 'where'))
  const end = open.find((at) => isWord(tokens[at], 'returning', 'order', 'limit'))
  return planCondition(shape, { from, end: startOf(tokens, end), guard })
}

/** `ON CONFLICT … DO UPDATE` meets a stored row, which may be anybody's. */
function planUpserts(shape: Outline, open: readonly number[], guard: string): Insertion[] {
  const { tokens } = shape
  const clauses = open.filter(
    (at) => isWord(tokens[at], 'on') && isWord(tokens[at + 1], 'conflict'),
  )
  return clauses.flatMap((clause, index) => {
    const next = clauses[index + 1] ?? open.find((at) => isWord(tokens[at], 'returning'))
    const own = open.filter((at) => at > clause && at < (next ?? Infinity))
    const update = own.find((at) => isWord(tokens[at], 'do') && isWord(tokens[at + 1], 'update'))
    if (update === undefined) return []
    const from = own.find((at) => at > update && isWord(tokens[at], 'where'))
    return planCondition(shape, { from, end: startOf(tokens, next), guard })
  })
}

function insert(text: string, insertions: readonly Insertion[]): string {
  let done = 0
  let result = ''
  for (const { at, text: added } of insertions.toSorted((a, b) => a.at - b.at)) {
    const to = Math.min(at, text.length)
    result += text.slice(done, to) + added
    done = to
  }
  return result + text.slice(done)
}
