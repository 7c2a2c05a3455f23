/** Instances of records that a caller sees, newest first. */
import { invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { SqlArgs } from '../../store/sql.ts'
import { INSTANCE_STATUSES } from '../../store/tables/workflows.ts'
import type { View } from '../../model/compiled/view.ts'
import { requireView } from '../object/read/find-view.ts'
import { requireViewKey } from '../object/record/record.ts'
import { keyText } from '../object/record/written-row.ts'
import { describeInstance } from './instance-result.ts'
import type { InstanceRow } from './instance-rows.ts'
import type { WorkflowCall } from './instance-use.ts'
import { findVisibleInstances } from './list-tasks.ts'
import type { WorkflowInstanceEntry } from './schema.ts'
import { loadUserNames } from './user-labels.ts'

const LIMIT = 50
const LIMIT_MAX = 200

/** Most instances that one page looks through: any number of them may be hidden. */
const LOOKED_MAX = 5000

const PIECE = 200

/** Filters of the list, from a request's query. */
interface InstanceFilter {
  workflow?: string
  state?: string
  status?: string
  /** A view, and with it the key of one of its records: one value, or a JSON list. */
  object?: string
  key?: string
  mine?: string
  before?: string
  limit?: string
}

/** A page of the list. @throws invalid for a faulty filter */
export async function listInstances(
  by: WorkflowCall,
  filter: InstanceFilter,
  language: string,
): Promise<WorkflowInstanceEntry[]> {
  const { engine, caller } = by
  const limit = Math.min(readNumber('limit', filter.limit) ?? LIMIT, LIMIT_MAX)
  const { conditions, args } = planFilter(by, filter)
  const found: WorkflowInstanceEntry[] = []
  let before = readNumber('before', filter.before) ?? Number.MAX_SAFE_INTEGER
  for (let looked = 0; looked < LOOKED_MAX && found.length < limit; looked += PIECE) {
    const sql = `SELECT * FROM svc_workflow_instances
      WHERE ${conditions.join(' AND ')} AND Id < @before ORDER BY Id DESC LIMIT ${PIECE}`
    const read = { sql, args: { ...args, before }, runs: 'measured' } as const
    const rows = await engine.store.all<InstanceRow>(read)
    const shown = await findVisibleInstances(by, rows)
    const starters = rows.map(({ StartedBy }) => StartedBy)
    const nameOf = await loadUserNames(engine.store, caller.companyId, starters)
    for (const { Id, StartedBy } of rows) {
      const use = shown.get(Id)
      if (use) found.push(describeInstance(use, nameOf(StartedBy), language))
    }
    const last = rows.at(-1)
    if (!last || rows.length < PIECE) break
    before = last.Id
  }
  return found.slice(0, limit)
}

function planFilter(
  { caller, model }: WorkflowCall,
  { workflow, state, status, mine, object, key }: InstanceFilter,
): { conditions: string[]; args: SqlArgs } {
  const conditions = ['CompanyId = @company']
  const args: Record<string, string | number> = { company: caller.companyId }
  const add = (column: string, name: string, value: string | number) => {
    conditions.push(`${column} = @${name}`)
    args[name] = value
  }
  if (workflow !== undefined) add('Workflow', 'workflow', workflow)
  if (state !== undefined) add('State', 'state', state)
  if (status !== undefined) {
    const known = INSTANCE_STATUSES.find((each) => each.toLowerCase() === status.toLowerCase())
    if (!known) throw invalid(say`status must be one of: ${INSTANCE_STATUSES.join(', ')}`)
    add('Status', 'status', known)
  }
  if (object !== undefined) {
    const view = requireView(model, object)
    add('Entity', 'entity', view.entity?.name ?? '')
    if (key !== undefined) add('RecordKey', 'key', readKeyText(view, key))
  }
  if (mine?.toLowerCase() === 'true') add('StartedBy', 'user', caller.userId)
  return { conditions, args }
}

/** A key in the form that instances store. @throws invalid for one that does not fit the view */
function readKeyText(view: View, text: string): string {
  const list: unknown = text.startsWith('[') ? parseJson(text) : [text]
  const given = Array.isArray(list) ? (list as unknown[]) : []
  const values = new Map(view.keys.map(({ name }, at) => [name.toLowerCase(), given[at]]))
  const { values: key } = requireViewKey(view, values)
  const columns = view.entity?.keys ?? []
  return keyText(columns.map((column) => key.find((e) => e.field.column === column)?.value ?? null))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw invalid(say`'key' must be a value or a JSON list of values`, { cause })
  }
}

/** A number of a query; undefined where it is missing. @throws invalid */
export function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Number(text)
  throw invalid(say`'${name}' must be a whole number of 1 or more`)
}
