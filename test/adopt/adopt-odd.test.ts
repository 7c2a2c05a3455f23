/** Parts that cannot be adopted as they are: changed and reported, or left and reported. */
import { afterAll, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import Database from 'libsql'
import { CommandHome } from './command.ts'
import { ODD_SQL } from './odd.ts'
import { makeSource } from './sources.ts'

const home = new CommandHome()
afterAll(() => home[Symbol.dispose]())
const path = (...names: string[]): string => home.path(...names)
const run = (...args: string[]) => home.run(...args)
const read = (data: string, sql: string): unknown[] => home.read(data, sql)

describe('an odd database', () => {
  test('tells what is another than it was, and what is left', async () => {
    makeSource(path('odd.db'), ODD_SQL)
    const adopted = await run('adopt', 'odd.db', '--data', 'odd')
    expect([adopted.exitCode, adopted.err]).toEqual([0, ''])
    const told = (word: string): string[] =>
      adopted.lines.flatMap((line) => (line.startsWith(`${word} `) ? line.slice(9) : []))
    expect(told('taken')).toMatchInlineSnapshot(`
      [
        "user: 2 rows as UserRecord (UserRecords)",
        "tab"le; --: 1 row as TabLe (TabLes)",
        "no_key: 5 rows as NoKey (NoKeys)",
        "pairs: 3 rows as Pair (Pairs)",
        "loose_key: 2 rows as LooseKey (LooseKeys)",
        "mess: 2 rows as Mess (Messes)",
        "child: 2 rows as Child (Children)",
        "node: 3 rows as Node (Nodes)",
        "half: 1 row as Half (Halves)",
        "users: 1 row as Users (UsersList)",
        "tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt: 0 rows as Tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt (Tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttts)",
        "wide: 1 row as Wide (Wides)",
        "order: 2 rows as Order (Orders)",
      ]
    `)
    expect(told('changed')).toMatchInlineSnapshot(`
      [
        "user.e-mail: is called eMail",
        "user.Größe: is called Groesse",
        "user.select: is not Required, though NOT NULL: 2 rows without a value",
        "user.order no: is called orderNo",
        "user.orderNo: is called orderNo2",
        "user.Now: is called NowValue",
        "user.rowversion: is called rowversionValue",
        "user.9: is called Column9",
        "tab"le; --: is called tabLe",
        "tab"le; --.?: is called Column2",
        "tab"le; --.日本: is called Column3",
        "no_key: it has no primary key: rows have the number by which SQLite stored them as Id",
        "pairs.v: takes 8 characters: 3 are declared, but some values are longer",
        "loose_key: its key has rows without a value: rows have the number by which SQLite stored them as Id",
        "mess.bad: is a Text: it is declared BOOLEAN, but holds "maybe"",
        "mess.n: is a Text: it is declared INTEGER, but holds "four"",
        "mess.big: is a Text: it is declared INTEGER, but holds 1152921504606846977",
        "mess.unix: is a DateTime: it holds seconds since 1970",
        "mess.jul: is a DateTime: it holds Julian day numbers",
        "mess.created_at: is a DateTime: it holds seconds since 1970",
        "mess.mixed: is a Text: it is declared DATETIME, but holds "soon"",
        "mess.long: takes 6 characters: 4 are declared, but some values are longer",
        "mess.photo: is a File: 1 value, 3 bytes in total",
        "mess.twice: was generated: its current values are taken; write a Compute to keep computing it",
        "users.cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc1: is called cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc",
        "users.cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc2: is called cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc2",
        "tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt: is called tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt",
        "child.mess_id: is not a reference: the mess of 1 row does not exist (99); repair the source to get one",
        "node.parent_id: is a reference but not a tree: 2 rows are their own ancestors",
        "user.select: 2 values: blank text, which is no value here ("" became no value)",
        "no_key.x: 3 values: written differently (1 became "1")",
        "mess.ok: 1 value: written differently ("true" became 1)",
        "mess.bad: 1 value: written differently (1 became "1")",
        "mess.n: 1 value: written differently (3 became "3")",
        "mess.big: 2 values: written differently (1152921504606846977 became "1152921504606846977")",
        "mess.seen: 1 value: times without a zone were read as UTC ("2020-02-29 10:11:12" became "2020-02-29T10:11:12.000Z")",
        "mess.seen: 1 value: written differently ("2020-02-29T10:11:12+02:00" became "2020-02-29T08:11:12.000Z")",
        "mess.unix: 2 values: written differently (1600000000 became "2020-09-13T12:26:40.000Z")",
        "mess.jul: 2 values: written differently (2459000.5 became "2020-05-31T00:00:00.000Z")",
        "mess.created_at: 2 values: written differently (1600000000 became "2020-09-13T12:26:40.000Z")",
        "mess.born: 1 value: midnight after a date was left out ("2021-01-01 00:00:00" became "2021-01-01")",
        "mess.wake: 1 value: written differently ("07:30" became "07:30:00")",
        "mess.wake: 1 value: blank text, which is no value here ("" became no value)",
        "mess.uid: 1 value: bytes became text (16 bytes became "00112233-4455-6677-8899-aabbccddeeff")",
        "mess.uid: 1 value: written differently ("{00112233-4455-6677-8899-AABBCCDDEEFF}" became "00112233-4455-6677-8899-aabbccddeeff")",
        "mess.doc: 1 value: written differently ("{\\"a\\": 1}" became "{\\"a\\":1}")",
        "mess.nul: 1 value: blank text, which is no value here ("" became no value)",
      ]
    `)
    expect(told('left')).toMatchInlineSnapshot(`
      [
        "mess.flag: its default lower('X') cannot be expressed here",
        "mess.at: its default '@here' cannot be expressed here",
        "child: the foreign key (code) to loose_key: the key is Id here",
        "child: the foreign key (lost) to nowhere: that table does not exist",
        "child: the foreign key (price_of) to mess: it names price, but a reference must name the key",
        "child: the foreign key (pb, pa) to pairs: a reference can only have one column; the values are taken unchanged",
        "user: the index sqlite_autoindex_user_1: it compares without case; here it is unique as written",
        "mess: the index partial: it is over an expression, or over a part of the rows",
        "mess: the index expression: it is over an expression, or over a part of the rows",
        "the virtual table docs",
        "the table _prisma_migrations",
      ]
    `)
  })

  test('has its values as they were, or as the report says', () => {
    const rows = read(
      'odd',
      `SELECT *, json_remove(photo, '$[0].Path') AS photo FROM mess ORDER BY id`,
    )
    expect(rows).toMatchInlineSnapshot(`
      [
        {
          "at": "@here",
          "bad": "maybe",
          "big": "1152921504606846977",
          "born": "2020-02-29",
          "broken": "A�B",
          "created_at": "2020-09-13T12:26:40.000Z",
          "doc": "{"a":1}",
          "flag": "x",
          "id": 1,
          "jul": "2020-05-31T00:00:00.000Z",
          "kind": "b'c",
          "long": "fivers",
          "mixed": "2020-02-29",
          "n": "3",
          "nul": "ab",
          "nulls": null,
          "ok": 1,
          "photo": "[{"FileName":"photo-1.jpg","ContentType":"image/jpeg","Size":3}]",
          "price": 1.5,
          "seen": "2020-02-29T10:11:12.000Z",
          "twice": 6,
          "uid": "00112233-4455-6677-8899-aabbccddeeff",
          "unix": "2020-09-13T12:26:40.000Z",
          "wake": "07:30:00",
          "weight": 0.3,
        },
        {
          "at": "@here",
          "bad": "1",
          "big": "5",
          "born": "2021-01-01",
          "broken": "ok",
          "created_at": "2023-11-14T22:13:20.000Z",
          "doc": null,
          "flag": "x",
          "id": 2,
          "jul": "2020-05-31T12:00:00.000Z",
          "kind": "a",
          "long": "abcd",
          "mixed": "soon",
          "n": "four",
          "nul": null,
          "nulls": null,
          "ok": 0,
          "photo": null,
          "price": 2.125,
          "seen": "2020-02-29T08:11:12.000Z",
          "twice": 0,
          "uid": "00112233-4455-6677-8899-aabbccddeeff",
          "unix": "2020-09-13T12:27:40.000Z",
          "wake": null,
          "weight": 0,
        },
      ]
    `)
    expect(read('odd', 'SELECT * FROM no_key ORDER BY Id')).toMatchInlineSnapshot(`
      [
        {
          "Id": 1,
          "x": "1",
          "y": "a",
        },
        {
          "Id": 2,
          "x": "1",
          "y": "a",
        },
        {
          "Id": 3,
          "x": "x",
          "y": null,
        },
        {
          "Id": 4,
          "x": "2.5",
          "y": "b",
        },
        {
          "Id": 5,
          "x": null,
          "y": null,
        },
      ]
    `)
  })

  test('passes the check of the model and of the data', async () => {
    const checked = await run('check', 'odd-model')
    expect([checked.exitCode, checked.err]).toEqual([0, ''])
    const again = await run('deploy', 'odd-model', '--data', 'odd')
    expect(again.lines.at(-1)).toMatch(/^Deployed: 0 new, 0 changed, 0 removed, \d+ the same; 0 /)
    for (const more of [[], ['--audit']])
      expect((await run('check', ...more, '--data', 'odd')).exitCode).toBe(0)
  })

  test('is tried dry: the model and the same report, and nothing is touched', async () => {
    const dry = await run('adopt', 'odd.db', '--dry-run', '--data', 'dry')
    expect([dry.exitCode, dry.err]).toEqual([0, ''])
    expect([existsSync(path('dry')), existsSync(path('odd.db-wal'))]).toEqual([false, false])
    const report = readFileSync(path('odd-model/adopted.md'), 'utf8')
    const lines = dry.lines.filter((line) => /^(?:taken|changed|left) /.test(line))
    expect(lines.length).toBeGreaterThan(20)
    for (const line of lines) expect(report).toContain(`    ${line}\n`)
    expect(dry.out).toContain(readFileSync(path('odd-model/messes.xml'), 'utf8'))
  })
})

/** The remains of a program that was killed amid a transaction: pages of it are in the file. */
function leaveJournal(file: string): void {
  makeSource(file, 'CREATE TABLE things (id INTEGER PRIMARY KEY, text TEXT);')
  const sql = [
    'PRAGMA journal_mode=DELETE; PRAGMA cache_size=10',
    'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 9000)',
    "INSERT INTO things SELECT n, 'a text of some length ' || n FROM c; BEGIN",
    "UPDATE things SET text = 'another one ' || id",
  ]
  const body = `const Database = require('libsql'); const d = new Database(${JSON.stringify(file)})
    d.exec(${JSON.stringify(`${sql[0]};${sql[1]} ${sql[2]}`)}); d.exec(${JSON.stringify(sql[3])})
    process.kill(process.pid, 'SIGKILL')`
  Bun.spawnSync([process.execPath, '-e', body], { cwd: import.meta.dir })
  expect(existsSync(`${file}-journal`)).toBe(true)
}

describe('a file that cannot be read', () => {
  const FILES: [string, (file: string) => void, RegExp][] = [
    ['missing', () => undefined, /^There is no file /],
    ['empty', (file) => writeFileSync(file, ''), /is not an SQLite database/],
    [
      'text',
      (file) => writeFileSync(file, 'id,name\n1,x\n'.repeat(40)),
      /is not an SQLite database/,
    ],
    ['folder', (file) => mkdirSync(file), /is a folder: name the database file in it$/],
    ['own', (file) => copyFileSync(path('odd/engine.db'), file), /is a database of this engine/],
    [
      'cut',
      (file) => {
        copyFileSync(path('odd.db'), file)
        truncateSync(file, 40_960)
      },
      /is damaged|cannot be read/,
    ],
    ['hot', (file) => leaveJournal(file), /^.* \(SQLITE_READONLY_ROLLBACK\): another program left/],
    [
      'torn',
      (file) => {
        const bytes = readFileSync(path('odd.db'))
        writeFileSync(file, bytes.fill(0xff, 4096, 12_288))
      },
      /is damaged|cannot be read/,
    ],
  ]

  test.each(FILES)('%s is refused in a sentence, and makes no folder', async (name, make, said) => {
    make(path(`${name}.db`))
    const refused = await run('adopt', `${name}.db`, '--data', `${name}-data`)
    expect([refused.exitCode, refused.out]).toEqual([1, ''])
    expect(refused.err).toMatch(said)
    expect(refused.err.split('\n')).toHaveLength(1)
    expect([existsSync(path(`${name}-data`)), existsSync(path(`${name}-model`))]).toEqual([
      false,
      false,
    ])
  })
})

describe('a file with a log beside it', () => {
  test('is read with what stands in the log, and stays as it is', async () => {
    const file = path('logged.db')
    writeFileSync(file, '')
    const writer = new Database(file)
    try {
      writer.exec('PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0')
      writer.exec(`CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO things VALUES (1, 'from the log')`)
      const before = [readFileSync(file), readFileSync(`${file}-wal`)]
      const adopted = await run('adopt', 'logged.db', '--data', 'logged')
      expect([adopted.exitCode, adopted.err]).toEqual([0, ''])
      expect(read('logged', 'SELECT * FROM things')).toEqual([{ id: 1, name: 'from the log' }])
      expect([readFileSync(file), readFileSync(`${file}-wal`)]).toEqual(before)
    } finally {
      writer.close()
    }
  })
})

describe('a folder that is not empty', () => {
  const SMALL = 'CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE);'

  test('of an application whose names do not clash has both afterwards', async () => {
    makeSource(path('small.db'), SMALL)
    const beside = await run('adopt', 'small.db', '--data', 'odd')
    expect([beside.exitCode, beside.err]).toEqual([0, ''])
    const names = read('odd', `SELECT Name FROM svc_scripts WHERE Type = 'Rbac' ORDER BY Name`)
    expect(names).toEqual([{ Name: 'Rbac' }, { Name: 'SmallRbac' }])
  })

  test('of model files holds on to them', async () => {
    makeSource(path('other.db'), SMALL.replace('things', 'others'))
    mkdirSync(path('mine'))
    writeFileSync(path('mine/mine.xml'), '<Model/>')
    const refused = await run('adopt', 'other.db', 'mine', '--data', 'other')
    expect([refused.exitCode, refused.out]).toEqual([1, ''])
    expect(refused.err).toContain('holds another model (mine.xml)')
    const done = await run('adopt', 'other.db', '--data', 'other')
    expect([done.exitCode, done.err]).toEqual([0, ''])
  })
})
