/** Changes of records begin and end instances: from the after-write pass, by any path. */
import type { EffectRun, MoveInstance } from '../object/after-write/effects.ts'
import { keyText } from '../object/record/written-row.ts'
import { addHistory } from './history.ts'
import { openMove } from './instance-move.ts'
import { findRunning, updateInstance } from './instance-rows.ts'
import { finish, startInstance } from './move.ts'
import type { MovedRecord } from './moved-record.ts'

/** See `MoveInstance`. A record with a running instance begins no other. */
export const moveInstance: MoveInstance = async (run, { workflow, does }) => {
  const record = recordOf(run, workflow)
  if (!record) return
  const of = { entity: record.entity.name, key: keyText(record.key), workflow }
  const running = await findRunning(run.tx, of)
  if (does === 'start') {
    if (!running) await startInstance(record)
    return
  }
  if (!running) return
  const move = openMove(record, running)
  const { State: from, EnteredAt: since } = running
  await addHistory(record, move.instance, { action: 'deleted', from, to: null, since })
  await finish(move, undefined, 'Cancelled')
  await updateInstance(run.tx, move.instance)
}

function recordOf(run: EffectRun, name: string): MovedRecord | undefined {
  const { tx, context, subject, row, reload, sees, mayLabel, shadowScope } = run
  const workflow = context.model.workflows.get(name)
  const view = context.model.views.get(workflow?.view ?? '')
  if (!workflow || !view?.entity || !subject.key || !row) return undefined
  const company = Number(
    subject.company ?? context.caller?.companyId ?? context.company?.id ?? Number.NaN,
  )
  if (!Number.isSafeInteger(company)) return undefined
  return {
    tx,
    context,
    workflow,
    view,
    entity: view.entity,
    key: subject.key,
    company,
    row,
    reload,
    shadowScope,
    shown: { sees, mayLabel },
  }
}
