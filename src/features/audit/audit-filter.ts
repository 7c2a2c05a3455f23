/** From the words of an audit request to its conditions. */
import { findDayRange } from '../../kernel/date-words.ts'
import { invalid, notFound } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import { dayIn, startOfDay } from '../../kernel/zones.ts'
import type { Store } from '../../store/store.ts'
import { isDate } from '../../model/fields/date.ts'
import type { Model } from '../../model/model.ts'
import { findUser, findUserById } from '../../access/users/users.ts'
import { findRecordNames, type RecordName } from '../../engine/audit/record-names.ts'
import { type AuditQuery, KINDS, LIMIT_DEFAULT, LIMIT_MAX } from './schema.ts'

/** The conditions; undefined members narrow nothing. */
export interface AuditFilter {
  entity: string | undefined
  /** A record, by all names that it had. */
  record: readonly RecordName[] | undefined
  userId: number | undefined
  companyId: number | undefined
  action: string | undefined
  kind: (typeof KINDS)[number]
  /** Instants: the first one, and the first one after. */
  from: string | undefined
  to: string | undefined
  before: number | undefined
  limit: number
}

/** Context that gives the words of a request their meaning. */
interface AuditScope {
  store: Store
  model: Model
  now: Date
  zone: string
}

/** @throws invalid for words that mean nothing; notFound for an unknown object, user or company. */
export async function requireFilter(query: AuditQuery, scope: AuditScope): Promise<AuditFilter> {
  if (query.key !== undefined && query.object === undefined)
    throw invalid(say`'key' can only be used together with 'object'`)
  const entity = query.object === undefined ? undefined : await requireEntity(query.object, scope)
  const keys = query.key === undefined ? undefined : planKeys(query.key)
  const isRecord = entity !== undefined && keys !== undefined
  return {
    entity: isRecord ? undefined : entity,
    record: isRecord ? await findRecordNames(scope.store, entity, keys) : undefined,
    userId: query.user === undefined ? undefined : await requireUserId(query.user, scope),
    companyId: query.company === undefined ? undefined : await requireCompany(query.company, scope),
    action: query.action,
    kind: requireKind(query),
    from: query.from === undefined ? undefined : requireDays('from', query.from, scope).from,
    to: query.to === undefined ? undefined : requireDays('to', query.to, scope).to,
    before: query.before === undefined ? undefined : Number(query.before),
    limit: requireLimit(query.limit),
  }
}

/** Finds the entity of a view; the log still knows entities that the model has no longer. */
async function requireEntity(name: string, { store, model }: AuditScope): Promise<string> {
  const key = name.toLowerCase()
  const entity = model.viewByKey.get(key)?.entity?.name
  if (entity !== undefined) return entity
  for (const each of model.entities.keys()) if (each.toLowerCase() === key) return each
  const sql = 'SELECT Id FROM svc_audit WHERE Entity = @name LIMIT 1'
  if (await store.get({ sql, args: { name }, runs: 'inline' })) return name
  throw notFound(say`There is no object with this name`, { code: 'OBJECT_NOT_FOUND' })
}

/** `4711` may be the number or the text; a JSON array says which. */
function planKeys(key: string): string[] {
  if (key.startsWith('[')) {
    try {
      return [JSON.stringify(JSON.parse(key))]
    } catch {
      throw invalid(say`'key' must be a JSON array`)
    }
  }
  const text = JSON.stringify([key])
  return /^-?(?:0|[1-9]\d{0,14})$/.test(key) ? [JSON.stringify([Number(key)]), text] : [text]
}

async function requireUserId(user: string, { store }: AuditScope): Promise<number> {
  const named = await findUser(store, user)
  if (named) return named.Id
  const id = toId(user)
  if (id === undefined) throw notFound(say`There is no such user`)
  // The log still knows the id of a deleted user.
  const sql = `SELECT Id FROM svc_audit WHERE UserId = @id OR ImpersonatorId = @id LIMIT 1`
  const isKnown =
    (await findUserById(store, id)) ?? (await store.get({ sql, args: { id }, runs: 'lane' }))
  if (!isKnown) throw notFound(say`There is no such user`)
  return id
}

async function requireCompany(company: string, { store }: AuditScope): Promise<number> {
  const sql = `SELECT Id FROM svc_companies WHERE lower(Code) = lower(@company) OR Id = @id
    ORDER BY lower(Code) = lower(@company) DESC LIMIT 1`
  const args = { company, id: toId(company) ?? null }
  const row = await store.get({ sql, args, runs: 'inline' })
  if (!row) throw notFound(say`There is no such company`)
  return Number(row.Id)
}

const toId = (text: string): number | undefined =>
  /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i

/** Returns the first instant of a word, a day or an instant, and the first one after it. */
function requireDays(
  name: string,
  value: string,
  { now, zone }: AuditScope,
): { from: string; to: string } {
  if (INSTANT.test(value) && !Number.isNaN(Date.parse(value))) {
    const instant = new Date(value).toISOString()
    return { from: instant, to: instant }
  }
  const range = isDate(value)
    ? { from: value, to: value }
    : findDayRange(value.slice(0, 40), dayIn(now, zone))
  if (!range) throw invalid(say`'${name}' must be an instant, a day or a date word`)
  const next = Temporal.PlainDate.from(range.to).add({ days: 1 }).toString()
  const start = (day: string): string => startOfDay(day, zone).toISOString()
  return { from: start(range.from), to: start(next) }
}

/** Reads are many: they are listed where they are asked for. */
function requireKind({ kind, action }: AuditQuery): AuditFilter['kind'] {
  if (kind === undefined) return action === undefined ? 'change' : 'all'
  const found = KINDS.find((each) => each === kind.toLowerCase())
  if (!found) throw invalid(say`'kind' must be one of: ${KINDS.join(', ')}`)
  return found
}

function requireLimit(text: string | undefined): number {
  const limit = text === undefined ? LIMIT_DEFAULT : toId(text)
  if (limit === undefined || limit > LIMIT_MAX)
    throw invalid(say`'limit' must be a number between 1 and ${LIMIT_MAX}`)
  return limit
}
