/** A move in which the record goes ends the instance, and says so. */
import { expect, test } from 'bun:test'
import type { WorkflowInstance } from '../../../src/engine/workflow/schema.ts'
import { startApp } from '../../support/app.ts'
import { approvalModel, approvals } from '../../support/approvals.ts'

const DELETE = '<Sql>DELETE FROM requests WHERE Id = @Id</Sql>'
const flow = (effect: string): string => `<Workflow Name="Approval" Object="Requests"
    StateField="State">
  <States><State Name="draft" Kind="Initial"/>
    <State Name="review" Kind="Task"><Assign Role="Boss"/></State>
    <State Name="done" Kind="Final"/></States>
  <Transitions>
    <Transition From="draft" To="review" Action="Drop">${effect}</Transition>
    <Transition From="review" To="done" Action="Approve" Capability="Decide"/>
  </Transitions>
  <Start On="created"/>
</Workflow>`
const LISTENER = `<ObjectView Name="Requests" Entity="Request"><On Event="Drop">${DELETE}</On>`

const MODELS = {
  'by its transition': approvalModel(flow(DELETE)),
  'by a listener': approvalModel(flow('')).replace(
    '<ObjectView Name="Requests" Entity="Request">',
    LISTENER,
  ),
}

for (const [how, body] of Object.entries(MODELS))
  test(`the answer says that the instance is over: ${how}`, async () => {
    const application = { ...approvals(), files: [{ name: 'approvals.xml', body }] }
    await using app = await startApp({ application })
    const request = { FormName: 'Requests', Parameters: { Title: 'Chair', Amount: 10 } }
    await app.fetch('/api/v1/svc/object/submit', { as: 'maker', body: request })
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
