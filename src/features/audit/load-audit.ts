/** A page of the audit log as the wire shows it. */
import { renderMessage } from '../../kernel/messages.ts'
import type { Model } from '../../model/model.ts'
import type { SqlRow, SqlValue } from '../../store/sql.ts'
import type { Reader } from '../../store/store.ts'
import type { AuditFilter } from './audit-filter.ts'
import { loadRows } from './audit-sql.ts'
import type { AuditPage, Entry } from './schema.ts'

const LABEL = '__Label'

/** The newest entries that a filter lets through; labels are the model's, where it has them. */
export async function loadAudit(
  reader: Reader,
  filter: AuditFilter,
  model: Model,
  language?: string,
): Promise<AuditPage> {
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
    Changes: toChanges(JSON.parse(String(row.Changes)) as Changes, (field) => {
      return renderMessage(entity?.columnByName.get(field.toLowerCase())?.label ?? field, language)
    }),
  }
}

type Changes = Readonly<Record<string, readonly [unknown, unknown]>>

/** `<Field>__Label` tells what its field's values were called, and is no change by itself. */
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
