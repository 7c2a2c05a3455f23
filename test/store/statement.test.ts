/** A prepared statement is asked with other values each time, whichever way it was asked before. */
import { expect, test } from 'bun:test'
import { openScratch } from '../../src/store/connection/connection.ts'
import { Statement, TextStatement } from '../../src/store/connection/statement.ts'
import { SqlReal } from '../../src/store/sql.ts'

const SQL = 'SELECT n FROM (SELECT @n AS n, typeof(random()) AS t)'

test('a statement answers with the values of its call after any other call', async () => {
  const { database } = openScratch()
  database.exec('CREATE TABLE svc_numbers (n INTEGER)')
  const plain = 'SELECT n FROM svc_numbers WHERE n = @n'
  database.exec(`INSERT INTO svc_numbers VALUES ${Array.from({ length: 200 }, (_, n) => `(${n})`)}`)
  for (const sql of [SQL, plain]) {
    const statement = new Statement(database, sql)
    const text = new TextStatement(database, sql)
    const ways: ((n: number) => Promise<unknown>)[] = [
      async (n) => statement.get({ n })?.n,
      async (n) => statement.all({ n })[0]?.n,
      async (n) => (await statement.getOffLoop({ n }))?.n,
      async (n) => (await statement.allOffLoop({ n }))[0]?.n,
      async (n) => Number(text.get({ n })),
      async (n) => Number(await text.getOffLoop({ n })),
    ]
    let n = 0
    for (const first of ways)
      for (const second of ways) for (const way of [first, second]) expect(await way(++n)).toBe(n)
  }
})

test('an insert binds by place, whatever the values are, and tells the number of its row', () => {
  const { database } = openScratch()
  database.exec('CREATE TABLE svc_rows (Id INTEGER PRIMARY KEY, A, B, C)')
  const insert = new Statement(database, 'INSERT INTO svc_rows (A, B, C) VALUES (?1, ?2, ?3)')
  expect(insert.insert(['x', 7, null])).toBe(1)
  expect(insert.insert([new SqlReal(2), Buffer.from('y'), 1n])).toBe(2)
  const all = new Statement(database, 'SELECT A, B, C, typeof(A) AS T FROM svc_rows')
  expect(all.all({})).toEqual([
    { A: 'x', B: 7, C: null, T: 'text' },
    { A: 2, B: Buffer.from('y'), C: 1, T: 'real' },
  ])
  expect(() => insert.insert(['a\0b', 1, 1])).toThrow('NUL')
})

test('a connection is full by what its statements take, not by how many they are', () => {
  const few = openScratch()
  const many = openScratch()
  const long = `SELECT ${Array.from({ length: 300 }, (_, n) => `${n} + @n AS c${n}`).join(', ')}`
  for (let n = 0; n < 100 && !few.isFull; n++) few.text(`${long}, ${n} AS n`)
  for (let n = 0; n < 100; n++) many.text(`SELECT ${n} AS n`)
  expect([few.isFull, many.isFull]).toEqual([true, false])
})
