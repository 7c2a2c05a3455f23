/** The concurrency stamp: the refusal of a stale one, and the changes that a merge lets through. */
import { conflict, type Failure, invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { SqlRow } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { AuthoredCondition } from '../../../model/compiled/authored-sql.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import { isServed } from '../read/find-view.ts'
import type { Purpose } from '../read/source.ts'
import {
  keyValues,
  loadSaved,
  notPermittedNow,
  type RecordKey,
  requireStored,
} from '../record/record.ts'
import { keyText } from '../record/written-row.ts'
import type { Changes } from './changes.ts'
import { findHidden } from './row-rules.ts'
import { isAsStored, parseValue } from '../value.ts'
import type { RecordAccess } from '../view-access.ts'

/** The reserved name of the stamp, in requests and in tables. */
export const STAMP = 'RowVersion'

/** How a stamp is checked. */
interface StampRule {
  /** The stamp as the request sent it. */
  given: unknown
  isRequired: boolean
  /** Changes that may pass if their fields have not moved; undefined: no changes may. */
  merge: Changes | undefined
}

/** Among which rows a record must be, and under which condition it may be changed. */
interface ChangeRule extends Omit<StampRule, 'merge'> {
  purpose: Purpose
  permit: AuthoredCondition | undefined
}

interface Moved {
  fields: Set<string>
  by: string | null
  at: string | null
  /** True when every change since the given stamp is known. */
  isComplete: boolean
}

/**
 * @throws invalid when a required stamp is missing; conflict (409) when it is stale
 * (src/server/README.md, Concurrency).
 */
export async function requireStamp(
  access: RecordAccess<Reader>,
  key: RecordKey,
  row: SqlRow,
  { given, isRequired, merge }: StampRule,
): Promise<void> {
  if (!access.entity.concurrency) return
  if (!isGiven(given)) {
    if (!isRequired) return
    throw invalid(say`${STAMP} is missing. Send the value that the record was loaded with.`, {
      code: 'ROW_VERSION_REQUIRED',
    })
  }
  const current = Number(row[STAMP])
  const known = readStamp(given)
  if (known === current) return
  const moved = await loadMoved(access, key, known, current)
  if (merge && moved.isComplete && !touches(merge, moved.fields)) return
  await refuseStale(access, key, row, moved)
}

/**
 * The stored row of a record that the caller may change now. @throws notFound for one that is not
 * among the rows of the purpose, and as `requireStamp`; invalid where its permit does not hold.
 */
export async function requireChangeable(
  access: RecordAccess<Reader>,
  key: RecordKey,
  { purpose, permit, ...stamp }: ChangeRule,
): Promise<SqlRow> {
  const { row, isPermitted } = await requireStored(access, key, purpose, permit)
  await requireStamp(access, key, row, { ...stamp, merge: undefined })
  if (!isPermitted) throw notPermittedNow()
  return row
}

/** Tells whether a request brings a stamp at all. */
export const isGiven = (stamp: unknown): boolean =>
  stamp !== undefined && stamp !== null && stamp !== ''

/** The stamp as it was served; a value that is not a stamp counts as stale. */
function readStamp(given: unknown): number | undefined {
  const text = typeof given === 'string' || typeof given === 'number' ? String(given) : ''
  return /^\d{1,16}$/.test(text) ? Number(text) : undefined
}

function touches(changes: Changes, moved: ReadonlySet<string>): boolean {
  return [...changes.keys()].some((field) => field.column && moved.has(field.column.name))
}

async function loadMoved(
  { reader, entity }: RecordAccess<Reader>,
  key: RecordKey,
  given: number | undefined,
  current: number,
): Promise<Moved> {
  const rows = await reader.all<{ Stamp: number; Fields: string; DisplayName: string; At: string }>(
    `SELECT s.Stamp, s.Fields, u.DisplayName, s.At FROM svc_stamps s
     LEFT JOIN main.svc_users u ON u.Id = s.UserId
     WHERE s.Entity = @entity AND s.RecordKey = @key AND s.Stamp > @given ORDER BY s.Stamp`,
    { entity: entity.name, key: keyText(keyValues(entity, key)), given: given ?? -1 },
  )
  const fields = new Set(rows.flatMap((row) => JSON.parse(row.Fields) as string[]))
  const last = rows.at(-1)
  return {
    fields,
    by: last?.DisplayName ?? null,
    at: last?.At ?? null,
    isComplete: given !== undefined && rows.length === current - given,
  }
}

async function refuseStale(
  access: RecordAccess<Reader>,
  key: RecordKey,
  row: SqlRow,
  moved: Moved,
): Promise<never> {
  throw changedMeanwhile({ members: { conflict: await describeMoved(access, key, row, moved) } })
}

/** 409: what the caller had loaded is another by now. */
export const changedMeanwhile = (details?: ConstructorParameters<typeof Failure>[2]): Failure =>
  conflict(say`The record was changed by someone else. Reload it and try again.`, details)

/** A record as a 409 tells of it: as the caller sees it now, and what moved of it. */
interface MovedRecord {
  Current: Record<string, unknown> | null
  ChangedFields: string[]
  ChangedBy: string | null
  ChangedAt: string | null
  /** Null where its entity keeps none. */
  RowVersion: string | null
}

const NOTHING_MOVED: Moved = { fields: new Set(), by: null, at: null, isComplete: true }

/** Tells whether a stamp that a request brings is not that of the stored row. */
export const isStale = ({ concurrency }: Entity, row: SqlRow, given: unknown): boolean =>
  concurrency && isGiven(given) && readStamp(given) !== Number(row[STAMP])

/** Describes a stored record, with what moved of it where the given stamp is stale. */
export async function describeRecord(
  access: RecordAccess<Reader>,
  key: RecordKey,
  row: SqlRow,
  given: unknown,
): Promise<MovedRecord> {
  const moved = isStale(access.entity, row, given)
    ? await loadMoved(access, key, readStamp(given), Number(row[STAMP]))
    : NOTHING_MOVED
  return describeMoved(access, key, row, moved)
}

async function describeMoved(
  access: RecordAccess<Reader>,
  key: RecordKey,
  row: SqlRow,
  moved: Moved,
): Promise<MovedRecord> {
  const { view, grant, entity } = access
  const current = (await loadSaved(access, key, 'read')) ?? null
  const hidden = await findHidden(access, key)
  const changed = view.fields
    .filter(({ name }) => !hidden.has(name.toLowerCase()))
    .filter((field) => isServed(view, grant, field) && moved.fields.has(field.column?.name ?? ''))
    .map((field) => field.name)
  return {
    Current: current,
    ChangedFields: changed,
    ChangedBy: moved.by,
    ChangedAt: moved.at,
    RowVersion: entity.concurrency ? String(row[STAMP]) : null,
  }
}

/** Values of a record as its caller loaded them, by lower-case name. */
export type LoadedValues = ReadonlyMap<string, unknown>

/**
 * Names of the fields that are stored otherwise than they were loaded. Fields that the caller does
 * not see are never compared: a guess of their values would be answered.
 */
export async function listMoved(
  access: RecordAccess<Reader>,
  key: RecordKey,
  row: SqlRow,
  loaded: LoadedValues,
): Promise<string[]> {
  const { view, grant } = access
  const hidden = await findHidden(access, key)
  return [...loaded].flatMap(([name, given]) => {
    const field = view.fieldByName.get(name)
    if (!field?.column || hidden.has(name) || !isServed(view, grant, field)) return []
    const stored = row[field.column.name] ?? null
    return isAsStored(field, { given, parsed: parseValue(field, given), stored })
      ? []
      : [field.name]
  })
}

/**
 * Where the caller says what they had loaded: the record is still so, in all of it or in the fields
 * that they change. @throws conflict (409)
 */
export async function requireAsLoaded(
  access: RecordAccess<Reader>,
  key: RecordKey,
  row: SqlRow,
  { loaded, changes }: { loaded?: LoadedValues | undefined; changes?: Changes },
): Promise<void> {
  if (!loaded) return
  const changed = changes && new Set([...changes.keys()].map(({ name }) => name))
  const moved = await listMoved(access, key, row, loaded)
  if (moved.some((name) => changed?.has(name) ?? true)) throw changedMeanwhile()
}
