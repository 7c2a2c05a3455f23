/** A transition that deletes its own record ends the instance, and says so. */
import { expect, test } from 'bun:test'
import type { WorkflowInstance } from '../../src/engine/workflow/schema.ts'
import { startApp } from '../support/app.ts'
import { approvals } from '../support/approvals.ts'

const FLOW = `<Workflow Name="Approval" Object="Requests" StateField="State">
  <States><State Name="draft" Kind="Initial"/>
    <State Name="review" Kind="Task"><Assign Role="Boss"/></State>
    <State Name="done" Kind="Final"/></States>
  <Transitions>
    <Transition From="draft" To="review" Action="Drop">
      <Sql>DELETE FROM requests WHERE Id = @Id</Sql></Transition>
    <Transition From="review" To="done" Action="Approve" Capability="Decide"/>
  </Transitions>
  <Start On="created"/>
</Workflow>`

test('the answer of such a transition says that the instance is over', async () => {
  await using app = await startApp({ application: approvals(FLOW) })
  const body = { FormName: 'Requests', Parameters: { Title: 'Chair', Amount: 10 } }
  await app.fetch('/api/v1/svc/object/submit', { as: 'maker', body })
  const path = '/api/v1/svc/workflow/instances/1/actions/Drop'
  const answer = await app.fetch<{ data: WorkflowInstance }>(path, { as: 'maker', body: {} })
  expect(answer.status).toBe(200)
  expect(answer.body.data).toMatchObject({ Status: 'Cancelled', Tasks: [], Actions: [] })
  const list = (sql: string) => app.store.all({ sql, args: {}, runs: 'inline' })
  const instance = 'SELECT Status FROM svc_workflow_instances'
  expect(await list(instance)).toEqual([{ Status: 'Cancelled' }])
  const open = `SELECT count(*) AS n FROM svc_workflow_tasks WHERE Status = 'Open'`
  expect(await list(open)).toEqual([{ n: 0 }])
})
