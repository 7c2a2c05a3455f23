/** Lists of keys (`Through`) of imported rows: judged and written as those of a submit. */
import { dayIn } from '../../../kernel/zones.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import { planDraft, type Changes } from '../after-write/changes.ts'
import { planLinks, type LinkPlan } from '../write/link-changes.ts'
import type { RecordKey } from '../write/record.ts'
import type { ImportPlan } from './import-plan.ts'

/** Whether rows have lists to set, or new records could lack one that is demanded. */
export const validatesLists = ({ view, columns }: ImportPlan): boolean =>
  columns.lists.length > 0 ||
  view.linked.some(
    ({ link, labelOf, required, requiredWhen }) =>
      link !== undefined && labelOf === undefined && (required || requiredWhen !== undefined),
  )

/** One row as its lists are judged. */
export interface ListedRow {
  /** In the order of `ImportColumns.lists`, as JSON; no value is an empty list. */
  lists: readonly SqlValue[]
  changes: Changes
  /** The record as it is; undefined for a new one. */
  stored: SqlRow | undefined
  key: RecordKey | undefined
}

/** What the lists of a row gain and lose, or what is wrong with them. */
export function planLists(
  plan: ImportPlan,
  reader: Reader,
  { lists, changes, stored, key }: ListedRow,
): Promise<LinkPlan> {
  const { view, entity, grant, context, columns } = plan
  const zone = grant.caller.timeZone
  const parameters = new Map<string, unknown>(
    columns.lists.map(({ field }, at) => [field.name.toLowerCase(), parseKeys(lists[at] ?? null)]),
  )
  const draft = planDraft(entity, stored, changes)
  const company = stored?.[entity.company ?? ''] ?? grant.caller.companyId
  const judge = { view, zone, today: dayIn(context.now, zone) }
  return planLinks({ reader, view, grant, context, draft, company }, { parameters, key, judge })
}

const parseKeys = (list: SqlValue): unknown => (list === null ? null : JSON.parse(String(list)))
