/** The text of a view's rows that is held in memory, where everyone of a company may share it. */
import type { AuthoredSql } from '../../../model/compiled/authored-sql.ts'
import type { DataSet } from '../../../model/compiled/field-features.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { LabelSql } from '../../../model/compiled/label-sql.ts'
import type { View } from '../../../model/compiled/view.ts'
import { CHANGED_KEYS } from '../../../model/sql/label.ts'
import { quote } from '../../../model/sql/quote.ts'
import { planShadows, withShadows } from '../../../model/sql/shadow.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { SearchedText } from '../../grid-search/searched-text.ts'
import { composeValue, isSeen, listSearched } from './labels.ts'
import { findOutput, findOwnTable, findReferring } from './query-shape.ts'
import { toTableSet } from './table-set.ts'

type Template = Omit<SearchedText, 'args'>

const templates = new WeakMap<View, Map<string, Template | undefined>>()

/** Lists the fields that a grid searches and the caller sees. */
const listGridSearched = (view: View, grant: Grant): Field[] =>
  listSearched(view).filter((field) => isSeen(grant, field))

/**
 * Finds the text of some fields of a view, by default the ones its grid searches, for this caller's
 * company. Undefined if the text depends on caller or time, for rows of many companies, and for
 * keys of many columns: SQL searches those.
 */
export function findSearchedText(
  view: View,
  grant: Grant,
  fields: readonly Field[] = listGridSearched(view, grant),
): SearchedText | undefined {
  if (grant.allCompanies || fields.some((field) => isMasked(grant, field))) return undefined
  const names = fields.map((field) => field.name).join(' ')
  const template = templates
    .getOrInsertComputed(view, () => new Map<string, Template | undefined>())
    .getOrInsertComputed(names, () => planText(view, grant, fields))
  const company = grant.caller.companyId
  return (
    template && {
      ...template,
      id: `${grant.model.hash} ${company} ${view.name} ${names}`,
      args: { CurrentCompanyId: company },
    }
  )
}

/** Tells whether only some rows hide the field from the caller, who then shares no text. */
const isMasked = ({ access }: Grant, { name, labelOf }: Field): boolean =>
  access.masked.has((labelOf ?? name).toLowerCase())

const ofDataSets = new WeakMap<AuthoredSql, Template | undefined>()

/** Finds the text of a DataSet's options, which are searched by value and label. */
export function findDataSetText({ sql }: DataSet, grant: Grant): SearchedText | undefined {
  if (grant.allCompanies) return undefined
  const template = ofDataSets.getOrInsertComputed(sql, () => {
    const texts = ['Value', 'Label'].map((name) => composeText(sql, quote(name), name))
    return planRows({ query: sql, key: 'Value', texts, labels: [] }, grant)
  })
  const company = grant.caller.companyId
  const id = `${grant.model.hash} ${company} ${sql.text}`
  return template && { ...template, id, args: { CurrentCompanyId: company } }
}

function planText(view: View, grant: Grant, fields: readonly Field[]): Template | undefined {
  const [key, ...others] = view.keys
  if (!key || others.length > 0 || fields.length === 0) return undefined
  const labels = fields.flatMap((field) => (field.labelOf ? (field.labelSql ?? []) : []))
  const texts = fields.map((field) => {
    const value = composeValue(field, grant)
    const isLabel = field.labelOf !== undefined
    return isLabel ? composeTyped(value) : composeText(view.query, value, field.name)
  })
  return planRows({ query: view.query, key: key.name, texts, labels }, grant)
}

/** Rows with a key, an output column of their query. */
interface TextRows {
  query: AuthoredSql
  key: string
  texts: readonly string[]
  /** The labels among the texts. */
  labels: readonly LabelSql[]
}

function planRows({ query, key, texts, labels }: TextRows, grant: Grant): Template | undefined {
  const queries = [query, ...labels.flatMap((label) => label.query ?? [])]
  if (!queries.every(isShared)) return undefined
  const reads = queries.flatMap((each) => each.reads)
  const shadows = withShadows(planShadows(grant.model, new Set(reads), 'company'))
  const own = findOwnTable(query, key, grant.model)
  const labelled = labels.flatMap((label) => [...label.reads, ...(label.query?.reads ?? [])])
  const isOwn = own !== undefined && !labelled.some((table) => table.toLowerCase() === own)
  const referring = isOwn ? planReferring({ query, own, labels }, grant) : new Map<string, string>()
  const tables = toTableSet([...reads, ...labelled]).filter(
    (table) => !(isOwn && table === own) && !referring.has(table),
  )
  const name = quote(key)
  const read = (where: string): string =>
    `${shadows}SELECT json_group_array(json_array(${[name, ...texts].join(', ')})) ` +
    `FROM (SELECT * FROM (\n${query.text}\n)${where} ORDER BY ${name} LIMIT @_rows)`
  const list = (where: string): string =>
    `${shadows}SELECT json_group_array(${name}) ` +
    `FROM (SELECT ${name} FROM (\n${query.text}\n) WHERE ${where} LIMIT @_rows)`
  return {
    id: '',
    first: read(''),
    next: read(` WHERE ${name} > @_after`),
    some: read(` WHERE ${name} IN (SELECT value FROM json_each(@_keys))`),
    tables,
    own: isOwn ? own : undefined,
    referred: new Map([...referring].map(([table, where]) => [table, list(where)])),
  }
}

/**
 * For each table of whose records a row has no other than those that it refers to, which rows
 * refer to the records of the keys in `@_changed`.
 */
function planReferring(
  { query, own, labels }: { query: AuthoredSql; own: string; labels: readonly LabelSql[] },
  { model }: Grant,
): Map<string, string> {
  const conditions = new Map<string, Set<string> | undefined>()
  const add = (table: string, condition: string | undefined): void => {
    const known = conditions.has(table) ? conditions.get(table) : new Set<string>()
    conditions.set(table, condition === undefined ? undefined : known?.add(condition))
  }
  for (const table of query.reads.map((each) => each.toLowerCase())) {
    if (table === own) continue
    const column = findReferring(query, table, model)
    add(table, column && `${quote(column)} IN (${CHANGED_KEYS})`)
  }
  for (const label of labels) {
    for (const { table, condition } of label.steps) {
      const isModel = model.entityByTable.get(table.toLowerCase())?.builtIn === false
      add(table.toLowerCase(), isModel ? condition : undefined)
    }
    for (const table of label.query?.reads ?? []) add(table.toLowerCase(), undefined)
  }
  return new Map(
    [...conditions].flatMap(([table, all]) => (all ? [[table, [...all].join(' OR ')]] : [])),
  )
}

/**
 * Composes the text that GLOB would match. A BLOB makes the statement fail, so that no text index
 * holds it: its bytes need not be text.
 */
function composeText(query: AuthoredSql, value: string, name: string): string {
  const text = composeTyped(value)
  const isTyped = findOutput(query, name)?.table !== undefined
  return isTyped ? text : `iif(typeof(${value}) = 'blob', ${value}, ${text})`
}

const composeTyped = (value: string): string => `coalesce(CAST(${value} AS TEXT), '')`

/** Tells whether the company alone decides the result of a query. */
const isShared = (query: AuthoredSql): boolean =>
  query.mayRunInline && query.parameters.every((name) => name === 'CurrentCompanyId')
