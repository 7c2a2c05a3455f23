/**
 * Notifications as their user may have them now: a notification names its subject to a user who
 * sees it when they read, and not to one who only saw it when it was written.
 */
import type { Clock } from '../../../kernel/clock.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { View } from '../../../model/compiled/view.ts'
import { listMainViews } from '../../../model/main-views.ts'
import type { Model } from '../../../model/model.ts'
import type { Caller } from '../../../access/callers/caller.ts'
import { Grant } from '../../../access/rights/grant.ts'
import type {
  NotificationRecord,
  NotificationRow,
} from '../../notifications/notification-records.ts'
import { newContext } from '../context.ts'
import { findKeyedView, findVisible, toWireKeys } from './visible-keys.ts'
import { keyText } from './written-row.ts'
import type { ViewUse } from '../view-access.ts'

/** The parts that records are looked up with. */
interface NoticeParts {
  store: Reader
  clock: Clock
}

/** The reader of notifications, with the model at that time. */
export interface NoticeReader {
  caller: Caller
  model: Model
}

type Row = Pick<NotificationRow, 'Id' | 'Object' | 'Entity' | 'RecordKey' | 'Url'>

/** The subject of a notification: all null for a view or a record that its user does not see. */
type NoticeSubject = Pick<NotificationRecord, 'Object' | 'Keys' | 'Url'>

const HIDDEN: NoticeSubject = { Object: null, Keys: null, Url: null }

/** Tells whether a record must be looked up before the notification can be shown. */
export const isAboutRecord = ({ Entity, RecordKey }: Row): boolean =>
  Entity !== null && RecordKey !== null

/** Composes notifications as clients have them, in their order. */
export async function toNotifications(
  parts: NoticeParts,
  by: NoticeReader,
  rows: readonly NotificationRow[],
): Promise<NotificationRecord[]> {
  const subjects = await findSubjects(parts, by, rows)
  return rows.map((row) => compose(row, subjects.get(row.Id) ?? HIDDEN))
}

/** Composes one notification. */
export async function toNotification(
  parts: NoticeParts,
  by: NoticeReader,
  row: NotificationRow,
): Promise<NotificationRecord> {
  const subjects = await findSubjects(parts, by, [row])
  return compose(row, subjects.get(row.Id) ?? HIDDEN)
}

/** Composes a notification that is not about a record: nothing is read for it. */
export const toPlainNotification = (row: NotificationRow, by: NoticeReader): NotificationRecord =>
  compose(row, findPlainSubject(row, by))

function compose(row: NotificationRow, subject: NoticeSubject): NotificationRecord {
  const { Id, Kind, Title, Body, Level, FromUserId, FromName, CreatedAt, ReadAt } = row
  return {
    Id,
    Seq: Id,
    Kind,
    Title,
    Body,
    Level,
    ...subject,
    From: FromUserId === null ? null : { Id: FromUserId, DisplayName: FromName ?? '' },
    CreatedAt,
    ReadAt,
  }
}

/** Finds notifications' subjects, by Id: one statement for each view that has their records. */
export async function findSubjects(
  parts: NoticeParts,
  by: NoticeReader,
  rows: readonly Row[],
): Promise<ReadonlyMap<number, NoticeSubject>> {
  const subjects = new Map<number, NoticeSubject>()
  let sought: Sought[] = []
  for (const row of rows) {
    if (isAboutRecord(row)) sought.push({ row, views: listOpenViews(row, by) })
    else subjects.set(row.Id, findPlainSubject(row, by))
  }
  while (sought.length > 0) {
    const left: Sought[] = []
    for (const [view, own] of Map.groupBy(sought, ({ views }) => views[0])) {
      if (!view) continue
      const found = await findIn(parts, by, view, own)
      for (const [id, subject] of found) subjects.set(id, subject)
      const missed = own.filter(({ row }) => !found.has(row.Id))
      left.push(...missed.map(({ row, views }) => ({ row, views: views.slice(1) })))
    }
    sought = left
  }
  return subjects
}

/** A record that is looked for in one view after another. */
interface Sought {
  row: Row
  views: readonly View[]
}

function findPlainSubject({ Object: name, Entity, Url }: Row, by: NoticeReader): NoticeSubject {
  if (name === null && Entity === null) return { Object: null, Keys: null, Url }
  const [view] = listOpenViews({ Object: name, Entity }, by)
  return view ? { Object: view.name, Keys: null, Url } : HIDDEN
}

/** The view that caused the notification, then the entity's views, the main one first. */
function listOpenViews(
  { Object: name, Entity }: Pick<Row, 'Object' | 'Entity'>,
  { caller, model }: NoticeReader,
): View[] {
  const named = name === null ? undefined : model.views.get(name)
  const others = Entity === null ? [] : listMainViews(model, Entity)
  const views = new Set(named ? [named, ...others] : others)
  return [...views].filter(({ resource }) => Grant.find(caller, model, resource, 'View'))
}

async function findIn(
  { store, clock }: NoticeParts,
  { caller, model }: NoticeReader,
  view: View,
  sought: readonly Sought[],
): Promise<ReadonlyMap<number, NoticeSubject>> {
  const found = new Map<number, NoticeSubject>()
  const keyed = view.wizard ? undefined : findKeyedView(view)
  const grant = Grant.find(caller, model, view.resource, 'View')
  if (!keyed || !grant) return found
  const use: ViewUse = { view, grant, context: newContext({ clock }, caller, model) }
  const keys = sought.flatMap(({ row }) => {
    const key = row.Entity === keyed.entity.name ? readKey(row, keyed.keys.length) : undefined
    return key ? [{ row, key }] : []
  })
  const list = keys.map(({ key }) => key)
  const seen = await findVisible(store, keyed, use, list)
  for (const { row, key } of keys) {
    const Keys = seen.has(keyText(key)) ? toWireKeys(keyed, use, key) : null
    if (Keys) found.set(row.Id, { Object: view.name, Keys, Url: row.Url })
  }
  return found
}

/** Undefined for a key of another length: the entity's key was another one then. */
function readKey({ RecordKey }: Row, length: number): SqlValue[] | undefined {
  const key = JSON.parse(RecordKey ?? '[]') as SqlValue[]
  return key.length === length ? key : undefined
}
