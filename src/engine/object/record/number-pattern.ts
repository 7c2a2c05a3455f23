/** Numbers of a sequence's format among the texts of columns: which is the highest, by SQL. */
import type { SqlArg } from '../../../store/sql.ts'
import type { Sequence } from '../../../model/compiled/entity.ts'
import { type DateName, SEQUENCE_PERIODS } from '../../../model/sequence-periods.ts'

/** A part of a number around its digits. */
export type NumberPart =
  /** The same in every number. */
  | { kind: 'text'; text: string }
  /** A part of a date. */
  | { kind: 'date'; name: DateName }
  /** A value of the row's own: an SQL expression. */
  | { kind: 'own'; sql: string }

const DATE_PLACES: Readonly<Record<DateName, readonly [from: number, to: number]>> = {
  yyyy: [0, 4],
  yy: [2, 4],
  MM: [5, 7],
  dd: [8, 10],
}

/** A part of a day (`2026-11-21`). */
export const datePart = (day: string, name: DateName): string => day.slice(...DATE_PLACES[name])

/** The texts of a format before and behind its digits, and how many digits it has at least. */
export function splitFormat(format: string): { head: string; digits: number; tail: string } {
  const [, head = '', hashes = '', tail = ''] = /^(.*?)\{(#+)\}(.*)$/su.exec(format) ?? []
  return { head, digits: hashes.length, tail }
}

/** The way that the numbers of a sequence are written. */
export interface NumberPattern {
  head: readonly NumberPart[]
  digits: number
  tail: readonly NumberPart[]
}

/** The source of a pattern's parts. */
interface PatternSource {
  /** The period whose numbers are meant; undefined for any period. */
  period: string | undefined
  company: NumberPart
  /** Returns the part of a column by its lower-case name. */
  own: (name: string) => NumberPart
}

/** The pattern of a sequence's numbers. */
export function planPattern(sequence: Sequence, source: PatternSource): NumberPattern {
  const { head, digits, tail } = splitFormat(sequence.format)
  const listParts = (text: string): NumberPart[] => {
    const tokens = text.matchAll(/\{([^{}]+)\}|[^{}]+/gu)
    return mergeTexts([...tokens].map(([all, name]) => toPart(all, name, source)))
  }
  return { head: listParts(head), digits, tail: listParts(tail) }
}

function toPart(text: string, name: string | undefined, source: PatternSource): NumberPart {
  if (name === undefined) return { kind: 'text', text }
  if (name === 'Company') return source.company
  if (name.startsWith('Field:')) return source.own(name.slice('Field:'.length).toLowerCase())
  const date = name as DateName
  const [, to] = DATE_PLACES[date]
  const { period } = source
  return period !== undefined && to <= period.length
    ? { kind: 'text', text: datePart(period, date) }
    : { kind: 'date', name: date }
}

function mergeTexts(parts: readonly NumberPart[]): NumberPart[] {
  const merged: NumberPart[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (part.kind === 'text' && last?.kind === 'text')
      merged[merged.length - 1] = { kind: 'text', text: last.text + part.text }
    else merged.push(part)
  }
  return merged
}

/** A pattern in SQL, over rows with the texts `v`. */
interface PatternSql {
  /** `v` is of the pattern. */
  where: string
  /** The digits of `v`. */
  digits: string
  /** The period of `v`, by the tokens of its date; a token that is not there is that of `now`. */
  period: string
  args: Record<string, SqlArg>
}

/** Most digits of a number; a counter never reaches longer ones. */
const DIGITS_MAX = 15

/** Writes a pattern as SQL; `now` is the present period. */
export function composePattern(
  { head, digits, tail }: NumberPattern,
  sequence: Sequence,
  now: string,
): PatternSql {
  const args: Record<string, SqlArg> = { digits }
  const conditions: string[] = []
  const dates = new Map<DateName, string>()
  const [before, behind] = [lengthOf(head), lengthOf(tail)]
  composeParts(head, '1', { prefix: 'h', args, conditions, dates })
  composeParts(tail, `length(v) - (${behind}) + 1`, { prefix: 't', args, conditions, dates })
  const found = `substr(v, ${before} + 1, length(v) - (${before}) - (${behind}))`
  const isLong = `length(v) >= ${before} + ${behind} + @digits`
  const isNumber =
    `${found} NOT GLOB '*[^0-9]*' AND (length(${found}) = @digits OR ${found} NOT GLOB '0*') ` +
    `AND length(ltrim(${found}, '0')) <= ${DIGITS_MAX}`
  return {
    where: [isLong, ...conditions, isNumber].join(' AND '),
    digits: found,
    period: composePeriod(sequence, now, dates),
    args,
  }
}

/** The length of parts: a number, and the lengths of the rows' own values. */
function lengthOf(parts: readonly NumberPart[]): string {
  let length = 0
  const own: string[] = []
  for (const part of parts) {
    if (part.kind === 'own') own.push(`length(${part.sql})`)
    else length += part.kind === 'text' ? [...part.text].length : part.name.length
  }
  return [length, ...own].join(' + ')
}

/** Composes the conditions of parts that `v` has from a place on. */
function composeParts(
  parts: readonly NumberPart[],
  start: string,
  to: {
    prefix: string
    args: Record<string, SqlArg>
    conditions: string[]
    dates: Map<DateName, string>
  },
): void {
  for (const [at, part] of parts.entries()) {
    const place = `${start} + ${lengthOf(parts.slice(0, at))}`
    const text = `substr(v, ${place}, ${lengthOf([part])})`
    if (part.kind === 'date') {
      to.conditions.push(`${text} GLOB '${'[0-9]'.repeat(part.name.length)}'`)
      if (!to.dates.has(part.name)) to.dates.set(part.name, text)
    } else if (part.kind === 'own') to.conditions.push(`${text} = ${part.sql}`)
    else {
      const name = `${to.prefix}${at}`
      to.args[name] = part.text
      to.conditions.push(`${text} = @${name}`)
    }
  }
}

function composePeriod(
  { reset }: Sequence,
  now: string,
  dates: ReadonlyMap<DateName, string>,
): string {
  const parts = SEQUENCE_PERIODS[reset].parts.map((names) => {
    const [long = 'yyyy', short] = names
    const whole = dates.get(long)
    if (whole !== undefined) return whole
    const half = short && dates.get(short)
    return half === undefined
      ? `'${datePart(now, long)}'`
      : `'${datePart(now, 'yyyy').slice(0, 2)}' || ${half}`
  })
  return parts.length === 0 ? `''` : parts.join(` || '-' || `)
}
