import { expect, test } from 'bun:test'
import { formatDiagnostic } from '../../src/model/deploy/report.ts'
import { DeployTarget } from '../support/deploy.ts'

const entity = (column: string): string =>
  `<Entity Name="Thing" Table="things">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column ${column} Type="Text"/>
</Entity>`

const VIEW = `<ObjectView Name="Things" Entity="Thing">
  <TableQuery>SELECT Id, Code FROM things</TableQuery>
</ObjectView>`

test('a fault in what was deployed before says so, with the way out', async () => {
  await using target = await DeployTarget.open()
  const rows = '<Rows Entity="Thing" Key="Code"><Row Code="a"/></Rows>'
  const model = `<Model>${entity('Name="Code"')}\n${VIEW}\n${rows}</Model>`
  expect((await target.deploy({ 'all.xml': model })).plan.faults).toEqual([])
  const renamed = `<Model>\n${entity('Name="Number" Was="Code"')}\n</Model>`
  const { plan } = await target.deploy({ 'all.xml': renamed })
  const absent = 'all.xml as deployed before'
  const noRows = 'The files have no Rows of Thing: deploy Rows without a Row to replace these'
  expect(plan.faults.map(formatDiagnostic)).toEqual([
    `${absent}:6:26: No column is named Code here. ` +
      'The files have no ObjectView Things: deploy it again, or remove it with --prune',
    `${absent}:8:22: Key: Thing has no column Code. ${noRows}`,
    `${absent}:8:38: Thing has no column Code. ${noRows}`,
  ])
  const replaced = renamed.replace('</Model>', '<Rows Entity="Thing" Key="Number"/></Model>')
  expect((await target.deploy({ 'all.xml': replaced }, { prune: true })).plan.faults).toEqual([])
  expect(await target.rows('SELECT Number FROM things')).toEqual([{ Number: 'a' }])
})

test('a fault in the files stands where it stood', async () => {
  await using target = await DeployTarget.open()
  await target.deploy({ 'thing.xml': entity('Name="Code"'), 'view.xml': VIEW })
  const { plan } = await target.deploy({ 'view.xml': VIEW.replace('Code', 'Coed') })
  expect(plan.faults.map(formatDiagnostic)).toEqual([
    'view.xml:2:26: No column is named Coed here; the nearest is Code',
  ])
})
