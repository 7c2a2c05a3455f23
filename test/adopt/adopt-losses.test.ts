/** Losses: parts of a database that an application cannot keep are counted, with an example. */
import { afterAll, expect, test } from 'bun:test'
import { CommandHome } from './command.ts'
import { makeSource } from './sources.ts'

const home = new CommandHome()
afterAll(() => home[Symbol.dispose]())

const LOSSES = `
CREATE TABLE reading (id INTEGER PRIMARY KEY, made_at DATETIME, sent_at TEXT, seen_at INTEGER,
  value REAL, tiny REAL, text TEXT, doc JSON);
INSERT INTO reading VALUES
  (1, '2021-05-06 07:08:09.123456', '2021-05-06T07:08:09.123456+02:00', 1600000000, 0.1 + 0.2, 1e-12,
    'a' || char(0) || 'b', '{"n":1,"text":"\\"a\\": 1"}'),
  (2, '2021-05-06 07:08:09.123000', '2021-05-06T07:08:09.123Z', 1600000000.1234567, 0.12345678901234,
    2.5, 'c', '{"a":1,"a":2}'),
  (3, '2021-05-06 07:08:09', '2021-05-06T07:08:09Z', 1600000000.125, 7, 3, 'd', '{"a":1.50,"b":[1e3]}');
CREATE VIRTUAL TABLE notes USING fts5(title, body);
INSERT INTO notes VALUES ('one', 'x'), ('two', 'y'), ('three', 'z');
CREATE VIRTUAL TABLE old_notes USING fts4(body);
INSERT INTO old_notes VALUES ('x'), ('y');
CREATE VIRTUAL TABLE index_only USING fts5(body, content='');
INSERT INTO index_only (rowid, body) VALUES (1, 'x');
CREATE VIRTUAL TABLE of_reading USING fts5(text, content='reading', content_rowid='id');
CREATE TABLE hidden (rowid TEXT, oid TEXT, _rowid_ TEXT); INSERT INTO hidden VALUES ('a', 'b', 'c');
CREATE TABLE _prisma_migrations (id TEXT PRIMARY KEY); INSERT INTO _prisma_migrations VALUES ('m');
`

test('each loss is counted, with an example, and the dry run tells the same', async () => {
  makeSource(home.path('losses.db'), LOSSES)
  const adopted = await home.run('adopt', 'losses.db', '--data', 'losses')
  expect([adopted.exitCode, adopted.err]).toEqual([0, ''])
  const told = (lines: readonly string[]) => lines.filter((line) => /^(?:lost|left) /.test(line))
  expect(told(adopted.lines)).toMatchInlineSnapshot(`
    [
      "lost     hidden: 1 row: its columns hide the row number that SQLite keeps, so it is not taken",
      "lost     reading.made_at: 1 value: fractions of a second beyond milliseconds were left out ("2021-05-06 07:08:09.123456" became "2021-05-06T07:08:09.123Z")",
      "lost     reading.sent_at: 1 value: fractions of a second beyond milliseconds were left out ("2021-05-06T07:08:09.123456+02:00" became "2021-05-06T05:08:09.123Z")",
      "lost     reading.seen_at: 1 value: fractions of a second beyond milliseconds were left out (1600000000.1234567 became "2020-09-13T12:26:40.123Z")",
      "lost     reading.value: 1 value: digits beyond the fifteenth were left out (0.30000000000000004 became 0.3)",
      "lost     reading.value: 1 value: rounded to the decimal places of the column (0.12345678901234 became 0.123456789)",
      "lost     reading.tiny: 1 value: rounded to the decimal places of the column (1e-12 became 0)",
      "lost     reading.text: 1 value: characters that text cannot hold were left out or replaced by U+FFFD ("a\\u0000b" became "ab")",
      "lost     reading.doc: 1 value: of members of the same name, all but the last were left out ("{\\"a\\":1,\\"a\\":2}" became "{\\"a\\":2}")",
      "lost     notes: 3 rows of this virtual table",
      "lost     old_notes: 2 rows of this virtual table",
      "lost     index_only: 1 row of this virtual table",
      "lost     _prisma_migrations: 1 row of this table",
      "left     the virtual table notes",
      "left     the virtual table old_notes",
      "left     the virtual table index_only",
      "left     the virtual table of_reading: an index of reading, which holds its rows",
      "left     the table _prisma_migrations",
    ]
  `)
  expect(adopted.lines).toContainEqual(expect.stringContaining('13 losses are told above'))
  const dry = await home.run('adopt', 'losses.db', '--dry-run', '--data', 'dry')
  expect(told(dry.lines)).toEqual(told(adopted.lines))
})

test('where nothing is lost, the report says so', async () => {
  makeSource(
    home.path('whole.db'),
    `CREATE TABLE a (id INTEGER PRIMARY KEY, at TEXT, n REAL, doc JSON);
     INSERT INTO a VALUES (1, '2021-05-06T07:08:09.120Z', 0.5, '{"n":1500,"s":"a:1"}');`,
  )
  const adopted = await home.run('adopt', 'whole.db', '--data', 'whole')
  expect(adopted.out).not.toMatch(/^lost /m)
  expect(adopted.lines).toContainEqual(expect.stringContaining('Nothing was lost.'))
})
