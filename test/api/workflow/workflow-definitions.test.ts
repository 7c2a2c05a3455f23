/** Definitions of workflows: versions that instances stay on, drafts, faults with lines, graphs. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { WorkflowGraph } from '../../../src/engine/workflow/designer-graph.ts'
import type { MigrateResult, WorkflowInstance } from '../../../src/engine/workflow/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { APPROVAL, approvals } from '../../support/approvals.ts'

const BASE = '/api/v1/svc/workflow'
const OWN = approvals()

interface Reply<T> {
  code?: string
  error?: string
  faults?: { Line: number; Column: number; Message: string }[]
  fieldErrors?: Record<string, string>
  data: T
}
interface Saved {
  Name: string
  VersionHash: string
  Created: boolean
  Unchanged: boolean
}
interface Issue {
  Severity: string
  Message: string
  Line: number
  Column: number
}
let app: TestApp
beforeAll(async () => {
  app = await startApp({ application: OWN })
})
afterAll(() => app[Symbol.asyncDispose]())

const ask = <T>(as: string, path: string, body?: object, method?: string) =>
  app.fetch<Reply<T>>(`${BASE}${path}`, {
    as,
    ...(body && { body }),
    ...(method !== undefined && { method }),
  })
const save = (DefinitionXml: string) => ask<Saved>('des', '/definitions', { DefinitionXml })
const act = (as: string, id: number, action: string, body: object = {}) =>
  ask<WorkflowInstance>(as, `/instances/${id}/actions/${action}`, body)

async function start(): Promise<number> {
  const body = { FormName: 'Requests', Parameters: { Title: 'Desk', Amount: 10 } }
  await app.fetch('/api/v1/svc/object/submit', { as: 'maker', body })
  const read = { sql: 'SELECT max(Id) AS Id FROM svc_workflow_instances', args: {} }
  const [row] = await app.store.all({ ...read, runs: 'inline' })
  return Number(row?.Id)
}

test('an instance lives through three versions, and is taken to the last', async () => {
  const id = await start()
  await act('maker', id, 'Submit')
  const second = APPROVAL.replace('Action="Refuse"', 'Action="Reject"')
  expect((await save(second)).body.data).toMatchObject({ Name: 'Approval', Created: false })
  const third = second.replaceAll('"review"', '"check"').replaceAll('"review ', '"check ')
  expect((await save(third)).status).toBe(200)
  const { body } = await ask<WorkflowInstance>('ann', `/instances/${id}`)
  expect(body.data).toMatchObject({ State: 'review', IsCurrent: false })
  expect(body.data.Actions.map(({ Action }) => Action)).toEqual(['Approve', 'Refuse'])
  expect((await act('ann', id, 'Reject')).body).toMatchObject({ code: 'ACTION_NOT_FOUND' })
  const migrate = (request: object) =>
    ask<MigrateResult>('des', `/instances/${id}/migrate`, request)
  expect((await migrate({})).body.fieldErrors).toEqual({
    'States.review': "The version has no state 'review'",
  })
  const States = { review: 'check' }
  expect((await migrate({ States, DryRun: true })).body.data).toMatchObject({
    Applied: false,
    Moves: [{ Branch: null, From: 'review', To: 'check' }],
  })
  expect((await ask<WorkflowInstance>('ann', `/instances/${id}`)).body.data.State).toBe('review')
  expect((await migrate({ States })).body.data).toMatchObject({
    Applied: true,
    Instance: { State: 'check', IsCurrent: true, Tasks: [{ State: 'check' }] },
  })
  const refused = await act('ann', id, 'Reject', { Parameters: { Reason: 'too dear' } })
  expect(refused.body.data).toMatchObject({ State: 'refused', Status: 'Finished' })
  expect(refused.body.data.History.map(({ Action }) => Action)).toEqual([
    ...['start', 'Submit', 'migrate', 'Reject'],
  ])
  const versions = await ask<{ IsCurrent: boolean }[]>('des', '/definitions/approval/versions')
  expect(versions.body.data.map(({ IsCurrent }) => IsCurrent)).toEqual([true, false, false])
  await save(APPROVAL)
})

test('a draft goes stale, and is published; a new name takes instances along', async () => {
  const id = await start()
  const draft = (DefinitionXml: string) =>
    ask<{ IsStale: boolean }>('des', '/definitions/Approval/draft', { DefinitionXml })
  expect((await draft('no workflow')).body.data).toMatchObject({ IsStale: false })
  expect((await ask('des', '/definitions/Approval/publish', {})).status).toBe(400)
  await save(APPROVAL.replace('<States>', '<States><!-- all -->'))
  const renamed = APPROVAL.replace('Name="Approval"', 'Name="Consent"')
  expect((await draft(renamed)).body.data).toMatchObject({ IsStale: true })
  expect((await ask<Saved>('des', '/definitions/Approval/publish', {})).body.data).toMatchObject({
    Name: 'Consent',
    Unchanged: false,
  })
  expect((await act('maker', id, 'Submit')).body.data).toMatchObject({
    Workflow: 'Consent',
    State: 'review',
    Tasks: [{ Workflow: 'Consent' }],
  })

  await ask('des', '/definitions/Consent/draft', { DefinitionXml: APPROVAL })
  await ask('des', '/definitions/Consent/publish', {})
})

test('definitions are for those who hold WorkflowDefinitions', async () => {
  expect((await ask('ann', '/definitions')).status).toBe(401)
  expect((await ask('ann', '/definitions/Approval/draft', {}, 'DELETE')).status).toBe(401)
  expect((await ask('des', '/definitions/Nothing')).status).toBe(404)
  const { body } = await ask<{ Name: string; Running: object[] }[]>('des', '/definitions')
  expect(body.data).toMatchObject([{ Name: 'Approval', HasDraft: false }])
})

test('faults and warnings have their lines', async () => {
  const validate = async (DefinitionXml: string) =>
    (await ask<{ Issues: Issue[] }>('des', '/definitions/Approval/validate', { DefinitionXml }))
      .body.data.Issues
  expect((await validate(APPROVAL)).map(({ Message }) => Message)).toEqual([])
  const told = await validate(`<Workflow Name="Approval" Object="Requests" StateField="State">
  <States>
    <State Name="a" Kind="Initial"/>
    <State Name="b" Kind="Task"><Assign Role="Chief" Rule="Quorum" Count="3"/></State>
    <State Name="lost"/><State Name="end"/>
  </States>
  <Transitions>
    <Transition From="a" To="b" Action="Approve"/>
    <Transition From="a" To="end" Action="Approve"/>
  </Transitions>
</Workflow>`)
  expect(told.map(({ Line, Severity, Message }) => `${Line} ${Severity}: ${Message}`)).toEqual([
    '3 warning: From the State a no path leads to a Final state',
    '4 warning: No transition leads out of the State b, and it is not Final',
    '4 warning: b takes 3 of the Role Chief, which only 1 hold now',
    '5 warning: No transition leads to the State lost',
    '5 warning: No transition leads out of the State end, and it is not Final',
    '9 warning: An earlier transition Approve applies wherever this one does: this one is never taken',
  ])
  const faulty = await save(APPROVAL.replace('To="board"', 'To="bored"'))
  expect(faulty.body).toMatchObject({ code: 'WORKFLOW_FAULTS', faults: [{ Line: 12 }] })
})

describe('the graph', () => {
  const graphOf = async () =>
    (await ask<WorkflowGraph & { Source: string }>('des', '/designer/Approval')).body.data
  const TEXT = APPROVAL.replace(
    '<State Name="board"',
    '<!-- two\n   of them -->\n<State Name="board"',
  )
  const draftText = async () =>
    (await ask<{ DefinitionXml: string } | null>('des', '/definitions/Approval/draft')).body.data
      ?.DefinitionXml

  test('goes there and back without a byte', async () => {
    await ask('des', '/definitions/Approval/draft', { DefinitionXml: TEXT })
    const graph = await graphOf()
    expect(graph.Source).toBe('draft')
    expect(graph.Nodes.map(({ Id }) => Id)).toEqual([
      ...['draft', 'review', 'board', 'done', 'refused', 'lapsed'],
    ])
    expect(graph.Edges[3]).toMatchObject({ Action: 'Approve', From: ['review'], To: 'done' })
    await ask('des', '/designer/Approval', graph)
    expect(await draftText()).toBe(TEXT)
  })

  test('writes what differs, and nothing else', async () => {
    const graph = await graphOf()
    const [first, second] = graph.Nodes
    const Nodes = [
      { ...first, X: 40, Y: 80 },
      { ...second, Name: 'check', Label: 'Looked at & "judged"' },
      ...graph.Nodes.slice(2).filter(({ Id }) => Id !== 'lapsed'),
      { Id: 'new1', Name: 'parked', Label: 'Parked', Kind: 'Normal', X: null, Y: null },
    ]
    const none = { Capability: null, When: null, After: null }
    const Edges = [
      ...graph.Edges.filter(({ To }) => To !== 'lapsed'),
      { Id: null, From: ['review'], To: 'new1', Action: 'Park', Label: 'Park', ...none },
      { Id: null, From: ['new1'], To: 'review', Action: 'Unpark', Label: 'Go on', ...none },
    ]
    expect((await ask('des', '/designer/Approval', { Nodes, Edges })).status).toBe(200)
    const expected = TEXT.replace('Kind="Initial"', 'Kind="Initial" At="40 80"')
      .replace(
        'Name="review" Kind="Task"',
        'Name="check" Kind="Task" Label="Looked at &amp; &quot;judged&quot;"',
      )
      .replace('<State Name="lapsed" Kind="Final"/>', '')
      .replace(
        '<State Name="refused" Kind="Final"/>',
        (all) => `${all}\n    <State Name="parked"/>`,
      )
      .replace(/\n *<Transition From="draft" To="lapsed".*/, '')
      .replaceAll('"review', '"check')
      .replace(
        '\n  </Transitions>',
        '\n    <Transition From="check" To="parked" Action="Park"/>' +
          '\n    <Transition From="parked" To="check" Action="Unpark" Label="Go on"/>' +
          '\n  </Transitions>',
      )
    const lines = (text: string | undefined) => text?.split('\n').map((line) => line.trimEnd())
    const written = await draftText()
    expect(lines(written)?.filter((line) => !/parked"\/>|refused" Kind/.test(line))).toEqual(
      lines(expected)?.filter((line) => !/parked"\/>|refused" Kind/.test(line)),
    )
    expect(written).toContain('<State Name="parked"/>')
    expect((await ask('des', '/definitions/Approval/publish', {})).status).toBe(200)
  })
})
