/** An import is taken back whole, or not at all. */
import { expect, test } from 'bun:test'
import { deployModel } from '../../../src/model/deploy/deploy.ts'
import { openImportPurge } from '../../../src/engine/object/import/import-log.ts'
import { startHardImports } from '../../support/hard-imports.ts'
import { TestClock } from '../../support/identity.ts'
import { IMPORTS, type Imports, startImports } from '../../support/imports.ts'
import { refusal } from '../../support/objects.ts'

const undo = (app: Imports, as: string, id: string | null) =>
  app.call<{ Action: string }>(as, `/import-data/${id}/undo`, {})

test('new records go, changed ones are what they were, and it happens once', async () => {
  await using app = await startImports()
  const old = 'Name,Email,Limit,Extra,Vip\nAnn,ann@x.org,10.5,"{""a"":[1]}",true\n'
  await app.take('clerk', { objectName: 'People', file: old })
  const before = (await app.table('clerk', 'People')).Rows
  const done = await app.take('clerk', {
    objectName: 'People',
    file: 'Email,Name,Limit,Extra,Vip\nann@x.org,Anna,1,,\nbo@x.org,Bo,2,,\n',
    fields: { mode: 'upsert', keyFields: 'Email' },
  })
  expect(done).toMatchObject({ Inserted: 1, Updated: 1 })
  expect((await undo(app, 'narrow', done.ImportId)).status).toBe(401)
  expect((await undo(app, 'other', done.ImportId)).status).toBe(404)
  expect((await undo(app, 'clerk', '999')).status).toBe(404)
  expect((await undo(app, 'clerk', done.ImportId)).body.data.Action).toBe('undo-import')
  const { Rows } = await app.table('clerk', 'People')
  const { RowVersion, ChangedAt, ...was } = before[0] ?? {}
  expect(Rows).toHaveLength(1)
  expect(Rows[0]).toMatchObject(was)
  const again = await undo(app, 'clerk', done.ImportId)
  expect([again.status, again.body.code]).toEqual([409, 'IMPORT_UNDONE'])
})

test('a record that was changed since keeps the import', async () => {
  await using app = await startImports()
  const people = 'Name,Email\nAnn,ann@x.org\nBo,bo@x.org\n'
  const done = await app.take('clerk', { objectName: 'People', file: people })
  const [first, second] = (await app.table('clerk', 'People')).Rows
  const { Id, RowVersion } = first ?? {}
  await app.save('clerk', 'People', { Id, RowVersion, Note: 'changed' })
  const one = await undo(app, 'clerk', done.ImportId)
  expect([one.status, one.body.error]).toEqual([
    409,
    'The import cannot be undone: 1 record has changed since',
  ])
  await app.call('clerk', '/delete-row', {
    ObjectName: 'People',
    Parameters: { Id: second?.Id },
    RowVersion: second?.RowVersion,
  })
  const two = await undo(app, 'clerk', done.ImportId)
  expect(two.body.error).toEndWith('2 records have changed since')
  const plain = await app.take('clerk', { objectName: 'Readings', file: 'Code,Value\nA,1\n' })
  const [reading] = (await app.table('clerk', 'Readings')).Rows
  await app.save('clerk', 'Readings', { Id: reading?.Id, Value: 2 })
  expect((await undo(app, 'clerk', plain.ImportId)).status).toBe(409)
})

test('an import whose entity a deploy has changed is not taken back', async () => {
  await using app = await startImports()
  await app.take('clerk', { objectName: 'Readings', file: 'Code,Value\nA,1\n' })
  const file = 'Code,Value,Day\nA,2,2026-01-02\n'
  const fields = { mode: 'update', keyFields: 'Code' }
  const done = await app.take('clerk', { objectName: 'Readings', file, fields })
  const { store, models, clock } = app.app.context
  const files = IMPORTS.files.map(({ name, body }) => {
    const [column] = /<Column Name="Value" [^>]*\/>/.exec(body) ?? []
    return { name, body: body.replace(`${column}`, `<Column Name="Note" Default="n"/>${column}`) }
  })
  const { isDone } = await deployModel(store, models, files, {}, clock)
  expect(isDone).toBe(true)
  const late = await undo(app, 'clerk', done.ImportId)
  expect([late.status, late.body.code]).toEqual([404, 'IMPORT_NOT_FOUND'])
  expect((await app.table('clerk', 'Readings')).Rows[0]).toMatchObject({ Value: 2, Note: 'n' })
})

const MINUTE_MS = 60_000

test('an import that has expired cannot be taken back, and is forgotten row by row', async () => {
  const clock = new TestClock()
  await using app = await startImports({ clock, settings: { 'Svc:Imports:UndoFor': '1m' } })
  const take = async (from: number, count: number): Promise<string | null> => {
    const rows = Array.from({ length: count }, (_, at) => `R${from + at},1`)
    const file = `Code,Value\n${rows.join('\n')}\n`
    return (await app.take('clerk', { objectName: 'Readings', file })).ImportId
  }
  const parts = 'Name,Lands\nbolt,"[1,2]"\nnut,[1]\n'
  await app.take('clerk', { objectName: 'Parts', file: parts })
  const old = await take(0, 1200)
  clock.pass(MINUTE_MS - 1)
  const young = await take(1200, 3)
  clock.pass(1)
  const late = refusal(await undo(app, 'clerk', old), 404)
  expect(late.error).toBe('There is no such import, or it can no longer be undone')
  const purge = openImportPurge(app.app.context)
  await purge.start()
  await purge.stop()
  expect(await app.stored('SELECT Id FROM svc_imports')).toEqual([{ Id: Number(young) }])
  expect(await app.stored('SELECT count(*) AS Rows FROM svc_import_rows')).toEqual([{ Rows: 3 }])
  expect(await app.stored('SELECT Row FROM svc_import_lists')).toEqual([])
  expect(refusal(await undo(app, 'clerk', old), 404).code).toBe('IMPORT_NOT_FOUND')
  expect((await undo(app, 'clerk', young)).status).toBe(200)
  expect(await app.stored('SELECT count(*) AS Rows FROM readings')).toEqual([{ Rows: 1200 }])
})

test('undo needs Delete where it removes records, Update where it changes them', async () => {
  await using app = await startHardImports()
  const fields = { mode: 'upsert', keyFields: 'Title' }
  const added = await app.take('adder', { objectName: 'Docs', file: 'Title\na\n', fields })
  expect((await undo(app, 'adder', added.ImportId)).body.code).toBe('PERMISSION_DENIED')
  const file = 'Title,Status\na,seen\n'
  const changed = await app.take('adder', { objectName: 'Docs', file, fields })
  expect(changed.Updated).toBe(1)
  expect((await undo(app, 'adder', changed.ImportId)).body.code).toBe('PERMISSION_DENIED')
  expect(await app.stored('SELECT Title, Status FROM docs')).toEqual([
    { Title: 'a', Status: 'seen' },
  ])
})

test('undo asks the present row filter and Permit: what is out of reach keeps it', async () => {
  await using app = await startHardImports()
  for (const Code of ['north', 'south'])
    await app.save('clerk', 'Regions', { Code, IsOpen: true }, { IsNew: true })
  const fields = { mode: 'upsert', keyFields: 'Title' }
  await app.take('regional', { objectName: 'Docs', file: 'Title,Region\nold,north\n' })
  const file = 'Title,Region\nold,south\nnew,south\n'
  const done = await app.take('regional', { objectName: 'Docs', file, fields })
  const open = (Code: string, IsOpen: boolean) => app.save('clerk', 'Regions', { Code, IsOpen })
  const told = async () => {
    const answer = await undo(app, 'regional', done.ImportId)
    return [answer.status, answer.body.error]
  }
  await open('south', false)
  expect(await told()).toEqual([409, 'The import cannot be undone: 2 records have changed since'])
  await open('south', true)
  // What would be put back is out of reach now.
  await open('north', false)
  expect(await told()).toEqual([409, 'The import cannot be undone: 1 record has changed since'])
  await open('north', true)
  expect((await told())[0]).toBe(200)
  expect(await app.stored('SELECT Title, Region FROM docs')).toEqual([
    { Title: 'old', Region: 'north' },
  ])
  const approved = 'Title,Region,Status\nsealed,north,approved\n'
  const sealed = await app.take('regional', { objectName: 'Docs', file: approved })
  expect((await undo(app, 'regional', sealed.ImportId)).status).toBe(409)
})
