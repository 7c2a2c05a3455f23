/** Whose rows a member may write, and what is logged, whatever its neighbours in the group did. */
import { expect, test } from 'bun:test'
import { ALL, failureOf, openTemporary, rows } from './temporary.ts'

const TABLES = [
  `CREATE TABLE notes (Id INTEGER PRIMARY KEY, CompanyId INTEGER NOT NULL, Text TEXT,
     UserId INTEGER REFERENCES svc_users (Id) ON DELETE SET NULL)`,
  `INSERT INTO svc_users (Id, UserName, UserNameKey, DisplayName, CreatedAt, ChangedAt)
     VALUES (7, 'seven', 'seven', 'Seven', '', '')`,
  `INSERT INTO notes VALUES (1, 1, 'one', 7), (2, 2, 'two', 7)`,
]

async function openNotes() {
  const made = await openTemporary()
  await made.store.migrate(async (tx) => {
    for (const sql of TABLES) await tx.run(sql)
  })
  const columns = ['Id', 'CompanyId', 'Text', 'UserId']
  const notes = { entity: 'Note', table: 'notes', keys: ['Id'], columns, references: [] }
  await made.store.watch([{ ...notes, company: 'CompanyId' }])
  return made
}

const rename = (text: string) => `UPDATE notes SET Text = '${text}'`
const texts = async ({ store }: Awaited<ReturnType<typeof openNotes>>) =>
  (await rows(store, 'SELECT Text FROM notes ORDER BY Id')).map(({ Text }) => Text)

test('each member of a group writes its own company alone, after one that failed too', async () => {
  await using made = await openNotes()
  const write = (company: number, text: string, fails = false) =>
    made.store.write(
      async (tx) => {
        await tx.run(rename(text))
        if (fails) throw new Error('on purpose')
      },
      { company },
    )
  const ended = await Promise.allSettled([
    write(1, 'a'),
    write(2, 'b', true),
    write(2, 'c'),
    write(1, 'd', true),
    made.store.write((tx) => tx.run('SELECT 1'), { company: 2 }),
    write(1, 'e'),
  ])
  expect(ended.map(({ status }) => status[0]).join('')).toBe('frfrff')
  expect(await texts(made)).toEqual(['e', 'c'])
})

test('what reads in silence, or for all, leaves the next write loud and held', async () => {
  await using made = await openNotes()
  const touched = await made.store.write(
    async (tx) => {
      await tx.silently(() => tx.get('SELECT 1 AS One'))
      await tx.within('all', () => tx.get('SELECT 1 AS One'))
      await tx.run(rename('x'))
      return tx.takeChangeLog()
    },
    { company: 1 },
  )
  expect(touched.map(({ key }) => key)).toEqual([[1]])
  expect(await texts(made)).toEqual(['x', 'two'])
})

test('what a foreign key of an engine table changes is logged', async () => {
  await using made = await openNotes()
  const touched = await made.store.write(async (tx) => {
    await tx.silently(() => tx.run(rename('y')))
    expect(await tx.takeChangeLog()).toEqual([])
    await tx.silently(() => tx.run(rename('silent, with what is loud behind it')))
    await tx.run('DELETE FROM svc_users WHERE Id = 7')
    return tx.takeChangeLog()
  }, ALL)
  expect(touched.map(({ key, before }) => [key, before?.UserId])).toEqual([
    [[1], 7],
    [[2], 7],
  ])
})

test('what is silent stays so behind what is loud and before it', async () => {
  await using made = await openNotes()
  const touched = await made.store.write(async (tx) => {
    await tx.silently(() => tx.run("UPDATE notes SET Text = 'a' WHERE Id = 1"))
    await tx.run("UPDATE notes SET Text = 'b' WHERE Id = 2")
    await tx.silently(() => tx.run("UPDATE notes SET Text = 'c' WHERE Id = 1"))
    return tx.takeChangeLog()
  }, ALL)
  expect(touched.map(({ key }) => key)).toEqual([[2]])
})

test('a statement of the engine whose text begins with WITH may write any table', async () => {
  await using made = await openNotes()
  const sql =
    `WITH x AS (SELECT 'INSERT INTO svc_facts' AS T) ` + 'UPDATE notes SET Text = (SELECT T FROM x)'
  await made.store.write((tx) => tx.run(sql), { company: 2 })
  expect(await texts(made)).toEqual(['one', 'INSERT INTO svc_facts'])
  const failure = await failureOf(
    made.store.write((tx) => tx.run("INSERT INTO notes VALUES (3, 1, 'z', NULL)"), { company: 2 }),
  )
  expect(failure.kind).toBeDefined()
})
