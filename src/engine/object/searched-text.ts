/** The text of a view's rows as it is kept in memory, where everyone of a company may share it. */
import type { Grant } from '../../access/grant.ts'
import type { AuthoredSql, Field, View } from '../../model/model.ts'
import { quote } from '../../model/quote.ts'
import { planShadows, withShadows } from '../../model/shadow.ts'
import { tokenize, type Token } from '../../store/tokenize.ts'
import type { SearchedText } from '../search/searched-text.ts'
import { composeValue, isSeen, listSearched } from './labels.ts'
import { toTableSet } from './table-set.ts'

type Template = Omit<SearchedText, 'args'>

const templates = new WeakMap<View, Map<string, Template | undefined>>()

/**
 * The searched text of a view for this caller's company and fields. Undefined where it depends on
 * who asks or when, for rows of many companies, and for keys of many columns: SQL searches those.
 */
export function findSearchedText(view: View, grant: Grant): SearchedText | undefined {
  if (grant.allCompanies) return undefined
  const fields = listSearched(view).filter((field) => isSeen(grant, field))
  const names = fields.map((field) => field.name).join(' ')
  let known = templates.get(view)
  if (!known) templates.set(view, (known = new Map()))
  if (!known.has(names)) known.set(names, planText(view, grant, fields))
  const template = known.get(names)
  const company = grant.caller.companyId
  return (
    template && {
      ...template,
      id: `${grant.model.hash} ${company} ${view.name} ${names}`,
      args: { CurrentCompanyId: company },
    }
  )
}

function planText(view: View, grant: Grant, fields: readonly Field[]): Template | undefined {
  const [key, ...others] = view.keys
  if (!key || others.length > 0 || fields.length === 0) return undefined
  const labels = fields.flatMap((field) => (field.labelOf ? (field.labelSql ?? []) : []))
  const queries = [view.query, ...labels.flatMap((label) => label.query ?? [])]
  if (!queries.every(isShared)) return undefined
  const reads = queries.flatMap((query) => query.reads)
  const shadows = withShadows(planShadows(grant.model, new Set(reads), 'company'))
  const own = findOwnTable(view, key)
  const labelled = labels.flatMap((label) => [...label.reads, ...(label.query?.reads ?? [])])
  const isOwn = own !== undefined && !labelled.some((table) => table.toLowerCase() === own)
  const tables = toTableSet([...reads, ...labelled])
  const name = quote(key.name)
  const texts = fields.map((field) => composeText(view, field, grant))
  const read = (where: string): string =>
    `${shadows}SELECT json_group_array(json_array(${[name, ...texts].join(', ')})) ` +
    `FROM (SELECT * FROM (\n${view.query.text}\n)${where} ORDER BY ${name} LIMIT @_rows)`
  return {
    id: '',
    first: read(''),
    next: read(` WHERE ${name} > @_after`),
    some: read(` WHERE ${name} IN (SELECT value FROM json_each(@_keys))`),
    tables: isOwn ? tables.filter((table) => table !== own) : tables,
    own: isOwn ? own : undefined,
  }
}

/**
 * What GLOB would match. A BLOB makes the statement fail, so that the text is not kept: its bytes
 * may be no text at all.
 */
function composeText(view: View, field: Field, grant: Grant): string {
  const value = composeValue(field, grant)
  const text = `coalesce(CAST(${value} AS TEXT), '')`
  const key = field.name.toLowerCase()
  const output = view.query.columns.find((column) => column.name.toLowerCase() === key)
  const isTyped = field.labelOf !== undefined || output?.table !== undefined
  return isTyped ? text : `iif(typeof(${value}) = 'blob', ${value}, ${text})`
}

/** Nothing but the company decides what it gives. */
const isShared = (query: AuthoredSql): boolean =>
  query.mayBeQuick && query.parameters.every((name) => name === 'CurrentCompanyId')

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
 * The entity's table, in lower case, where each of its records stands in the row of its key and in
 * no other one: it is named once, outside of any subquery, by a query that neither groups nor cuts.
 */
function findOwnTable(view: View, key: Field): string | undefined {
  const table = view.entity?.table.toLowerCase()
  const output = view.query.columns.find(
    (column) => column.name.toLowerCase() === key.name.toLowerCase(),
  )
  if (table === undefined || output?.table?.toLowerCase() !== table) return undefined
  if (!output.column || output.column.toLowerCase() !== key.column?.name.toLowerCase()) {
    return undefined
  }
  const { outer, all } = cutQuery(view.query.text)
  const isNamed = ({ token, next }: Followed): boolean =>
    token.key === table && isName(token) && next?.value !== '.'
  if (all.filter(isNamed).length !== 1 || outer.filter(isNamed).length !== 1) return undefined
  return outer.some(isJoining) ? undefined : table
}

const isJoining = ({ token, next }: Followed): boolean =>
  (token.kind === 'word' && JOINING.has(token.key)) ||
  (AGGREGATES.has(token.key) && next?.value === '(')

const isName = ({ kind }: Token): boolean => kind === 'word' || kind === 'name'

interface Followed {
  token: Token
  next: Token | undefined
}

/** The tokens of a query, and those that stand outside of any subquery. */
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
