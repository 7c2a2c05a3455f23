/**
 * Members of a body that asks, where one is nearly right: `Filter` for `Filters` would be ignored,
 * as unknown members are, and the answer would have all rows (src/server/README.md, Conventions).
 */
import type { TSchema } from '@sinclair/typebox'
import type { Failure } from '../kernel/failure.ts'
import { refuseNear } from '../engine/object/near-member.ts'

interface SchemaParts {
  $id?: string
  type?: string
  properties?: Readonly<Record<string, SchemaParts>>
  items?: SchemaParts | readonly SchemaParts[]
  anyOf?: readonly SchemaParts[]
}

/** The refusal of a member within two letters of a known one; undefined where there is none. */
export function findMisspelt(
  { body: schema, asks }: { body?: TSchema | undefined; asks?: boolean },
  body: object,
): Failure | undefined {
  return schema && asks ? visit(schema, body) : undefined
}

function visit(schema: SchemaParts, value: unknown): Failure | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (schema.anyOf) {
    // Of several forms, as of filters and groups, whoever reads them says what is wrong.
    const [form, ...others] = schema.anyOf.filter(({ type }) => type !== 'null')
    return form && others.length === 0 ? visit(form, value) : undefined
  }
  if (Array.isArray(value)) return visitItems(schema.items, value)
  const { properties } = schema
  if (!properties) return undefined
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    const failure = known ? visit(known, member) : refuseNear(name, Object.keys(properties))
    if (failure) return failure
  }
  return undefined
}

function visitItems(of: SchemaParts['items'], items: readonly unknown[]): Failure | undefined {
  if (!isSchema(of)) return undefined
  for (const item of items) {
    const failure = visit(of, item)
    if (failure) return failure
  }
  return undefined
}

const isSchema = (items: SchemaParts['items']): items is SchemaParts =>
  items !== undefined && !Array.isArray(items)
