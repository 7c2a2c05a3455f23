/** Records whose state a workflow holds: history would leave its instance behind in another one. */
import { renderMessage, say } from '../../../kernel/messages.ts'
import { quote } from '../../../model/sql/quote.ts'
import { composeStoredKey } from './bulk-statements.ts'
import { CHUNK_ROWS, composeStaged, rangeArgs, splitRange } from './import-stage.ts'
import type { ImportWrite } from './import-work.ts'

/**
 * Reports rows of a takeover that would move the state of a record with a running instance. Nothing
 * is written yet. True where some do.
 */
export async function reportRunning({ tx, plan, stage, report }: ImportWrite): Promise<boolean> {
  const { entity, request } = plan
  let isAny = false
  if (!request.takeover || request.mode === 'insert') return isAny
  const { model } = plan.context
  for (const workflow of model.workflows.values()) {
    const { name, stateColumn, label } = workflow
    const state = plan.staged.find(({ field }) => field.column?.name === stateColumn)
    const cell = stage.sql.cells.get(stateColumn.toLowerCase())
    if (model.views.get(workflow.view)?.entity !== entity || !state?.isUpdated || !cell) continue
    const key = entity.keys.map((each) => `t.${quote(each.name)}`).join(', ')
    const sql =
      `SELECT s.line AS Line FROM ${composeStaged(0)} ` +
      `CROSS JOIN main.${quote(entity.table)} AS t ON ${composeStoredKey(entity, stage.sql)} ` +
      `JOIN main.svc_workflow_instances AS i ON i.Entity = @entity AND i.Workflow = @workflow ` +
      `AND i.Status = 'Running' AND i.RecordKey = json_array(${key}) ` +
      `WHERE t.${quote(stateColumn)} IS NOT s.${cell}`
    for (const range of splitRange({ first: 1, last: stage.count }, CHUNK_ROWS)) {
      const args = { ...rangeArgs(range), entity: entity.name, workflow: name }
      for (const { Line } of (await tx.authored(sql, args)).rows) {
        isAny = true
        const title = renderMessage(label, plan.grant.caller.language)
        report(Number(Line), {
          [state.field.name]: say`${title} is still running for this record. End it there first.`,
        })
      }
    }
  }
  return isAny
}
