/**
 * The rows of a query that the records of a table are in, read off its tokens. Only certain cases
 * count: a text that could mean something else gives no answer.
 */
import { type Token, tokenize } from '../../../store/gate/tokenize.ts'
import type { AuthoredSql, OutputColumn } from '../../../model/compiled/authored-sql.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { Model } from '../../../model/model.ts'

type Tables = Pick<Model, 'entityByTable'>

/** An output column by name without regard to case. */
export const findOutput = (query: AuthoredSql, name: string): OutputColumn | undefined =>
  query.columns.find((column) => column.name.toLowerCase() === name.toLowerCase())

/** Words of a query whose rows may depend on more than one record of a table. */
const JOINING: ReadonlySet<string> = new Set(
  'group having distinct union intersect except limit over window with values'.split(' '),
)
const AGGREGATES: ReadonlySet<string> = new Set(
  `avg count group_concat json_group_array json_group_object max min string_agg sum total`.split(
    ' ',
  ),
)

/**
 * Finds the table whose key the rows have, in lower case, if each of its records is in the row of
 * its key and in no other one: it is named once, outside of any subquery, by a query that neither
 * groups nor cuts.
 */
export function findOwnTable(query: AuthoredSql, key: string, model: Tables): string | undefined {
  const output = findOutput(query, key)
  const table = output?.table?.toLowerCase()
  const own = findKey(model, table)
  if (table === undefined || !own || output?.column?.toLowerCase() !== own.name.toLowerCase()) {
    return undefined
  }
  const { outer, all } = cutQuery(query.text)
  const isNamed = (each: Followed): boolean => isTable(each, table)
  if (all.filter(isNamed).length !== 1 || outer.filter(isNamed).length !== 1) return undefined
  return outer.some(isJoining) ? undefined : table
}

/** The one key column of a table. */
function findKey(model: Tables, table: string | undefined): Entity['keys'][number] | undefined {
  const [key, ...others] = model.entityByTable.get(table ?? '')?.keys ?? []
  return others.length > 0 ? undefined : key
}

/**
 * The output column that holds the key of the only record of a table that a row is made from:
 * `JOIN t a ON a.Key = o.Column`, or `(SELECT … FROM t a WHERE a.Key = o.Column)`, where the query
 * puts `o.Column` out. Undefined where a row may be made from other records of it, too.
 */
export function findReferring(
  query: AuthoredSql,
  table: string,
  model: Tables,
): string | undefined {
  const entity = model.entityByTable.get(table)
  const key = findKey(model, table)
  if (!entity || entity.builtIn || !key) return undefined
  const { all, outer } = cutQuery(query.text)
  const named = findNamed(all, table)
  if (!named) return undefined
  const [first, ...rest] = all.slice(named.end, named.end + 9).map(({ token }) => token)
  if (first?.kind !== 'word' || (first.key !== 'on' && first.key !== 'where')) return undefined
  const refers = readEquality(rest, named.alias, key.name.toLowerCase())
  if (!refers) return undefined
  for (const other of query.reads.map((each) => each.toLowerCase())) {
    if (other === table || findNamed(all, other)?.alias !== refers.alias) continue
    // Inside of a subquery another record of it could be the one that counts.
    if (!outer.some((each) => isTable(each, other))) return undefined
    const column = model.entityByTable.get(other)?.columnByName.get(refers.column)
    if (column?.type !== key.type) return undefined
    return query.columns.find(
      (output) =>
        output.table?.toLowerCase() === other && output.column?.toLowerCase() === refers.column,
    )?.name
  }
  return undefined
}

/** A table that a query names once, under a name that nothing else there has. */
function findNamed(
  all: readonly Followed[],
  table: string,
): { alias: string; end: number } | undefined {
  const at = all.findIndex((each) => isTable(each, table))
  if (at < 0 || all.filter((each) => isTable(each, table)).length !== 1) return undefined
  const before = all[at - 1]?.token
  const isSource = before?.value === ',' || /^(?:from|join)$/.test(before?.key ?? '')
  if (!isSource) return undefined
  const [next, further] = [all[at + 1]?.token, all[at + 2]?.token]
  const isWritten = next?.kind === 'word' && next.key === 'as'
  const alias = isWritten ? further : next
  const isAlias = alias && isName(alias) && (isWritten || !AFTER_TABLE.has(alias.key))
  const name = isAlias ? alias.key : table
  const end = at + (isAlias ? (isWritten ? 3 : 2) : 1)
  const others = all.filter((each, index) => isTable(each, name) && !isAfterDot(all, index))
  return others.length === 1 ? { alias: name, end } : undefined
}

const isAfterDot = (all: readonly Followed[], at: number): boolean =>
  all[at - 1]?.token.value === '.'

/** Words that may follow a table in place of its alias. */
const AFTER_TABLE: ReadonlySet<string> = new Set(
  `on where join left right full inner outer cross natural order group having limit union except
  intersect using indexed not window`.split(/\s+/),
)
/** Words that end a condition of a single equality. */
const AFTER_EQUALITY: ReadonlySet<string> = new Set(
  'join left inner cross where order limit'.split(' '),
)

/** `alias.key = other.column`, either way round, and nothing after it. */
function readEquality(
  tokens: readonly Token[],
  alias: string,
  key: string,
): { alias: string; column: string } | undefined {
  const [a, dotA, b, equals, c, dotC, d, end] = tokens
  if (!a || !b || !c || !d || dotA?.value !== '.' || dotC?.value !== '.') return undefined
  const isEqual = equals?.kind === 'mark' && (equals.value === '=' || equals.value === '==')
  const isEnd =
    end === undefined ||
    (end.kind === 'mark' && (end.value === ')' || end.value === ',')) ||
    (end.kind === 'word' && AFTER_EQUALITY.has(end.key))
  if (!isEqual || !isEnd || ![a, b, c, d].every(isName)) return undefined
  if (a.key === alias && b.key === key && c.key !== alias) return { alias: c.key, column: d.key }
  if (c.key === alias && d.key === key && a.key !== alias) return { alias: a.key, column: b.key }
  return undefined
}

const isTable = ({ token, next }: Followed, table: string): boolean =>
  token.key === table && isName(token) && next?.value !== '.'

const isJoining = ({ token, next }: Followed): boolean =>
  (token.kind === 'word' && JOINING.has(token.key)) ||
  (AGGREGATES.has(token.key) && next?.value === '(')

const isName = ({ kind }: Token): boolean => kind === 'word' || kind === 'name'

interface Followed {
  token: Token
  next: Token | undefined
}

/** The tokens of a query, and its tokens outside of any subquery. */
function cutQuery(text: string): { all: Followed[]; outer: Followed[] } {
  const tokens = tokenize(text)
  const all = tokens.map((token, at) => ({ token, next: tokens[at + 1] }))
  const brackets: boolean[] = []
  const outer = all.filter(({ token, next }) => {
    if (token.value === ')' && token.kind === 'mark') brackets.pop()
    const isOuter = !brackets.includes(true)
    if (token.value === '(' && token.kind === 'mark') {
      brackets.push(next?.kind === 'word' && /^(?:select|with|values)$/.test(next.key))
    }
    return isOuter
  })
  return { all, outer }
}
