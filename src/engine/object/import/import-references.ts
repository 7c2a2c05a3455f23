/** Targets of the rows of a file: references and lists (`Through`), as those of a submit. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import type { Message } from '../../../kernel/messages.ts'
import { dayIn } from '../../../kernel/zones.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { Model } from '../../../model/model.ts'
import { isContextName } from '../context.ts'
import { isReference, listLookups } from '../form/lookup.ts'
import type { ImportPlan } from './import-plan.ts'
import { type TableSet, toTableSet } from '../read/table-set.ts'
import type { RecordKey } from '../record/record.ts'
import { type Changes, planDraft } from '../rules/changes.ts'
import { checkReferences, findReferred } from '../rules/references.ts'
import { type LinkPlan, planLinks } from '../write/link-changes.ts'

/** Validates the references of a row; a promise only where a value is looked up. */
export type CheckReferences = (
  changes: Changes,
  stored: SqlRow | undefined,
) => FieldErrors | undefined | Promise<FieldErrors | undefined>

/** As those of a submit are validated; what says the same of every row is looked up once. */
export function planReferences(plan: ImportPlan, reader: Reader): CheckReferences {
  const { view, entity, grant, context, staged } = plan
  const pointing = listPointing(plan)
  if (pointing.length === 0) return () => undefined
  const shared = pointing.filter((field) => !dependsOnRow(field, grant.model))
  const known = new Map(shared.map((field) => [field, new Map<SqlValue, Message | undefined>()]))
  // Of history it is enough that the record is there: what it named may be no choice any more.
  const isHistory = plan.request.takeover
  const chosen = new Set(
    staged.flatMap(({ from, field }) => (isHistory || from === undefined ? [] : [field])),
  )
  const access = { reader, view, grant, context, chosen }
  return (changes, stored) => {
    const company = stored?.[entity.company ?? ''] ?? grant.caller.companyId
    const draft = () => planDraft(entity, stored, changes)
    return checkReferences({ ...access, changes, stored, company, draft }, known)
  }
}

function listPointing({ staged, preset }: ImportPlan): Field[] {
  const fields = new Set([...staged.map(({ field }) => field), ...preset.keys()])
  return [...fields].filter(isReference)
}

/** The tables that say whether a caller may pick what rows point to; none where no row can. */
export function listPointedTables(plan: ImportPlan): TableSet {
  const { grant } = plan
  const tables = listPointing(plan).flatMap((field) => [
    findReferred(field, grant.model)?.table ?? [],
    field.dataSet?.sql.reads ?? [],
    listLookups(field, grant).map(({ source }) => source.tables),
  ])
  return toTableSet(tables.flat(2))
}

/** A Where or a DataSet that names the record's values says something else of every row. */
const dependsOnRow = ({ lookup, dataSet }: Field, model: Model): boolean =>
  (lookup?.dependsOn.length ?? 0) > 0 ||
  (dataSet?.sql.parameters.some((name) => !isContextName(name, model)) ?? false)

/** True when rows have lists to set, or new records could lack one that is demanded. */
export const validatesLists = ({ view, columns }: ImportPlan): boolean =>
  columns.lists.length > 0 ||
  view.linked.some(
    ({ link, labelOf, required, requiredWhen }) =>
      link !== undefined && labelOf === undefined && (required || requiredWhen !== undefined),
  )

/** One row as its lists are validated. */
interface ListedRow {
  /** In the order of `ImportColumns.lists`, as JSON; no value is an empty list. */
  lists: readonly SqlValue[]
  changes: Changes
  /** The record as it is; undefined for a new one. */
  stored: SqlRow | undefined
  key: RecordKey | undefined
}

/** Plans what the lists of a row gain and lose, or what is wrong with them. */
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
  const draft = () => planDraft(entity, stored, changes)
  const company = stored?.[entity.company ?? ''] ?? grant.caller.companyId
  const evaluation = { view, zone, today: dayIn(context.now, zone) }
  return planLinks(
    { reader, view, grant, context, draft, company },
    { parameters, key, evaluation },
  )
}

const parseKeys = (list: SqlValue): unknown => (list === null ? null : JSON.parse(String(list)))
