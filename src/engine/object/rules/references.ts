/** References of a change point to records that are there, in the caller's company. */
import type { FieldErrors } from '../../../kernel/failure.ts'
import { type Message, noun, say } from '../../../kernel/messages.ts'
import type { SqlRow, SqlValue } from '../../../store/sql.ts'
import type { Reader } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import type { FieldFeatures } from '../../../model/compiled/field-features.ts'
import type { Field } from '../../../model/compiled/field.ts'
import type { Model } from '../../../model/model.ts'
import { quote } from '../../../model/sql/quote.ts'
import type { Grant } from '../../../access/rights/grant.ts'
import { holdsAll, isOpenReference, isOption, isReference, listLookups } from '../form/lookup.ts'
import type { Named } from '../parameters.ts'
import type { Changes } from './changes.ts'
import type { Draft } from '../value.ts'
import type { ViewAccess } from '../view-access.ts'

/** Inputs of checking one reference. */
export interface PointingCheck extends ViewAccess<Reader, Named & { entity: Entity | undefined }> {
  /** The record as it would be stored, made when it is asked for. */
  draft: () => Draft
  company: SqlValue
}

/** Inputs of checking the references of a change. */
interface ReferenceCheck extends PointingCheck {
  changes: Changes
  /** The record as it is. */
  stored: SqlRow | undefined
  /** Fields whose values the request chose; defaults and parents are the engine's. */
  chosen: ReadonlySet<Field>
}

/** Known verdicts on values, of fields where a value is as good for one record as for all. */
type KnownReferences = ReadonlyMap<Field, Map<SqlValue, Message | undefined>>

/** Most values that are known of a field. */
const KNOWN_MAX = 20_000

/**
 * A message for each reference to nothing. A record of another company is nothing, and so is one
 * that the caller may not look up, unless the reference was there before. A promise only where one
 * has to be looked up: of many records most are `known`.
 */
export function checkReferences(
  check: ReferenceCheck,
  known?: KnownReferences,
): FieldErrors | undefined | Promise<FieldErrors | undefined> {
  let faults: FieldErrors | undefined
  for (const [field, value] of check.changes) {
    if (!isMoved(check, field, value)) continue
    const answers = known?.get(field)
    if (!answers?.has(value)) return askReferences(check, known)
    const fault = answers.get(value)
    if (fault !== undefined) (faults ??= {})[field.name] = fault
  }
  return faults
}

async function askReferences(
  check: ReferenceCheck,
  known: KnownReferences | undefined,
): Promise<FieldErrors | undefined> {
  let faults: FieldErrors | undefined
  for (const [field, value] of check.changes) {
    if (!isMoved(check, field, value)) continue
    const answers = known?.get(field)
    const fault = answers?.has(value)
      ? answers.get(value)
      : await findFaultyReference(check, field, value, check.chosen.has(field))
    if (answers && answers.size >= KNOWN_MAX) answers.clear()
    answers?.set(value, fault)
    if (fault !== undefined) (faults ??= {})[field.name] = fault
  }
  return faults
}

const isMoved = ({ stored }: ReferenceCheck, field: Field, value: SqlValue): boolean =>
  value !== null &&
  isReference(field) &&
  field.column !== undefined &&
  stored?.[field.column.name] !== value

/** A field, or a parameter of an action, that may refer to a record. */
type PointingField = Pick<FieldFeatures, 'label' | 'references' | 'lookup'>

/** Finds the fault of a new value of a reference; one that the engine chose need only exist. */
export async function findFaultyReference(
  check: PointingCheck,
  field: PointingField,
  value: SqlValue,
  isChosen: boolean,
): Promise<Message | undefined> {
  const { reader, grant, company } = check
  const entity = findReferred(field, grant.model)
  if (!entity || value === null) return undefined
  if (!isChosen && isOneself(check, entity, value)) return undefined
  const isThere = await exists(reader, entity, value, company)
  if (isThere && (!isChosen || (await mayPoint(check, field, entity, value)))) return undefined
  return say`${field.label}: there is no such ${noun(entity.label)}`
}

/** An admitted caller is a user of their company, so a reference to oneself holds. */
const isOneself = ({ grant, company }: PointingCheck, { builtIn }: Entity, value: SqlValue) =>
  builtIn && value === grant.caller.userId && company === grant.caller.companyId

/** Tells whether a caller may pick every record of the entity that a field refers to. */
export function picksAll(field: PointingField, grant: Grant): boolean {
  const lookups = listLookups(field, grant)
  return lookups.length === 0 ? isOpenReference(field, grant.model) : lookups.some(holdsAll)
}

/** The entity that a field's values are keys of; by its lookup where it is not a reference. */
export function findReferred(field: PointingField, model: Model): Entity | undefined {
  if (field.references !== undefined) return model.entities.get(field.references)
  return field.lookup && model.views.get(field.lookup.view)?.entity
}

async function mayPoint(
  { reader, view, grant, context, draft }: PointingCheck,
  field: PointingField,
  entity: Entity,
  value: SqlValue,
): Promise<boolean> {
  const features = (key: string) => view.fieldByName.get(key) ?? view.entity?.columnByName.get(key)
  return isOption(field, entity, value, {
    reader,
    grant,
    context,
    features,
    draft: draft(),
  })
}

async function exists(reader: Reader, entity: Entity, value: SqlValue, company: SqlValue) {
  const key = entity.keys[0]
  if (!key) return false
  const found = await reader.get(planExists(entity, key.name), { value, company })
  return found !== undefined
}

function planExists(entity: Entity, key: string): string {
  const sql = `SELECT 1 AS found FROM main.${quote(entity.table)} t WHERE t.${quote(key)} = @value`
  if (entity.company) return `${sql} AND t.${quote(entity.company)} IS @company`
  if (!entity.builtIn) return sql
  return `${sql} AND EXISTS (SELECT 1 FROM main.svc_user_companies m
    WHERE m.UserId = t.Id AND m.CompanyId IS @company)`
}
