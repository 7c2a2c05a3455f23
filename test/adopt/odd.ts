/** Whatever else a file can bring: names, keys, values and references that nobody would write. */
import { insertRows } from './sources.ts'

/** So many columns that SQLite takes no sum of them in one go. */
const WIDE = Array.from({ length: 1200 }, (_, at) => `c${at} TEXT`)

/** More columns than the engine can write. */
const WIDER = Array.from({ length: 1900 }, (_, at) => `c${at} TEXT`)

const TABLES = `
CREATE TABLE "user" (id INTEGER PRIMARY KEY, "e-mail" TEXT UNIQUE COLLATE NOCASE, "Größe" REAL,
  "select" TEXT NOT NULL, "order no" TEXT, orderNo TEXT, Now TEXT, rowversion INTEGER, "9" TEXT);
CREATE TABLE "tab""le; --" (id INTEGER PRIMARY KEY, "?" TEXT, "日本" TEXT);
CREATE TABLE no_key (x, y TEXT);
CREATE TABLE pairs (a TEXT NOT NULL, b INTEGER NOT NULL, v VARCHAR(3), PRIMARY KEY (b, a)) WITHOUT ROWID;
CREATE TABLE loose_key (code TEXT PRIMARY KEY, name TEXT);
CREATE TABLE mess (
  id INTEGER PRIMARY KEY, ok BOOLEAN DEFAULT 1, bad BOOLEAN, n INTEGER, nulls INTEGER, price DECIMAL(10,2),
  weight REAL, big INTEGER, seen DATETIME, unix DATETIME, jul DATE, created_at INTEGER, born DATE,
  mixed DATETIME, wake TIME, uid UUID, doc JSON, nul TEXT, broken TEXT, long VARCHAR(4), photo BLOB,
  kind TEXT CHECK (kind IN ('a', 'b''c')), twice INTEGER GENERATED ALWAYS AS (n * 2) STORED,
  flag TEXT DEFAULT (lower('X')), at TEXT DEFAULT '@here');
CREATE INDEX partial ON mess (n) WHERE n > 1;
CREATE INDEX expression ON mess (n + 1);
CREATE TABLE child (id INTEGER PRIMARY KEY, mess_id INTEGER REFERENCES mess (id) ON DELETE CASCADE,
  code TEXT REFERENCES loose_key (code), lost INTEGER REFERENCES nowhere (id),
  pa TEXT, pb INTEGER, price_of DECIMAL REFERENCES mess (price), FOREIGN KEY (pb, pa) REFERENCES pairs (b, a));
CREATE TABLE node (id INTEGER PRIMARY KEY, parent_id INTEGER REFERENCES node (id));
CREATE TABLE half (id INTEGER PRIMARY KEY REFERENCES mess (id), note TEXT);
CREATE VIRTUAL TABLE docs USING fts5 (body);
CREATE TABLE _prisma_migrations (id TEXT PRIMARY KEY);
CREATE TABLE users (id INTEGER PRIMARY KEY, "${'c'.repeat(150)}1" TEXT, "${'c'.repeat(150)}2" TEXT);
CREATE TABLE ${'t'.repeat(150)} (id INTEGER PRIMARY KEY);
CREATE TABLE wide (id INTEGER PRIMARY KEY, ${WIDE.join(', ')});
CREATE TABLE wider (id INTEGER PRIMARY KEY, ${WIDER.join(', ')});
CREATE TABLE "order" ("group" INTEGER PRIMARY KEY, "index" TEXT,
  "from" INTEGER REFERENCES "order" ("group"));
`

/** The statements that make it. */
export const ODD_SQL = [
  'PRAGMA foreign_keys=OFF;',
  TABLES,
  insertRows('"user"', 2, (at) => [
    ...[at, `U${at}@x.org`, 1.75, '', `O${at}`, `P${at}`, 'then', 7, 'nine'],
  ]),
  insertRows('"tab""le; --"', 1, () => [1, 'what?', '東京']),
  "INSERT INTO no_key VALUES (1, 'a'), (1, 'a'), ('x', NULL), (2.5, 'b'), (NULL, NULL);",
  insertRows('pairs', 3, (at) => [`k${at}`, 4 - at, at === 3 ? 'long one' : 'abc']),
  "INSERT INTO loose_key VALUES ('a', 'A'), (NULL, 'nobody');",
  `INSERT INTO mess (id, ok, bad, n, price, weight, big, seen, unix, jul, created_at, born, mixed,
     wake, uid, doc, nul, broken, long, photo, kind) VALUES
   (1, 'true', 'maybe', 3, 1.5, 0.1 + 0.2, 1152921504606846977, '2020-02-29 10:11:12', 1600000000,
    2459000.5, 1600000000, '2020-02-29', '2020-02-29', '07:30', x'00112233445566778899aabbccddeeff',
    '{"a": 1}', 'a' || char(0) || 'b', CAST(x'41ff42' AS TEXT), 'fivers', x'ffd8ff', 'b''c'),
   (2, 0, 1, 'four', 2.125, 1e-12, 5, '2020-02-29T10:11:12+02:00', 1600000060, 2459001, 1700000000,
    '2021-01-01 00:00:00', 'soon', '', '{00112233-4455-6677-8899-AABBCCDDEEFF}', NULL, '', 'ok', 'abcd',
    NULL, 'a');`,
  `INSERT INTO child VALUES (1, 1, 'a', 5, 'k1', 3, 1.5), (2, 99, 'a', 6, 'k1', 3, NULL);`,
  'INSERT INTO node VALUES (1, 2), (2, 1), (3, NULL);',
  "INSERT INTO half VALUES (1, 'the other half');",
  "INSERT INTO docs VALUES ('hello');",
  "INSERT INTO wide (id, c1199) VALUES (1, 'last');",
  `INSERT INTO users VALUES (1, 'one', 'two');`,
  `INSERT INTO "order" VALUES (1, 'first', NULL), (2, 'second', 1);`,
].join('\n')
