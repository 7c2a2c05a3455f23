/** The bounds of a JSON body that its schema declares, read before the body is checked by it. */
import type { TSchema } from '@sinclair/typebox'
import {
  FEW_VALUES_MAX,
  JSON_VALUES_MAX,
  MAP_MEMBERS_MAX,
  TEXT_CHARACTERS_MAX,
} from '../kernel/limits.ts'
import { isLongText } from '../kernel/schema.ts'
import type { Issue } from './describe-issue.ts'

/** The keywords of a schema that bound its values. */
interface BoundedSchema {
  $id?: string
  type?: string
  const?: unknown
  properties?: Readonly<Record<string, BoundedSchema>>
  patternProperties?: Readonly<Record<string, BoundedSchema>>
  items?: BoundedSchema
  maxItems?: number
  maxLength?: number
  anyOf?: readonly BoundedSchema[]
  allOf?: readonly BoundedSchema[]
}

/** Plans how many values a body of this schema may have: many only where there is room for them. */
export const planValuesMax = (schema: TSchema): number =>
  countPlaces(schema) > FEW_VALUES_MAX ? JSON_VALUES_MAX : FEW_VALUES_MAX

/** The most values that a schema names a place for; Infinity where it leaves a part open. */
function countPlaces(schema: BoundedSchema): number {
  const { anyOf, allOf, properties, patternProperties, items, maxItems = Infinity } = schema
  if (anyOf) return Math.max(...anyOf.map(countPlaces))
  if (allOf) return sum(allOf)
  if (properties) return 1 + sum(Object.values(properties))
  const rest = Object.values(patternProperties ?? {})[0]
  if (rest) return 1 + MAP_MEMBERS_MAX * countPlaces(rest)
  if (items) return 1 + maxItems * countPlaces(items)
  return isOpen(schema) ? Infinity : 1
}

const sum = (parts: readonly BoundedSchema[]): number =>
  parts.reduce((count, part) => count + countPlaces(part), 0)

/** A schema of any value, or one that refers to a schema around it. */
const isOpen = ({ type, const: value }: BoundedSchema): boolean =>
  type === undefined && value === undefined

/** The longest list and text that a schema admits; undefined where it admits none. */
interface Bounds {
  list: number | undefined
  text: number | undefined
}

const boundsOf = new WeakMap<BoundedSchema, Bounds>()

function findBounds(schema: BoundedSchema): Bounds {
  return boundsOf.getOrInsertComputed(schema, () => {
    const forms = schema.anyOf ?? schema.allOf
    if (forms) {
      const all = forms.map(findBounds)
      return {
        list: widest(all.map(({ list }) => list)),
        text: widest(all.map(({ text }) => text)),
      }
    }
    if (isOpen(schema)) return { list: Infinity, text: Infinity }
    const { type, maxItems = Infinity, maxLength = TEXT_CHARACTERS_MAX } = schema
    return {
      list: type === 'array' ? maxItems : undefined,
      text: type === 'string' ? (isLongText(schema) ? Infinity : maxLength) : undefined,
    }
  })
}

const widest = (bounds: readonly (number | undefined)[]): number | undefined =>
  bounds.reduce((most, each) => (each === undefined ? most : Math.max(most ?? 0, each)), undefined)

/**
 * The message of the validator for a list, or for a text that no small body holds, which is longer
 * than its schema admits; undefined for any other value. It costs the same for a long one.
 */
export function findBeyondBounds(schema: object, value: unknown): Issue['message'] | undefined {
  if (typeof value === 'string') {
    const { text } = value.length > TEXT_CHARACTERS_MAX ? findBounds(schema) : { text: undefined }
    if (text === undefined || value.length <= text) return undefined
    return `Expected string length less or equal to ${text}`
  }
  if (!Array.isArray(value)) return undefined
  const { list } = findBounds(schema)
  if (list === undefined || value.length <= list) return undefined
  return `Expected array length to be less or equal to ${list}`
}
