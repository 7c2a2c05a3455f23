/** Instances that users begin by hand. */
import { conflict, invalid } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Tx } from '../../store/store.ts'
import type { View } from '../../model/compiled/view.ts'
import type { Workflow } from '../../model/compiled/workflow.ts'
import type { Model } from '../../model/model.ts'
import { Grant } from '../../access/rights/grant.ts'
import { missingRecord } from '../object/form/load-form.ts'
import { type Mutation, writeMutation } from '../object/mutation.ts'
import { readParameters } from '../object/parameters.ts'
import { companyOf } from '../object/record/record-values.ts'
import {
  keyValues,
  loadRow,
  openRecords,
  requireKey,
  requireStored,
} from '../object/record/record.ts'
import { keyText } from '../object/record/written-row.ts'
import { findHidden } from '../object/rules/row-rules.ts'
import { readComment } from './comment.ts'
import { findRunning, type InstanceRow } from './instance-rows.ts'
import { startInstance } from './move.ts'
import type { MovedRecord } from './moved-record.ts'
import type { StartInstanceRequest } from './schema.ts'
import { findWorkflow, WORKFLOWS } from './workflow-kind.ts'

/** A workflow by name or slug, with its view. @throws notFound */
function requireWorkflow(model: Model, key: string): { workflow: Workflow; view: View } {
  const workflow = findWorkflow(model, key)
  const view = model.views.get(workflow?.view ?? '')
  if (!workflow || !view) throw WORKFLOWS.missing()
  return { workflow, view }
}

/** The gate of starting: Update on the object. @throws notFound, denied */
export function requireStart(
  { caller, model }: Pick<Mutation, 'caller' | 'model'>,
  key: string,
): { workflow: Workflow; view: View; grant: Grant } {
  const { workflow, view } = requireWorkflow(model, key)
  return { workflow, view, grant: Grant.require(caller, model, view.resource, ['Update']) }
}

/**
 * Begins an instance for a record that has none, in one transaction; `present` makes the answer.
 * @throws denied, notFound, conflict (409) for a record whose instance is running
 */
export function beginInstance<T>(
  mutation: Mutation,
  { Workflow: name, Object: object, Keys, Comment }: StartInstanceRequest,
  present: (tx: Tx, instance: InstanceRow) => Promise<T>,
): Promise<T> {
  const { workflow, view, grant } = requireStart(mutation, name)
  const other = object === undefined || object === null ? view : findView(mutation.model, object)
  if (other !== view) throw invalid(say`The workflow is for records of '${view.name}'`)
  return writeMutation(mutation, view.name, async (tx) => {
    const access = openRecords(tx, mutation, { view, grant })
    const { entity } = access
    const key = requireKey(access, readParameters(Keys))
    const { row: stored } = await requireStored(access, key, 'update')
    const values = keyValues(entity, key)
    const of = { entity: entity.name, key: keyText(values), workflow: workflow.name }
    if (await findRunning(tx, of))
      throw conflict(say`The workflow is already running for this record`, {
        code: 'INSTANCE_RUNNING',
      })
    const row = await loadRow(access, key)
    if (!row) throw missingRecord()
    const hidden = await findHidden(access, key)
    const record: MovedRecord = {
      tx,
      context: mutation.context,
      workflow,
      view,
      entity,
      key: values,
      row,
      company: Number(companyOf(entity, stored, mutation.context)),
      reload: () => loadRow(access, key),
      shadowScope: 'company',
      shown: {
        sees: (name) => grant.sees(name) && !hidden.has(name.toLowerCase()),
        mayLabel: () => true,
      },
    }
    const instance = await startInstance(record, { comment: readComment(Comment) })
    await tx.runAfterWrite()
    return present(tx, instance)
  })
}

const findView = ({ viewByKey }: Model, key: string): View | undefined =>
  viewByKey.get(key.toLowerCase())
