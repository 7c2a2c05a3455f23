/** Many-to-many: a field that is a list of keys through a middle entity (`Through`). */
import type { Field, Link } from '../../../model/compiled/field.ts'
import type { View } from '../../../model/compiled/view.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Grant } from '../../../access/rights/grant.ts'

/**
 * The list of a row as JSON: its keys in their order, or their labels in the same order.
 * Inner names begin with `_`, as no column of a model does.
 */
export function composeList(field: Field, link: Link, view: View, grant: Grant): string {
  const key = view.keys[0]
  if (!key) return "json('[]')"
  const { from, held } = composeLinks(link, grant)
  const rows = `SELECT _value FROM ${from} WHERE _own = ${quote(key.name)}${held} ORDER BY _value`
  return `json((SELECT json_group_array(${composeItem(field, grant)}) FROM (${rows})))`
}

/** The pairs of keys, with the condition that holds them to the company. */
function composeLinks({ entity, own, other }: Link, grant: Grant): { from: string; held: string } {
  const company = grant.allCompanies ? undefined : entity.company
  const columns = [`${quote(own.name)} AS _own`, `${quote(other.name)} AS _value`]
  if (company !== undefined) columns.push(`${quote(company)} AS _company`)
  return {
    from: `(SELECT ${columns.join(', ')} FROM main.${quote(entity.table)})`,
    held: company === undefined ? '' : ' AND _company = @CurrentCompanyId',
  }
}

/** Composes the test that a row's list has any key; with `list`, any key of that JSON array. */
export function composeHas(
  link: Link,
  { view, grant }: { view: View; grant: Grant },
  list?: string,
): string {
  const key = view.keys[0]
  if (!key) return '0'
  const { from, held } = composeLinks(link, grant)
  const name = quote(key.name)
  if (list === undefined) return `EXISTS (SELECT 1 FROM ${from} WHERE _own = ${name}${held})`
  const having = `_own IS NOT NULL AND _value IN (SELECT value FROM json_each(${list}))`
  return `${name} IN (SELECT _own FROM ${from} WHERE ${having}${held})`
}

function composeItem(field: Field, grant: Grant): string {
  if (field.labelOf === undefined) return '_value'
  const { labelSql } = field
  if (!labelSql) return 'NULL'
  return grant.allCompanies ? labelSql.all : labelSql.company
}
