/** A page of the audit log: by which index it is found, and as the wire shows it. */
import { renderMessage } from '../../kernel/messages.ts'
import type { SqlArgs, SqlRow, SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import type { Model } from '../../model/model.ts'
import { READ, type StoredRead } from '../../engine/audit/read-entry.ts'
import type { RecordName } from '../../engine/audit/record-names.ts'
import type { AuditFilter } from './audit-filter.ts'
import type { AuditPage, Entry } from './schema.ts'

/** Most entries that are sorted at once; more are read in the order of their ids. */
const SORTED_MAX = 10_000

const COLUMNS = `a.Id, a.At, a.UserId, u.UserName, a.ImpersonatorId, i.UserName AS ImpersonatorName,
  a.CompanyId, c.Code, a.Source, a.TraceId, a.Entity, a.RecordKey, a.Action, a.Changes`
const JOINS = `LEFT JOIN svc_users u ON u.Id = a.UserId
  LEFT JOIN svc_users i ON i.Id = a.ImpersonatorId
  LEFT JOIN svc_companies c ON c.Id = a.CompanyId`

/** The newest entries that a filter lets through, one more than it asks for. */
async function loadRows(reader: Reader, filter: AuditFilter): Promise<SqlRow[]> {
  const args = toArgs(filter)
  const ids = await planIds(reader, filter, args)
  const sql = `SELECT ${COLUMNS} FROM svc_audit a ${JOINS}
    WHERE a.Id IN (${ids}) ORDER BY a.Id DESC`
  return reader.all({ sql, args, runs: 'lane' })
}

/**
 * Plans the ids of a page. A record, an object or a span of time with few entries is found by its
 * index and sorted; a user's entries are in order in theirs; others are read from the newest on.
 */
async function planIds(reader: Reader, filter: AuditFilter, args: SqlArgs): Promise<string> {
  const all = planConditions(filter)
  for (const { index, conditions } of planNarrow(filter))
    if (await isNarrow(reader, index, conditions, args))
      return planPage(`INDEXED BY ${index}`, [...all, ...planUser(filter)])
  if (filter.userId === undefined) return planPage('NOT INDEXED', all)
  const own = planPage('INDEXED BY svc_audit_user', [...all, 'UserId = @user'])
  const acting = planPage('INDEXED BY svc_audit_impersonator', [...all, 'ImpersonatorId = @user'])
  return `SELECT Id FROM (SELECT Id FROM (${own}) UNION SELECT Id FROM (${acting}))
    ORDER BY Id DESC LIMIT @limit`
}

const planPage = (how: string, conditions: readonly string[]): string =>
  `SELECT Id FROM svc_audit ${how} ${whereOf(conditions)} ORDER BY Id DESC LIMIT @limit`

const whereOf = (conditions: readonly string[]): string =>
  conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''

const planUser = ({ userId }: AuditFilter): string[] =>
  userId === undefined ? [] : ['(UserId = @user OR ImpersonatorId = @user)']

const CONDITIONS: Readonly<Record<AuditFilter['kind'], readonly string[]>> = {
  change: [`Action <> '${READ}'`],
  read: [`Action = '${READ}'`],
  all: [],
}

function planConditions(filter: AuditFilter): string[] {
  return [
    ...planRecord(filter),
    ...planTime(filter),
    ...CONDITIONS[filter.kind],
    ...(filter.action === undefined ? [] : ['Action = @action']),
    ...(filter.companyId === undefined ? [] : ['CompanyId = @company']),
    ...(filter.before === undefined ? [] : ['Id < @before']),
  ]
}

const planRecord = ({ entity, record, kind }: AuditFilter): string[] => [
  ...(entity === undefined ? [] : ['Entity = @entity']),
  ...(record === undefined ? [] : kind === 'change' ? planNames(record) : planShown(record)),
]

/** Entries of a record, and those of reading it among others, whose key is empty. */
function planShown(record: readonly RecordName[]): string[] {
  const at = record.map((_, index) => index)
  const names = at.flatMap((n) =>
    [`@key${n}`, `@otherKey${n}`, `'[]'`].map((key) => `(@entity${n}, ${key})`),
  )
  const spans = at.map((n) => {
    const keys = `(@key${n}, @otherKey${n})`
    const shown = `EXISTS (SELECT 1 FROM json_each(Changes, '$.Keys') WHERE value IN ${keys})`
    return (
      `(Entity = @entity${n} AND Id > @after${n} AND Id <= @upTo${n} AND ` +
      `(RecordKey IN ${keys} OR (Action = '${READ}' AND RecordKey = '[]' AND ${shown})))`
    )
  })
  return [`(Entity, RecordKey) IN (VALUES ${names.join(', ')})`, `(${spans.join(' OR ')})`]
}

/** The index finds all names; of each, the entries count that it had then. */
function planNames(record: readonly RecordName[]): string[] {
  const [only] = record
  if (record.length === 1 && only?.after === 0)
    return ['Entity = @entity0', `RecordKey IN (@key0, @otherKey0)`]
  const at = record.map((_, index) => index)
  const names = at.map((n) => `(@entity${n}, @key${n}), (@entity${n}, @otherKey${n})`)
  const spans = at.map(
    (n) =>
      `(Entity = @entity${n} AND RecordKey IN (@key${n}, @otherKey${n}) ` +
      `AND Id > @after${n} AND Id <= @upTo${n})`,
  )
  return [`(Entity, RecordKey) IN (VALUES ${names.join(', ')})`, `(${spans.join(' OR ')})`]
}

function argsOfNames(record: readonly RecordName[] = []): Record<string, SqlValue> {
  const args: Record<string, SqlValue> = {}
  for (const [n, { entity, keys, after, upTo }] of record.entries())
    Object.assign(args, {
      [`entity${n}`]: entity,
      [`key${n}`]: keys[0],
      [`otherKey${n}`]: keys[1] ?? null,
      [`after${n}`]: after,
      [`upTo${n}`]: upTo,
    })
  return args
}

const planTime = ({ from, to }: AuditFilter): string[] => [
  ...(from === undefined ? [] : ['At >= @from']),
  ...(to === undefined ? [] : ['At < @to']),
]

function planNarrow(filter: AuditFilter): { index: string; conditions: string[] }[] {
  return [
    { index: 'svc_audit_record', conditions: planRecord(filter) },
    { index: 'svc_audit_at', conditions: planTime(filter) },
  ].filter(({ conditions }) => conditions.length > 0)
}

async function isNarrow(
  reader: Reader,
  index: string,
  conditions: readonly string[],
  args: SqlArgs,
): Promise<boolean> {
  const sql = `SELECT count(*) AS Entries FROM (SELECT 1 FROM svc_audit INDEXED BY ${index}
    ${whereOf(conditions)} LIMIT ${SORTED_MAX + 1})`
  const row = await reader.get({ sql, args, runs: 'lane' })
  return Number(row?.Entries) <= SORTED_MAX
}

function toArgs(filter: AuditFilter): SqlArgs {
  const { entity, record, userId, companyId, action, from, to, before, limit } = filter
  return {
    entity,
    ...argsOfNames(record),
    user: userId,
    company: companyId,
    action,
    from,
    to,
    before,
    limit: limit + 1,
  }
}

const LABEL = '__Label'

/** The newest entries that a filter lets through; labels are the model's, where it has them. */
export async function loadAudit(
  reader: Reader,
  filter: AuditFilter,
  model: Model,
  language?: string,
): Promise<Omit<AuditPage, 'Archived'>> {
  const rows = await loadRows(reader, filter)
  const shown = rows.slice(0, filter.limit)
  const last = rows.length > shown.length ? shown.at(-1) : undefined
  return {
    Entries: shown.map((row) => toEntry(row, model, language)),
    Next: last === undefined ? null : Number(last.Id),
  }
}

function toEntry(row: SqlRow, model: Model, language?: string): Entry {
  const entity = model.entities.get(String(row.Entity))
  const companyId = toId(row.CompanyId)
  return {
    Id: Number(row.Id),
    At: String(row.At),
    User: toPerson(row.UserId, row.UserName),
    Impersonator: toPerson(row.ImpersonatorId, row.ImpersonatorName),
    Company: companyId === null ? null : { Id: companyId, Code: String(row.Code ?? '') },
    Source: String(row.Source),
    TraceId: typeof row.TraceId === 'string' ? row.TraceId : null,
    Entity: String(row.Entity),
    ...(entity && { Label: renderMessage(entity.label, language) }),
    Key: JSON.parse(String(row.RecordKey)) as unknown[],
    Action: String(row.Action),
    ...(row.Action === READ && { Read: toRead(row) }),
    Changes:
      row.Action === READ
        ? []
        : toChanges(JSON.parse(String(row.Changes)) as Changes, (field) => {
            return renderMessage(
              entity?.columnByName.get(field.toLowerCase())?.label ?? field,
              language,
            )
          }),
  }
}

function toRead(row: SqlRow): NonNullable<Entry['Read']> {
  const { Keys, Until, Request } = JSON.parse(String(row.Changes)) as StoredRead
  const key = JSON.parse(String(row.RecordKey)) as unknown[]
  return {
    Keys: (Keys ?? (key.length > 0 ? [key] : [])) as unknown[][],
    ...(Until !== undefined && { Until }),
    ...(Request !== undefined && { Request }),
  }
}

type Changes = Readonly<Record<string, readonly [unknown, unknown]>>

/** Returns the changes of an entry; `<Field>__Label` only names the values of its field. */
function toChanges(changes: Changes, labelOf: (field: string) => string): Entry['Changes'] {
  return Object.entries(changes)
    .filter(([field]) => !field.endsWith(LABEL))
    .map(([field, [from, to]]) => {
      const labels = changes[field + LABEL]
      return {
        Field: field,
        Label: labelOf(field),
        From: from ?? null,
        To: to ?? null,
        ...(labels && { FromLabel: labels[0], ToLabel: labels[1] }),
      }
    })
}

function toPerson(id: SqlValue | undefined, name: SqlValue | undefined): Entry['User'] {
  const known = toId(id)
  return known === null ? null : { Id: known, UserName: typeof name === 'string' ? name : '' }
}

const toId = (value: SqlValue | undefined): number | null =>
  value === null || value === undefined ? null : Number(value)
