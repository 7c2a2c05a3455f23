/** What functions of the list may be given: no clock, no zone of the machine, no broken text. */
import { SqlFault } from './gate-fault.ts'
import { CAST_TYPES, DATE_FUNCTIONS, FORMAT_FUNCTIONS } from './gate-lists.ts'
import { isMark, isWord, type Outline } from './gate-outline.ts'
import type { Token } from './tokenize.ts'

/** A call: the name of the function, and the tokens of each argument. */
interface Call {
  name: Token
  parts: (readonly Token[])[]
}

/**
 * Holds the arguments of the call at `at` to the rules of its function.
 *
 * @throws SqlFault for a date function that would read the clock, a format or character that could
 *   make text that is no UTF-8 or has no bounds, a CAST to anything but the plain types
 */
export function requireArguments(shape: Outline, at: number): void {
  const name = shape.tokens[at]
  if (!name) return
  const call = { name, parts: splitArguments(shape, at + 1) }
  if (DATE_FUNCTIONS.has(name.key)) requireGivenTime(call)
  if (FORMAT_FUNCTIONS.has(name.key)) requireBoundedFormat(call)
  if (name.key === 'char') requireCharacters(call)
  if (name.key === 'cast' && name.kind === 'word') requirePlainType(call)
}

function splitArguments({ tokens, partner }: Outline, open: number): Token[][] {
  const close = partner.get(open) ?? open
  if (close === open + 1) return []
  const parts: Token[][] = [[]]
  for (let at = open + 1; at < close; at++) {
    const token = tokens[at]
    if (!token) break
    if (isMark(token, ',')) {
      parts.push([])
      continue
    }
    const end = isMark(token, '(') ? (partner.get(at) ?? at) : at
    parts.at(-1)?.push(...tokens.slice(at, end + 1))
    at = end
  }
  return parts
}

const CLOCKS: ReadonlySet<string> = new Set(['now', 'subsec', 'subsecond'])
const ZONES: ReadonlySet<string> = new Set(['localtime', 'utc'])

/** Without a time value, or with 'now' or 'subsec' as one, SQLite takes the clock. */
function requireGivenTime({ name, parts }: Call): void {
  const times = name.key === 'strftime' ? parts.slice(1, 2) : parts.slice(0, 1)
  if (name.key === 'timediff') times.push(...parts.slice(1, 2))
  if (times.length === 0)
    throw new SqlFault(`Give ${name.value} a time, such as @Now or @Today`, name.start)
  const strings = parts.flat().filter((token) => token.kind === 'text')
  const clock =
    strings.find((token) => token.key === 'now') ??
    times.flat().find((token) => token.kind === 'text' && CLOCKS.has(token.key))
  if (clock) throw new SqlFault(`Write @Now or @Today instead of '${clock.value}'`, clock.start)
  const zone = strings.find((token) => ZONES.has(token.key))
  if (zone)
    throw new SqlFault(
      `'${zone.value}' is the server's own zone: add @UtcOffsetMinutes || ' minutes' instead`,
      zone.start,
    )
}

const FORMAT_PART = /%(?:%|[-+ 0,!]*\d{0,3}(?:(?:\.\d{1,2})?[dieEfgGxXou]|s))|[^%]/gy

/** Widths of three digits at most, and no precision for text: it would cut letters into bytes. */
function requireBoundedFormat({ name, parts }: Call): void {
  const first = parts[0]
  const format = first?.length === 1 ? first[0] : undefined
  const isBounded = format?.kind === 'text' && format.value.replace(FORMAT_PART, '') === ''
  if (!isBounded)
    throw new SqlFault(
      `${name.value} begins with a format in quotes made of %d %s %f %x %e %g and %%, ` +
        'with up to three digits of width and no precision for %s',
      format?.start ?? name.start,
    )
}

/** Surrogates are no characters: text that holds one is no UTF-8. */
function requireCharacters({ name, parts }: Call): void {
  const isPlain = parts.every((part) => {
    const code = part.length === 1 && part[0]?.kind === 'number' ? Number(part[0].value) : NaN
    return Number.isInteger(code) && code > 0 && !(code >= 0xd800 && code <= 0xdfff)
  })
  if (!isPlain)
    throw new SqlFault('char takes numbers of characters only, such as char(10)', name.start)
}

function requirePlainType({ name, parts }: Call): void {
  const whole = parts.flat()
  const typeAt = whole.findLastIndex((token) => isWord(token, 'as')) + 1
  const size = whole.findIndex((token, at) => at >= typeAt && isMark(token, '('))
  const words = whole.slice(typeAt, size < 0 ? undefined : size)
  const isPlain = words.every((token) => token.kind === 'word' && CAST_TYPES.has(token.key))
  if (typeAt === 0 || words.length === 0 || !isPlain)
    throw new SqlFault('CAST takes TEXT, INTEGER, REAL or NUMERIC', words[0]?.start ?? name.start)
}
