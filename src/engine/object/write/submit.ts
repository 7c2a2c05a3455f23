/**
 * POST /submit: creates or updates a record with its details, in one transaction with all its
 * traces.
 */
import { invalid } from '../../../kernel/failure.ts'
import { say } from '../../../kernel/messages.ts'
import type { Tx } from '../../../store/store.ts'
import { FieldFault } from '../../../model/fields/field-kind.ts'
import { plainShape } from '../../../model/fields/field-shape.ts'
import { FIELD_KINDS } from '../../../model/fields/kinds.ts'
import { Grant } from '../../../access/rights/grant.ts'
import { takeDispatch } from '../after-write/pending-events.ts'
import { type Mutation, writeMutation } from '../mutation.ts'
import { requireView } from '../read/find-view.ts'
import { keyValues, requireEntity } from '../record/record.ts'
import { rowId } from '../record/written-row.ts'
import { BrokenRecords, joinName, planErrors } from '../rules/broken-records.ts'
import type { ObjectActionResult, SubmitRequest } from '../schema.ts'
import {
  listIgnoredDetails,
  type PlacedRecord,
  planDetails,
  requireDetailRules,
  saveDetails,
} from './details.ts'
import { planSubmit } from './mutation-rights.ts'
import { type RehearsedRecord, requireChecked } from './rehearsal.ts'
import { listIgnored, stampOf, toWireKey } from './result.ts'
import { requireViewRules, requireVisible, type Saved, saveRecord } from './save.ts'
import { explainConflict } from './stale-details.ts'

/**
 * Saves a record with its details. What the caller may not write is dropped; every refusal leaves
 * nothing (src/server/README.md, Object endpoints).
 * @throws denied, notFound, validation, conflict, invalid.
 */
export async function submit(
  mutation: Mutation,
  request: SubmitRequest,
): Promise<ObjectActionResult> {
  const { caller, model, allCompanies } = mutation
  const view = requireView(model, request.FormName)
  const grant = Grant.require(caller, model, view.resource, ['Create', 'Update'], { allCompanies })
  requireEntity(view)
  const { verb, isNew, parameters } = planSubmit(view, request)
  grant.requireVerb(verb)
  const details = request.Details ?? {}
  const plans = planDetails(mutation, view, details)
  const timed = withFormLoadTime(mutation, parameters)
  const merge = requireMerge(request.OnConflict)
  const record = { view, grant, parameters, parents: new Set<string>(), isNew }
  const write = async (tx: Tx) => {
    const saved = await saveRecord(tx, timed, { ...record, merge })
    const savedDetails = await saveDetails(tx, timed, plans, { parent: saved, merge })
    const placed = [{ name: '', saved }, ...savedDetails]
    await checkWrittenRecords(tx, placed)
    await requireViewRules(saved)
    await requireDetailRules(savedDetails)
    return { saved, savedDetails, placed, values: await requireVisible(saved) }
  }
  const views = [view, ...plans.map((plan) => plan.view)]
  const refused = { view, grant, parameters, plans }
  const explain = async (error: unknown): Promise<never> => {
    throw await explainConflict(timed, refused, error)
  }
  // No transaction waits for a check: that of several records is made before theirs.
  if (!mutation.within)
    await requireChecked(timed, views, view.name, async (tx) =>
      (await write(tx)).placed.map(toRehearsed),
    ).catch(explain)
  return writeMutation(timed, view.name, async (tx) => {
    const { saved, savedDetails, values } = await write(tx)
    return {
      Action: saved.action,
      Keys: toWireKey(saved.key),
      ...stampOf(view, values),
      Values: values,
      Ignored: [
        ...listIgnored(request.Parameters, saved.taken),
        ...listIgnoredDetails(plans, savedDetails),
      ],
      Dispatch: [{ Type: 'refreshTable', Target: view.name }, ...takeDispatch(tx)],
    }
  }).catch(explain)
}

const toRehearsed = ({ name, saved: { access, key, action } }: PlacedRecord): RehearsedRecord => {
  const { view, grant, entity } = access
  return { name, view, grant, entity, key: keyValues(entity, key), isNew: action === 'created' }
}

function requireMerge(onConflict: string | undefined): boolean {
  if (onConflict === undefined || onConflict === '') return false
  if (onConflict.toLowerCase() === 'merge') return true
  throw invalid(say`OnConflict must be merge or left out`)
}

/** `@FormLoadTime` is the time the form was loaded at, by the client; else the current time. */
function withFormLoadTime(mutation: Mutation, parameters: Map<string, unknown>): Mutation {
  const given = parameters.get('formloadtime')
  parameters.delete('formloadtime')
  if (given === undefined || given === null || given === '') return mutation
  const parsed = FIELD_KINDS.DateTime.parse(given, plainShape('FormLoadTime', 'DateTime'))
  if (parsed instanceof FieldFault)
    throw invalid(say`FormLoadTime must be an instant like 2030-07-01T08:00:00Z`)
  return { ...mutation, context: { ...mutation.context, formLoadTime: String(given) } }
}

/**
 * Runs the after-write pass of a submit: faults of its details are keyed `Lines[0].Quantity`.
 * @throws validation.
 */
async function checkWrittenRecords(tx: Tx, records: readonly PlacedRecord[]): Promise<void> {
  try {
    await tx.runAfterWrite()
  } catch (error) {
    if (!(error instanceof BrokenRecords)) throw error
    const names = new Map(records.map(({ name, saved }) => [idOf(saved), name]))
    const own = records.find(({ name }) => name === '')?.saved.access.entity
    const { broken } = error
    throw new BrokenRecords(
      broken,
      planErrors(broken, ({ entity, key, field }) => {
        const name = names.get(rowId(entity, key)) ?? (entity === own ? '' : entity.name)
        return name === '' ? field : joinName(name, field)
      }),
    )
  }
}

const idOf = ({ access: { entity }, key }: Saved): string => rowId(entity, keyValues(entity, key))
