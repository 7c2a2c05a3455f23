/** Many-to-many: a field that is a list of keys through a middle entity (`Through`). */
import type { Grant } from '../../access/grant.ts'
import type { Field, Link, View } from '../../model/model.ts'
import { quote } from '../../model/quote.ts'

/**
 * The list of a row as JSON: its keys in their order, or what they are called, in the same order.
 * Inner names begin with `_`, as no column of a model does.
 */
export function composeList(
  field: Field,
  { entity, own, other }: Link,
  view: View,
  grant: Grant,
): string {
  const key = view.keys[0]
  if (!key) return "json('[]')"
  const company = entity.company === undefined || grant.allCompanies ? undefined : entity.company
  const columns = [`${quote(own.name)} AS _own`, `${quote(other.name)} AS _value`]
  if (company !== undefined) columns.push(`${quote(company)} AS _company`)
  const held = company === undefined ? '' : ' AND _company = @CurrentCompanyId'
  const rows =
    `SELECT _value FROM (SELECT ${columns.join(', ')} FROM main.${quote(entity.table)}) ` +
    `WHERE _own = ${quote(key.name)}${held} ORDER BY _value`
  return `json((SELECT json_group_array(${composeItem(field, grant)}) FROM (${rows})))`
}

function composeItem(field: Field, grant: Grant): string {
  if (field.labelOf === undefined) return '_value'
  const { labelSql } = field
  if (!labelSql) return 'NULL'
  return grant.allCompanies ? labelSql.all : labelSql.company
}
