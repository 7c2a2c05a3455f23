/** `{Column__Label}` in the texts of effects, filled from the row as it is after the statements. */
import { renderMessage } from '../../../kernel/messages.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import type { FieldFeatures, TextLabel } from '../../../model/model.ts'
import { quote } from '../../../model/quote.ts'
import { composeShadowed } from '../../../model/shadow.ts'
import { SqlReal, type SqlArg, type SqlRow } from '../../../store/sql.ts'
import { contextValue, isContextName } from '../context.ts'
import { findCell, type EffectScope } from './effect-scope.ts'

/** What a name stands for, when it is one of the labels asked for. */
export type FindLabel = (name: string) => SqlArg | undefined

/**
 * Labels of the values that the row has now: an option's, or that of the record which it refers to,
 * all asked in one statement. A value that is no option and names no record stands for itself, as
 * it does in a grid.
 */
export async function loadTextLabels(
  scope: EffectScope,
  row: SqlRow | undefined,
  labels: readonly TextLabel[],
): Promise<FindLabel> {
  if (labels.length === 0) return () => undefined
  const cells = new Map(labels.map((each) => [each, findCell(scope, row, each.of.name)]))
  const isTold = ({ of, labelSql }: TextLabel): boolean =>
    labelSql !== undefined && scope.mayLabel(of)
  const requested = labels.filter((each) => isTold(each) && cells.get(each) !== null)
  const told = requested.length > 0 ? await askLabels(scope, requested, cells) : undefined
  const found = new Map<string, SqlArg>()
  const { language } = scope.context.caller ?? {}
  for (const [each, value] of cells) {
    const label =
      told?.[`_l${requested.indexOf(each)}`] ?? findOptionLabel(each.of, value, language)
    found.set(each.name, label ?? value)
  }
  return (name) => found.get(name.toLowerCase())
}

async function askLabels(
  { tx, model, context, company, reach, of }: EffectScope,
  labels: readonly TextLabel[],
  cells: ReadonlyMap<TextLabel, SqlArg>,
): Promise<SqlRow | undefined> {
  const queries = labels.flatMap(({ labelSql }) => labelSql?.query ?? [])
  const args: Record<string, SqlArg> = { CurrentCompanyId: company }
  for (const name of queries.flatMap((query) => query.parameters)) {
    if (isContextName(name) && name !== 'CurrentCompanyId') args[name] = contextValue(name, context)
    else args[name] ??= null
  }
  const columns = labels.map((label, at) => {
    args[`_v${at}`] = cells.get(label) ?? null
    return `@_v${at} AS ${quote(label.of.name)}`
  })
  const list = labels.map(({ labelSql }, at) => `${labelSql?.[reach] ?? 'NULL'} AS _l${at}`)
  const tables = new Set(queries.flatMap((query) => query.reads))
  const sql = composeShadowed(
    model,
    tables,
    reach,
    (head) => `${head}SELECT ${list.join(', ')} FROM (SELECT ${columns.join(', ')})`,
  )
  return tx.get({ ...sql, args, quick: 'earned', of: queries.length > 0 ? of : undefined })
}

function findOptionLabel(
  field: FieldFeatures,
  value: SqlArg,
  language: string | undefined,
): string | undefined {
  const stored = value instanceof SqlReal ? value.value : value
  const option = field.options.find(
    (each) =>
      each.value === String(stored) || FIELD_KINDS[field.type].parse(each.value, field) === stored,
  )
  return option && renderMessage(option.label, language)
}
