/** Parameters of the built-in reports, and what they say of a grid. */
import { Value } from '@sinclair/typebox/value'
import { validation } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { readPartParameters } from '../extensions/part-parameters.ts'
import type { PartParameter } from '../extensions/parts.ts'
import { TableRequest } from '../object/schema.ts'
import type { GivenParameters } from './printed-report.ts'

/** An optional parameter. */
export const optional = (
  Name: string,
  Label: string,
  Type: PartParameter['Type'] = 'Text',
): PartParameter => ({ Name, Label, Type, Scale: 0, Required: false, Default: null })

/** A required parameter. */
export const required = (Name: string, Label: string): PartParameter => ({
  ...optional(Name, Label),
  Required: true,
})

/** Parameters that a report over a grid takes besides the object. */
export const GRID_PARAMETERS: readonly PartParameter[] = [
  optional('filters', 'Filters as of a grid, as JSON', 'Json'),
  optional('search', 'Text to search for'),
  optional('sort', 'Fields of the order, each with desc behind it where it falls: OrderedAt desc'),
  optional('preset', 'Preset of the object'),
  optional('parameters', 'Parameters of the object, as JSON', 'Json'),
  optional('fields', 'Fields in their order; the grid’s where none are named'),
  optional('group', 'Field by which rows are grouped'),
  optional('totals', 'Fields that are added up'),
  optional('allCompanies', 'Rows of all companies, for System callers', 'Boolean'),
]

/** Returns a parameter as it came, unchecked, for the gate; '' where it is missing. */
export function findGiven(given: GivenParameters, name: string): string {
  const key = Object.keys(given).find((each) => each.toLowerCase() === name.toLowerCase())
  return key === undefined ? '' : (given[key] ?? '').trim()
}

/** Returns the object that a gate is about. @throws validation where it is not named */
export function requireGiven(given: GivenParameters, name: string): string {
  const text = findGiven(given, name)
  if (text === '') throw validation({ [name]: say`${name} is required` })
  return text
}

/** Typed parameters. */
export class TypedParameters {
  readonly #values: Record<string, unknown>

  /** @throws validation naming each parameter that does not fit */
  constructor(declared: readonly PartParameter[], given: GivenParameters) {
    this.#values = readPartParameters(declared, { ...given })
  }

  /** A text; '' where none was given. */
  text(name: string): string {
    const value = this.#values[name]
    return typeof value === 'string' ? value.trim() : ''
  }

  isTrue(name: string): boolean {
    return this.#values[name] === true
  }

  value(name: string): unknown {
    return this.#values[name] ?? undefined
  }

  /** Names, parted by commas or blanks. */
  names(name: string): string[] {
    return this.text(name)
      .split(/[\s,]+/)
      .filter((each) => each !== '')
  }
}

/** The part of a grid's request that selects and sorts rows. */
export type GridRequest = Pick<
  TableRequest,
  'Filters' | 'SearchText' | 'Sort' | 'Preset' | 'Parameters'
>

const Parameters = TableRequest.properties.Parameters

/** @throws validation for an order or parameters of another form */
export function readGridRequest(given: TypedParameters): GridRequest {
  const parameters = given.value('parameters')
  if (parameters !== undefined && !Value.Check(Parameters, parameters))
    throw validation({ parameters: say`must be a JSON object of names and values` })
  const sort = readSort(given.text('sort'))
  return {
    Filters: given.value('filters'),
    ...(parameters !== undefined && { Parameters: parameters }),
    ...(given.text('search') !== '' && { SearchText: given.text('search') }),
    ...(given.text('preset') !== '' && { Preset: given.text('preset') }),
    ...(sort.length > 0 && { Sort: sort }),
  }
}

const ITEM = /^([^\s,]+)(?:\s+(asc|desc))?$/i

/** Reads a sort such as `OrderedAt desc, Number`. @throws validation for any other text */
function readSort(text: string): { Field: string; Direction: string }[] {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  return items.map((item) => {
    const [, field, direction = 'asc'] = ITEM.exec(item) ?? []
    if (field === undefined)
      throw validation({
        sort: say`must be fields separated by commas, like OrderedAt desc, Number`,
      })
    return { Field: field, Direction: direction }
  })
}
