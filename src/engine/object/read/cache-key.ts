/** The key of a cached answer: the statement's text and every value that is bound to it. */
import { Lru } from '../../../kernel/lru.ts'
import { SqlReal } from '../../../store/sql.ts'
import type { SqlArg, SqlArgs, SqlRead } from '../../../store/sql.ts'

/** Values that no two requests share: an answer under them would be cached for nothing. */
const NEVER_TWICE: ReadonlySet<string> = new Set(['Now', 'FormLoadTime'])
const KEY_CHARACTERS_MAX = 4000

/** The cache key of a statement with its values; undefined where nobody would request it again. */
export function keyOf({ sql, args }: SqlRead): string | undefined {
  const text = findText(sql)
  const values = planValues(text, args)
  if (values === undefined || values.length > KEY_CHARACTERS_MAX) return undefined
  return `${text.number}${values}`
}

/** Every name that may stand in the text, with its value: no two lists of values give one key. */
function planValues(text: KnownText, args: SqlArgs): string | undefined {
  let values = ''
  for (const name in args) {
    if (!mayName(text, name)) continue
    const value = NEVER_TWICE.has(name) ? undefined : planValue(args[name])
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

interface KnownText {
  sql: string
  /** No two texts ever have the same one; a text that was forgotten gets a new one. */
  number: number
  /** Whether a name stands in it: more is bound than a statement names. */
  names: Map<string, boolean>
}

const TEXTS_MAX = 1000
const texts = new Lru<string, KnownText>(TEXTS_MAX)
let next = 0

const findText = (sql: string): KnownText =>
  texts.find(sql) ?? texts.keep(sql, { sql, number: ++next, names: new Map() })

function mayName({ sql, names }: KnownText, name: string): boolean {
  const known = names.get(name)
  if (known !== undefined) return known
  const isNamed = sql.includes(`@${name}`)
  names.set(name, isNamed)
  return isNamed
}
