/** Fields that the caller's roles hide or bar on one row alone. */
import type { RowCondition } from '../../../access/resource-access.ts'
import { composeRowCondition } from '../read/masked.ts'
import { planByKey, type RecordKey } from '../record/record.ts'
import type { ViewUse } from '../view-access.ts'
import type { Tx } from '../../../store/store.ts'

type RuleAccess = ViewUse & { tx: Tx }

/** Lower-case names of the fields that this row hides; empty, unasked, where the roles agree. */
export function findHidden(scope: RuleAccess, key: RecordKey): Promise<ReadonlySet<string>> {
  return findUnreached(scope, key, [...scope.grant.access.masked])
}

/** Lower-case names, among some, of the fields that the caller may not write on this row. */
export function findGuarded(
  scope: RuleAccess,
  key: RecordKey,
  { verb, names }: { verb: 'Create' | 'Update'; names: ReadonlyMap<string, unknown> },
): Promise<ReadonlySet<string>> {
  const { masked, guarded } = scope.grant.access
  const rules = [...masked, ...guarded[verb]].filter(([name]) => names.has(name))
  return findUnreached(scope, key, rules)
}

/** Whether a create may have to drop fields once it is known which rows it is among. */
export const isGuarded = (
  { grant }: Pick<RuleAccess, 'grant'>,
  names: ReadonlyMap<string, unknown>,
): boolean =>
  [...grant.access.masked.keys(), ...grant.access.guarded.Create.keys()].some((name) =>
    names.has(name),
  )

const NONE: ReadonlySet<string> = new Set()

async function findUnreached(
  scope: RuleAccess,
  key: RecordKey,
  rules: readonly (readonly [string, RowCondition])[],
): Promise<ReadonlySet<string>> {
  if (rules.length === 0) return NONE
  const cells = rules.map(
    ([, reach], at) => `coalesce(${composeRowCondition(reach)}, 0) <> 0 AS r${at}`,
  )
  const text = cells.join(', ')
  const row = await scope.tx.get(planByKey(scope, key, 'all', [text, () => text]))
  return new Set(rules.flatMap(([name], at) => (row?.[`r${at}`] === 1 ? [] : [name])))
}
