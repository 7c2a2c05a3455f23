/** Faults that TypeBox finds in a value, as sentences for people. */
import { FIELD_ERRORS_MAX } from '../kernel/limits.ts'
import { type Message, say } from '../kernel/messages.ts'

const LITERAL = /^Expected ('.+')$/

/** TypeBox's own sentences, by their beginning or in a pattern; the detail is of the schema. */
const EXPECTATIONS: readonly [pattern: RegExp, tell: (detail: string) => Message][] = [
  [/^Expected string$/, () => say`Expected string`],
  [/^Expected integer$/, () => say`Expected integer`],
  [/^Expected number$/, () => say`Expected number`],
  [/^Expected boolean$/, () => say`Expected boolean`],
  [/^Expected array$/, () => say`Expected array`],
  [/^Expected object$/, () => say`Expected object`],
  [/^Expected null$/, () => say`Expected null`],
  [/^Expected required property$/, () => say`Expected required property`],
  [/^Unexpected property$/, () => say`Unexpected property`],
  [
    /^Expected string length less or equal to (.+)$/,
    (most) => say`Expected string length less or equal to ${most}`,
  ],
  [
    /^Expected string length greater or equal to (.+)$/,
    (least) => say`Expected string length greater or equal to ${least}`,
  ],
  [
    /^Expected array length to be less or equal to (.+)$/,
    (most) => say`Expected array length to be less or equal to ${most}`,
  ],
  [
    /^Expected array length to be greater or equal to (.+)$/,
    (least) => say`Expected array length to be greater or equal to ${least}`,
  ],
  [
    /^Expected integer to be less or equal to (.+)$/,
    (most) => say`Expected integer to be less or equal to ${most}`,
  ],
  [
    /^Expected integer to be greater or equal to (.+)$/,
    (least) => say`Expected integer to be greater or equal to ${least}`,
  ],
  [/^Expected string to match '(.+)'/, (form) => say`Expected string to match '${form}'`],
  [LITERAL, (value) => say`Expected ${value}`],
]

/** A fault as TypeBox reports it: its place (a JSON pointer), and the expected value. */
export interface Issue {
  readonly path: string
  readonly message: string
  readonly value: unknown
  /** Faults by alternative, for a member that may be one of several. */
  readonly errors?: readonly Iterable<Issue>[]
}

/**
 * Yields the place of a fault and what is expected there. For a member that may be one of several:
 * the faults within the closest one, else the allowed ones; null goes unmentioned. The value itself
 * is never repeated.
 */
export function* describeIssue(issue: Issue): Generator<{ path: string; message: Message }> {
  const { path, message, value, errors = [] } = issue
  const choices = errors
    .map((found) => [...Iterator.from(found).take(FIELD_ERRORS_MAX)])
    .filter(([first]) => first?.message !== 'Expected null')
  if (value === undefined) yield { path, message: say`This is required` }
  else if (choices.length === 0) yield { path, message: describeExpected(message) }
  else {
    const [closest] = choices
      .filter((choice) => choices.length === 1 || choice.every((each) => each.path !== path))
      .sort((one, other) => one.length - other.length)
    if (closest) for (const each of closest) yield* describeIssue(each)
    else yield { path, message: describeEither(choices.flatMap(([first]) => first?.message ?? [])) }
  }
}

function describeEither(messages: readonly string[]): Message {
  const values = messages.flatMap((message) => LITERAL.exec(message)?.[1] ?? [])
  if (values.length > 1 && values.length === messages.length)
    return say`Expected one of ${values.join(', ')}`
  const [first = '', ...others] = new Set(messages)
  return others.reduce(
    (text, message) => say`${text}, or: ${describeExpected(message)}`,
    describeExpected(first),
  )
}

/** The sentence for a fault that TypeBox found. */
function describeExpected(message: string): Message {
  for (const [pattern, tell] of EXPECTATIONS) {
    const match = pattern.exec(message)
    if (match) return tell(match[1] ?? '')
  }
  return say`This value does not fit`
}
