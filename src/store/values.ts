/** Values that may be bound: one of a wrong type ends the process inside the native package. */
import { invalid } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { type SqlArgs, SqlReal, type SqlRow, type SqlValue } from './sql.ts'

const INTEGER_MAX = 2n ** 63n - 1n
const INTEGER_MIN = -(2n ** 63n)

/**
 * The values as the package may see them: booleans as 1 and 0, whole numbers as integers (the
 * package binds every number as a REAL, and `'A' || @n` would read `A5.0`). Refuses everything
 * else.
 */
export function sanitizeArgs(args: SqlArgs): SqlArgs {
  const clean: Record<string, SqlValue> = {}
  for (const name in args) clean[name] = toSqlValue(args[name])
  return clean
}

/** Converts a value for SQLite. Throws a Failure for a NUL in text, an Error for another type. */
export function toSqlValue(value: unknown): SqlValue {
  switch (typeof value) {
    case 'string':
      return requireWholeText(value)
    case 'number':
      return fromNumber(value)
    case 'undefined':
      return null
    case 'boolean':
      return value ? 1n : 0n
    case 'bigint':
      if (value > INTEGER_MAX || value < INTEGER_MIN) throw new Error('An integer is out of range')
      return value
    default:
      if (value === null || value instanceof Uint8Array) return value
      if (value instanceof SqlReal && Number.isFinite(value.value)) return value.value
      throw new Error(`A value of type ${typeof value} cannot be bound`)
  }
}

function fromNumber(value: number): SqlValue {
  if (Number.isSafeInteger(value)) return BigInt(value)
  if (!Number.isFinite(value)) throw new Error('A number that is not finite cannot be bound')
  return value
}

/**
 * Refuses text that SQLite cannot hold. The package would cut text at a NUL without a word. Half of
 * a surrogate pair is not Unicode; as an escape in JSON, SQL would make of it text that is not
 * UTF-8, which ends the process when it is read.
 */
function requireWholeText(value: string): string {
  if (value.includes('\0')) throw invalid(say`Text must not contain the NUL character`)
  if (!value.isWellFormed() || (value.includes('\\u') && hasHalfEscape(value)))
    throw invalid(say`Text must be valid Unicode: it contains half of a surrogate pair`)
  return value
}

const WHOLE_ESCAPES = /\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/g
const HALF_ESCAPE = /\\u[dD][89a-fA-F][0-9a-fA-F]{2}/

const hasHalfEscape = (value: string): boolean =>
  HALF_ESCAPE.test(value.replace(WHOLE_ESCAPES, ' '))

const QUOTED = /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g

/**
 * Refuses SQL text that the package would cut (NUL) or that would end the process: a nameless `?`
 * meets values by name.
 */
export function requireSingleText(sql: string): void {
  if (sql.includes('\0')) throw new Error('SQL text must not contain the NUL character')
  if (!sql.includes('?')) return
  if (/\?(?!\d)/.test(sql.replace(QUOTED, ' '))) throw new Error('Parameters must have names')
}

/** Returns the first cell of a row as text; '' for a missing row. */
export function toFirstText(row: SqlRow | undefined): string {
  for (const name in row) return String(row[name] ?? '')
  return ''
}
