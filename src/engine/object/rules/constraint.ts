/** A broken rule of a table as `fieldErrors` on the right field, naming no other row. */
import { Failure, type FieldErrors, invalid, validation } from '../../../kernel/failure.ts'
import { type Message, say } from '../../../kernel/messages.ts'
import { SqlError } from '../../../store/faults.ts'
import type { Column, Entity } from '../../../model/compiled/entity.ts'
import { findBrokenUnique } from '../../../model/migrate/indexes.ts'
import type { ModelText } from '../../../model/model-text.ts'
import type { Context } from '../context.ts'
import { maskErrors, showsColumn, type ShowsField } from './masked-faults.ts'
import type { ViewUse } from '../view-access.ts'

/** Whose fields a failure names: a view, or an entity with its columns. */
export interface ConstraintOwner {
  entity: Entity | undefined
  fields: readonly { name: string; label: ModelText; column: Column | undefined }[]
}

/** The same, and for whom: what the caller may not see is not named. */
type OwnerUse = Pick<ViewUse<ConstraintOwner>, 'view' | 'context'>

/** An entity's own columns, for what no view has caused. */
export const ownerOf = (entity: Entity): ConstraintOwner => ({
  entity,
  fields: entity.columns.map((column) => ({ name: column.name, label: column.label, column })),
})

/** Runs a statement of a view; a broken rule becomes a failure that names the view's fields. */
export async function mapConstraint<T>(access: OwnerUse, statement: () => Promise<T>): Promise<T> {
  try {
    return await statement()
  } catch (error) {
    throw error instanceof SqlError ? toFieldFailure(error, access) : error
  }
}

/**
 * The failure that a client can show beside a field; the error itself where no field is known.
 * Rules of another entity's table, which the statement wrote as well, do not go to these fields.
 */
export function toFieldFailure(error: SqlError, access: OwnerUse): Error {
  const { view } = access
  const { constraint } = error
  if (constraint.kind === 'unique') return toUniqueFailure(error, access)
  if (constraint.kind === 'notNull') {
    const names = constraint.columns.flatMap((column) => ownName(column, view.entity?.table))
    return toFailure(error, access, names, (label) => say`${label} is required`)
  }
  if (constraint.kind === 'guard' && constraint.text.startsWith('reference:')) {
    const names = ownName(constraint.text.slice('reference:'.length), view.entity?.name)
    return toFailure(
      error,
      access,
      names,
      (label) => say`${label} refers to a record that does not exist`,
    )
  }
  if (constraint.kind === 'foreignKey') {
    return referredTo(error)
  }
  return error
}

/**
 * A record that others refer to stays. So reads a statement of the author, too, that refers to
 * nothing, or to what another company has: which of them it is would tell that there is one.
 */
export const referredTo = (cause?: SqlError): Error =>
  invalid(say`Other records refer to this one, or it refers to one that is not there`, {
    code: 'REFERENCE',
    cause,
  })

/** The column of `owner.column`, when the owner is the one that is meant. */
function ownName(qualified: string, owner: string | undefined): string[] {
  const at = qualified.indexOf('.')
  const isOwn = qualified.slice(0, at).toLowerCase() === owner?.toLowerCase()
  return isOwn ? [qualified.slice(at + 1)] : []
}

function toUniqueFailure(error: SqlError, access: OwnerUse): Error {
  const { view } = access
  const message = error.cause instanceof Error ? error.cause.message : ''
  const columns = (view.entity && findBrokenUnique(view.entity, message)) ?? []
  return toFailure(error, access, columns, (label) => say`${label} is already in use`)
}

function toFailure(
  error: SqlError,
  { view, context }: OwnerUse,
  columns: readonly string[],
  describe: (label: ModelText) => Message,
) {
  const faults: FieldErrors = {}
  for (const column of columns) {
    const key = column.toLowerCase()
    const field = view.fields.find((candidate) => candidate.column?.name.toLowerCase() === key)
    if (field) faults[field.name] = describe(field.label)
  }
  if (Object.keys(faults).length === 0) return error
  return validation(maskErrors(faults, showsOwner(view, context)), undefined, error)
}

function showsOwner({ entity, fields }: ConstraintOwner, context: Context): ShowsField {
  return (name) => {
    const column = fields.find((field) => field.name === name)?.column
    return !entity || !column || showsColumn(context, entity, { column, inRow: true })
  }
}

/** The table and the columns of the unique rule that a statement broke; undefined for others. */
export function findTwice(error: unknown): { table: string; columns: string[] } | undefined {
  const cause = error instanceof Failure && !(error instanceof SqlError) ? error.cause : error
  if (!(cause instanceof SqlError) || cause.constraint.kind !== 'unique') return undefined
  const names = cause.constraint.columns.map((name) => name.split('.'))
  const [table] = names[0] ?? []
  return table === undefined ? undefined : { table, columns: names.map(([, name = '']) => name) }
}
