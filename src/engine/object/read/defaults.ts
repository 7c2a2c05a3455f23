/** Values that a new record begins with: literals, context parameters, queries. */
import type { Grant } from '../../../access/grant.ts'
import type { FieldFeatures } from '../../../model/model.ts'
import type { SqlValue } from '../../../store/sql.ts'
import { Bindings } from '../bindings.ts'
import { contextValue, type Context } from '../context.ts'
import type { Named } from '../write/parameters.ts'
import { composeScalar, type Ask } from '../scalar.ts'
import { bindNames, mayEarn } from './source.ts'
import { parseValue } from '../value.ts'

/** What a default is asked with. */
export interface DefaultScope {
  view: Named & { name: string }
  grant: Grant
  context: Context
  /** Parameters of the request by lower-case name: what a default may depend on. */
  parameters: ReadonlyMap<string, unknown>
  ask: Ask
}

/** The default of a field as it is stored; null when it has none. */
export async function loadDefault(field: FieldFeatures, scope: DefaultScope): Promise<SqlValue> {
  const preset = field.default
  if (!preset) return null
  if (preset.kind === 'context') {
    return stored(field, contextValue(preset.parameter, scope.context))
  }
  if (preset.kind === 'literal') return stored(field, preset.value)
  const { view, grant, context, parameters } = scope
  const asked = composeScalar(preset.sql, grant.model, grant.allCompanies ? 'all' : 'company')
  const bindings = new Bindings()
  bindNames(asked.names, bindings, context, { view, parameters })
  const query = {
    mayBeQuick: mayEarn(preset.sql),
    of: `${view.name}.${field.name}`,
    own: asked.own,
  }
  return stored(field, await scope.ask(asked.sql, bindings.args(), query))
}

function stored(field: FieldFeatures, value: SqlValue): SqlValue {
  const parsed = parseValue(field, value)
  return parsed.fault === undefined ? parsed.value : null
}

/** Defaults of many fields by field name. */
export async function loadDefaults(
  fields: readonly FieldFeatures[],
  scope: DefaultScope,
): Promise<Map<FieldFeatures, SqlValue>> {
  const values = new Map<FieldFeatures, SqlValue>()
  for (const field of fields) values.set(field, await loadDefault(field, scope))
  return values
}
