/** Values that a new record begins with: literals, context parameters, queries. */
import type { SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { AuthoredSql } from '../../../model/compiled/authored-sql.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import type { Model } from '../../../model/model.ts'
import { composeShadowed, type Shadowed } from '../../../model/sql/shadow.ts'
import { Bindings } from '../bindings.ts'
import { contextValue } from '../context.ts'
import type { Named } from '../parameters.ts'
import { bindNames, mayRunInline } from './source.ts'
import { parseValue } from '../value.ts'
import type { ViewAccess } from '../view-access.ts'

/** The access that a default is read with. */
export interface DefaultAccess extends ViewAccess<Reader, Named & { name: string }> {
  /** Parameters of the request by lower-case name; a default may depend on them. */
  parameters: ReadonlyMap<string, unknown>
}

/** The default of a field as it is stored; null when it has none. */
export async function loadDefault(field: FieldFeatures, access: DefaultAccess): Promise<SqlValue> {
  const preset = field.default
  if (!preset) return null
  if (preset.kind === 'context') {
    return stored(field, contextValue(preset.parameter, access.context))
  }
  if (preset.kind === 'literal') return stored(field, preset.value)
  const { view, grant, context, parameters, reader } = access
  const { names, ...requested } = composeScalar(preset.sql, grant.model, grant.allCompanies)
  const bindings = new Bindings()
  bindNames(names, bindings, context, { view, parameters })
  const row = await reader.get({
    ...requested,
    args: bindings.args(),
    runs: mayRunInline(preset.sql, grant.model) ? 'measured' : 'lane',
    of: `${view.name}.${field.name}`,
  })
  return stored(field, row?.value ?? null)
}

/** The statement that gives an authored query's value, held to the company. */
function composeScalar(
  sql: AuthoredSql,
  model: Model,
  allCompanies: boolean,
): Shadowed & { names: ReadonlySet<string> } {
  const compose = (head: string): string => `${head}SELECT (\n${sql.text}\n) AS value`
  const whole = composeShadowed(model, sql.reads, allCompanies ? 'all' : 'company', compose)
  const names = new Set(sql.parameters)
  if (whole.own !== undefined) names.add('CurrentCompanyId')
  return { ...whole, names }
}

function stored(field: FieldFeatures, value: SqlValue): SqlValue {
  const parsed = parseValue(field, value)
  return parsed.fault === undefined ? parsed.value : null
}
