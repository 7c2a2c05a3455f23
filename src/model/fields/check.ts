/** The rules of a field, checked against a value that its kind has parsed. */
import { type Message, plain, say } from '../../kernel/messages.ts'
import type { SqlValue } from '../../store/sql.ts'
import { toNumeral } from './exact-number.ts'
import { FieldFault } from './field-kind.ts'
import type { FieldShape } from './field-shape.ts'
import { FIELD_KINDS } from './kinds.ts'

/** Longest text that a pattern is tried on, in characters. */
const PATTERN_INPUT_MAX = 10_000

/**
 * The first rule that the stored value breaks, as a sentence for `fieldErrors`; undefined when all
 * hold: required, longest length in characters (code points), pattern, options, smallest and
 * largest value. No value breaks none but `required`.
 */
export function checkField(value: SqlValue, field: FieldShape): Message | undefined {
  if (value === null || value === '') {
    return field.required ? say`${field.label} is required` : undefined
  }
  return (
    checkLength(value, field) ??
    checkOptions(value, field) ??
    checkBounds(value, field) ??
    checkPattern(value, field)
  )
}

/** Checks the length of a text against its field; undefined when it fits. */
export function checkLength(value: SqlValue, field: FieldShape): Message | undefined {
  if (field.maxLength === undefined || typeof value !== 'string') return undefined
  return isLonger(value, field.maxLength)
    ? say`${field.label} is longer than ${field.maxLength} characters`
    : undefined
}

/** True when a text has more than `limit` code points. */
function isLonger(value: string, limit: number): boolean {
  if (value.length <= limit) return false
  if (value.length > limit * 2) return true
  let count = 0
  for (const _ of value) count += 1
  return count > limit
}

function checkOptions(value: SqlValue, field: FieldShape): Message | undefined {
  if (field.options.length === 0) return undefined
  const text = String(value)
  const isOption = field.options.some(
    (option) =>
      option.value === text || FIELD_KINDS[field.type].parse(option.value, field) === value,
  )
  if (isOption) return undefined
  const values = field.options.slice(0, OPTIONS_SHOWN_MAX).map((option) => option.value)
  const more = field.options.length > OPTIONS_SHOWN_MAX ? ' …' : ''
  return say`${field.label} must be one of: ${values.join(', ')}${more}`
}

/** Most options that a refusal names; of more it names the first. */
const OPTIONS_SHOWN_MAX = 10

function checkBounds(value: SqlValue, field: FieldShape): Message | undefined {
  if (field.min === undefined && field.max === undefined) return undefined
  const kind = FIELD_KINDS[field.type]
  const { min, max } = findBounds(field)
  if (min !== undefined && kind.compare(value, min) < 0) {
    return say`${field.label} must be at least ${field.min ?? ''}`
  }
  if (max !== undefined && kind.compare(value, max) > 0) {
    return say`${field.label} must be at most ${field.max ?? ''}`
  }
  return undefined
}

interface Bounds {
  min: SqlValue | undefined
  max: SqlValue | undefined
}

const bounds = new WeakMap<FieldShape, Bounds>()

/** The bounds of a field, parsed once: a model's fields do not change. */
function findBounds(field: FieldShape): Bounds {
  let known = bounds.get(field)
  if (!known) {
    known = { min: parseBound(field.min, field), max: parseBound(field.max, field) }
    bounds.set(field, known)
  }
  return known
}

function parseBound(bound: string | undefined, field: FieldShape): SqlValue | undefined {
  if (bound === undefined) return undefined
  if (FIELD_KINDS[field.type].number !== undefined) return toNumeral(bound)
  const parsed = FIELD_KINDS[field.type].parse(bound, field)
  return parsed instanceof FieldFault || parsed === null ? undefined : parsed
}

/** By a linear engine (`Pattern` of compiled/field-features.ts): no value stalls the server. */
function checkPattern(value: SqlValue, field: FieldShape): Message | undefined {
  const pattern = field.pattern
  if (pattern === undefined) return undefined
  const text = String(value)
  if (text.length > PATTERN_INPUT_MAX)
    return say`${field.label} is too long to be checked against its pattern`
  return pattern.regex.matches(text)
    ? undefined
    : pattern.message === undefined
      ? say`${field.label} is not in the expected format`
      : plain(pattern.message)
}
