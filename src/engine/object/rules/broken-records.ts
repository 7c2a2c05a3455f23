/**
 * Refusals of records by the after-write pass: on the fields of the records that the request was
 * about, without the fields that the caller may not see.
 */
import { Failure, type FieldErrors } from '../../../kernel/failure.ts'
import { type Message, say } from '../../../kernel/messages.ts'
import type { SqlValue } from '../../../store/sql.ts'
import type { Tx } from '../../../store/store.ts'
import type { Entity } from '../../../model/compiled/entity.ts'
import { VERBS } from '../../../model/compiled/role.ts'
import type { View } from '../../../model/compiled/view.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { findAccess } from '../../../access/rights/resource-access.ts'
import type { Context } from '../context.ts'
import type { ChangeSource } from '../mutation.ts'
import { toRecordKey } from '../record/record.ts'
import {
  HIDDEN_RULE,
  maskFaults,
  shownFieldsOf,
  showsColumn,
  type ShowsField,
} from './masked-faults.ts'
import { findHidden } from './row-rules.ts'

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

/**
 * A field of another record than the one that a message is about: `Customer.Balance`,
 * `Lines[0].Price`.
 */
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

/** Masks a refusal of the after-write pass: leaves out the fields that the caller may not see. */
export async function maskBroken(
  tx: Tx,
  error: unknown,
  { context, source }: ChangeSource,
): Promise<unknown> {
  if (!(error instanceof BrokenRecords)) return maskFaults(error, showsWhole(context))
  const view = context.model.views.get(source)
  const broken: BrokenField[] = []
  for (const one of error.broken) {
    const isShown = await showsBroken(tx, one, context, view)
    broken.push(isShown ? one : { ...one, field: '', message: HIDDEN_RULE })
  }
  return broken.every((one, at) => one === error.broken[at]) ? error : breakRecords(broken, view)
}

/** Masking for a statement of an event, where it is not known which row it broke. */
function showsWhole({ caller, model }: Context): ShowsField {
  const views = caller ? [...model.views.values()] : []
  return (name) =>
    views.every(({ resource }) => {
      return !caller || !findAccess(model, caller, resource).masked.has(name.toLowerCase())
    })
}

async function showsBroken(
  tx: Tx,
  { entity, key, field }: BrokenField,
  context: Context,
  view: View | undefined,
): Promise<boolean> {
  if (field === '' || !context.caller) return true
  const grant = view && view.entity === entity ? findGrant(context, view) : undefined
  if (view && grant) {
    const access = { reader: tx, view, entity, grant, context }
    return shownFieldsOf(access, await findHidden(access, toRecordKey(access, key)))(field)
  }
  const column = entity.columnByName.get(field.toLowerCase())
  return !column || showsColumn(context, entity, { column })
}

function findGrant({ caller, model }: Context, { resource }: View): Grant | undefined {
  const verb = caller && VERBS.find((each) => findAccess(model, caller, resource).verbs.has(each))
  return caller && verb && Grant.find(caller, model, resource, verb)
}
