/**
 * Fields that a caller sees on some rows alone: a role that reaches the row has to show them. Their
 * column is NULL on the others, for filters, orders, groups, searches and cells alike.
 */
import { joinTerms } from '../../../store/join-terms.ts'
import type { AuthoredCondition } from '../../../model/compiled/authored-sql.ts'
import type { View } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { RowCondition } from '../../../access/rights/resource-access.ts'

/** An output column and the rows that show it. */
interface Mask {
  name: string
  condition: RowCondition
}

/** The output columns of a view that some rows hide from the caller; none where the roles agree. */
export function listMasks(view: View, { access, resource }: Grant): Mask[] {
  if (access.masked.size === 0 || view.resource !== resource) return []
  return view.query.columns.flatMap(({ name }) => {
    const condition = access.masked.get(name.toLowerCase())
    return condition ? [{ name, condition }] : []
  })
}

/** Every condition that says on which rows a field is visible or may be written. */
export function listRowRules(view: View, { access, resource }: Grant): AuthoredCondition[] {
  if (view.resource !== resource) return []
  const { masked, guarded } = access
  const all = [...masked.values(), ...guarded.Create.values(), ...guarded.Update.values()]
  return all.flatMap((condition) => condition.flat())
}

/** The value as the query has it. No column of a model begins with an underscore. */
const rawName = (name: string): string => quote(`_raw_${name}`)

/** Composes a query's rows with their hidden fields; the values themselves have other names. */
export function composeMasked(view: View, masks: readonly Mask[], from: string): string {
  if (masks.length === 0) return from
  const cells = view.query.columns.map(({ name }) => {
    const mask = masks.find((each) => each.name === name)
    if (!mask) return quote(name)
    const column = quote(name)
    const shown = `CASE WHEN ${composeRowCondition(mask.condition)} THEN ${column} END`
    return `${shown} AS ${column}, ${column} AS ${rawName(name)}`
  })
  return `(SELECT ${cells.join(', ')} FROM ${from})`
}

/** OR over roles of AND over the conditions of a role; no role: no row. */
export function composeRowCondition(condition: RowCondition): string {
  if (condition.length === 0) return '0'
  const roles = condition.map((all) => {
    const texts = all.map(({ text }) => `(\n${text}\n)`)
    return `(${joinTerms(texts, 'AND')})`
  })
  return `(${joinTerms(roles, 'OR')})`
}

/** A condition of the model over masked rows: it judges the values themselves. */
export function composeRaw(view: View, grant: Grant, condition: string): string {
  const masks = listMasks(view, grant).filter(({ name }) => namesWord(condition, name))
  if (masks.length === 0) return condition
  const cells = masks.map(({ name }) => `${rawName(name)} AS ${quote(name)}`)
  return `(SELECT (${condition}) FROM (SELECT ${cells.join(', ')}))`
}

/** Tells whether a text of SQL has a word in it, whatever its case. */
export function namesWord(text: string, word: string): boolean {
  const words: readonly string[] = text.toLowerCase().match(/[\p{L}\p{N}_$]+/gu) ?? []
  return words.includes(word.toLowerCase())
}
