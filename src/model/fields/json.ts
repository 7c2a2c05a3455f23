import { holdsMoreValues } from '../../kernel/json-values.ts'
import { JSON_VALUES_MAX } from '../../kernel/limits.ts'
import { say } from '../../kernel/messages.ts'
import { LongNumeral, parseJsonExactly, writesLongNumeral } from '../../kernel/numerals.ts'
import type { SqlValue } from '../../store/sql.ts'
import { compareText, FieldFault, type FieldKind, isBlank, jsonToJsonSql } from './field-kind.ts'

/** Deepest nesting of a Json value; SQLite itself stops at 1,000. */
const STORED_DEPTH_MAX = 100

/**
 * A JSON value, stored as compact text. A string from the wire or a file is taken as JSON text, so
 * that what was served or exported comes back unchanged. `null` counts as no value. A number has
 * the digits that it was given, or is refused; members called `__proto__` are left out.
 */
export const json: FieldKind = {
  sqlType: 'TEXT',
  clrType: 'System.String',
  number: undefined,
  moment: undefined,
  isDated: false,
  isText: false,
  isFlag: false,
  structure: 'document',
  key: undefined,
  takesBounds: false,
  isOrdered: false,
  matchesParts: false,
  isServedAsStored: false,
  characters: 0,
  parse(value) {
    if (isBlank(value)) return null
    if (typeof value !== 'string') return toText(value)
    if (holdsMoreValues(value, JSON_VALUES_MAX))
      return new FieldFault(say`The JSON has more than ${JSON_VALUES_MAX} values`)
    return parseDocument(value)
  },
  toJsonSql: jsonToJsonSql,
  isServedAs(given, stored) {
    const value = parseText(String(stored))
    // A text that is not JSON is served as null.
    if ((value ?? null) === null) return isBlank(given) || given === 'null'
    if (given === value) return true
    return toComparable(given) === toComparable(String(stored))
  },
  // The text `null` counts as no value.
  fromText: (text) => ({
    value: `nullif(json(${text}), 'null')`,
    isLossless: `json_valid(${text})`,
  }),
  compare: compareText,
}

/** The stored text of a document that came as text. */
function parseDocument(text: string): SqlValue | FieldFault {
  try {
    return toText(JSON.parse(text), writesLongNumeral(text))
  } catch (error) {
    if (error instanceof SyntaxError) return new FieldFault(say`Must be valid JSON`)
    throw error
  }
}

/** Parses a text; undefined where it is not JSON. */
function parseText(text: string): unknown {
  try {
    return parseJsonExactly(text)
  } catch {
    return undefined
  }
}

function toText(value: unknown, hasLongNumeral = false): SqlValue | FieldFault {
  if (value === null) return null
  const found = { isDeep: false, hasLoneSurrogate: false, hasLongNumeral }
  inspect(value, STORED_DEPTH_MAX, found)
  if (found.isDeep) return new FieldFault(say`The JSON is nested too deeply`)
  if (found.hasLoneSurrogate)
    return new FieldFault(say`The JSON contains text that is not valid Unicode`)
  if (found.hasLongNumeral)
    return new FieldFault(
      say`The JSON contains a number that cannot be stored exactly. Send it as text in quotes.`,
    )
  return toJson(value) ?? new FieldFault(say`Must be valid JSON`)
}

/** The faults that a value may have. */
interface Found {
  isDeep: boolean
  /** SQL that takes it from JSON would get bytes outside UTF-8. */
  hasLoneSurrogate: boolean
  hasLongNumeral: boolean
}

/** Notes the faults of a value in one pass, down to a depth: it may have 100,000 values. */
function inspect(value: unknown, depth: number, found: Found): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) found.hasLoneSurrogate = true
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) found.hasLongNumeral = true
  } else if (typeof value === 'object' && value !== null) inspectInside(value, depth, found)
}

function inspectInside(value: object, depth: number, found: Found): void {
  if (value instanceof LongNumeral) found.hasLongNumeral = true
  else if (depth === 0) found.isDeep = true
  else if (Array.isArray(value)) for (const item of value) inspect(item, depth - 1, found)
  else
    for (const name of Object.keys(value)) {
      if (!name.isWellFormed()) found.hasLoneSurrogate = true
      inspect((value as Readonly<Record<string, unknown>>)[name], depth - 1, found)
    }
}

/** Compact text in which long numbers are rounded, as most clients do with what they are served. */
const toComparable = (value: unknown): string | undefined => {
  try {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return toJson(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Compact text, as the bodies of requests have it: `__proto__` could become a prototype later. */
function toJson(value: unknown): string | undefined {
  const text = JSON.stringify(value) as string | undefined
  return text?.includes('"__proto__"') ? JSON.stringify(value, dropPrototype) : text
}

const dropPrototype = (name: string, member: unknown): unknown =>
  name === '__proto__' ? undefined : member
