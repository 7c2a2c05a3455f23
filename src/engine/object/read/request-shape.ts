/** The shape that requests of one grid share, apart from the values that they look for. */
import { isBrief } from '../../../kernel/json-writing.ts'
import { OPERATOR_NAMES, OPERATORS } from '../../../model/operators.ts'
import type { TableRequest } from '../schema.ts'

/** A request but for its values. */
export interface RequestShape {
  key: string
  /** The values in the order of the filters. */
  values: unknown[]
}

/** Operators whose values are bound as they come; values of others decide on the statement. */
const PLAIN: ReadonlySet<string> = new Set(
  OPERATOR_NAMES.filter((name) => {
    const { takes, order, match, isNegated } = OPERATORS[name]
    return order !== undefined || takes === 'pair' || (match !== undefined && !isNegated)
  }).map((name) => name.toLowerCase()),
)

/** Members of a filter that decide on the statement. */
const NAMED: ReadonlySet<string> = new Set(['Field', 'Logic', 'Operator', 'ValueField'])

/** Longest value that is part of a shape, in characters of JSON. */
const VALUE_CHARACTERS_MAX = 1000

/**
 * The shape of a request; undefined for one that searches, for filters that are spelled in an
 * unusual way, and for long values that decide on the statement.
 */
export function readShape(request: TableRequest): RequestShape | undefined {
  const { Filters, Cursor, SearchText, Parameters, ...rest } = request
  if (SearchText) return undefined
  const values: unknown[] = []
  const parents = readParents(Parameters, values)
  const filters = readNode(Filters ?? null, values)
  if (parents === undefined || filters === undefined) return undefined
  return { key: `${Cursor ? 'after ' : ''}${parents}${filters} ${JSON.stringify(rest)}`, values }
}

/** Values of Parameters are bound as they come, too. */
function readParents(
  parameters: TableRequest['Parameters'],
  values: unknown[],
): string | undefined {
  let text = ''
  for (const name in parameters) {
    const value = readValue(parameters[name], undefined, values)
    if (value === undefined) return undefined
    text += `P${JSON.stringify(name)}${value}`
  }
  return text
}

/** A list, a group or a condition as text, its values put aside. */
function readNode(node: unknown, values: unknown[]): string | undefined {
  if (node === null) return ''
  if (typeof node !== 'object') return undefined
  if (Array.isArray(node)) return readList(node, values)
  let text = '{'
  for (const [name, value] of Object.entries(node)) {
    const part = readMember(name, value, { operator: Reflect.get(node, 'Operator'), values })
    if (part === undefined) return undefined
    text += part
  }
  return `${text}}`
}

function readList(nodes: readonly unknown[], values: unknown[]): string | undefined {
  let text = '['
  for (const node of nodes) {
    const part = readNode(node, values)
    if (part === undefined) return undefined
    text += `${part},`
  }
  return `${text}]`
}

function readMember(
  name: string,
  value: unknown,
  { operator, values }: { operator: unknown; values: unknown[] },
): string | undefined {
  if (name === 'Filters') return Array.isArray(value) ? `F${readList(value, values)}` : undefined
  if (NAMED.has(name)) return `${name}${JSON.stringify(value)}`
  const text = name === 'Value' ? readValue(value, operator, values) : undefined
  return text === undefined ? undefined : `V${text}`
}

function readValue(value: unknown, operator: unknown, values: unknown[]): string | undefined {
  const isPlain =
    operator === undefined || (typeof operator === 'string' && PLAIN.has(operator.toLowerCase()))
  if (isPlain && isScalar(value)) {
    values.push(value)
    return '?'
  }
  if (isPlain && Array.isArray(value) && value.length === 2 && value.every(isScalar)) {
    values.push(...(value as unknown[]))
    return '??'
  }
  return isBrief(value, VALUE_CHARACTERS_MAX) ? JSON.stringify(value) : undefined
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
