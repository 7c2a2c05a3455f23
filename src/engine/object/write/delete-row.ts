/** Deletes a record: gate, row, permit, stamp, statement, after-write pass, in one transaction. */
import type { Tx } from '../../../store/store.ts'
import type { View } from '../../../model/compiled/view.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { takeDispatch } from '../after-write/pending-events.ts'
import { type Mutation, writeMutation } from '../mutation.ts'
import { readParameters } from '../parameters.ts'
import { requireView } from '../read/find-view.ts'
import { findPermit } from '../record/reached-rows.ts'
import { openRecords, type RecordKey, requireKey } from '../record/record.ts'
import { type LoadedValues, requireAsLoaded, requireChangeable } from '../rules/conflict.ts'
import { explainReferred } from '../rules/referring-records.ts'
import type { DeleteRowRequest, ObjectActionResult } from '../schema.ts'
import { listIgnored, toWireKey } from './result.ts'
import { deleteRecord } from './statement.ts'

/**
 * POST /delete-row. @throws denied, notFound, conflict, invalid (src/server/README.md, Errors).
 */
export async function deleteRow(
  mutation: Mutation,
  request: DeleteRowRequest,
): Promise<ObjectActionResult> {
  const { caller, model, allCompanies } = mutation
  const view = requireView(model, request.ObjectName)
  const grant = Grant.require(caller, model, view.resource, ['Delete'], { allCompanies })
  const parameters = readParameters(request.Parameters)
  const stamp = request.RowVersion ?? parameters.get('rowversion')
  return writeMutation(mutation, view.name, async (tx) => {
    const deleted = await deleteOne(tx, mutation, { view, grant, parameters, stamp })
    await tx.runAfterWrite()
    return {
      Action: 'deleted',
      Keys: toWireKey(deleted),
      Ignored: listIgnored(request.Parameters, namesOfKey(view)),
      Dispatch: [{ Type: 'refreshTable', Target: view.name }, ...takeDispatch(tx)],
    }
  })
}

/** Lower-case names of what identifies a record: its key and its stamp. */
export const namesOfKey = (view: View): ReadonlySet<string> =>
  new Set(['rowversion', ...view.keys.map(({ name }) => name.toLowerCase())])

/** One record to delete. */
interface DeleteRequest {
  view: View
  grant: Grant
  parameters: Map<string, unknown>
  stamp: unknown
  /** The record as it was loaded, where the request says so. */
  loaded?: LoadedValues | undefined
}

/**
 * Deletes one record inside a transaction. @throws notFound for one that the caller's rows do not
 * hold.
 */
export async function deleteOne(
  tx: Tx,
  mutation: Mutation,
  request: DeleteRequest,
): Promise<RecordKey> {
  const access = openRecords(tx, mutation, request)
  const key = requireKey(access, request.parameters)
  const row = await requireChangeable(access, key, {
    purpose: 'delete',
    permit: findPermit(request.view, 'Delete'),
    given: request.stamp,
    isRequired: mutation.engine.requireRowVersion,
  })
  await requireAsLoaded(access, key, row, request)
  try {
    await deleteRecord(access, key, row)
  } catch (error) {
    const [first, ...others] = key.values
    const only = others.length === 0 ? first?.value : undefined
    throw explainReferred(access, only, error)
  }
  return key
}
