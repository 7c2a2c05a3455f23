/** Entries of a record in the audit log that its reader sees something of. */
import type { ModelText } from '../../model/model-text.ts'
import type { MailFacts } from '../object/after-write/mail-trace.ts'
import { keyText } from '../object/record/written-row.ts'
import {
  findAtPlace,
  findPlace,
  hasBoundary,
  loadEntries,
  type RecordEntry,
} from './audit-entries.ts'
import { INSTANCE_ENTITY, type OpenRecord } from './open-record.ts'
import { findActionLabel } from './ran-action.ts'
import type { TimelineKind } from './schema.ts'
import {
  isFiles,
  listChanges,
  readFacts,
  type ShownChange,
  type StoredChanges,
} from './shown-fields.ts'
import type { InstanceUse } from '../workflow/instance-use.ts'

/** Entries that are read at once, and those that one page looks through: any may be hidden. */
const PIECE = 100
const LOOKED_MAX = 2000

/** Before the first entry that is still to come, and so behind all of them. */
const NEWEST = Number.MAX_SAFE_INTEGER

/** An entry that the reader sees something of. */
export interface FoundEntry {
  entry: RecordEntry
  kind: TimelineKind
  changes: readonly ShownChange[]
  /** The workflow of an entry that is about one. */
  flow?: InstanceUse
  /** The label of an action. */
  label?: ModelText
  mail?: MailFacts
  /** The entry of the change that an action made, which is told with it. */
  change?: RecordEntry
}

/** Found entries, the newest first, and where the look for them ended. */
export interface FoundEntries {
  entries: readonly FoundEntry[]
  /** The id that they were looked for before. */
  from: number
  /** The last one that was looked at, where there are more before it. */
  end: { id: number; at: string } | null
  /** True where the log ends before the record was created. */
  isOpenEnd: boolean
}

/** Finds entries before the one at a place, which is undefined for the newest ones. */
export async function findLogged(
  record: OpenRecord,
  place: number | undefined,
  limit: number,
): Promise<FoundEntries> {
  const reader = record.by.engine.store
  const before = place === undefined ? undefined : await findAtPlace(reader, record.scope, place)
  if (before !== undefined && (await hasBoundary(reader, record.own, before)))
    return { entries: [], from: before, end: null, isOpenEnd: false }
  return findEntries(record, before ?? NEWEST, limit)
}

/** Finds the place before which the entries after `taken` of the found ones come. */
export async function findPlaceBehind(
  { by, scope }: OpenRecord,
  { entries, from, end }: FoundEntries,
  taken: number,
): Promise<number> {
  const found = entries[taken - 1]
  const last = (found?.change ?? found?.entry)?.Id ?? from
  const id = taken === entries.length ? (end?.id ?? last) : last
  const place = await findPlace(by.engine.store, scope, id)
  return id === NEWEST ? place + 1 : place
}

async function findEntries(record: OpenRecord, from: number, limit: number): Promise<FoundEntries> {
  const reader = record.by.engine.store
  const entries: FoundEntry[] = []
  let end: FoundEntries['end'] = null
  const stop = (isOpenEnd: boolean): FoundEntries => ({ entries, from, end: null, isOpenEnd })
  for (let looked = 0; looked < LOOKED_MAX; looked += PIECE) {
    const before = end?.id ?? from
    const rows = await loadEntries(reader, record.scope, { before, limit: PIECE })
    for (const entry of rows) {
      const isOwn = entry.Entity !== INSTANCE_ENTITY
      if (isOwn && entry.Action === 'delete') return stop(false)
      const found = isOwn ? findOwn(record, entry) : findMove(record, entry)
      if (joinAction(entries, entry, found)) {
        end = { id: entry.Id, at: entry.At }
        continue
      }
      if (found && entries.length === limit) return { entries, from, end, isOpenEnd: false }
      if (found) entries.push(found)
      end = { id: entry.Id, at: entry.At }
      if (isOwn && entry.Action === 'insert') return stop(false)
    }
    if (rows.length < PIECE) return stop(true)
  }
  return { entries, from, end, isOpenEnd: false }
}

type FindEntry = (record: OpenRecord, entry: RecordEntry) => FoundEntry | undefined

const readChanges = ({ Changes }: RecordEntry): StoredChanges =>
  JSON.parse(Changes) as StoredChanges

/** Entries of the record itself by their action; those of other actions are not told. */
const OWN: Readonly<Record<string, FindEntry>> = {
  insert: ({ shown }, entry) => {
    return { entry, kind: 'created', changes: listChanges(shown, readChanges(entry)) }
  },
  update: findChange,
  action: findAction,
  mail: findMail,
  report: (_, entry) => ({ entry, kind: 'print', changes: [] }),
}

/** The entry of a record; undefined where only what the reader does not see has changed. */
const findOwn: FindEntry = (record, entry) => OWN[entry.Action]?.(record, entry)

function findChange({ shown }: OpenRecord, entry: RecordEntry): FoundEntry | undefined {
  const changes = listChanges(shown, readChanges(entry))
  if (changes.length === 0) return undefined
  return { entry, kind: changes.every(isFiles) ? 'file' : 'changed', changes }
}

/** A mail; one about a task only for those who see its workflow. */
function findMail({ instances }: OpenRecord, entry: RecordEntry): FoundEntry | undefined {
  const mail = readFacts<MailFacts>(readChanges(entry))
  const { Instance } = mail
  if (Instance !== undefined && !instances.has(keyText([Instance]))) return undefined
  return { entry, kind: 'mail', changes: [], mail }
}

function findAction({ by, keyed }: OpenRecord, entry: RecordEntry): FoundEntry | undefined {
  const label = findActionLabel(by, keyed.entity.name, readChanges(entry))
  return label === undefined ? undefined : { entry, kind: 'action', changes: [], label }
}

/**
 * Joins a change to the action that made it, so that it is shown once: the log has the two one
 * behind the other (`writeTraces`). True where the entry was such a change.
 */
function joinAction(
  entries: FoundEntry[],
  entry: RecordEntry,
  found: FoundEntry | undefined,
): boolean {
  const last = entries.at(-1)
  if (last?.label === undefined || last.change || entry.Action !== 'update') return false
  const { Id, Entity, TraceId } = last.entry
  const isIts = Id === entry.Id + 1 && Entity === entry.Entity && TraceId === entry.TraceId
  if (!isIts) return false
  entries[entries.length - 1] = { ...last, changes: found?.changes ?? [], change: entry }
  return true
}

/** The entry of a workflow, where it moved or a user commented. */
function findMove({ instances }: OpenRecord, entry: RecordEntry): FoundEntry | undefined {
  const flow = instances.get(entry.RecordKey)
  const { State } = JSON.parse(entry.Changes) as StoredChanges
  if (!flow || (!State && entry.Action !== 'comment')) return undefined
  return { entry, kind: 'workflow', changes: [], flow }
}
