/** Records that people comment on, and who sees them: judged anew at each use. */
import type { Clock } from '../../kernel/clock.ts'
import { Failure, type FieldErrors, invalid, validation } from '../../kernel/failure.ts'
import { type Message, say } from '../../kernel/messages.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import { takesComments } from '../../model/view-index.ts'
import type { Caller } from '../../access/callers/caller.ts'
import type { Callers } from '../../access/callers/callers.ts'
import type { CommentRow, RecordPlace } from './comment-records.ts'
import { missingRecord } from '../object/form/load-form.ts'
import { readParameters } from '../object/parameters.ts'
import { findSubjects } from '../object/record/notified-records.ts'
import { isReadable, requireViewKey, type ViewKey } from '../object/record/record.ts'
import { findKeyedView } from '../object/record/visible-keys.ts'
import { keyText } from '../object/record/written-row.ts'
import type { ViewUse } from '../object/view-access.ts'
import { loadUserNames } from '../workflow/user-labels.ts'

/** The parts by which people and what they see are looked up. */
export interface Sight {
  readonly store: Reader
  readonly clock: Clock
  readonly callers: Callers
}

/** A record of a request, with how its entity's comments name it. */
export interface RequestedRecord {
  use: ViewUse
  key: ViewKey
  values: readonly SqlValue[]
  place: RecordPlace & Pick<CommentRow, 'Object'>
}

/** Reads the record of a request. @throws invalid for a false key, an object without comments */
export function readRecord(use: ViewUse, keys: Record<string, unknown>): RequestedRecord {
  const { view, grant } = use
  const keyed = takesComments(view) ? findKeyedView(view) : undefined
  if (!keyed) throw invalid(say`The records of '${view.name}' take no comments`)
  const key = requireViewKey(view, readParameters(keys))
  const values = keyed.keys.map(
    ({ field }) => key.values.find((each) => each.field === field)?.value ?? null,
  )
  const place = {
    CompanyId: grant.caller.companyId,
    Entity: keyed.entity.name,
    RecordKey: keyText(values),
    Object: view.name,
  }
  return { use, key, values, place }
}

/** Requires that the caller sees the record now. @throws notFound, as for a missing one */
export async function requireSeen(reader: Reader, { use, key }: RequestedRecord): Promise<void> {
  if (!(await isReadable(reader, use, key))) throw missingRecord()
}

/** Tells whether a caller sees the record in a view of its entity, by the rights of now. */
export async function seesRecord(
  parts: Pick<Sight, 'store' | 'clock'>,
  by: { caller: Caller; model: Model },
  { CompanyId, Entity, RecordKey, Object: name }: RequestedRecord['place'],
): Promise<boolean> {
  if (by.caller.companyId !== CompanyId) return false
  const row = { Id: 0, Object: name, Entity, RecordKey, Url: null }
  const subject = (await findSubjects(parts, by, [row])).get(row.Id)
  return subject !== undefined && subject.Object !== null
}

/** Finds which of some users see the record; locked ones and those who left do not. */
export async function listSeeing(
  sight: Sight,
  model: Model,
  place: RequestedRecord['place'],
  users: readonly number[],
): Promise<number[]> {
  const seeing: number[] = []
  for (const userId of users) {
    const caller = await findCaller(sight, { userId, companyId: place.CompanyId })
    if (caller && (await seesRecord(sight, { caller, model }, place))) seeing.push(userId)
  }
  return seeing
}

async function findCaller(
  { callers }: Sight,
  of: { userId: number; companyId: number },
): Promise<Caller | undefined> {
  try {
    return await callers.loadWithoutSession(of)
  } catch (error) {
    if (error instanceof Failure && error.kind !== 'internal') return undefined
    throw error
  }
}

/**
 * Requires that all whom a comment mentions see its record, so that a notification tells nobody of
 * what is hidden from them.
 * @throws validation (400) that names each who does not
 */
export async function requireSeeing(
  sight: Sight,
  model: Model,
  place: RequestedRecord['place'],
  users: readonly number[],
): Promise<void> {
  const seeing = new Set(await listSeeing(sight, model, place, users))
  if (users.every((id) => seeing.has(id))) return
  const nameOf = await loadUserNames(sight.store, place.CompanyId, users)
  const faults: FieldErrors = {}
  for (const [at, id] of users.entries())
    if (!seeing.has(id)) faults[`Mentions[${at}]`] = describeBlind(nameOf(id))
  throw validation(faults)
}

const describeBlind = (name: string | null): Message =>
  name === null ? say`There is no such user in this company` : say`${name} does not see this record`
