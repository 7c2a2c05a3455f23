/** What an answer is kept under: the statement's text and every value that is bound to it. */
import { SqlReal } from '../../store/sql.ts'
import type { SqlArg, SqlArgs, SqlRead } from '../../store/sql.ts'

/** Values that no two requests share: what names them would be kept for nothing. */
const NEVER_TWICE = ['Now', 'FormLoadTime']
const KEY_CHARACTERS_MAX = 4000

/** The key of a statement with its values; undefined where it would not be asked again. */
export function keyOf({ sql, args }: SqlRead): string | undefined {
  if (NEVER_TWICE.some((name) => Object.hasOwn(args, name))) return undefined
  const values = planValues(args)
  if (values === undefined || values.length > KEY_CHARACTERS_MAX) return undefined
  return `${numberOf(sql)}${values}`
}

/** Every name with its value, so that no two lists of values give one text. */
function planValues(args: SqlArgs): string | undefined {
  let values = ''
  for (const name in args) {
    const value = planValue(args[name])
    if (value === undefined) return undefined
    values += `;${name}=${value}`
  }
  return values
}

function planValue(value: SqlArg | undefined): string | undefined {
  switch (typeof value) {
    case 'string':
      return `s${value.length}:${value}`
    case 'number':
      return `n${plainNumber(value)}`
    case 'bigint':
      return `i${value}`
    default:
      if (value === null || value === undefined) return ''
      return value instanceof SqlReal ? `r${plainNumber(value.value)}` : undefined
  }
}

const plainNumber = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

const numbers = new Map<string, number>()
let next = 0
const NUMBERS_MAX = 5000

/** A text's number: no two texts ever get the same one, but a text may get a new one. */
function numberOf(sql: string): number {
  const known = numbers.get(sql)
  if (known !== undefined) return known
  if (numbers.size >= NUMBERS_MAX) numbers.clear()
  numbers.set(sql, ++next)
  return next
}
