/**
 * Prints how many pages of memory the system makes for one statement with a text of 100 KB: dozens
 * where what it frees goes back to the system each time.
 */
import Database from 'libsql'
import '../../src/vendor/libsql-memory.ts'

const ROUNDS = 200

const statement = new Database(':memory:').prepare(
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
   SELECT length(CAST((SELECT group_concat(hex(zeroblob(250))) FROM n) AS BLOB))`,
)

function countFaults(): number {
  const before = process.resourceUsage().minorPageFault
  for (let round = 0; round < ROUNDS; round++) statement.get([])
  return (process.resourceUsage().minorPageFault - before) / ROUNDS
}

countFaults()
console.log(countFaults())
