/** Fields that the caller's roles hide or bar on one row alone. */
import type { RowCondition } from '../../../access/rights/resource-access.ts'
import { composeRowCondition } from '../read/masked.ts'
import { planByKey, type RecordKey } from '../record/record.ts'
import type { ViewAccess } from '../view-access.ts'

/** Lower-case names of the fields that this row hides; empty, unasked, where the roles agree. */
export function findHidden(access: ViewAccess, key: RecordKey): Promise<ReadonlySet<string>> {
  return findUnreached(access, key, [...access.grant.access.masked])
}

/** Lower-case names, among some, of the fields that the caller may not write on this row. */
export function findGuarded(
  access: ViewAccess,
  key: RecordKey,
  { verb, names }: { verb: 'Create' | 'Update'; names: ReadonlyMap<string, unknown> },
): Promise<ReadonlySet<string>> {
  const { masked, guarded } = access.grant.access
  const rules = [...masked, ...guarded[verb]].filter(([name]) => names.has(name))
  return findUnreached(access, key, rules)
}

/** Tells whether a create may have to drop fields once it is known which rows it is among. */
export const isGuarded = (
  { grant }: Pick<ViewAccess, 'grant'>,
  names: ReadonlyMap<string, unknown>,
): boolean =>
  [...grant.access.masked.keys(), ...grant.access.guarded.Create.keys()].some((name) =>
    names.has(name),
  )

const NONE: ReadonlySet<string> = new Set()

async function findUnreached(
  access: ViewAccess,
  key: RecordKey,
  rules: readonly (readonly [string, RowCondition])[],
): Promise<ReadonlySet<string>> {
  if (rules.length === 0) return NONE
  const cells = rules.map(
    ([, reach], at) => `coalesce(${composeRowCondition(reach)}, 0) <> 0 AS r${at}`,
  )
  const text = cells.join(', ')
  const row = await access.reader.get(planByKey(access, key, 'all', [text, () => text]))
  return new Set(rules.flatMap(([name], at) => (row?.[`r${at}`] === 1 ? [] : [name])))
}
