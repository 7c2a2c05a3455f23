/** Members of values that were not validated yet: bodies and parameters as they came in. */

const memberOf = (holder: unknown, name: string): unknown => Reflect.get(Object(holder), name)

/** A member that is a text; undefined for any other value, and without one. */
export function textMember(holder: unknown, name: string): string | undefined {
  const value = memberOf(holder, name)
  return typeof value === 'string' ? value : undefined
}

/** Returns true for a member that is true itself, not a word for it. */
export const isTrueMember = (holder: unknown, name: string): boolean =>
  memberOf(holder, name) === true

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member that is an object; undefined for any other value, and without one. */
export function recordMember(holder: unknown, name: string): Record<string, unknown> | undefined {
  const value = memberOf(holder, name)
  return isRecord(value) ? value : undefined
}
