/**
 * The rows and cells of a table that views show their caller, for authored SQL that reads the table
 * itself (src/engine/README.md, Badges). Rows that a query leaves out by itself count as left out.
 */
import { tokenize } from '../../../store/gate/tokenize.ts'
import { joinTerms } from '../../../store/join-terms.ts'
import type { AuthoredCondition, AuthoredSql } from '../../../model/compiled/authored-sql.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import type { Model } from '../../../model/model.ts'
import { quote } from '../../../model/sql/quote.ts'
import { planNarrowedShadows, type ShadowForm, withShadows } from '../../../model/sql/shadow.ts'
import { isFieldOf, isOnSurface } from '../../../model/view-index.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import type { RowCondition } from '../../../access/rights/resource-access.ts'
import { isSeen } from './labels.ts'
import { composeRowCondition } from './masked.ts'
import { composeFilters } from './source.ts'

/** A view through which a caller reads records of an entity. */
export interface ListedReading {
  view: View
  grant: Grant
}

/** The rows of a view; with a cell those on which it shows the column. */
export interface ShownRows {
  reading: ListedReading
  cell?: ServedCell | undefined
}

/** A column as a view serves it. */
interface ServedCell {
  column: Column
  field: Field
  /** The rows that show it, where some hide it. */
  mask: RowCondition | undefined
}

/** An authored query may leave rows out by itself, whatever the filters. */
export const showsAll = ({ view, grant }: ListedReading): boolean =>
  view.isGenerated && grant.readFilters() === undefined

/** Finds the field by which a view serves a column of its entity; undefined if there is none. */
export function findServed(
  { view, grant }: ListedReading,
  entity: Entity,
  column: Column,
): ServedCell | undefined {
  const field = view.fields.find(
    (each) =>
      isFieldOf(view, each, { entity, column }) && isOnSurface(view, each) && isSeen(grant, each),
  )
  return field && { column, field, mask: grant.access.masked.get(field.name.toLowerCase()) }
}

/** Lists the authored SQL and conditions that the rows of a view are made of. */
export const listShownParts = ({
  reading: { view, grant },
  cell,
}: ShownRows): (AuthoredSql | AuthoredCondition)[] => [
  view.query,
  ...(grant.readFilters()?.flat() ?? []),
  ...(cell?.mask?.flat() ?? []),
]

/** Composes a condition on the rows of the entity's table: one of the views shows them. */
export function composeShown(
  model: Model,
  entity: Entity,
  shown: readonly ShownRows[],
  form: ShadowForm,
): string {
  if (shown.length === 0) return '(0)'
  const rows = shown.map((each) => composeOne(model, entity, each, form))
  return `(${joinTerms(rows, 'OR')})`
}

/** Composes the condition by the keys that the view shows; its query has its own shadows. */
function composeOne(model: Model, entity: Entity, shown: ShownRows, form: ShadowForm): string {
  const { cell } = shown
  const { view, grant } = shown.reading
  const filters = grant.readFilters()
  const mask = cell?.mask
  const parts = [composeFilters(filters), mask ? composeRowCondition(mask) : '']
  const where = parts.flatMap((part) => (part === '' ? [] : [`(${part})`])).join(' AND ')
  const read = [...(filters?.flat() ?? []), ...(mask?.flat() ?? [])].flatMap(({ reads }) => reads)
  // A generated view has just the columns of its table.
  if (view.isGenerated && read.length === 0) return where === '' ? '1' : `(${where})`
  const pairs = entity.keys.map((column) => {
    const key = view.keys.find((field) => field.column === column)
    return { column: column.name, field: key?.name ?? column.name }
  })
  // If a query names its table twice, a cell may be another record's: values tell them apart.
  if (cell && namesTwice(view, entity))
    pairs.push({ column: cell.column.name, field: cell.field.name })
  const columns = pairs.map(({ column }) => quote(column)).join(', ')
  const fields = pairs.map(({ field }) => quote(field)).join(', ')
  const tables = new Set(listShownParts(shown).flatMap(({ reads }) => reads))
  const head = withShadows(planNarrowedShadows(model, tables, showWhole(model, tables), form))
  const rows = `${head}SELECT ${fields} FROM (\n${view.query.text}\n)`
  return `((${columns}) IN (${rows}${where === '' ? '' : ` WHERE ${where}`}))`
}

/** Tells whether a view's query reads the table of its entity more than once. */
export function namesTwice({ query, isGenerated }: View, { table }: Entity): boolean {
  if (isGenerated) return false
  const key = table.toLowerCase()
  const named = tokenize(query.text).filter(
    (token) => (token.kind === 'word' || token.kind === 'name') && token.key === key,
  )
  return named.length > 1
}

/** Without a name of its own a table of no company would be the held one around it. */
function showWhole({ entityByTable }: Model, tables: Iterable<string>): Map<string, string> {
  const names = [...tables].map((table) => table.toLowerCase())
  const whole = names.filter((name) => entityByTable.get(name)?.company === undefined)
  return new Map(whole.map((name) => [name, '1']))
}
