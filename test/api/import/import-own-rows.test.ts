/** Rows of one file that point to each other. */
import { expect, test } from 'bun:test'
import { CHUNK_ROWS } from '../../../src/engine/object/import/import-stage.ts'
import { startHardImports } from '../../support/hard-imports.ts'
import type { Imports } from '../../support/imports.ts'
import { refusal } from '../../support/objects.ts'

const listNodes = (app: Imports) =>
  app.stored(`SELECT n.Code, p.Code AS Parent, b.Code AS Buddy FROM nodes n
    LEFT JOIN nodes p ON p.Id = n.ParentId LEFT JOIN nodes b ON b.Id = n.BuddyId ORDER BY n.Code`)

test('rows point to rows before and behind them, by a unique column or a label', async () => {
  await using app = await startHardImports()
  const file =
    'Code,Name,ParentId,BuddyId\n' +
    'c,Third,b,First\n' +
    'b,Second,First,\n' +
    'a,First,,c\n' +
    'd,Fourth,c,Third\n'
  for (const dryRun of ['true', 'false']) {
    const sent = { objectName: 'Nodes', file, fields: { dryRun } }
    expect(await app.take('clerk', sent)).toMatchObject({ Inserted: 4, Failed: 0 })
  }
  expect(await listNodes(app)).toEqual([
    { Code: 'a', Parent: null, Buddy: 'c' },
    { Code: 'b', Parent: 'a', Buddy: null },
    { Code: 'c', Parent: 'b', Buddy: 'a' },
    { Code: 'd', Parent: 'c', Buddy: 'c' },
  ])
})

test('rows point to rows by keys that the file has, and to stored records as well', async () => {
  await using app = await startHardImports()
  await app.take('clerk', { objectName: 'Nodes', file: 'Code,Name\nroot,Root\n' })
  const file = 'Id,Code,Name,ParentId\n9,i,Nine,7\n7,g,Seven,1\n8,7,Eight,root\n'
  await app.take('clerk', { objectName: 'Nodes', file, fields: { keepKeys: 'true' } })
  expect(await app.stored('SELECT Id, ParentId FROM nodes ORDER BY Id')).toEqual([
    { Id: 1, ParentId: null },
    { Id: 7, ParentId: 1 },
    { Id: 8, ParentId: 1 },
    { Id: 9, ParentId: 7 },
  ])
  // A number is a key, and not what a row of the file is called.
  const wrong = 'Code,Name,ParentId\n55,Five,\nx,X,55\n'
  const told = refusal(await app.send('clerk', { objectName: 'Nodes', file: wrong }), 400)
  expect(told.fieldErrors).toEqual({ 'Rows[3].ParentId': 'Parent: there is no such node' })
})

test('an upsert points to new rows and to what its own rows are called from now on', async () => {
  await using app = await startHardImports()
  await app.take('clerk', { objectName: 'Nodes', file: 'Code,Name\na,Old\nz,Last\n' })
  const file = 'Code,Name,ParentId\nz,Last,fresh\nfresh,Fresh,New\na,New,\nb,B,Old\n'
  const fields = { mode: 'upsert', keyFields: 'Code' }
  const done = await app.take('clerk', { objectName: 'Nodes', file, fields })
  expect(done).toMatchObject({ Inserted: 2, Updated: 2 })
  expect((await listNodes(app)).map(({ Code, Parent }) => [Code, Parent])).toEqual([
    ['a', null],
    ['b', 'a'],
    ['fresh', 'a'],
    ['z', 'fresh'],
  ])
})

test('a name that two rows, or a row and a record, bear is told and not guessed', async () => {
  await using app = await startHardImports()
  await app.take('clerk', { objectName: 'Nodes', file: 'Code,Name\ns,Stored\n' })
  const file =
    'Code,Name,ParentId\na,Same,\nb,Same,\nc,C,Same\nd,Stored,\ne,E,Stored\nf,F,Nowhere\n'
  const sent = { objectName: 'Nodes', file }
  expect(refusal(await app.send('clerk', sent), 400).fieldErrors).toEqual({
    'Rows[4].ParentId': 'Parent: more than one record has this name',
    'Rows[6].ParentId': 'Parent: more than one record has this name',
    'Rows[7].ParentId': 'Parent: there is no such node',
  })
})

test('a row that is left out takes those with it that point to it, and no others', async () => {
  await using app = await startHardImports()
  await app.take('clerk', { objectName: 'Nodes', file: 'Code,Name\ntaken,Taken\n' })
  const file =
    'Code,Name,ParentId\nc,C,b\nb,B,a\na,,\nok,Ok,\nx,X,dup\ndup,Dup,\ndup,Dup,\ntaken,Again,\n'
  const fields = { onError: 'skip' }
  const done = await app.take('clerk', { objectName: 'Nodes', file, fields })
  expect(done).toMatchObject({ Inserted: 3, Failed: 5 })
  expect((await listNodes(app)).map(({ Code }) => Code)).toEqual(['dup', 'ok', 'taken', 'x'])
})

test('a tree with a record below itself is refused; other circles are stored', async () => {
  await using app = await startHardImports()
  const tree = 'Code,Name,ParentId\na,A,b\nb,B,a\n'
  const told = refusal(await app.send('clerk', { objectName: 'Nodes', file: tree }), 400)
  expect(Object.values(told.fieldErrors ?? {})).toEqual([
    'Parent: a record cannot be placed below itself',
  ])
  const pairs = Array.from({ length: CHUNK_ROWS }, (_, at) => `w${at},w${CHUNK_ROWS * 2 - 1 - at}`)
  const back = Array.from({ length: CHUNK_ROWS }, (_, at) => CHUNK_ROWS + at).map(
    (at) => `w${at},w${CHUNK_ROWS * 2 - 1 - at}`,
  )
  const words = `Text,NextWord\n${[...pairs, ...back, 'self,self'].join('\n')}\n`
  const done = await app.take('clerk', { objectName: 'Words', file: words })
  expect(done.Inserted).toBe(CHUNK_ROWS * 2 + 1)
  const [wrong] = await app.stored(`SELECT count(*) AS Rows FROM words w
    WHERE NOT EXISTS (SELECT 1 FROM words v WHERE v.Text = w.NextWord AND v.NextWord = w.Text)`)
  expect(wrong?.Rows).toBe(0)
  expect(await app.stored('PRAGMA foreign_key_check')).toEqual([])
})

test('rows that are written one by one point to each other, in circles too', async () => {
  await using app = await startHardImports()
  const file = 'Title,AfterId\nlast,middle\nbad,nobody\nmiddle,first\nfirst,\nx,y\ny,x\n'
  const fields = { onError: 'skip' }
  const done = await app.take('clerk', { objectName: 'Tickets', file, fields })
  expect(done).toMatchObject({ Inserted: 5, Failed: 1 })
  const rows = await app.stored(`SELECT t.Title, a.Title AS After FROM tickets t
    LEFT JOIN tickets a ON a.Id = t.AfterId ORDER BY t.Title`)
  expect(rows.map(({ Title, After }) => [Title, After])).toEqual([
    ['first', null],
    ['last', 'middle'],
    ['middle', 'first'],
    ['x', 'y'],
    ['y', 'x'],
  ])
})

test('a chain of thousands of rows, the last one first, is stored and taken back', async () => {
  await using app = await startHardImports()
  const count = CHUNK_ROWS * 5
  const chain = Array.from({ length: count }, (_, at) => `n${at},N${at},n${at + 1}`)
  const file = `Code,Name,BuddyId\n${chain.join('\n')}\nn${count},End,\n`
  const done = await app.take('clerk', { objectName: 'Nodes', file })
  expect(done.Inserted).toBe(count + 1)
  const [roots] = await app.stored(
    `SELECT count(*) AS Rows, sum(BuddyId IS NULL) AS Roots FROM nodes`,
  )
  expect(roots).toEqual({ Rows: count + 1, Roots: 1 })
  const undo = () => app.call('clerk', `/import-data/${done.ImportId}/undo`, {})
  const last = await app.take('clerk', { objectName: 'Nodes', file: 'Code,Name,BuddyId\nz,Z,n7\n' })
  const told = await undo()
  expect([told.status, told.body.code]).toEqual([400, 'REFERENCE'])
  await app.call('clerk', `/import-data/${last.ImportId}/undo`, {})
  expect((await undo()).status).toBe(200)
  expect(await app.stored('SELECT Id FROM nodes')).toEqual([])
})

test('a row of the file that a lookup leaves out is none that others may point to', async () => {
  await using app = await startHardImports()
  const file = 'Title,AfterId\nz,locked\nlocked,\ny,z\n'
  const told = refusal(await app.send('clerk', { objectName: 'Tickets', file }), 400)
  expect(told.fieldErrors).toEqual({ 'Rows[2].AfterId': 'After: there is no such ticket' })
  const fields = { onError: 'skip' }
  expect(await app.take('clerk', { objectName: 'Tickets', file, fields })).toMatchObject({
    Inserted: 1,
    Failed: 2,
  })
})

test('a row that stands against another one is reported by its own rule alone', async () => {
  await using app = await startHardImports()
  await app.take('clerk', { objectName: 'Rooms', file: 'Code,Name\na,A\n' })
  const file = 'Code,Name,InId\na,C,\na,B,\nx,X,y\ny,Y,\nz,X,y\n'
  const fields = { mode: 'upsert', keyFields: 'Code' }
  const refused = refusal(await app.send('clerk', { objectName: 'Rooms', file, fields }), 400)
  expect(refused.fieldErrors).toEqual({
    'Rows[3]': 'An earlier row of the file has the same record',
    'Rows[6].InId': 'In is already in use',
  })
})
