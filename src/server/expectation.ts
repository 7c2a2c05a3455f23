/** What TypeBox expected of a member, as a sentence of the engine's own. */
import { type Message, say } from '../kernel/messages.ts'

/** TypeBox's own sentences, by their beginning or in a pattern; the detail is of the schema. */
const EXPECTATIONS: readonly [pattern: RegExp, tell: (detail: string) => Message][] = [
  [/^Expected string$/, () => say`Expected string`],
  [/^Expected integer$/, () => say`Expected integer`],
  [/^Expected number$/, () => say`Expected number`],
  [/^Expected boolean$/, () => say`Expected boolean`],
  [/^Expected array$/, () => say`Expected array`],
  [/^Expected object$/, () => say`Expected object`],
  [/^Expected null$/, () => say`Expected null`],
  [/^Expected union value$/, () => say`Expected union value`],
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
  [/^Expected ('.+')$/, (value) => say`Expected ${value}`],
]

/** The sentence for a fault that TypeBox found; it repeats nothing of the value. */
export function tellExpectation(message: string): Message {
  for (const [pattern, tell] of EXPECTATIONS) {
    const match = pattern.exec(message)
    if (match) return tell(match[1] ?? '')
  }
  return say`This value does not fit`
}
