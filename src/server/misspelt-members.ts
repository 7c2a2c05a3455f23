/**
 * Members of a body that asks, where one is nearly right: `Filter` for `Filters` would be ignored,
 * as unknown members are, and the answer would have all rows (src/server/README.md, Conventions).
 */
import type { TSchema } from '@sinclair/typebox'
import { type Failure, invalid } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { refuseNear } from '../engine/object/near-member.ts'

interface SchemaParts {
  $id?: string
  type?: string
  properties?: Readonly<Record<string, SchemaParts>>
  items?: SchemaParts | readonly SchemaParts[]
  anyOf?: readonly SchemaParts[]
}

/** Unknown members of one body that are compared with the known ones, which takes its time. */
const UNKNOWN_MAX = 1000

/** Count of the unknown members of a body so far. */
interface Seen {
  unknown: number
}

const tooManyUnknown = (): Failure =>
  invalid(say`The request has more than ${UNKNOWN_MAX} members that it does not know`, {
    code: 'UNKNOWN_MEMBER',
  })

/** Returns the refusal of a member within two letters of a known one; undefined without one. */
export function findMisspelt(
  { body: schema, asks }: { body?: TSchema | undefined; asks?: boolean },
  body: object,
): Failure | undefined {
  return schema && asks ? visit(schema, body, { unknown: 0 }) : undefined
}

function visit(schema: SchemaParts, value: unknown, seen: Seen): Failure | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (schema.anyOf) {
    // For one of several forms, as filters and groups, the reader of them reports the fault.
    const [form, ...others] = schema.anyOf.filter(({ type }) => type !== 'null')
    return form && others.length === 0 ? visit(form, value, seen) : undefined
  }
  if (Array.isArray(value)) return visitItems(schema.items, value, seen)
  const { properties } = schema
  if (!properties) return undefined
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!known && ++seen.unknown > UNKNOWN_MAX) return tooManyUnknown()
    const names = Object.keys(properties)
    const failure = known ? visit(known, member, seen) : refuseNear(name, names)
    if (failure) return failure
  }
  return undefined
}

function visitItems(
  of: SchemaParts['items'],
  items: readonly unknown[],
  seen: Seen,
): Failure | undefined {
  if (!isSchema(of)) return undefined
  for (const item of items) {
    const failure = visit(of, item, seen)
    if (failure) return failure
  }
  return undefined
}

const isSchema = (items: SchemaParts['items']): items is SchemaParts =>
  items !== undefined && !Array.isArray(items)
