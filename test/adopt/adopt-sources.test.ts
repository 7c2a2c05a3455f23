/** Sources as they come: of other kinds, encodings and collations, with logs, and hostile. */
import { afterAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import { openSourceFile } from '../../src/store/file/open-source.ts'
import { adoptFile, adoptSql } from './adopted-app.ts'
import { makeSource } from './sources.ts'
import { temporaryFolder } from '../support/executable.ts'

const home = temporaryFolder()
afterAll(() => home[Symbol.dispose]())

/** Bytes that look random, the same in each run. */
const randomBytes = (size: number): Buffer =>
  Buffer.concat(
    Array.from({ length: size / 64 }, (_, at) =>
      new Bun.CryptoHasher('sha512').update(String(at)).digest(),
    ),
  )

describe('a file that is no database is told by what it is', () => {
  const FILES: [string, string | Buffer, RegExp][] = [
    ['empty', '', /is empty/],
    ['zip', 'PK\x03\x04 and more', /is a ZIP archive .* unpack it/],
    ['gzip', Buffer.from('1f8b0800', 'hex'), /is compressed by gzip: unpack it first/],
    ['Access', '\0\x01\0\0Standard Jet DB\0', /is a database of Microsoft Access/],
    ['DuckDB', `${'\0'.repeat(8)}DUCK`, /is a database of DuckDB/],
    ['SQLite 2', '** This file contains an SQLite 2.1 database **', /is one of SQLite 2/],
    ['dump', '-- a dump\nPRAGMA foreign_keys=OFF;\nCREATE TABLE t (a);', /is SQL as text/],
    ['csv', 'id,name\n1,Käse\n', /is text: a csv file/],
    ['log', Buffer.from('377f0682002de218', 'hex'), /is the log \(-wal\) of a database/],
    ['journal', Buffer.from('d9d505f920a163d7', 'hex'), /is the journal of a database/],
    ['SQLCipher', randomBytes(8192), /is encrypted \(SQLCipher/],
    ['other', Buffer.from('00010203', 'hex'), /is of another kind/],
  ]

  test.each(FILES)('%s', async (name, bytes, told) => {
    const path = join(home.path, `kind-${name}`)
    writeFileSync(path, bytes)
    await expect(openSourceFile(path)).rejects.toThrow(told)
  })

  test('a folder, with the database in it', async () => {
    const path = join(home.path, 'kind-folder')
    mkdirSync(path)
    await expect(openSourceFile(path)).rejects.toThrow(/is a folder: name the database file in it$/)
    writeFileSync(join(path, 'shop.sqlite3'), '')
    await expect(openSourceFile(path)).rejects.toThrow(/such as shop.sqlite3$/)
  })
})

describe('nothing stays beside a source, and it stays as it is', () => {
  const LONG_AGO = 1_000_000_000

  /** A folder with a database, as its program has left it. */
  function leave(name: string, parts: readonly string[]): string {
    const folder = join(home.path, name)
    mkdirSync(folder)
    const path = join(home.path, `${name}-live.db`)
    makeSource(path, 'PRAGMA journal_mode=WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, v);')
    const writer = new Database(path)
    writer.exec(`PRAGMA wal_autocheckpoint=0; INSERT INTO t VALUES (1, '${name}')`)
    if (parts.length === 1) writer.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    for (const part of parts) {
      cpSync(`${path}${part}`, join(folder, `it.db${part}`))
      utimesSync(join(folder, `it.db${part}`), LONG_AGO, LONG_AGO)
    }
    writer.close()
    return folder
  }

  const look = (folder: string) =>
    readdirSync(folder)
      .sort()
      .map((name) => {
        const { mtimeMs } = statSync(join(folder, name))
        return [name, mtimeMs, Bun.hash(readFileSync(join(folder, name)))]
      })

  test.each([
    ['with a clean log', ['']],
    ['with a log that nobody reads', ['', '-wal']],
    ['with a log and its index', ['', '-wal', '-shm']],
  ])('%s', async (name, parts) => {
    const folder = leave(name, parts)
    const before = look(folder)
    await using app = await adoptFile('it', join(folder, 'it.db'))
    expect((await app.visit()).get('Ts')).toMatchObject({ id: 1, v: name })
    const kept = (entries: ReturnType<typeof look>) =>
      entries.filter(([file]) => file !== 'it.db-shm')
    expect(kept(look(folder))).toEqual(kept(before))
    expect(look(folder)).toHaveLength(parts.length)
  })

  test('one that changes meanwhile is told', async () => {
    const folder = leave('changing', [''])
    using source = await openSourceFile(join(folder, 'it.db'))
    source.requireSame()
    const writer = new Database(join(folder, 'it.db'))
    writer.exec("INSERT INTO t VALUES (2, 'later')")
    expect(() => source.requireSame()).toThrow(/was changed while it was read/)
    writer.close()
  })
})

describe('texts', () => {
  test.each([
    ['le', '00d800d8'],
    ['be', 'd800d800'],
  ])('of UTF-16%s are read as they are', async (order, half) => {
    await using app = await adoptSql(
      'wide',
      `PRAGMA encoding='UTF-16${order}';
       CREATE TABLE "Größe" (code TEXT PRIMARY KEY, note TEXT, born DATE) WITHOUT ROWID;
       INSERT INTO "Größe" VALUES ('ä', 'Zoë 😀', '2020-02-29'), ('b', CAST(x'${half}' AS TEXT), NULL),
         ('d', '', NULL);`,
    )
    const { Rows } = await app.table('root', 'Groesses', { Sort: [{ Field: 'code' }] })
    const byCode = new Map(Rows.map(({ code, note }) => [code, note]))
    expect(byCode.get('ä')).toBe('Zoë 😀')
    expect(byCode.get('b')).toContain('\ufffd')
    expect(app.told('lost')).toEqual([expect.stringMatching(/note: 1 value: characters/)])
  })

  test('that are not UTF-8 are keys too, page by page', async () => {
    await using app = await adoptSql(
      'broken',
      `CREATE TABLE t (code TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID;
       WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2500)
         INSERT INTO t SELECT CAST(CAST(printf('%05d', n) AS BLOB) || x'ff' AS TEXT), n FROM c;`,
    )
    expect(
      await app.stored('SELECT count(*) AS n, sum(n) AS sum, min(code) AS first FROM t'),
    ).toEqual([{ n: 2500, sum: 3126250, first: '00001\ufffd' }])
  })
})

describe('a collation of its own program', () => {
  test('is told, and its tables come whole', async () => {
    await using app = await adoptSql(
      'cards',
      `CREATE TABLE decks (id INTEGER PRIMARY KEY, name TEXT NOT NULL COLLATE NOCASE);
       CREATE UNIQUE INDEX idx_decks_name ON decks (name);
       CREATE TABLE tags (tag TEXT NOT NULL PRIMARY KEY COLLATE NOCASE, usn INTEGER) WITHOUT ROWID;
       CREATE TABLE notes (id INTEGER PRIMARY KEY, tag TEXT COLLATE NOCASE REFERENCES tags (tag));
       CREATE TABLE folders (name TEXT NOT NULL PRIMARY KEY COLLATE NOCASE,
         within TEXT COLLATE NOCASE REFERENCES folders (name));
       INSERT INTO folders VALUES ('A', NULL), ('b', 'A');
       INSERT INTO decks VALUES (1, 'Äpfel'), (2, 'Birnen');
       WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 1500)
         INSERT INTO tags SELECT iif(n % 2, 'Tag', 'tag') || n, n FROM c;
       INSERT INTO notes VALUES (1, 'Tag1'), (2, 'tag2');
       PRAGMA writable_schema=ON;
       UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'unicase');`,
    )
    expect(app.told('left')).toEqual([
      ...['tags', 'folders'].map(
        (table) =>
          `${table}: the collation of its key: it compares by unicase, a rule of its own ` +
          'program; here it is unique as written',
      ),
      'decks: the index idx_decks_name: it compares by unicase, a rule of its own program; ' +
        'here it is unique as written',
    ])
    expect(app.app.context.models.get().entities.get('Folder')?.parent).toBe('within')
    expect(await app.stored('SELECT count(*) AS n, sum(usn) AS sum FROM tags')).toEqual([
      { n: 1500, sum: 1125750 },
    ])
    expect((await app.visit()).get('Notes')).toMatchObject({ id: 1, tag: 'Tag1' })
  })
})

describe('of a hostile schema nothing is run', () => {
  /** An expression that takes all memory where it is run. */
  const BOMB = "length(printf('%.*c', 900000000, 'x'))"

  test('views, triggers, checks, indexes, defaults, virtual tables', async () => {
    await using app = await adoptSql(
      'hostile',
      `CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT DEFAULT 'x' CHECK (${BOMB} > a),
         plain INTEGER AS (a * 2), first TEXT AS (substr(b, 1, 1)) STORED,
         bomb INTEGER AS (${BOMB} + a), chain TEXT AS (first || first), odd TEXT AS (b LIKE '%x'),
         sure INTEGER NOT NULL AS (${BOMB}));
       CREATE INDEX far ON t (abs(a));
       CREATE VIRTUAL TABLE words USING fts5 (body);
       INSERT INTO words VALUES ('hello'), ('world');
       UPDATE words_data SET block = randomblob(50);
       PRAGMA writable_schema=ON;
       UPDATE sqlite_schema SET sql = 'CREATE INDEX far ON t (gone(a))' WHERE name = 'far';
       INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES
         ('table', 'nowhere', 'nowhere', 0, 'CREATE VIRTUAL TABLE nowhere USING nomodule (a)'),
         ('view', 'peek', 'peek', 0, 'CREATE VIEW peek AS SELECT ${BOMB.replaceAll("'", "''")} AS n'),
         ('view', 'lost', 'lost', 0, 'CREATE VIEW lost AS SELECT secret(a) FROM gone'),
         ('trigger', 'late', 't', 0, 'CREATE TRIGGER late AFTER INSERT ON t BEGIN SELECT gone(); END');`,
    )
    expect(app.told('left')).toEqual([
      ...['bomb', 'chain', 'odd', 'sure'].map(
        (name) =>
          `t.${name}: it is computed each time it is read, by functions that are not run here: ` +
          'write a Compute',
      ),
      't: the index far: it is over an expression, or over a part of the rows',
      expect.stringContaining('t: the rule CHECK'),
      'the virtual table words',
      'the virtual table nowhere: its rows cannot be counted',
      'the view peek',
      'the view lost',
      'the trigger late',
    ])
    expect([...(await app.visit()).keys()]).toEqual(['Ts'])
  })
})

describe('a value that is too large for a field', () => {
  test('is left out and told, and the rest of its row comes', async () => {
    await using app = await adoptSql(
      'large',
      `CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, doc JSON, raw BLOB);
       INSERT INTO t VALUES (1, 'one', '{}', 'text'), (2, printf('%.*c', 17000000, 'x'), '[1]', x'00'),
         (3, 'three', printf('"%.*c"', 17000000, 'x'), printf('%.*c', 17000000, 'x'));`,
    )
    expect(await app.stored('SELECT id, name, doc, raw FROM t ORDER BY id')).toEqual([
      { id: 1, name: 'one', doc: '{}', raw: 'text' },
      { id: 2, name: null, doc: '[1]', raw: expect.anything() },
      { id: 3, name: 'three', doc: null, raw: null },
    ])
    const told = app.report.filter((line) => line.includes('16777216 bytes'))
    expect(told).toHaveLength(3)
  })
})
