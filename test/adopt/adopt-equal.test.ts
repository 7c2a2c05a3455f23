/** Values that a type would make equal, under rules by which a source tells its rows apart. */
import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type AdoptedApp, adoptFile, adoptSql } from './adopted-app.ts'
import { CommandHome } from './command.ts'
import { makeSource } from './sources.ts'
import { scaleCases } from '../support/property.ts'

const home = new CommandHome()
afterAll(() => home[Symbol.dispose]())

const columnsOf = (app: AdoptedApp, entity: string) =>
  app.app.context.models.get().entities.get(entity)?.columns ?? []

describe('a type that makes different values one is left for Text', () => {
  /** Declared type, two values of it, and the words of the report. */
  const CASES: [string, string, string, RegExp][] = [
    ['DATETIME', "'2020-01-01 00:00:00.1234'", "'2020-01-01 00:00:00.1235'", /DateTime/],
    ['TIMESTAMP', "'2020-01-01T02:00:00+02:00'", "'2020-01-01T00:00:00Z'", /DateTime/],
    ['DATE', "'2020-01-01'", "'2020-01-01 00:00:00'", /Date/],
    ['TIME', "'07:30'", "'07:30:00'", /Time/],
    [
      'UUID',
      "'{00112233-4455-6677-8899-aabbccddeeff}'",
      "'00112233-4455-6677-8899-AABBCCDDEEFF'",
      /Guid/,
    ],
    ['JSON', `'{"a":1}'`, `'{"a": 1}'`, /Json/],
    ['BOOLEAN', "'yes'", "'true'", /Boolean/],
    ['REAL', '1e-12', '2e-12', /Decimal/],
    ['', '7', "'7.0'", /Integer/],
  ]

  test.each(CASES)('%s %s and %s', async (type, one, other, told) => {
    await using app = await adoptSql(
      'equal',
      `CREATE TABLE ruled (id INTEGER PRIMARY KEY, v ${type} UNIQUE, w ${type});
       CREATE TABLE keyed (v ${type}, n INTEGER, PRIMARY KEY (v, n)) WITHOUT ROWID;
       CREATE TABLE alone (v ${type} NOT NULL PRIMARY KEY, n INTEGER);
       INSERT INTO ruled VALUES (1, ${one}, ${one}), (2, ${other}, ${other});
       INSERT INTO keyed VALUES (${one}, 1), (${other}, 1);
       INSERT INTO alone VALUES (${one}, 1), (${other}, 1);`,
    )
    for (const entity of ['Ruled', 'Keyed', 'Alone']) {
      const column = columnsOf(app, entity).find(({ name }) => name === 'v')
      expect(column).toMatchObject({ type: 'Text', key: entity !== 'Ruled' })
    }
    expect(columnsOf(app, 'Ruled').find(({ name }) => name === 'w')?.type).not.toBe('Text')
    const changed = app.told('changed').filter((line) => line.includes('makes one of'))
    expect(changed).toHaveLength(3)
    for (const line of changed) expect(line).toMatch(told)
    const [row] = await app.stored('SELECT count(DISTINCT v) AS n FROM ruled')
    expect(row).toEqual({ n: 2 })
  })

  test('one that Text makes equal too is no rule, and its rows have a number', async () => {
    await using app = await adoptSql(
      'same',
      `CREATE TABLE ruled (id INTEGER PRIMARY KEY, v TEXT, n INTEGER);
       CREATE UNIQUE INDEX by_v ON ruled (v, n);
       CREATE TABLE keyed (v TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID;
       CREATE TABLE numbered (v TEXT NOT NULL PRIMARY KEY);
       INSERT INTO ruled VALUES (1, 'a', 1), (2, 'a' || char(0), 1);
       INSERT INTO keyed VALUES ('a', 1), ('a' || char(0), 2);
       INSERT INTO numbered VALUES ('a'), (CAST(x'61ff' AS TEXT)), (CAST(x'61fe' AS TEXT));`,
    )
    expect(app.told('left')).toContainEqual(
      expect.stringMatching(
        /^ruled: the index by_v: it is not unique here: "a", 1 and "a.*, 1 are/,
      ),
    )
    expect(app.told('changed')).toContainEqual(
      expect.stringMatching(
        /^keyed: its keys "a" and .* same here: rows have a number of their own/,
      ),
    )
    expect(await app.stored('SELECT Id, v, n FROM keyed ORDER BY Id')).toEqual([
      { Id: 1, v: 'a', n: 1 },
      { Id: 2, v: 'a', n: 2 },
    ])
    expect(columnsOf(app, 'Numbered').find(({ key }) => key)?.name).toBe('Id')
  })

  test('a reference is held by what is stored, not by what SQLite compares', async () => {
    await using app = await adoptSql(
      'kinds',
      `PRAGMA foreign_keys=OFF;
       CREATE TABLE parent (id INTEGER PRIMARY KEY); INSERT INTO parent VALUES (1), (2);
       CREATE TABLE code (code PRIMARY KEY NOT NULL); INSERT INTO code VALUES (1), ('x');
       CREATE TABLE child (id INTEGER PRIMARY KEY, parent_id TEXT REFERENCES parent (id),
         code TEXT REFERENCES code (code), once TEXT UNIQUE REFERENCES parent (id));
       INSERT INTO child VALUES (1, '1', '1', '1'), (2, '2', '1.0', NULL);`,
    )
    const references = columnsOf(app, 'Child').map(({ name, references: to }) => [name, to])
    expect(Object.fromEntries(references)).toMatchObject({ parent_id: 'Parent', once: undefined })
    await app.visit()
  })
})

/** Literals of SQL that may mean the same. */
const LITERALS = [
  ...['NULL', '0', '1', '1.0', '-1', '1e-12', '2e-12', '1e300', '9007199254740993', "''", "' '"],
  ...["'1'", "'1.0'", "'01'", "'a'", "'A'", "'a '", "'ä'", "'a' || char(776)", "'a' || char(0)"],
  ...["'true'", "'yes'", "x''", "x'61'", "x'ff'", "CAST(x'61ff' AS TEXT)", '\'{"a":1}\''],
  ...["'2020-01-01'", "'2020-01-01 00:00:00'", "'2020-01-01T00:00:00Z'", "'07:30'", "'07:30:00'"],
  ...["'2020-01-01T02:00:00+02:00'", "'2020-01-01 00:00:00.0001'", '1600000000', '1600000000.5'],
  ...["'00112233-4455-6677-8899-aabbccddeeff'", "x'00112233445566778899aabbccddeeff'"],
]
const TYPES = ['INT', 'TEXT', 'REAL', 'DATETIME', 'DATE', 'BOOLEAN', 'UUID', 'JSON', 'BLOB', '']

const column = fc.record({
  type: fc.constantFrom(...TYPES),
  rule: fc.constantFrom('', ' NOT NULL', ' UNIQUE', ' COLLATE NOCASE'),
})

const table = fc.record({
  columns: fc.array(column, { minLength: 1, maxLength: 3 }),
  key: fc.constantFrom('none', 'number', 'first', 'ordered', 'pair'),
  rows: fc.array(fc.array(fc.constantFrom(...LITERALS), { minLength: 3, maxLength: 3 }), {
    maxLength: 8,
  }),
  refers: fc.boolean(),
})

type Table = typeof table extends fc.Arbitrary<infer T> ? T : never

function composeTable({ columns, key, rows, refers }: Table, at: number): string {
  const names = columns.map((_, index) => `c${index}`)
  const keys = key === 'pair' ? names.slice(0, 2) : names.slice(0, 1)
  const own = [
    ...(key === 'number' ? ['id INTEGER PRIMARY KEY'] : []),
    ...columns.map(({ type, rule }, index) => `c${index} ${type}${rule}`),
    ...(key === 'none' || key === 'number' ? [] : [`PRIMARY KEY (${keys.join(', ')})`]),
    ...(refers && at > 0 ? [`FOREIGN KEY (c0) REFERENCES t${at - 1}`] : []),
  ]
  const rest = key === 'ordered' ? ' WITHOUT ROWID' : ''
  const inserts = rows.map(
    (row) =>
      `INSERT OR IGNORE INTO t${at} (${names.join(', ')}) VALUES (${row.slice(0, names.length).join(', ')});`,
  )
  return [`CREATE TABLE t${at} (${own.join(', ')})${rest};`, ...inserts].join('\n')
}

const databases = fc
  .array(table, { minLength: 1, maxLength: 3 })
  .map((tables) => `PRAGMA foreign_keys=OFF;\n${tables.map(composeTable).join('\n')}`)

describe('any database', () => {
  let at = 0

  test('comes with every row, and its forms stay as they are', async () => {
    await fc.assert(
      fc.asyncProperty(databases, async (sql) => {
        const path = home.path(`any-${at++}.db`)
        makeSource(path, sql)
        await using app = await adoptFile('any', path)
        await app.visit()
      }),
      { numRuns: scaleCases(8) },
    )
  })

  test('is told dry as it then comes', async () => {
    for (const [index, sql] of fc.sample(databases, scaleCases(2)).entries()) {
      const name = `dry-${index}`
      makeSource(home.path(`${name}.db`), sql)
      const dry = await home.run('adopt', `${name}.db`, '--dry-run', '--data', name)
      const real = await home.run('adopt', `${name}.db`, '--data', name)
      const told = ({ lines }: typeof real) =>
        lines.filter((line) => /^(?:taken|changed|lost|left) /.test(line))
      expect([dry.exitCode, dry.err, told(dry)]).toEqual([real.exitCode, real.err, told(real)])
      expect([real.err, told(real).length]).toEqual(['', expect.any(Number)])
      expect(told(real).length).toBeGreaterThan(0)
    }
  })
})
