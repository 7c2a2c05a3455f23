/** Many rows: read in pages, whole or not at all, also when the process is killed amid them. */
import { afterAll, expect, test } from 'bun:test'
import { rmSync, statSync } from 'node:fs'
import { CommandHome } from './command.ts'
import { makeSource } from './sources.ts'
import { scaleCases } from '../support/property.ts'

const home = new CommandHome()
afterAll(() => home[Symbol.dispose]())

const ROWS = scaleCases(10_000)

/** Keys with gaps, pairs without row numbers, and rows that are wider than a page. */
const MANY = `
CREATE TABLE thing (id INTEGER PRIMARY KEY, name TEXT NOT NULL, amount DECIMAL(10,2), made_at DATETIME);
CREATE TABLE pair (a TEXT, b INTEGER, thing_id INTEGER NOT NULL REFERENCES thing (id), PRIMARY KEY (a, b))
  WITHOUT ROWID;
CREATE TABLE wide (id INTEGER PRIMARY KEY, text TEXT);
WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${ROWS})
  INSERT INTO thing SELECT n * 3, 'Thing ' || n, n * 0.25, '2021-05-06 07:08:09' FROM c;
INSERT INTO pair SELECT 'k' || (id % 7), id, id FROM thing WHERE id % 2 = 0;
INSERT INTO wide VALUES (1, printf('%.*c', 5000000, 'x')), (2, 'short'), (3, printf('%.*c', 5000000, 'y'));
`

const COUNTS = `SELECT (SELECT count(*) FROM thing) AS things, (SELECT sum(amount) FROM thing) AS sum,
  (SELECT count(*) FROM pair) AS pairs, (SELECT sum(length(text)) FROM wide) AS wide`

const WHOLE = [{ things: ROWS, sum: (ROWS * (ROWS + 1)) / 8, pairs: ROWS / 2, wide: 10_000_005 }]

test('every page of every table comes', async () => {
  makeSource(home.path('many.db'), MANY)
  const adopted = await home.run('adopt', 'many.db', '--data', 'many')
  expect([adopted.exitCode, adopted.err]).toEqual([0, ''])
  expect(home.read('many', COUNTS)).toEqual(WHOLE)
})

/** Resolves when the file has so many bytes, or the process is over. */
async function waitFor(file: string, bytes: number, ended: () => boolean): Promise<void> {
  while (!ended() && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) < bytes)
    await Bun.sleep(1)
}

const NEAR_END = 10_000_000
const OLD = { recursive: true, force: true }

/** Where a run is ended: as its database is there, amid the rows, near their end. */
const ENDS: [string, file: string, bytes: number][] = [
  ['as the folder is made', 'engine.db', 1],
  ['amid the rows', 'engine.db-wal', 50 * ROWS],
  ['near the end', 'engine.db-wal', NEAR_END],
]

test.each(ENDS)(
  'kill -9 %s leaves a folder that is whole or is adopted again',
  async (at, file, bytes) => {
    const data = at.replaceAll(' ', '-')
    // On a busy machine it may have come to its end before the kill comes: then it is run anew.
    for (let isAmid = false; !isAmid;) {
      for (const name of [data, `${data}-model`]) rmSync(home.path(name), OLD)
      const child = await home.start('adopt', 'many.db', `${data}-model`, '--data', data)
      await waitFor(home.path(data, file), bytes, () => child.exitCode !== null)
      child.kill('SIGKILL')
      await child.exited
      // Near the end it may come to it anywhere.
      isAmid = child.signalCode === 'SIGKILL' || bytes === NEAR_END
    }
    const checked = await home.run('check', '--data', data)
    expect([checked.exitCode, checked.err]).toEqual([0, ''])
    const again = await home.run('adopt', 'many.db', `${data}-model`, '--data', data)
    if (again.exitCode !== 0) expect(again.err).toContain('has Entity Thing, ObjectView Things')
    expect(home.read(data, COUNTS)).toEqual(WHOLE)
    const deployed = await home.run('deploy', `${data}-model`, '--data', data)
    expect(deployed.lines.at(-1)).toMatch(
      /^Deployed: 0 new, 0 changed, 0 removed, \d+ the same; 0 /,
    )
  },
)
