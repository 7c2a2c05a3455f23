/**
 * A process of its own for `runaways.test.ts`: its heap is bounded for `bytes`, and each runaway
 * runs in a lane, and on the writer. Prints a line for each: where, name, code, and the megabytes
 * that the process had grown by since the first began, at the most.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../src/kernel/failure.ts'
import { boundHeap } from '../../src/store/connection/heap-bound.ts'
import { limitMemory } from '../../src/store/limits.ts'
import { ALL, openFile } from './temporary.ts'

const A16 = `'${'a'.repeat(16)}'`
const MANY = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000000)'
const nest = (depth: number): string =>
  depth === 0 ? A16 : `replace(${nest(depth - 1)},'a',${A16})`

const RUNAWAYS: Readonly<Record<string, string>> = {
  replace: `SELECT length(${nest(8)})`,
  concat: 'SELECT length(hex(zeroblob(50000000)) || hex(zeroblob(50000000)))',
  printf: "SELECT length(printf('%*s', 900000000, 'a') || 'a')",
  group_concat: `${MANY} SELECT length(group_concat(${nest(1)})) FROM n`,
  doubling:
    "WITH RECURSIVE d(s) AS (SELECT 'aaaaaaaa' UNION ALL SELECT s || s FROM d) SELECT max(length(s)) FROM d",
  zeroblob: 'SELECT length(zeroblob(1000000000) || zeroblob(1000000000))',
  cell: 'SELECT zeroblob(1000000000)',
  text: "SELECT printf('%1000000000s', 'a')",
  hex: 'SELECT length(hex(zeroblob(499999999)))',
  randomblob: 'SELECT length(randomblob(999999999))',
  json: "SELECT length(json_array(printf('%90000000s', 'a'), printf('%90000000s', 'a')))",
  window: `${MANY} SELECT max(s) FROM (SELECT last_value(printf('%1000s', i)) OVER (ORDER BY i ROWS
    BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS s FROM n)`,
  distinct: `${MANY} SELECT count(DISTINCT printf('%1000s', i)) FROM n`,
}

const peakMb = (): number =>
  Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024)

const codeOf = (error: unknown): string =>
  error instanceof Failure ? `${error.kind} ${error.code}` : String(error)

const [, , folder = '', bytes = ''] = process.argv
limitMemory(Number(bytes))
const store = await openFile(join(folder, 'engine.db'))
await store.migrate((tx) => tx.run('CREATE TABLE t (Id INTEGER PRIMARY KEY, N)'))
boundHeap()
const beganAt = peakMb()
const print = (where: string, name: string, outcome: string): void =>
  console.log(where, name, outcome, peakMb() - beganAt)

const outcomeOf = (work: Promise<unknown>): Promise<string> => work.then(() => 'done', codeOf)

for (const [name, sql] of Object.entries(RUNAWAYS)) {
  const ended = outcomeOf(store.text({ sql, args: {}, runs: 'lane', of: name }))
  const light = await outcomeOf(store.all({ sql: 'SELECT N FROM t', args: {}, runs: 'lane' }))
  const inline = await outcomeOf(store.all('SELECT count(*) AS N FROM t'))
  const written = await outcomeOf(store.write((tx) => tx.run('INSERT INTO t (N) VALUES (1)'), ALL))
  print('lane', name, await ended)
  print('beside', name, [light, inline, written].join(' '))
  const change = `UPDATE t SET N = (${sql})`
  print('writer', name, await outcomeOf(store.write((tx) => tx.authored(change, {}, name), ALL)))
}
const { N } = (await store.get<{ N: number }>('SELECT count(*) AS N FROM t WHERE N = 1')) ?? {}
print('after', 'all', String(N))
await store.close()
