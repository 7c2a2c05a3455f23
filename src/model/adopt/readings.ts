/**
 * Ways to read the values of a column: which type each gives, and what a stored value becomes by
 * it. A way fits a column when it reads every value of it.
 */
import { BrokenText, SourceBytes, type SourceCell } from '../../store/file/source-file.ts'
import type { FieldType } from '../compiled/field-features.ts'
import { DECIMAL_DIGITS_MAX } from '../fields/decimal.ts'
import { FieldFault } from '../fields/field-kind.ts'
import { plainShape } from '../fields/field-shape.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'

/** The change of a value whose stored form differs from the source, but means the same. */
type Change = 'emptied' | 'zoned' | 'cut' | 'converted' | 'fromBytes'

/** A part of a value that its stored form does not have. */
type Loss = 'cleaned' | 'rounded' | 'trimmed' | 'shortened' | 'reduced' | 'tooLarge'

/** A difference between a value of the source and what is stored. */
export type ValueEffect = Change | Loss

/** A value as it is stored, what was done to it, and what it lost. */
export interface ReadValue {
  value: string | number | null
  change?: Change
  loss?: Loss
}

export interface SourceReading {
  name: string
  type: FieldType
  /** Undefined for a value that it does not read; null is read by all of them. */
  read(cell: Exclude<SourceCell, null>): ReadValue | undefined
}

const EMPTIED: ReadValue = { value: null, change: 'emptied' }
const isBlankText = (cell: SourceCell): boolean => typeof cell === 'string' && cell.trim() === ''

/** Returns a reading by which a blank text counts as no value. */
const reading = (
  name: string,
  type: FieldType,
  read: (cell: string | number) => ReadValue | undefined,
): SourceReading => ({
  name,
  type,
  read(cell) {
    if (isBlankText(cell)) return EMPTIED
    return typeof cell === 'string' || typeof cell === 'number' ? read(cell) : undefined
  },
})

/** Returns the reading by the type itself, as a request would give the value. */
const byKind = (type: FieldType): SourceReading =>
  reading(type, type, (cell) => {
    const value = FIELD_KINDS[type].parse(cell, plainShape('', type))
    return value instanceof FieldFault || typeof value === 'bigint' || value instanceof Uint8Array
      ? undefined
      : value === cell
        ? { value }
        : { value, change: 'converted' }
  })

const WORDS: ReadonlyMap<string, number> = new Map([
  ...(['1', 'true', 't', 'yes', 'y', 'on'] as const).map((word) => [word, 1] as const),
  ...(['0', 'false', 'f', 'no', 'n', 'off'] as const).map((word) => [word, 0] as const),
])

const DAY = '\\d{4}-\\d\\d-\\d\\d'
const TIME_OF_DAY = '\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d{1,12})?)?'
const MIDNIGHT = new RegExp(`^(${DAY})[T ]00:00(?::00(?:[.,]0{1,12})?)?$`)
const NAIVE = new RegExp(`^(${DAY})(?:[T ](${TIME_OF_DAY}))?$`)

/** Digits behind the milliseconds, not all of them 0. */
const MICROSECONDS = /[.,]\d{3}0*[1-9]/

/** Days, also with an empty midnight behind them. */
const day: SourceReading = reading('day', 'Date', (cell) => {
  const text = String(cell).trim()
  const cut = MIDNIGHT.exec(text)?.[1]
  const value = FIELD_KINDS.Date.parse(cut ?? text, plainShape('', 'Date'))
  if (typeof value !== 'string' || typeof cell === 'number') return undefined
  return cut === undefined ? { value } : { value, change: 'cut' }
})

/** Instants; what names no zone is taken as UTC, in which SQLite's own functions give times. */
const instant: SourceReading = reading('instant', 'DateTime', (cell) => {
  if (typeof cell === 'number') return undefined
  const text = cell.trim()
  const [, date, time] = NAIVE.exec(text) ?? []
  const zoned = date === undefined ? text : `${date}T${time ?? '00:00'}Z`
  const value = FIELD_KINDS.DateTime.parse(zoned, plainShape('', 'DateTime'))
  if (typeof value !== 'string') return undefined
  const loss = MICROSECONDS.test(text) ? { loss: 'shortened' as const } : {}
  if (date !== undefined) return { value, change: 'zoned', ...loss }
  return value === text ? { value } : { value, change: 'converted', ...loss }
})

/** 1973 to 2128 in seconds since 1970: a smaller number may be anything. */
const SECONDS = [100_000_000, 5_000_000_000] as const
/** 1900 to 2128 in days of the Julian calendar. */
const JULIAN = [2_415_020.5, 2_498_315.5] as const
const JULIAN_1970 = 2_440_587.5
const DAY_MS = 86_400_000

const numeric = (
  name: string,
  [least, most]: readonly [number, number],
  { toMs, noiseMs }: { toMs: (value: number) => number; noiseMs: number },
): SourceReading =>
  reading(name, 'DateTime', (cell) => {
    const value = typeof cell === 'number' ? cell : Number(cell)
    if (!(value >= least && value <= most)) return undefined
    const ms = toMs(value)
    const whole = Math.round(ms)
    const stored = { value: new Date(whole).toISOString(), change: 'converted' as const }
    // A day number is never exact in binary.
    return Math.abs(ms - whole) > noiseMs ? { ...stored, loss: 'shortened' } : stored
  })

/** A Decimal of so many places; one that has more is rounded. */
export const decimalOf = (scale: number): SourceReading =>
  reading(`Decimal ${scale}`, 'Decimal', (cell) => {
    const value = FIELD_KINDS.Decimal.parse(cell, { ...plainShape('', 'Decimal'), scale })
    if (typeof value !== 'number') return undefined
    if (value === Number(cell)) return typeof cell === 'number' ? { value } : convert(value)
    // Digits that binary adds at the end of a number, as to 0.1 + 0.2.
    const isNear = value === Number(Number(cell).toPrecision(15))
    return { value, loss: isNear ? 'trimmed' : 'rounded' }
  })

const convert = (value: number): ReadValue => ({ value, change: 'converted' })

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Reads bytes that are text as that text, others as hexadecimal. */
function readBytes(bytes: Uint8Array): ReadValue {
  try {
    const text = decoder.decode(bytes)
    if (!text.includes('\0')) return { value: text, change: 'fromBytes' }
  } catch {
    // The hexadecimal in its place says so.
  }
  return { value: Buffer.from(bytes).toString('hex'), change: 'fromBytes' }
}

const text: SourceReading = {
  name: 'text',
  type: 'Text',
  read(cell) {
    // The bytes are read when the row is taken.
    if (cell instanceof SourceBytes) return { value: '', change: 'fromBytes' }
    if (cell instanceof Uint8Array) return readBytes(cell)
    if (cell instanceof BrokenText)
      return { value: cell.text.replaceAll('\0', ''), loss: 'cleaned' }
    if (typeof cell !== 'string') return { value: String(cell), change: 'converted' }
    const clean = cell.includes('\0') ? cell.replaceAll('\0', '') : cell
    return clean === cell && clean.isWellFormed()
      ? { value: clean }
      : { value: clean.toWellFormed(), loss: 'cleaned' }
  },
}

/** Texts of columns that are no keys: an empty one is no value. */
const filled: SourceReading = {
  ...text,
  name: 'filled text',
  read(cell) {
    const read = text.read(cell)
    return read?.value === '' ? { ...read, ...EMPTIED } : read
  },
}

/** Short bytes as hexadecimal, two digits each: `x'00ff'` is `00ff`. */
const hex: SourceReading = {
  name: 'hex',
  type: 'Text',
  read(cell) {
    if (cell instanceof SourceBytes) return { value: '', change: 'fromBytes' }
    if (!(cell instanceof Uint8Array)) return undefined
    return { value: Buffer.from(cell).toString('hex'), change: 'fromBytes' }
  },
}

/** Bytes as a file. Its value is made when the row is written (`load-files.ts`). */
const file: SourceReading = {
  name: 'file',
  type: 'File',
  read(cell) {
    if (!(cell instanceof SourceBytes)) return undefined
    return cell.size === 0 ? EMPTIED : { value: '' }
  },
}

const guidText = byKind('Guid')

/** Sixteen bytes, or the text of a GUID. */
const guid: SourceReading = {
  name: 'guid',
  type: 'Guid',
  read(cell) {
    if (cell instanceof Uint8Array && cell.length === 16) {
      const hex = Buffer.from(cell).toString('hex')
      const value = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
      return { value, change: 'fromBytes' }
    }
    if (cell instanceof Uint8Array) return undefined
    const bare = typeof cell === 'string' ? /^\s*\{(.*)\}\s*$/.exec(cell)?.[1] : undefined
    const read = guidText.read(bare ?? cell)
    return bare === undefined || !read ? read : { ...read, change: 'converted' }
  },
}

const plainJson = byKind('Json')

/** JSON is stored without blanks; of members of one name, the last. */
const json: SourceReading = {
  ...plainJson,
  read(cell) {
    const read = plainJson.read(cell)
    if (typeof cell !== 'string' || typeof read?.value !== 'string') return read
    if (cell === read.value) return read
    return countMembers(cell) === countMembers(read.value) ? read : { ...read, loss: 'reduced' }
  },
}

const JSON_TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g

const countMembers = (text: string): number =>
  [...text.matchAll(JSON_TEXT)].filter(([, colon]) => colon !== undefined).length

const boolean: SourceReading = reading('boolean', 'Boolean', (cell) => {
  const value = WORDS.get(String(cell).trim().toLowerCase())
  if (value === undefined) return undefined
  return cell === value ? { value } : convert(value)
})

export const READINGS = {
  boolean,
  integer: byKind('Integer'),
  day,
  instant,
  seconds: numeric('seconds since 1970', SECONDS, {
    toMs: (value) => value * 1000,
    noiseMs: 0.000_5,
  }),
  milliseconds: numeric('milliseconds since 1970', [SECONDS[0] * 1000, SECONDS[1] * 1000], {
    toMs: (value) => value,
    noiseMs: 0,
  }),
  julian: numeric('Julian day numbers', JULIAN, {
    toMs: (value) => (value - JULIAN_1970) * DAY_MS,
    noiseMs: 0.05,
  }),
  time: byKind('Time'),
  guid,
  json,
  text,
  filled,
  hex,
  file,
} as const satisfies Record<string, SourceReading>

/** A number as it is written, its digits before the point and those behind it. */
export function measureNumber(cell: SourceCell): { whole: number; places: number } | undefined {
  // Digits that binary adds at the end of a number do not count.
  const written = typeof cell === 'number' ? String(Number(cell.toPrecision(15))) : cell
  if (typeof written !== 'string') return undefined
  const match = /^\s*[+-]?(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?\s*$/i.exec(written)
  if (match === null || !/\d/.test(written)) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const shift = Number(exponent)
  const digits = whole.replace(/^0+/, '')
  return {
    whole: Math.max(digits === '' ? 0 : digits.length + shift, 0),
    places: Math.max(fraction.replace(/0+$/, '').length - shift, 0),
  }
}

/** The most places that numbers of so many digits before the point may have. */
export const placesFor = (whole: number): number =>
  Math.max(0, Math.min(9, DECIMAL_DIGITS_MAX - Math.max(whole, 1)))
