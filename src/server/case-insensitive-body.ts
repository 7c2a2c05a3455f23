/** Request members are matched without regard to case (src/server/README.md, Conventions). */
import type { TSchema } from '@sinclair/typebox'
import { type Failure, invalid } from '../kernel/failure.ts'
import { MAP_MEMBERS_MAX } from '../kernel/limits.ts'
import { say } from '../kernel/messages.ts'
import { Yielder } from '../kernel/yielder.ts'
import { findBeyondBounds } from './body-bounds.ts'
import { refuseUnfit } from './unfit.ts'

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

/** Takes a value inside of the one that is visited, at its name or index: now or in its turn. */
type Enter = (schema: SchemaParts, value: unknown, known: Definitions, at: string | number) => void

/**
 * Renames the members of a parsed JSON body to the spelling of its schema, in place and at every
 * depth that the schema describes. Of two members that differ by case alone the one in the schema's
 * own spelling wins, else the later one. A member unknown to the schema keeps its name; one with a
 * name that every object inherits is dropped. @throws invalid for a map of too many members
 */
export function matchNames(schema: TSchema, body: unknown): void {
  const enter: Enter = (inner, value, known) => visit(inner, value, known, enter)
  visit(schema, body, new Map(), enter)
}

/** A list or an object that waits for its visit, and the one that it was found in. */
interface Waiting {
  schema: SchemaParts
  value: unknown
  known: Definitions
  at: string | number
  around: Waiting | undefined
}

/** Values between two looks at the time. */
const VALUES_A_LOOK = 256

/**
 * The same for a large body, while others have turns. Returns the refusal of the first list or text
 * that is longer than the schema admits, the outer ones first: what comes after it is not matched.
 * @throws invalid for a map of too many members
 */
export async function matchNamesInTurns(
  schema: TSchema,
  body: unknown,
): Promise<Failure | undefined> {
  const queue: Waiting[] = []
  let around: Waiting | undefined
  let refusal: Failure | undefined
  const enter: Enter = (inner, value, known, at) => {
    const message = refusal ? undefined : findBeyondBounds(inner, value)
    if (message !== undefined)
      refusal = refuseUnfit([{ path: toPointer(around, at), message, value }])
    else if (typeof value === 'object' && value !== null)
      queue.push({ schema: inner, value, known, at, around })
  }
  const yielder = new Yielder()
  visit(schema, body, new Map(), enter)
  for (let next = 0; next < queue.length && !refusal; next++) {
    around = queue[next]
    if (around) visit(around.schema, around.value, around.known, enter)
    const due = next % VALUES_A_LOOK === 0 ? yielder.yieldWhenDue() : undefined
    if (due) await due
  }
  return refusal
}

function toPointer(around: Waiting | undefined, at: string | number): string {
  const step = `/${String(at).replaceAll('~', '~0').replaceAll('/', '~1')}`
  return around ? toPointer(around.around, around.at) + step : step
}

function visit(schema: SchemaParts, value: unknown, known: Definitions, enter: Enter): void {
  if (typeof value !== 'object' || value === null) return
  const definitions = withDefinitions(schema, known)
  if (schema.$ref !== undefined) {
    const target = definitions.get(schema.$ref)
    if (target) visit(target, value, definitions, enter)
    return
  }
  for (const part of schema.anyOf ?? schema.allOf ?? []) visit(part, value, definitions, enter)
  if (Array.isArray(value)) visitItems(schema, value, definitions, enter)
  else visitMembers(schema, value as JsonObject, definitions, enter)
}

function withDefinitions(schema: SchemaParts, known: Definitions): Definitions {
  if (schema.$id === undefined && schema.$defs === undefined) return known
  const all = new Map(known)
  if (schema.$id !== undefined) all.set(schema.$id, schema)
  for (const [name, part] of Object.entries(schema.$defs ?? {})) all.set(name, part)
  return all
}

function visitItems(
  schema: SchemaParts,
  items: readonly unknown[],
  known: Definitions,
  enter: Enter,
): void {
  const { items: of } = schema
  if (of === undefined) return
  if (isList(of)) for (const [at, part] of of.entries()) enter(part, items[at], known, at)
  else for (const [at, item] of items.entries()) enter(of, item, known, at)
}

const isList = (items: SchemaParts | readonly SchemaParts[]): items is readonly SchemaParts[] =>
  Array.isArray(items)

function visitMembers(
  schema: SchemaParts,
  value: JsonObject,
  known: Definitions,
  enter: Enter,
): void {
  const { properties, patternProperties, additionalProperties } = schema
  if (properties) {
    rename(spellings(properties), properties, value)
    for (const name of Object.keys(value)) {
      const part = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (part) enter(part, value[name], known, name)
      // The validator takes what every object inherits for members of the schema.
      else if (name in Object.prototype) delete value[name]
    }
  }
  const rest = patternProperties
    ? Object.values(patternProperties)[0]
    : typeof additionalProperties === 'object'
      ? additionalProperties
      : undefined
  if (!rest) return
  const names = Object.keys(value)
  if (names.length > MAP_MEMBERS_MAX)
    throw invalid(say`The request has a map of more than ${MAP_MEMBERS_MAX} members`)
  for (const name of names)
    if (!properties || !Object.hasOwn(properties, name)) enter(rest, value[name], known, name)
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
