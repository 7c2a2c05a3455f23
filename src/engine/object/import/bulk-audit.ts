/**
 * Audit entries of many new records, whose texts SQLite makes: the same that `planAudit` makes of
 * one record, without its cells becoming values on the way.
 */
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import { isNotNull, storageOf } from '../../../model/migrate/column-schema.ts'
import type { Model } from '../../../model/model.ts'
import { quote } from '../../../model/sql/quote.ts'
import { labelText } from '../after-write/audit.ts'

/** Expressions over a record. */
interface AuditSql {
  /** `AuditRecord.recordKey`. */
  key: string
  /** `AuditRecord.changes`. */
  changes: string
}

/** Of a record under an alias: what it is, from nothing. Pure. */
export function composeNewAudit(
  model: Pick<Model, 'entities'>,
  entity: Entity,
  alias: string,
): AuditSql {
  const cellOf = ({ name }: Column): string => `${alias}.${quote(name)}`
  const columns = entity.columns.filter(({ kind }) => kind === 'declared')
  const cells = columns.flatMap((column) => composeMember(entity, column, cellOf(column)))
  const labels = columns
    .filter(({ references }) => references !== undefined)
    .map((column) => {
      const label = labelText(model, column, cellOf(column))
      // A label that is the text `null` is quoted.
      const text = `nullif(json_quote(${label}), 'null')`
      return `${begin(`${column.name}__Label`)} || ${text} || ']'`
    })
  const keys = entity.keys.map((column) => composeValue(column, cellOf(column)))
  return {
    key: `'[' || ${keys.join(` || ',' || `)} || ']'`,
    changes: `concat('{', substr(${joinParts([...cells, ...labels])}, 2), '}')`,
  }
}

/** A member up to its later value. */
const begin = (name: string): string => `',${JSON.stringify(name).replaceAll("'", "''")}:[null,'`

/** Parts of a text, of which none stays where the cell is NULL. */
function composeMember(entity: Entity, column: Column, cell: string): string[] {
  const parts = [begin(column.name), composeValue(column, cell), `']'`]
  if (isNotNull(entity, column)) return parts
  return [`CASE WHEN ${cell} IS NOT NULL THEN concat(${parts.join(', ')}) END`]
}

/** Numbers in no more digits than they need, whole ones without a fraction. */
function composeValue(column: Column, cell: string): string {
  const storage = storageOf(column.type)
  if (storage === 'TEXT') return `json_quote(${cell})`
  if (storage === 'INTEGER') return cell
  const whole = `CAST(${cell} AS INTEGER)`
  const isWhole = `${cell} = ${whole} AND abs(${cell}) < 1e15`
  return `(CASE WHEN ${isWhole} THEN ${whole} ELSE quote(${cell}) END)`
}

/** Arguments of a function; SQLite takes 127. */
const PARTS_MAX = 100

/** Parts as one text; NULL among them is left out. */
function joinParts(parts: readonly string[]): string {
  const texts: string[] = []
  for (let at = 0; at < parts.length; at += PARTS_MAX)
    texts.push(`concat('', ${parts.slice(at, at + PARTS_MAX).join(', ')})`)
  return `(${texts.join(' || ')})`
}
