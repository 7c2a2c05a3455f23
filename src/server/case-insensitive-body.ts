/** Request members are matched without regard to case (src/server/README.md, Conventions). */
import type { TSchema } from '@sinclair/typebox'
import { invalid } from '../kernel/failure.ts'
import { MAP_MEMBERS_MAX } from '../kernel/limits.ts'
import { say } from '../kernel/messages.ts'

interface SchemaParts {
  $id?: string
  $ref?: string
  $defs?: Readonly<Record<string, SchemaParts>>
  properties?: Readonly<Record<string, SchemaParts>>
  patternProperties?: Readonly<Record<string, SchemaParts>>
  additionalProperties?: SchemaParts | boolean
  items?: SchemaParts | readonly SchemaParts[]
  anyOf?: readonly SchemaParts[]
  allOf?: readonly SchemaParts[]
}

type Definitions = ReadonlyMap<string, SchemaParts>
type JsonObject = Record<string, unknown>

/**
 * Renames the members of a parsed JSON body to the spelling of its schema, in place and at every
 * depth that the schema describes. Of two members that differ by case alone the one in the schema's
 * own spelling wins, else the later one. A member unknown to the schema keeps its name; one with a
 * name that every object inherits is dropped. @throws invalid for a map of too many members
 */
export function matchNames(schema: TSchema, body: unknown): void {
  visit(schema, body, new Map())
}

function visit(schema: SchemaParts, value: unknown, known: Definitions): void {
  if (typeof value !== 'object' || value === null) return
  const definitions = withDefinitions(schema, known)
  if (schema.$ref !== undefined) {
    const target = definitions.get(schema.$ref)
    if (target) visit(target, value, definitions)
    return
  }
  for (const part of schema.anyOf ?? schema.allOf ?? []) visit(part, value, definitions)
  if (Array.isArray(value)) visitItems(schema, value, definitions)
  else visitMembers(schema, value as JsonObject, definitions)
}

function withDefinitions(schema: SchemaParts, known: Definitions): Definitions {
  if (schema.$id === undefined && schema.$defs === undefined) return known
  const all = new Map(known)
  if (schema.$id !== undefined) all.set(schema.$id, schema)
  for (const [name, part] of Object.entries(schema.$defs ?? {})) all.set(name, part)
  return all
}

function visitItems(schema: SchemaParts, items: readonly unknown[], known: Definitions): void {
  const { items: of } = schema
  if (of === undefined) return
  if (isList(of)) for (const [at, part] of of.entries()) visit(part, items[at], known)
  else for (const item of items) visit(of, item, known)
}

const isList = (items: SchemaParts | readonly SchemaParts[]): items is readonly SchemaParts[] =>
  Array.isArray(items)

function visitMembers(schema: SchemaParts, value: JsonObject, known: Definitions): void {
  const { properties, patternProperties, additionalProperties } = schema
  if (properties) {
    rename(spellings(properties), properties, value)
    for (const name of Object.keys(value)) {
      const part = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (part) visit(part, value[name], known)
      // The validator takes what every object inherits for members of the schema.
      else if (name in Object.prototype) delete value[name]
    }
  }
  const rest = patternProperties
    ? Object.values(patternProperties)[0]
    : typeof additionalProperties === 'object'
      ? additionalProperties
      : undefined
  if (rest) visitMap(rest, properties, value, known)
}

function visitMap(
  rest: SchemaParts,
  properties: SchemaParts['properties'],
  value: JsonObject,
  known: Definitions,
): void {
  const names = Object.keys(value)
  if (names.length > MAP_MEMBERS_MAX)
    throw invalid(say`The request has a map of more than ${MAP_MEMBERS_MAX} members`)
  for (const name of names)
    if (!properties || !Object.hasOwn(properties, name)) visit(rest, value[name], known)
}

function rename(
  spelling: ReadonlyMap<string, string>,
  properties: Readonly<Record<string, SchemaParts>>,
  value: JsonObject,
): void {
  const exact = new Set<string>()
  for (const name of Object.keys(value)) if (Object.hasOwn(properties, name)) exact.add(name)
  for (const name of Object.keys(value)) {
    if (exact.has(name)) continue
    const target = spelling.get(name.toLowerCase())
    if (target === undefined) continue
    if (!exact.has(target)) value[target] = value[name]
    delete value[name]
  }
}

const spellingCache = new WeakMap<object, ReadonlyMap<string, string>>()

function spellings(properties: Readonly<Record<string, SchemaParts>>): ReadonlyMap<string, string> {
  const found = spellingCache.get(properties)
  if (found) return found
  const made = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]))
  spellingCache.set(properties, made)
  return made
}
