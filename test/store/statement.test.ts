/** A prepared statement is asked with other values each time, whichever way it was asked before. */
import { expect, test } from 'bun:test'
import { openScratch } from '../../src/store/connection.ts'
import { Statement, TextStatement } from '../../src/store/statement.ts'

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
