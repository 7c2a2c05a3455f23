/**
 * Audit entries of reading: the user, the view and the records of an entity that were shown; or,
 * where a statement names no records, what was asked for where.
 */
import { type AuditRecord, planAuditRecord } from '../../store/audit/record.ts'

/** The action of such an entry. */
export const READ = 'read'

/** Records that one answer showed, as the journal has them. */
export interface ShownRecords {
  /** The instant, in ISO form. */
  at: string
  userId: number | null
  impersonatorId: number | null
  companyId: number | null
  /** The view, or the path of the request where the records are not named. */
  source: string
  traceId: string | null
  entity: string
  /** Keys as JSON arrays, each on a line; undefined where the answer does not name its records. */
  keys?: string
  /** The request for records that are not named. */
  request?: unknown
}

/** Keys of one entry at most; more go into further ones. */
const KEYS_MAX = 1000

/** The changes of such an entry, as `svc_audit` holds them. */
export interface StoredRead {
  /** The keys of the records, where they are more than one. */
  Keys?: unknown[]
  /** The instant when the last of them was first shown. */
  Until?: string
  Request?: unknown
}

interface Merged {
  first: ShownRecords
  last: ShownRecords
  keys: Set<string>
}

/** Entries of answers: one for all in which the same user was shown records of a view. */
export function planReadEntries(shown: readonly ShownRecords[]): AuditRecord[] {
  const merged = new Map<string, Merged>()
  for (const one of shown) {
    const name = nameOf(one)
    const known = merged.get(name)
    const into = known ?? { first: one, last: one, keys: new Set<string>() }
    if (!known) merged.set(name, into)
    into.last = one
    for (const key of one.keys?.split('\n') ?? []) into.keys.add(key)
  }
  return [...merged.values()].flatMap(planEntries)
}

/** Requests are told apart: each says what was asked. */
function nameOf(shown: ShownRecords): string {
  const { userId, impersonatorId, companyId, source, entity, keys, request } = shown
  const asked = keys === undefined ? JSON.stringify(request ?? null) : ''
  return `${userId} ${impersonatorId} ${companyId} ${entity} ${source}\n${asked}`
}

function planEntries({ first, last, keys }: Merged): AuditRecord[] {
  const all = [...keys]
  const parts = Array.from({ length: Math.max(1, Math.ceil(all.length / KEYS_MAX)) }, (_, at) =>
    all.slice(at * KEYS_MAX, (at + 1) * KEYS_MAX),
  )
  return parts.map((part) => {
    const changes: StoredRead = {
      ...(last.at !== first.at && { Until: last.at }),
      ...(first.request !== undefined && { Request: first.request }),
    }
    const recordKey = part.length === 1 ? (part[0] ?? '[]') : '[]'
    const record = planAuditRecord(new Date(first.at), first, {
      entity: first.entity,
      key: [],
      action: READ,
      changes: { ...changes },
    })
    return { ...record, recordKey, changes: withKeys(record.changes, part) }
  })
}

/** Adds keys to the text of an object: they are JSON as they are. */
function withKeys(changes: string, keys: readonly string[]): string {
  if (keys.length < 2) return changes
  const rest = changes.slice(1)
  return `{"Keys":[${keys.join(',')}]${rest === '}' ? '' : ','}${rest}`
}
