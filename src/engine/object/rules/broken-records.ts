/**
 * What the after-write pass refuses of records that a transaction touched, told on the fields of
 * those that the request was about.
 */
import { Failure, type FieldErrors } from '../../../kernel/failure.ts'
import { type Message, say } from '../../../kernel/messages.ts'
import type { Entity, View } from '../../../model/model.ts'
import type { SqlValue } from '../../../store/sql.ts'

/** One thing that is wrong with a field of a record. */
export interface BrokenField {
  entity: Entity
  key: readonly SqlValue[]
  /** Empty for a rule that names no field. */
  field: string
  message: Message
}

/** 400 with `fieldErrors`, and whose fields they are. */
export class BrokenRecords extends Failure {
  readonly broken: readonly BrokenField[]

  constructor(broken: readonly BrokenField[], fieldErrors: FieldErrors) {
    const first = fieldErrors[''] ?? broken[0]?.message ?? say`Validation failed`
    super('validation', first, { fieldErrors })
    this.broken = broken
  }
}

/**
 * The refusal of some records, the first message a field. Fields of another entity than that of the
 * view through which the change came bear its name: `Customer.Balance`.
 */
export function breakRecords(
  broken: readonly BrokenField[],
  view: View | undefined,
): BrokenRecords {
  return new BrokenRecords(
    broken,
    planErrors(broken, ({ entity, field }) => {
      return !view?.entity || view.entity === entity ? field : joinName(entity.name, field)
    }),
  )
}

/** A field of another record than the one that is told of: `Customer.Balance`, `Lines[0].Price`. */
export const joinName = (owner: string, field: string): string =>
  field === '' ? owner : `${owner}.${field}`

/** The first message a field, by the names that are given to fields. */
export function planErrors(
  broken: readonly BrokenField[],
  nameOf: (one: BrokenField) => string,
): FieldErrors {
  const errors: FieldErrors = {}
  for (const one of broken) errors[nameOf(one)] ??= one.message
  return errors
}
