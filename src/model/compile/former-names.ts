/** Names under which SQL about a record finds what it was before the mutation. */
import { suggest } from './fault-list.ts'

/** 1 for a record that the mutation creates. */
export const IS_NEW = 'IsNew'

/** Prefix of a column's name for its former value. */
export const FORMER_PREFIX = 'Old_'

/** Checks such a name: undefined where it is right, null where it is an ordinary one. */
export function checkFormer(name: string, columns: Iterable<string>): string | undefined | null {
  const key = name.toLowerCase()
  if (key === IS_NEW.toLowerCase())
    return name === IS_NEW ? undefined : `Write @${IS_NEW} for @${name}`
  if (!key.startsWith(FORMER_PREFIX.toLowerCase())) return null
  const column = key.slice(FORMER_PREFIX.length)
  const known = [...columns]
  if (known.some((each) => each.toLowerCase() === column)) return undefined
  const nearest = suggest(
    name,
    known.map((each) => FORMER_PREFIX + each),
  )
  return `@${name} names no column of the record${nearest}`
}
