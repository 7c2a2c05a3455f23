/** A record with what its reader may see of what happened to it. */
import { allRows } from '../../store/rows.ts'
import type { SqlValue } from '../../store/sql.ts'
import { workflowInstances } from '../../store/tables/workflows.ts'
import { findRecordNames } from '../audit/record-names.ts'
import { toRecordKey } from '../object/record/record.ts'
import type { KeyedView } from '../object/record/visible-keys.ts'
import { keyText } from '../object/record/written-row.ts'
import { findHidden } from '../object/rules/row-rules.ts'
import type { ViewUse } from '../object/view-access.ts'
import type { EntryScope } from './audit-entries.ts'
import { listShown } from './shown-fields.ts'
import type { InstanceUse, WorkflowCall } from '../workflow/instance-use.ts'
import { findVisibleInstances } from '../workflow/list-tasks.ts'

/** Workflows that one record went through, the newest ones. */
const INSTANCES_MAX = 50
export const INSTANCE_ENTITY = 'svc_workflow_instances'

/** A record that its reader sees. */
interface TimelineRecord {
  by: WorkflowCall
  use: ViewUse
  keyed: KeyedView
  /** Key values in the order of the entity's keys. */
  values: readonly SqlValue[]
  language: string
}

/** A record with what its reader may see of its entries. */
export interface OpenRecord extends TimelineRecord {
  scope: EntryScope
  /** Its own names alone, without workflows. */
  own: EntryScope
  shown: ReturnType<typeof listShown>
  /** Lower-case names of the fields that the reader does not see on this record. */
  hidden: ReadonlySet<string>
  instances: ReadonlyMap<string, InstanceUse>
}

/** Finds the names of a record in the log, its fields and its workflows, as the reader sees it. */
export async function openRecord(record: TimelineRecord): Promise<OpenRecord> {
  const { by, use, keyed, values } = record
  const { entity } = keyed
  const reader = by.engine.store
  const key = keyText(values)
  const names = await findRecordNames(reader, entity.name, [key])
  const companyId = entity.company === undefined ? undefined : by.caller.companyId
  const access = { ...use, reader }
  const hidden = await findHidden(access, toRecordKey({ view: use.view, entity }, values))
  const rows = await allRows(
    reader,
    workflowInstances,
    'WHERE Entity = @entity AND RecordKey = @key ORDER BY Id DESC LIMIT @max',
    { entity: entity.name, key, max: INSTANCES_MAX },
  )
  const instances = await findVisibleInstances(by, rows)
  const flows = [...instances.keys()].map((id) => ({
    entity: INSTANCE_ENTITY,
    keys: [keyText([id])],
    after: 0,
    upTo: Number.MAX_SAFE_INTEGER,
  }))
  return {
    ...record,
    own: { names, companyId },
    scope: { names: [...names, ...flows], companyId },
    shown: listShown(use, hidden),
    hidden,
    instances: new Map([...instances].map(([id, instance]) => [keyText([id]), instance])),
  }
}
