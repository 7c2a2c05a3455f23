/** References of a change point to records that are there, in the caller's company. */
import type { Grant } from '../../access/grant.ts'
import type { FieldErrors } from '../../kernel/failure.ts'
import type { Entity } from '../../model/model.ts'
import { quote } from '../../model/quote.ts'
import type { SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { Changes } from './changes.ts'

/** A message for each reference to nothing; a record of another company is nothing. */
export async function checkReferences(
  tx: Tx,
  grant: Grant,
  changes: Changes,
  company: SqlValue,
): Promise<FieldErrors> {
  const faults: FieldErrors = {}
  for (const [field, value] of changes) {
    const name = field.column?.references
    const entity = name === undefined ? undefined : grant.model.entities.get(name)
    if (!entity || value === null) continue
    if (!(await exists(tx, entity, value, company))) {
      faults[field.name] = `${field.label}: there is no such ${entity.label.toLowerCase()}`
    }
  }
  return faults
}

async function exists(tx: Tx, entity: Entity, value: SqlValue, company: SqlValue) {
  const key = entity.keys[0]
  if (!key) return false
  const found = await tx.get(planExists(entity, key.name), { value, company })
  return found !== undefined
}

function planExists(entity: Entity, key: string): string {
  const sql = `SELECT 1 AS found FROM main.${quote(entity.table)} t WHERE t.${quote(key)} = @value`
  if (entity.company) return `${sql} AND t.${quote(entity.company)} IS @company`
  if (!entity.builtIn) return sql
  return `${sql} AND EXISTS (SELECT 1 FROM main.svc_user_companies m
    WHERE m.UserId = t.Id AND m.CompanyId IS @company)`
}
