/** Names of records that hold a word of questions: `Dr. March`, `Harbour Trading Group`. */
import type { Draft, UnknownText } from './draft.ts'
import type { Lookups } from './lookups.ts'
import type { QuestionReading } from './reading.ts'
import { findValue, UNKNOWN_MAX } from './values.ts'
import type { QuestionWord } from './words.ts'

/** Words of a name at most. */
const NAME_MAX = 6
/** Readings whose objects are asked for the name. */
const READINGS_MAX = 3

/**
 * The words of a question with each name as one of them; undefined where none was found. A name is
 * looked for where words that nothing else explains stand right before words with a capital letter.
 */
export async function joinNames(
  lookups: Lookups,
  words: readonly QuestionWord[],
  readings: readonly QuestionReading[],
): Promise<QuestionWord[] | undefined> {
  for (const { draft } of readings.slice(0, READINGS_MAX)) {
    if (draft.unknown.length > UNKNOWN_MAX) continue
    const ranges: Range[] = []
    for (const unknown of draft.unknown) {
      const range = await findRange(lookups, draft, unknown)
      if (range) ranges.push(range)
    }
    if (ranges.length > 0) return ranges.reduceRight<QuestionWord[]>(joinWords, [...words])
  }
  return undefined
}

/** Words of a question: from the first to before the last. */
interface Range {
  from: number
  to: number
}

async function findRange(
  lookups: Lookups,
  draft: Draft,
  unknown: UnknownText,
): Promise<Range | undefined> {
  const [first = 0] = unknown.segments
  const starts: number[] = [0]
  for (const { words } of draft.segments) starts.push((starts.at(-1) ?? 0) + words.length)
  const end = (unknown.segments.at(-1) ?? first) + 1
  let last = end
  while (isCapital(draft, last) && last - first < NAME_MAX) last++
  for (; last > end; last--) {
    const segments = draft.segments.slice(first, last)
    const text = segments.map((segment) => segment.text).join(' ')
    const found = await findValue(lookups, draft, { ...unknown, text, isName: true })
    if (found && found.filter.operator !== 'contains')
      return { from: starts[first] ?? 0, to: starts[last] ?? 0 }
  }
  return undefined
}

const isCapital = ({ segments }: Draft, at: number): boolean =>
  segments[at]?.words.every(({ kind, text }) => kind === 'word' && /^\p{Lu}/u.test(text)) === true

/** The words of a question, some of them as one name in quotes. */
export function joinWords(words: QuestionWord[], { from, to }: Range): QuestionWord[] {
  const [first, ...others] = words.slice(from, to)
  if (!first) return words
  const name = others.reduce<QuestionWord>(
    (one, { text, plain }) => ({
      ...one,
      text: `${one.text} ${text}`,
      plain: `${one.plain} ${plain}`,
    }),
    { ...first, kind: 'quoted' },
  )
  return [...words.slice(0, from), name, ...words.slice(to)]
}
