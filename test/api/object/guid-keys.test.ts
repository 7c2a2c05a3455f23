/** Keys that are Guids: given by the engine where nobody brings one, as of a record so of a row. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApp } from '../../support/app.ts'
import { Imports } from '../../support/imports.ts'
import { refusal, type Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import type { TestApplication } from '../../support/template.ts'

const MODEL = `<Model>
<Entity Name="Part" Table="parts" Display="Name">
  <Column Name="Id" Type="Guid" Key="true"/>
  <Column Name="Name" Type="Text" Required="true" Unique="true"/>
</Entity>
<Entity Name="Machine" Table="machines" Company="CompanyId">
  <Column Name="Id" Type="Guid" Key="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Name" Type="Text" Required="true"/>
</Entity>
<Entity Name="Permission" Table="permissions" Company="CompanyId">
  <Column Name="MachineId" References="Machine" Key="true" OnDelete="Cascade"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
  <Column Name="Until" Type="Date"/>
</Entity>
<Entity Name="MachinePart" Table="machine_parts" Company="CompanyId">
  <Column Name="Id" Type="Guid" Key="true"/>
  <Column Name="MachineId" References="Machine" Required="true" OnDelete="Cascade"/>
  <Column Name="PartId" References="Part" Required="true"/>
  <Column Name="CompanyId" Type="Integer" Required="true"/>
</Entity>
<Rows Entity="Part" Key="Name"><Row Name="bolt"/><Row Name="nut"/></Rows>
<ObjectView Name="Parts" Entity="Part"/>
<ObjectView Name="Machines" Entity="Machine">
  <Field Name="Parts" Multiple="true" Through="MachinePart"/>
  <Detail View="Permissions" Parent="MachineId=Id"/>
</ObjectView>
<ObjectView Name="Permissions" Entity="Permission"/>
<ObjectView Name="MachineParts" Entity="MachinePart"/>
</Model>`

const APPLICATION: TestApplication = {
  files: [{ name: 'machines.xml', body: MODEL }],
  ...makePeople('ONE', { sys: 'System' }),
}

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

let objects: Imports
beforeAll(async () => {
  objects = new Imports(await startApp({ application: APPLICATION }))
})
afterAll(() => objects[Symbol.asyncDispose]())

const keyOf = ({ Keys }: { Keys: Row | Row[] | null }): string =>
  String(Array.isArray(Keys) ? undefined : Keys?.Id)

test('reference rows have their own', async () => {
  const { Rows } = await objects.table('sys', 'Parts')
  const ids = Rows.map(({ Id }) => String(Id))
  expect(ids.map((id) => GUID.test(id))).toEqual([true, true])
  expect(new Set(ids).size).toBe(2)
})

test('a new record is given one, and so is each row of a list of keys', async () => {
  const parts = (await objects.table('sys', 'Parts')).Rows.map(({ Id }) => Id)
  const saved = await objects.save('sys', 'Machines', { Name: 'press', Parts: parts })
  expect(keyOf(saved)).toMatch(GUID)
  expect(saved.Values.Id).toBe(keyOf(saved))
  expect(saved.Values.Parts).toEqual([...parts].sort())
  const rows = await objects.table('sys', 'MachineParts')
  expect(new Set(rows.Rows.map(({ Id }) => Id)).size).toBe(2)
  const again = await objects.save('sys', 'Machines', { Id: keyOf(saved), Name: 'big press' })
  expect({ action: again.Action, key: keyOf(again) }).toEqual({
    action: 'updated',
    key: keyOf(saved),
  })
})

test('one that is brought is taken; a form of a new record has none', async () => {
  const Id = '0b0e8f5c-58a7-4c1e-9f0a-2f4f6f0c1d2e'
  const fresh = await objects.form('sys', 'Machines')
  expect(fresh.Values.Id).toBeNull()
  refusal(await objects.submit('sys', 'Machines', { Id, Name: 'lathe' }), 404)
  const saved = await objects.save('sys', 'Machines', { Id, Name: 'lathe' }, { IsNew: true })
  expect(keyOf(saved)).toBe(Id)
})

test('a row of a file without one is given it; one that the file brings is taken', async () => {
  const Id = '5b0e8f5c-58a7-4c1e-9f0a-2f4f6f0c1d2e'
  const take = (objectName: string, file: string, fields = {}) =>
    objects.take('sys', { objectName, file, fields })
  const made = await take('Parts', 'Name\nrivet\nwasher\n')
  expect(made.Inserted).toBe(2)
  await take('Parts', `Id,Name\n${Id},pin\n,clip\n`)
  const by = { mode: 'upsert', keyFields: 'Name' }
  expect(await take('Parts', 'Name,Id\npin,\nspring,\n', by)).toMatchObject({
    Inserted: 1,
    Skipped: 1,
  })
  const { Rows } = await objects.table('sys', 'Parts')
  const ids = Rows.map((row) => String(row.Id))
  expect(ids.every((id) => GUID.test(id))).toBe(true)
  expect(new Set(ids).size).toBe(7)
  expect(Rows.find(({ Name }) => Name === 'pin')).toMatchObject({ Id })
  await objects.call('sys', `/import-data/${made.ImportId}/undo`, {})
  const left = (await objects.table('sys', 'Parts')).Rows.map(({ Name }) => Name)
  expect(left.sort()).toEqual(['bolt', 'clip', 'nut', 'pin', 'spring'])
  const mill = await take('Machines', `Name,Parts\nmill,"[""${Id}""]"\n`)
  const machines = await objects.table('sys', 'Machines', { SearchText: 'mill' })
  const form = await objects.form('sys', 'Machines', { Id: machines.Rows[0]?.Id })
  expect(form.Values.Parts).toEqual([Id])
  await objects.call('sys', `/import-data/${mill.ImportId}/undo`, {})
  expect(await objects.stored(`SELECT Id FROM machine_parts WHERE PartId = '${Id}'`)).toEqual([])
  expect(await objects.stored(`SELECT Id FROM machines WHERE Name = 'mill'`)).toEqual([])
})

test('a key that refers to a record is chosen, so it is shown and demanded', async () => {
  const { Fields } = (await objects.call<{ Fields: Row[] }>('sys', '/permissions/metadata')).body
    .data
  expect(Fields.find(({ Name }) => Name === 'MachineId')).toMatchObject({ Hidden: false })
  const missing = refusal(await objects.submit('sys', 'Permissions', {}), 400)
  expect(missing.fieldErrors).toEqual({ MachineId: 'Machine is required' })
  const sent = await objects.send('sys', { objectName: 'Permissions', file: 'Until\n2026-01-01\n' })
  expect(refusal(sent, 400).code).toBe('NO_COLUMNS')
})
