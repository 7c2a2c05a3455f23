/** Instances of workflows stay with their records through new names and new keys. */
import { expect, test } from 'bun:test'
import { DeployTarget } from '../support/deploy.ts'

const entity = (name: string, columns: string): string =>
  `<Entity Name="${name}" Table="cases" ${name === 'Case' ? '' : 'Was="Case"'}>${columns}
  <Column Name="State" Type="Text"/></Entity>`

const BY_NUMBER = entity('Case', '<Column Name="Number" Type="Integer" Key="true"/>')
const BY_ID = entity(
  'Matter',
  '<Column Name="Id" Type="Integer" Key="true" Identity="true"/>' +
    '<Column Name="Number" Type="Integer"/>',
)

test('another entity name and another key', async () => {
  await using target = await DeployTarget.open()
  await target.deploy({ 'c.xml': BY_NUMBER })
  const insert = (key: string, status: string): string =>
    `INSERT INTO svc_workflow_instances (Workflow, VersionHash, Entity, RecordKey, CompanyId, State,
      Status, Version, Entry, EnteredAt, StartedAt)
     VALUES ('Flow', '', 'Case', '${key}', 1, 'new', '${status}', 1, 1, '', '')`
  await target.run(
    `INSERT INTO cases (Number, State) VALUES (2, 'b'), (1, 'a')`,
    ...['[1]', '[2]'].map((key) => insert(key, 'Running')),
    insert('[9]', 'Cancelled'),
  )
  const { isDone } = await target.deploy({ 'c.xml': BY_ID })
  expect(isDone).toBe(true)
  const rows = await target.rows(
    `SELECT i.Id, i.Entity, i.RecordKey, c.Number FROM svc_workflow_instances i
     LEFT JOIN cases c ON c.Id = json_extract(i.RecordKey, '$[0]') ORDER BY i.Id`,
  )
  expect(rows.map(({ Entity, Number }) => [Entity, Number])).toEqual([
    ['Matter', 1],
    ['Matter', 2],
    ['Matter', null],
  ])
  expect(rows.map(({ RecordKey }) => RecordKey)).toContain('[]')
})
