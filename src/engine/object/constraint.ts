/** A broken rule of a table as `fieldErrors` on the right field, telling nothing of other rows. */
import { type FieldErrors, invalid, validation } from '../../kernel/failure.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { findBrokenUnique } from '../../model/migrate/indexes.ts'
import type { Column, Entity, Model } from '../../model/model.ts'
import { SqlError } from '../../store/faults.ts'

/** Whose fields a failure names: a view, or an entity with its columns. */
export interface ConstraintOwner {
  entity: Entity | undefined
  fields: readonly { name: string; label: string; column: Column | undefined }[]
}

/** An entity's own columns, for what no view has caused. */
export const ownerOf = (entity: Entity): ConstraintOwner => ({
  entity,
  fields: entity.columns.map((column) => ({ name: column.name, label: column.label, column })),
})

/** Runs a statement of a view; a broken rule becomes a failure that names the view's fields. */
export async function mapConstraint<T>(
  scope: { view: ConstraintOwner; grant: { model: Model } },
  statement: () => Promise<T>,
): Promise<T> {
  try {
    return await statement()
  } catch (error) {
    throw error instanceof SqlError ? toFieldFailure(error, scope.view, scope.grant.model) : error
  }
}

/** The failure that a client can show beside a field; the error itself where no field is known. */
export function toFieldFailure(error: SqlError, view: ConstraintOwner, model: Model): Error {
  const { constraint } = error
  if (constraint.kind === 'unique') return toUniqueFailure(error, view, model)
  if (constraint.kind === 'notNull') {
    const names = constraint.columns.map((column) => column.slice(column.indexOf('.') + 1))
    return toFailure(error, view, names, (label) => say`${label} is required`)
  }
  if (constraint.kind === 'guard' && constraint.text.startsWith('reference:')) {
    const name = constraint.text.slice(constraint.text.indexOf('.') + 1)
    return toFailure(
      error,
      view,
      [name],
      (label) => say`${label} points to a record that is not there`,
    )
  }
  if (constraint.kind === 'foreignKey') {
    return invalid(say`Other records refer to this one, or it refers to one that is not there`, {
      code: 'REFERENCE',
      cause: error,
    })
  }
  return error
}

function toUniqueFailure(error: SqlError, view: ConstraintOwner, model: Model): Error {
  const message = error.cause instanceof Error ? error.cause.message : ''
  const columns = brokenColumns(message, view.entity, model)
  return toFailure(error, view, columns, (label) => say`${label} is in use already`)
}

function brokenColumns(message: string, own: Entity | undefined, model: Model): string[] {
  const entities = own ? [own, ...model.entities.values()] : [...model.entities.values()]
  for (const entity of entities) {
    const columns = findBrokenUnique(entity, message)
    if (columns) return columns
  }
  return []
}

function toFailure(
  error: SqlError,
  view: ConstraintOwner,
  columns: readonly string[],
  tell: (label: string) => Message,
) {
  const faults: FieldErrors = {}
  for (const column of columns) {
    const key = column.toLowerCase()
    const field = view.fields.find((candidate) => candidate.column?.name.toLowerCase() === key)
    if (field) faults[field.name] = tell(field.label)
  }
  return Object.keys(faults).length > 0 ? validation(faults) : error
}
