/**
 * What the after-write pass refuses of records, told without the fields that the caller may not
 * see.
 */
import { findAccess } from '../../../access/resource-access.ts'
import { Grant } from '../../../access/grant.ts'
import { VERBS, type View } from '../../../model/model.ts'
import type { Tx } from '../../../store/store.ts'
import type { Context } from '../context.ts'
import { breakRecords, BrokenRecords, type BrokenField } from '../rules/broken-records.ts'
import {
  CONCEALED,
  maskFaults,
  showsColumn,
  shownFieldsOf,
  type ShowsField,
} from '../rules/masked-faults.ts'
import type { ChangeSource } from '../mutation.ts'
import { toRecordKey } from '../record/record.ts'
import { findHidden } from '../rules/row-rules.ts'

/** What the after-write pass refuses, without the fields that the caller may not see. */
export async function maskBroken(
  tx: Tx,
  error: unknown,
  { context, source }: ChangeSource,
): Promise<unknown> {
  if (!(error instanceof BrokenRecords)) return maskFaults(error, showsWhole(context))
  const view = context.model.views.get(source)
  const broken: BrokenField[] = []
  for (const one of error.broken) {
    const isTold = await showsBroken(tx, one, context, view)
    broken.push(isTold ? one : { ...one, field: '', message: CONCEALED })
  }
  return broken.every((one, at) => one === error.broken[at]) ? error : breakRecords(broken, view)
}

/** What a statement of an event broke: of which row is not known. */
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
    const scope = { tx, view, entity, grant, context }
    return shownFieldsOf(scope, await findHidden(scope, toRecordKey(scope, key)))(field)
  }
  const column = entity.columnByName.get(field.toLowerCase())
  return !column || showsColumn(context, entity, { column })
}

function findGrant({ caller, model }: Context, { resource }: View): Grant | undefined {
  const verb = caller && VERBS.find((each) => findAccess(model, caller, resource).verbs.has(each))
  return caller && verb && Grant.find(caller, model, resource, verb)
}
