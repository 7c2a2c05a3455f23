/**
 * A process of its own for `test/store/collected.test.ts`: an endless statement off the event loop,
 * while the collector takes what was used before. It prints how the statement ended.
 */
import { writeFileSync } from 'node:fs'
import { openWriter } from '../../src/store/connection/connection.ts'
import { startDeadline } from '../../src/store/connection/deadline.ts'
import { readSchema } from '../../src/store/file/compare-tables.ts'

const ENDLESS =
  'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n'

const [, , file = ''] = process.argv
writeFileSync(file, '')
const connection = openWriter(file)
connection.database.exec('CREATE TABLE t (Id INTEGER PRIMARY KEY, Name TEXT)')
connection.database.exec('CREATE TABLE svc_t (Id INTEGER PRIMARY KEY REFERENCES t)')
for (let at = 0; at < 50; at++) {
  connection.statement('INSERT INTO t (Name) VALUES (@name)').run({ name: `n${at}` })
  await connection.statement('SELECT Name FROM t WHERE Id = @at').allOffLoop({ at })
  connection.statement('SELECT Name FROM t WHERE Id = @at').get({ at })
  connection.text('SELECT Name FROM t').get({})
  connection.isBounded(`SELECT Name FROM t LIMIT ${at}`)
  readSchema(connection)
}
const deadline = startDeadline(connection, 200)
const ended = connection.statement(ENDLESS).allOffLoop({})
await Bun.sleep(20)
for (let at = 0; at < 5; at++) {
  Bun.gc(true)
  await Bun.sleep(1)
}
await ended.catch((error: Error) => console.log(error.message))
deadline.stop()
process.exit()
