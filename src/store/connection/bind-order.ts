/**
 * The order of a statement's values: the package binds one by its place in half of the time that it
 * takes by its name.
 */
import type { SqlArgs, SqlValue } from '../sql.ts'
import { sanitizeArgs, toSqlValue } from '../values.ts'

/** Quotations, comments and words, none of which hold a parameter; then parameters. */
const PARTS = new RegExp(
  [
    /'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]/,
    /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/,
    /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/,
    /[@:$?#][\w$\u0080-\uffff]*(?:\(|::)?/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

const NAMED = /^@[A-Za-z_]\w*$/

/** Names by place; undefined where only the package knows the place of each value. */
export type BindOrder = readonly string[] | undefined

/** SQLite numbers `@Name` by its first mention. A text with other parameters has no order here. */
export function planBindOrder(sql: string): BindOrder {
  const parameters = new Set<string>()
  for (const [part] of sql.matchAll(PARTS))
    if ('@:$?#'.includes(part.charAt(0))) parameters.add(part)
  const list = [...parameters]
  return list.every((each) => NAMED.test(each)) ? list.map((each) => each.slice(1)) : undefined
}

/** The values as the package takes them: by a known order each of its names, or nothing. */
export function toBound(order: BindOrder, args: SqlArgs): SqlArgs | readonly SqlValue[] {
  if (order === undefined) return sanitizeArgs(args)
  return order.map((name) => (Object.hasOwn(args, name) ? toSqlValue(args[name]) : null))
}

/** Values in the order in which a statement takes them. */
export type BoundValues = ReturnType<typeof toBound>
