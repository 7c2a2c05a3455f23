/** Records of deliveries that the user who looks at the deliveries may see. */
import type { Clock } from '../../kernel/clock.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Model } from '../../model/model.ts'
import type { Caller } from '../../access/callers/caller.ts'
import { Grant } from '../../access/rights/grant.ts'
import { newContext } from '../object/context.ts'
import type { QueryCache } from '../object/read/query-cache.ts'
import { findKeyedView, findVisible } from '../object/record/visible-keys.ts'
import { keyText } from '../object/record/written-row.ts'
import type { ViewUse } from '../object/view-access.ts'
import { findRecordValues, readKey, type WireKeys } from './record-values.ts'
import type { DeliveryRow } from './webhook-records.ts'

interface Parts {
  queryCache: QueryCache
  clock: Clock
}

interface By {
  caller: Caller
  model: Model
}

/** Keys that the caller may know, by the Id of the delivery: those of records that they see. */
export async function findVisibleKeys(
  parts: Parts,
  by: By,
  deliveries: readonly DeliveryRow[],
): Promise<ReadonlyMap<number, WireKeys>> {
  const visible = new Map<number, WireKeys>()
  const ofViews = Map.groupBy(deliveries, ({ Object: name }) => name)
  for (const [name, own] of ofViews) {
    const use = name === null ? undefined : findUse(parts, by, name)
    if (use) for (const [id, keys] of await findOfView(parts, use, own)) visible.set(id, keys)
  }
  return visible
}

function findUse({ clock }: Parts, { caller, model }: By, name: string): ViewUse | undefined {
  const view = model.views.get(name)
  const grant = view && Grant.find(caller, model, view.resource, 'View')
  return view && grant && { view, grant, context: newContext({ clock }, caller, model) }
}

/** Stored records are searched together, removed ones by their rows. */
async function findOfView(
  { queryCache }: Parts,
  use: ViewUse,
  deliveries: readonly DeliveryRow[],
): Promise<[id: number, keys: WireKeys][]> {
  const found: [number, WireKeys][] = []
  const stored: { id: number; keys: WireKeys; key: SqlValue[] }[] = []
  for (const { Id: id, Keys, Removed: removed } of deliveries) {
    const keys = Keys === null ? undefined : (JSON.parse(Keys) as WireKeys)
    const key = keys && readKey(use, keys)
    if (!key) continue
    if (removed === null) stored.push({ id, keys, key })
    else if ((await findRecordValues(queryCache, use, { keys, removed })) !== undefined)
      found.push([id, keys])
  }
  const keyed = findKeyedView(use.view)
  if (!keyed || stored.length === 0) return found
  const list = stored.map(({ key }) => key)
  const seen = await findVisible(queryCache, keyed, use, list)
  const among = stored.filter(({ key }) => seen.has(keyText(key)))
  return [...found, ...among.map(({ id, keys }): [number, WireKeys] => [id, keys])]
}
