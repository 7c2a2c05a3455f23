/** Tables wider than the change log takes, and more references than one expression holds. */
import { expect, test } from 'bun:test'
import { COLUMNS_MAX } from '../../src/store/write/watch.ts'
import { ALL, failureOf, openTemporary, rows } from './temporary.ts'

const nameColumns = (count: number): string[] => [
  'Id',
  ...Array.from({ length: count - 1 }, (_, at) => `C${at}`),
]

/** A folder that has a table of so many columns, with a row, beside an ordinary one. */
async function openWide(count: number) {
  const made = await openTemporary()
  const columns = nameColumns(count)
  await made.store.migrate(async (tx) => {
    await tx.run(`CREATE TABLE wide (Id INTEGER PRIMARY KEY, ${columns.slice(1).join(', ')})`)
    await tx.run('INSERT INTO wide (Id, C0) VALUES (1, 2)')
    await tx.run('CREATE TABLE notes (Id INTEGER PRIMARY KEY, Text TEXT)')
  })
  const beside = { keys: ['Id'], company: undefined, references: [] }
  await made.store.watch([
    { entity: 'Wide', table: 'wide', columns, ...beside },
    { entity: 'Note', table: 'notes', columns: ['Id', 'Text'], ...beside },
  ])
  return made
}

test('the widest table is written, and its change is logged', async () => {
  await using made = await openWide(COLUMNS_MAX)
  await made.store.write((tx) => tx.run('UPDATE wide SET C0 = 3'), ALL)
  expect(await rows(made.store, 'SELECT C0 FROM wide')).toEqual([{ C0: 3 }])
})

test.each([COLUMNS_MAX + 1, 1998, 2000])(
  'a table of %i columns is read, refuses each write, and keeps nothing else from work',
  async (count) => {
    await using made = await openWide(count)
    for (const sql of [
      'INSERT INTO wide (Id) VALUES (2)',
      'UPDATE wide SET C0 = 3',
      'DELETE FROM wide',
    ])
      expect(await failureOf(made.store.write((tx) => tx.run(sql), ALL))).toMatchObject({
        code: 'TABLE_TOO_WIDE',
      })
    await made.store.write((tx) => tx.run(`INSERT INTO notes VALUES (1, 'on')`), ALL)
    expect(await rows(made.store, 'SELECT C0 FROM wide')).toEqual([{ C0: 2 }])
    expect(await rows(made.store, 'SELECT Text FROM notes')).toEqual([{ Text: 'on' }])
  },
)

test('a table of 1,800 references is held to its company by the last of them', async () => {
  await using made = await openTemporary()
  const columns = nameColumns(1801)
  const cells = columns.slice(1)
  await made.store.migrate(async (tx) => {
    await tx.run(
      `CREATE TABLE many (Id INTEGER PRIMARY KEY, CompanyId INTEGER, ${cells.join(', ')})`,
    )
    await tx.run('CREATE TABLE notes (Id INTEGER PRIMARY KEY, CompanyId INTEGER)')
    await tx.run('INSERT INTO notes VALUES (1, 1), (2, 2)')
  })
  const to = { table: 'notes', key: 'Id', company: 'CompanyId' }
  await made.store.watch([
    {
      entity: 'Many',
      table: 'many',
      keys: ['Id'],
      company: 'CompanyId',
      columns: [...columns, 'CompanyId'],
      references: cells.map((column) => ({ column, ...to })),
    },
  ])
  const add = (id: number, note: number) =>
    made.store.write(
      (tx) => tx.run(`INSERT INTO many (Id, CompanyId, C1799) VALUES (${id}, 1, ${note})`),
      { company: 1 },
    )
  expect(await failureOf(add(1, 2))).toMatchObject({ code: 'REFERENCE' })
  await add(2, 1)
  expect(await rows(made.store, 'SELECT Id FROM many')).toEqual([{ Id: 2 }])
})
