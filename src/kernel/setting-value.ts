/** A setting's text to its value and back. */
import { formatDuration, parseDuration } from './durations.ts'
import type { SettingShape } from './setting-table.ts'

export type ParsedSetting = { value: unknown } | { fault: string }

const BYTES = /^(\d{1,15})\s*(b|kb|mb|gb)?$/i
const BYTE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1024,
  mb: 1024 ** 2,
  gb: 1024 ** 3,
}

/** The value that `text` means for a setting of this shape, or what is wrong with it. */
export function parseSetting(shape: SettingShape, text: string): ParsedSetting {
  switch (shape.kind) {
    case 'duration':
      return within(
        parseDuration(text.trim()),
        shape,
        formatDuration,
        'a duration like 30s or 00:00:30',
      )
    case 'integer':
      return within(
        /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined,
        shape,
        String,
        'a number',
      )
    case 'bytes':
      return within(parseBytes(text.trim()), shape, String, 'a size like 8MB')
    case 'boolean':
      return parseBoolean(text.trim().toLowerCase())
    case 'text':
      return parseText(text.trim(), shape)
    case 'list':
      return parseList(text, shape)
    case 'choice': {
      const choice = shape.choices.find((one) => one.toLowerCase() === text.trim().toLowerCase())
      return choice ? { value: choice } : { fault: `must be one of ${shape.choices.join(', ')}` }
    }
  }
}

/** A value as `parseSetting` would read it back. */
export function formatSetting(shape: SettingShape, value: unknown): string {
  if (shape.kind === 'duration') return formatDuration(Number(value))
  return Array.isArray(value) ? value.join(',') : String(value)
}

function parseText(text: string, shape: { pattern?: RegExp; expected?: string }): ParsedSetting {
  if (text === '') return { fault: 'must not be empty' }
  const fits = shape.pattern?.test(text) ?? true
  return fits ? { value: text } : { fault: `must be ${shape.expected}` }
}

function within(
  value: number | undefined,
  bounds: { min: number; max: number },
  format: (value: number) => string,
  expected: string,
): ParsedSetting {
  if (value === undefined) return { fault: `must be ${expected}` }
  return value < bounds.min || value > bounds.max
    ? { fault: `must be from ${format(bounds.min)} to ${format(bounds.max)}` }
    : { value }
}

function parseList(text: string, shape: { each: RegExp; expected: string }): ParsedSetting {
  const items = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
  return items.every((item) => shape.each.test(item))
    ? { value: items }
    : { fault: `must be ${shape.expected}, separated by commas` }
}

function parseBytes(text: string): number | undefined {
  const [, digits, unit] = BYTES.exec(text) ?? []
  return digits === undefined
    ? undefined
    : Number(digits) * (BYTE_UNITS[(unit ?? 'b').toLowerCase()] ?? 1)
}

function parseBoolean(text: string): ParsedSetting {
  if (['true', 'on', 'yes', '1'].includes(text)) return { value: true }
  if (['false', 'off', 'no', '0'].includes(text)) return { value: false }
  return { fault: 'must be true or false' }
}
