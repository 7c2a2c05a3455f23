/** The timeline of a record: its part of the audit log, as its reader may see it now. */
import { findReads } from '../../kernel/charged.ts'
import { invalid } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { findAuditBase } from '../../store/audit/base.ts'
import { allRows } from '../../store/rows.ts'
import type { SqlValue } from '../../store/sql.ts'
import { workflowInstances } from '../../store/tables/workflows.ts'
import { findRecordNames } from '../audit/record-names.ts'
import { missingRecord } from '../object/form/load-form.ts'
import { readParameters } from '../object/parameters.ts'
import { isReadable, requireViewKey, toRecordKey } from '../object/record/record.ts'
import { findKeyedView, type KeyedView } from '../object/record/visible-keys.ts'
import { keyText } from '../object/record/written-row.ts'
import { findHidden } from '../object/rules/row-rules.ts'
import type { ViewUse } from '../object/view-access.ts'
import {
  type EntryScope,
  findAtPlace,
  findPlace,
  hasBoundary,
  loadEntries,
  type RecordEntry,
} from './audit-entries.ts'
import { loadReferenceLabels } from './reference-labels.ts'
import { LIMIT_DEFAULT, type Timeline, type TimelineEntry, type TimelineKind } from './schema.ts'
import {
  isFiles,
  listChanges,
  listShown,
  type ShownChange,
  type StoredChanges,
  toTimelineField,
} from './shown-fields.ts'
import type { InstanceUse, WorkflowCall } from '../workflow/instance-use.ts'
import { findVisibleInstances } from '../workflow/list-tasks.ts'
import { labelOfState } from '../workflow/state-label.ts'
import { loadUserNames } from '../workflow/user-labels.ts'

/** A page of the timeline that is asked for. */
interface Page {
  keys: Record<string, unknown>
  before: number | undefined
  limit: number | undefined
}

/** Entries that are read at once, and those that one page looks through: any may be hidden. */
const PIECE = 100
const LOOKED_MAX = 2000

/** Workflows that one record went through, the newest ones. */
const INSTANCES_MAX = 50
const INSTANCE_ENTITY = 'svc_workflow_instances'

/**
 * Loads a page, the newest entries first.
 * @throws notFound for a record that the caller does not see, invalid for a view without keys
 */
export async function loadTimeline(
  by: WorkflowCall,
  use: ViewUse,
  { keys, before, limit = LIMIT_DEFAULT }: Page,
  language: string,
): Promise<Timeline> {
  const { view } = use
  const keyed = findKeyedView(view)
  if (!keyed)
    throw invalid(
      say`The records of '${view.name}' have no timeline, because they have no key of their own`,
    )
  const reader = by.engine.store
  const key = requireViewKey(view, readParameters(keys))
  if (!(await isReadable(reader, use, key))) throw missingRecord()
  const values = keyed.keys.map(
    ({ field }) => key.values.find((each) => each.field === field)?.value ?? null,
  )
  const record = { by, use, keyed, values, language }
  const found = await findPage(await openRecord(record), before, limit)
  if (found.entries.length > 0 && keyed.entity.logsReads)
    findReads()?.noteRecords(keyed.entity.name, view.name, keyText(values))
  return {
    Entries: await showEntries(record, found.entries),
    Next: found.next,
    IsAudited: keyed.entity.audit,
    IsArchived: keyed.entity.audit && found.isOpenEnd && (await findAuditBase(reader)).count > 0,
  }
}

interface TimelineRecord {
  by: WorkflowCall
  use: ViewUse
  keyed: KeyedView
  /** Key values in the order of the entity's keys. */
  values: readonly SqlValue[]
  language: string
}

/** A record with what its reader may see of its entries. */
interface OpenRecord extends TimelineRecord {
  scope: EntryScope
  /** Its own names alone, without workflows. */
  own: EntryScope
  shown: ReturnType<typeof listShown>
  instances: ReadonlyMap<string, InstanceUse>
}

async function openRecord(record: TimelineRecord): Promise<OpenRecord> {
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
    instances: new Map([...instances].map(([id, instance]) => [keyText([id]), instance])),
  }
}

/** An entry that the reader sees something of. */
interface FoundEntry {
  entry: RecordEntry
  kind: TimelineKind
  changes: readonly ShownChange[]
  /** The workflow of an entry that is about one. */
  flow: InstanceUse | undefined
}

interface FoundPage {
  entries: readonly FoundEntry[]
  next: number | null
  /** True where the log ends before the record was created. */
  isOpenEnd: boolean
}

/** Finds a page; its cursors are places of entries, those of `findEntries` their ids. */
async function findPage(
  record: OpenRecord,
  place: number | undefined,
  limit: number,
): Promise<FoundPage> {
  const reader = record.by.engine.store
  const before = place === undefined ? undefined : await findAtPlace(reader, record.scope, place)
  if (before !== undefined && (await hasBoundary(reader, record.own, before)))
    return { entries: [], next: null, isOpenEnd: false }
  const found = await findEntries(record, before ?? Number.MAX_SAFE_INTEGER, limit)
  const next = found.next === null ? null : await findPlace(reader, record.scope, found.next)
  return { ...found, next }
}

async function findEntries(record: OpenRecord, from: number, limit: number): Promise<FoundPage> {
  const reader = record.by.engine.store
  const entries: FoundEntry[] = []
  let before = from
  for (let looked = 0; looked < LOOKED_MAX; looked += PIECE) {
    const rows = await loadEntries(reader, record.scope, { before, limit: PIECE })
    for (const entry of rows) {
      const isOwn = entry.Entity !== INSTANCE_ENTITY
      if (isOwn && entry.Action === 'delete') return { entries, next: null, isOpenEnd: false }
      const found = isOwn ? findOwn(record, entry) : findMove(record, entry)
      if (found && entries.length === limit) return { entries, next: before, isOpenEnd: false }
      if (found) entries.push(found)
      before = entry.Id
      if (isOwn && entry.Action === 'insert') return { entries, next: null, isOpenEnd: false }
    }
    if (rows.length < PIECE) return { entries, next: null, isOpenEnd: true }
  }
  return { entries, next: before, isOpenEnd: false }
}

/** The entry of a record; undefined where only what the reader does not see has changed. */
function findOwn({ shown }: OpenRecord, entry: RecordEntry): FoundEntry | undefined {
  const flow = undefined
  if (entry.Action === 'report') return { entry, kind: 'print', changes: [], flow }
  if (entry.Action !== 'insert' && entry.Action !== 'update') return undefined
  const changes = listChanges(shown, JSON.parse(entry.Changes) as StoredChanges)
  if (entry.Action === 'insert') return { entry, kind: 'created', changes, flow }
  if (changes.length === 0) return undefined
  return { entry, kind: changes.every(isFiles) ? 'file' : 'changed', changes, flow }
}

/** The entry of a workflow, where it moved or a user commented. */
function findMove({ instances }: OpenRecord, entry: RecordEntry): FoundEntry | undefined {
  const flow = instances.get(entry.RecordKey)
  const { State } = JSON.parse(entry.Changes) as StoredChanges
  if (!flow || (!State && entry.Action !== 'comment')) return undefined
  return { entry, kind: 'workflow', changes: [], flow }
}

async function showEntries(
  { by, use, language }: TimelineRecord,
  found: readonly FoundEntry[],
): Promise<TimelineEntry[]> {
  const reader = by.engine.store
  const { caller } = by
  const ids = found.flatMap(({ entry }) => [entry.UserId, entry.ImpersonatorId])
  const nameOf = await loadUserNames(reader, caller.companyId, ids, caller)
  const changes = found.flatMap((each) => each.changes)
  const labelOf = await loadReferenceLabels({ ...use, reader }, changes)
  const toUser = (id: number | null) => {
    const name = nameOf(id)
    return id === null || name === null ? null : { Id: id, DisplayName: name }
  }
  return found.map((each) => ({
    At: each.entry.At,
    By: toUser(each.entry.UserId),
    ActedBy: toUser(each.entry.ImpersonatorId),
    Kind: each.kind,
    Fields: each.flow
      ? showMove(each.flow, each.entry, language)
      : each.changes.map((change) => ({
          ...toTimelineField(change, language),
          ...(change.field.references !== undefined && {
            FromLabel: labelOf(change.field, change.from),
            ToLabel: labelOf(change.field, change.to),
          }),
        })),
    Text: findText(each),
  }))
}

/** The states that a workflow moved from and to. */
function showMove(
  { workflow }: InstanceUse,
  { Changes: text }: RecordEntry,
  language: string,
): TimelineEntry['Fields'] {
  const { State } = JSON.parse(text) as StoredChanges
  if (!State) return []
  const [from, to] = State
  const toLabel = (state: SqlValue) =>
    state === null ? null : labelOfState(workflow, String(state), language)
  return [
    {
      Field: workflow.name,
      Label: renderMessage(workflow.label, language),
      From: from,
      To: to,
      FromLabel: toLabel(from),
      ToLabel: toLabel(to),
    },
  ]
}

/** Changes of an entry that have its text. */
const TEXTS: Partial<Record<TimelineKind, string>> = { workflow: 'Comment', print: 'Format' }

/** The comment of a workflow entry, or the format of a printed report. */
function findText({ entry, kind }: FoundEntry): string | null {
  const from = TEXTS[kind]
  const text = from && (JSON.parse(entry.Changes) as StoredChanges)[from]?.[1]
  return typeof text === 'string' ? text : null
}
