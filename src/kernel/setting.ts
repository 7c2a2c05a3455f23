/** The definition of a setting: its name, its type, its bounds, its default and what it does. */
import { isZone } from './zones.ts'

export type Environment = 'Production' | 'Development'

/** A default may follow from `Svc:Environment`. */
type Default<T> = T | ((environment: Environment) => T)

/** The value of a text, or its fault. */
type ParsedSetting<T> = { value: T } | { fault: string }

/** A setting, which is the key to its value: `settings.get(SQL.timeout)`. */
export interface Setting<T = unknown> {
  /** `Svc:Area:Name`. */
  readonly name: string
  readonly meaning: string
  readonly default: Default<T>
  /** True if the value is never shown. */
  readonly isSecret?: boolean
  parse(text: string): ParsedSetting<T>
  /** A value as `parse` reads it back. */
  format(value: T): string
}

/** Settings that belong together; their owner declares them. */
export type SettingGroup = Readonly<Record<string, Setting>>

type Range = readonly [min: number, max: number]

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const MB = 1024 * 1024

/** The default of a switch that is on in Development alone. */
export const inDevelopment = (environment: Environment): boolean => environment === 'Development'

/** Settings that are numbers of a range, `expected` in this form. */
const ranged =
  (
    read: (text: string) => number | undefined,
    format: (value: number) => string,
    expected: string,
  ) =>
  (name: string, meaning: string, preset: number, range: Range): Setting<number> => ({
    name,
    meaning,
    default: preset,
    format,
    parse: (text) => within(read(text.trim()), range, format, expected),
  })

/** Milliseconds. */
export const duration = ranged(parseDuration, formatDuration, 'a duration like 30s or 00:00:30')

/** A whole number. */
export const integer = ranged(
  (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  String,
  'a number',
)

/** Bytes: `8MB`, or a plain number. */
export const bytes = ranged(parseBytes, String, 'a size like 8MB')

/** True or false. */
export const boolean = (
  name: string,
  meaning: string,
  preset: Default<boolean>,
): Setting<boolean> => ({
  name,
  meaning,
  default: preset,
  format: String,
  parse: (text) => parseBoolean(text.trim().toLowerCase()),
})

/** A text, which has a form or is anything but empty. */
export const text = (
  name: string,
  meaning: string,
  preset: string,
  form?: { pattern: RegExp; expected: string },
): Setting<string> => ({
  name,
  meaning,
  default: preset,
  format: String,
  parse: (given) => {
    const value = given.trim()
    if (value === '') return { fault: 'must not be empty' }
    return !form || form.pattern.test(value) ? { value } : { fault: `must be ${form.expected}` }
  },
})

/** An IANA time zone; UTC by default. */
export const zone = (name: string, meaning: string): Setting<string> => ({
  name,
  meaning,
  default: 'UTC',
  format: String,
  parse: (given) =>
    isZone(given.trim()) ? { value: given.trim() } : { fault: 'must be an IANA time zone' },
})

/** Texts of one form, with commas between them; none by default. */
export const list = (
  name: string,
  meaning: string,
  form: { each: { test(item: string): boolean }; expected: string },
): Setting<readonly string[]> => ({
  name,
  meaning,
  default: [],
  format: (items) => items.join(','),
  parse: (given) => {
    const value = given.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
    return value.every((item) => form.each.test(item))
      ? { value }
      : { fault: `must be ${form.expected}, separated by commas` }
  },
})

/** A setting that is one of a few words. */
export const choice = <const Word extends string>(
  name: string,
  meaning: string,
  words: readonly Word[],
  preset: Word,
): Setting<Word> => ({
  name,
  meaning,
  default: preset,
  format: String,
  parse: (given) => {
    const value = words.find((word) => word.toLowerCase() === given.trim().toLowerCase())
    return value === undefined ? { fault: `must be one of ${words.join(', ')}` } : { value }
  },
})

function within(
  value: number | undefined,
  [min, max]: Range,
  format: (value: number) => string,
  expected: string,
): ParsedSetting<number> {
  if (value === undefined) return { fault: `must be ${expected}` }
  return value < min || value > max
    ? { fault: `must be from ${format(min)} to ${format(max)}` }
    : { value }
}

const BYTES = /^(\d{1,15})\s*(b|kb|mb|gb)?$/i
const BYTE_UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: MB, gb: 1024 * MB }

function parseBytes(given: string): number | undefined {
  const [, digits, unit = 'b'] = BYTES.exec(given) ?? []
  return digits === undefined ? undefined : Number(digits) * (BYTE_UNITS[unit.toLowerCase()] ?? 1)
}

function parseBoolean(given: string): ParsedSetting<boolean> {
  if (['true', 'on', 'yes', '1'].includes(given)) return { value: true }
  if (['false', 'off', 'no', '0'].includes(given)) return { value: false }
  return { fault: 'must be true or false' }
}

/** Durations as settings write them. */

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const SHORT = /^(\d{1,9})(ms|s|m|h|d)$/
const CLOCK = /^(?:(\d{1,5})\.)?(\d{1,5}):([0-5]\d):([0-5]\d)$/

/**
 * Milliseconds of `hh:mm:ss`, `d.hh:mm:ss`, `24h`, `15m`, `30s`, `250ms` or `14d`; undefined for
 * anything else.
 */
export function parseDuration(text: string): number | undefined {
  const short = SHORT.exec(text)
  if (short) return Number(short[1]) * UNIT_MS[short[2] as keyof typeof UNIT_MS]
  const clock = CLOCK.exec(text)
  if (!clock) return undefined
  const [days, hours, minutes, seconds] = clock.slice(1).map((part) => Number(part ?? 0))
  return (
    (days ?? 0) * UNIT_MS.d +
    (hours ?? 0) * UNIT_MS.h +
    (minutes ?? 0) * UNIT_MS.m +
    (seconds ?? 0) * UNIT_MS.s
  )
}

/** The shortest spelling that `parseDuration` reads back. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const)
    if (ms > 0 && ms % UNIT_MS[unit] === 0) return `${ms / UNIT_MS[unit]}${unit}`
  return `${ms}ms`
}
