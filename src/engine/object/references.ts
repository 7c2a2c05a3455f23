/** References of a change point to records that are there, in the caller's company. */
import type { Grant } from '../../access/grant.ts'
import type { FieldErrors } from '../../kernel/failure.ts'
import type { Entity, Field } from '../../model/model.ts'
import { quote } from '../../model/quote.ts'
import type { SqlRow, SqlValue } from '../../store/sql.ts'
import type { Tx } from '../../store/store.ts'
import type { Changes } from './changes.ts'
import type { Context } from './context.ts'
import { findLookup, isOption } from './lookup.ts'
import type { Draft } from './wire-condition.ts'

/** What references are judged by. */
export interface ReferenceCheck {
  tx: Tx
  grant: Grant
  context: Context
  changes: Changes
  /** The record as it would be stored, and as it is. */
  draft: Draft
  stored: SqlRow | undefined
  /** Fields whose values the request chose; defaults and parents are the engine's. */
  chosen: ReadonlySet<Field>
  company: SqlValue
}

/**
 * A message for each reference to nothing. A record of another company is nothing, and so is one
 * that the caller may not look up, unless the reference was there before.
 */
export async function checkReferences(check: ReferenceCheck): Promise<FieldErrors> {
  const { tx, grant, changes, company } = check
  const faults: FieldErrors = {}
  for (const [field, value] of changes) {
    const name = field.column?.references
    const entity = name === undefined ? undefined : grant.model.entities.get(name)
    if (!entity || value === null) continue
    const isThere = await exists(tx, entity, value, company)
    if (isThere && (await mayPoint(check, field, entity, value))) continue
    faults[field.name] = `${field.label}: there is no such ${entity.label.toLowerCase()}`
  }
  return faults
}

async function mayPoint(
  { tx, grant, context, draft, stored, chosen }: ReferenceCheck,
  field: Field,
  entity: Entity,
  value: SqlValue,
): Promise<boolean> {
  if (!chosen.has(field) || stored?.[field.column?.name ?? ''] === value) return true
  const lookup = findLookup(field, entity, grant)
  return !lookup || isOption(tx, lookup, value, { draft, context })
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
