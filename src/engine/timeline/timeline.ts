/** The timeline of a record: its part of the audit log and its comments, as the reader sees it. */
import { findReads } from '../../kernel/charged.ts'
import { invalid } from '../../kernel/failure.ts'
import { renderMessage, say } from '../../kernel/messages.ts'
import { findAuditBase } from '../../store/audit/base.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { CommentRow } from '../comments/comment-records.ts'
import { showComments } from '../comments/comments.ts'
import { missingRecord } from '../object/form/load-form.ts'
import { readParameters } from '../object/parameters.ts'
import { isReadable, requireViewKey } from '../object/record/record.ts'
import { findKeyedView } from '../object/record/visible-keys.ts'
import { keyText } from '../object/record/written-row.ts'
import type { ViewUse } from '../object/view-access.ts'
import type { RecordEntry } from './audit-entries.ts'
import type { FoundEntry } from './logged-entries.ts'
import { loadMails, type ShownMail } from './mail-entries.ts'
import { findPage, isComment } from './merged-page.ts'
import { openRecord, type OpenRecord } from './open-record.ts'
import { loadReferenceLabels } from './reference-labels.ts'
import { LIMIT_DEFAULT, type Timeline, type TimelineEntry, type TimelineKind } from './schema.ts'
import { type StoredChanges, toTimelineField } from './shown-fields.ts'
import type { InstanceUse, WorkflowCall } from '../workflow/instance-use.ts'
import { labelOfState } from '../workflow/state-label.ts'
import { loadUserNames } from '../workflow/user-labels.ts'

/** A page of the timeline that is asked for. */
interface Page {
  keys: Record<string, unknown>
  before: string | undefined
  limit: number | undefined
}

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
  const record = await openRecord({ by, use, keyed, values, language })
  const { items, next, isOpenEnd } = await findPage(record, before, limit)
  if (items.length > 0 && keyed.entity.logsReads)
    findReads()?.noteRecords(keyed.entity.name, view.name, keyText(values))
  return {
    Entries: await showItems(record, items),
    Next: next,
    IsAudited: keyed.entity.audit,
    IsArchived: keyed.entity.audit && isOpenEnd && (await findAuditBase(reader)).count > 0,
  }
}

/** Shows entries and comments in their order. */
async function showItems(
  record: OpenRecord,
  items: readonly (FoundEntry | CommentRow)[],
): Promise<TimelineEntry[]> {
  const entries = await showEntries(
    record,
    items.flatMap((item) => (isComment(item) ? [] : item)),
  )
  const comments = await showSaid(record, items.filter(isComment))
  const streams = { entries: entries.values(), comments: comments.values() }
  return items.flatMap(
    (item) => (isComment(item) ? streams.comments : streams.entries).next().value ?? [],
  )
}

async function showSaid({ by }: OpenRecord, rows: readonly CommentRow[]): Promise<TimelineEntry[]> {
  const comments = await showComments(by.engine.store, by.caller, rows)
  return comments.map(({ At, By, ActedBy, Text, ...Comment }) => ({
    At,
    By,
    ActedBy,
    Kind: 'comment',
    Fields: [],
    Text,
    Comment,
  }))
}

async function showEntries(
  record: OpenRecord,
  found: readonly FoundEntry[],
): Promise<TimelineEntry[]> {
  const { by, use, language } = record
  const reader = by.engine.store
  const { caller } = by
  const ids = found.flatMap(({ entry }) => [entry.UserId, entry.ImpersonatorId])
  const nameOf = await loadUserNames(reader, caller.companyId, ids, caller)
  const changes = found.flatMap((each) => each.changes)
  const labelOf = await loadReferenceLabels({ ...use, reader }, changes)
  const mails = await loadMails(record, found)
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
    Text: findText(each, language),
    ...showMail(mails.get(each)),
  }))
}

function showMail(mail: ShownMail | undefined): Pick<TimelineEntry, 'Text' | 'Mail'> | undefined {
  if (!mail) return undefined
  const { subject, ...Mail } = mail
  return { Text: subject, Mail }
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

/** The label of an action, the comment of a workflow entry, or the format of a printed report. */
function findText({ entry, kind, label }: FoundEntry, language: string): string | null {
  if (label !== undefined) return renderMessage(label, language)
  const from = TEXTS[kind]
  const text = from && (JSON.parse(entry.Changes) as StoredChanges)[from]?.[1]
  return typeof text === 'string' ? text : null
}
