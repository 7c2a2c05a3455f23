/** Faults that TypeBox finds in a value, as sentences for people. */
import { FIELD_ERRORS_MAX } from '../kernel/limits.ts'
import { type Message, plain, say } from '../kernel/messages.ts'

const LITERAL = /^Expected ('.+')$/

const UNKNOWN = 'Unexpected property'

/** Nouns for what TypeBox's sentences expect; the detail is of the schema. */
const EXPECTATIONS: readonly [pattern: RegExp, describe: (detail: string) => Message][] = [
  [/^Expected string$/, () => say`a string`],
  [/^Expected integer$/, () => say`an integer`],
  [/^Expected number$/, () => say`a number`],
  [/^Expected boolean$/, () => say`true or false`],
  [/^Expected array$/, () => say`an array`],
  [/^Expected object$/, () => say`an object`],
  [/^Expected null$/, () => say`null`],
  [/^Expected required property$/, () => say`an object with all its required fields`],
  [/^Unexpected property$/, () => say`an object without unknown fields`],
  [
    /^Expected string length less or equal to (.+)$/,
    (most) => say`a string of at most ${most} characters`,
  ],
  [
    /^Expected string length greater or equal to (.+)$/,
    (least) => say`a string of at least ${least} characters`,
  ],
  [
    /^Expected array length to be less or equal to (.+)$/,
    (most) => say`an array of at most ${most} entries`,
  ],
  [
    /^Expected array length to be greater or equal to (.+)$/,
    (least) => say`an array of at least ${least} entries`,
  ],
  [
    /^Expected object to have no more than (.+) properties$/,
    (most) => say`an object of at most ${most} members`,
  ],
  [/^Expected integer to be less or equal to (.+)$/, (most) => say`at most ${most}`],
  [/^Expected integer to be greater or equal to (.+)$/, (least) => say`at least ${least}`],
  [/^Expected string to match '(.+)'/, (form) => say`a string that matches '${form}'`],
  [LITERAL, (value) => plain(value)],
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
    return say`Must be one of: ${values.join(', ')}`
  const [first, ...others] = [...new Set(messages)].flatMap((message) => findNoun(message) ?? [])
  if (!first) return say`This value is not valid`
  return say`Must be ${others.reduce((text, noun) => say`${text} or ${noun}`, first)}`
}

/** The sentence for a fault that TypeBox found. */
function describeExpected(message: string): Message {
  if (message === UNKNOWN) return say`This field is not known`
  const noun = findNoun(message)
  return noun ? say`Must be ${noun}` : say`This value is not valid`
}

/** The noun for what a sentence of TypeBox expects; undefined for one of another form. */
function findNoun(message: string): Message | undefined {
  for (const [pattern, describe] of EXPECTATIONS) {
    const match = pattern.exec(message)
    if (match) return describe(match[1] ?? '')
  }
  return undefined
}
