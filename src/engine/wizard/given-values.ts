/** Values that a run holds of a step, read by the present model. */
import type { SqlValue } from '../../store/sql.ts'
import { type Step, STEP_KINDS, type StepField } from '../../model/compiled/wizard.ts'
import { parseValue, toWire } from '../object/value.ts'

/** Members of an object by lower-case name, of two spellings the first; empty for other values. */
export function readMembers(value: unknown): Map<string, unknown> {
  const members = new Map<string, unknown>()
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return members
  for (const [name, member] of Object.entries(value)) {
    const key = name.toLowerCase()
    if (!members.has(key)) members.set(key, member)
  }
  return members
}

/** Reads the rows of a List from its value in a request or run. */
export const readRows = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Reads the bindings of a step from what `toStored` gave; NULL for values that no longer fit. */
export function readGiven(step: Step, stored: unknown): Map<string, SqlValue> {
  const { name, kind, fields } = step
  if (STEP_KINDS[kind].isSummary) return new Map()
  if (STEP_KINDS[kind].binds === 'whole')
    return new Map([[name.toLowerCase(), toBoundText(stored)]])
  const members = readMembers(stored)
  return new Map(
    fields.map((field) => {
      const key = field.name.toLowerCase()
      const parsed = parseValue(field, members.get(key) ?? null)
      return [key, parsed.fault === undefined ? parsed.value : null]
    }),
  )
}

/** Values of fields in the form that a run stores and a JSON text binds. */
export const toStored = (
  fields: readonly StepField[],
  values: ReadonlyMap<string, SqlValue>,
): Record<string, unknown> =>
  Object.fromEntries(
    fields.map((field) => [
      field.name,
      toWire(field, values.get(field.name.toLowerCase()) ?? null),
    ]),
  )

/**
 * Rows of a List or values of a Query as SQL binds them: members without a value are left out, so
 * that `->` gives NULL for them, too. Null if none were given.
 */
export function toBoundText(stored: unknown): string | null {
  if (stored === undefined) return null
  return JSON.stringify(Array.isArray(stored) ? stored.map(withoutNulls) : withoutNulls(stored))
}

const withoutNulls = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value
