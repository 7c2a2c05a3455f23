/**
 * A process of its own for `test/store/closed.test.ts`: under a bound of SQLite's heap many
 * connections are opened one after another, read all pages of a file and are closed, while their
 * statements stay in use. It prints how many were closed, or why the next one was not.
 */
import { writeFileSync } from 'node:fs'
import {
  type Connection,
  openReader,
  openSpooler,
  openWriter,
} from '../../src/store/connection/connection.ts'
import { openMemory } from '../../src/store/connection/native.ts'

const [, , file = '', bytes = '', times = ''] = process.argv

const KINDS: readonly ((file: string) => Connection)[] = [
  openReader,
  (path) => openReader(path, 'serving'),
  openSpooler,
  openWriter,
]

writeFileSync(file, '')
const first = openWriter(file)
first.database.exec(
  'CREATE TABLE t (Id INTEGER PRIMARY KEY, Text TEXT); WITH RECURSIVE n(i) AS ' +
    "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) INSERT INTO t SELECT i, printf('%2000s', i) FROM n",
)
for (let at = 0; at < 300; at++)
  first.database.exec(`CREATE VIEW v${at} AS SELECT Id, Text, '${'-'.repeat(1000)}' AS Line FROM t`)
openMemory().exec(`PRAGMA hard_heap_limit=${bytes}`)

const SUM = 'SELECT sum(length(Text)) AS Sum FROM t'
const inUse: unknown[] = []
let closed = 0
try {
  for (; closed < Number(times); closed++) {
    const connection = KINDS[closed % KINDS.length]?.(file)
    const statement = connection?.statement(SUM)
    inUse.push(statement, statement?.get({}))
    connection?.close()
  }
  console.log(closed, 'closed')
} catch (error) {
  console.log(closed, 'closed, then', String(error))
}
process.exit(inUse.length === 0 ? 1 : 0)
