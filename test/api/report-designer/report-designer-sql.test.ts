/** SQL of a designer: it reaches no file, no other table and no other company. */
import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestApp } from '../../support/app.ts'
import {
  call,
  draft,
  publish,
  report,
  save,
  startDesign,
  versions,
} from '../../support/report-designs.ts'

interface Preview {
  DataSets: Record<string, { Rows: object[] }>
}

/** Views and a trigger in the database itself, which no model makes: somebody put them there. */
const plant = (app: TestApp): Promise<void> =>
  app.store.write(
    async (tx) => {
      await tx.run('CREATE VIEW planted AS SELECT Body AS A FROM svc_scripts')
      await tx.run('CREATE VIEW planted_pages AS SELECT data FROM sqlite_dbpage')
      await tx.run(
        'CREATE TRIGGER planted_in INSTEAD OF INSERT ON planted BEGIN DELETE FROM items; END',
      )
    },
    { company: 'all', because: 'a test' },
  )

/** The same SQL as the options of a filter. */
const withOptions = (sql: string): string =>
  report('Stock', 'A').replace(
    '<DataSets>',
    () =>
      `<Filters><Filter Name="Pick" Type="Text"><DataSet>${sql}</DataSet></Filter></Filters><DataSets>`,
  )

/** By saving, publishing, looking at it, asking for its rows and checking it. */
async function requireRefused(app: TestApp, sql: string): Promise<void> {
  const body = report('Stock', 'A', sql)
  const told = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text: answered } = await answer
    expect([sql, status, answered.includes('root:')]).toEqual([sql, 400, false])
  }
  await told(save(app, body))
  await told(save(app, withOptions(sql)))
  await draft(app, 'Stock', body)
  await told(publish(app, 'Stock'))
  await told(call(app, 'GET', 'Stock/draft/structure'))
  await told(call(app, 'POST', 'Stock/draft/data', {}))
  const { body: checked } = await call<{ Issues: { Severity: string }[]; Plans: object[] }>(
    ...([app, 'POST', 'Stock/validate', { DefinitionXml: body }] as const),
  )
  expect([sql, checked.data.Issues.some(({ Severity }) => Severity === 'error')]).toEqual([
    sql,
    true,
  ])
  expect(checked.data.Plans).toEqual([])
}

describe('SQL of a designer', () => {
  const REFUSED = [
    `SELECT readfile('/etc/passwd') AS A`,
    `SELECT "readfile"('/etc/passwd') AS A`,
    'SELECT [readfile](Name) AS A FROM items',
    `SELECT writefile('CANARY', 'x') AS A`,
    `WITH a AS (SELECT writefile('CANARY', 'x') AS B) SELECT * FROM a`,
    `SELECT Name FROM items WHERE Name IN (SELECT writefile('CANARY', 'x'))`,
    `SELECT 1 AS A; ATTACH 'CANARY' AS b`,
    `ATTACH 'CANARY' AS b`,
    `/* SELECT */ ATTACH 'CANARY' AS b`,
    `VACUUM INTO 'CANARY'`,
    'PRAGMA table_list',
    'SELECT name FROM pragma_table_list',
    'SELECT * FROM sqlite_schema',
    'SELECT * FROM "sqlite_master"',
    'SELECT * FROM main.items',
    'SELECT data FROM sqlite_dbpage',
    `SELECT load_extension('x') AS A`,
    `SELECT sqlite3mc_config('cipher') AS A`,
    `SELECT name FROM fsdir('/')`,
    'SELECT Body FROM svc_scripts',
    'SELECT Body FROM svc_drafts',
    'SELECT PasswordHash FROM svc_users',
    `INSERT INTO items (Name) VALUES ('x') RETURNING Name`,
    'WITH a AS (SELECT 1) DELETE FROM items RETURNING Name',
    'CREATE TEMP VIEW v AS SELECT 1',
    `CREATE VIEW v AS SELECT readfile('/etc/passwd') AS A`,
    `CREATE TRIGGER t AFTER INSERT ON items BEGIN SELECT writefile('CANARY', 'x'); END`,
    `CREATE TEMP TRIGGER t INSTEAD OF INSERT ON planted BEGIN SELECT readfile('/etc/passwd'); END`,
    'SELECT A FROM planted',
    'SELECT data FROM planted_pages',
    'WITH items AS (SELECT A AS Name FROM planted) SELECT Name FROM items',
    'WITH items AS (SELECT data AS Name FROM sqlite_dbpage) SELECT Name FROM items',
    `WITH planted AS MATERIALIZED (SELECT readfile('/etc/passwd') AS A) SELECT A FROM planted`,
    `WITH a AS (WITH b AS (SELECT readfile('/etc/passwd') AS A) SELECT A FROM b) SELECT A FROM a`,
    `WITH unused AS (SELECT writefile('CANARY', 'x') AS B) SELECT Name, Region FROM items`,
    `WITH RECURSIVE a (N) AS (SELECT 1 UNION ALL SELECT readfile(N) FROM a) SELECT N FROM a`,
    'WITH a AS (SELECT Body FROM svc_scripts) SELECT Name, Region FROM items, a',
    `WITH a AS (ATTACH 'CANARY' AS b) SELECT Name, Region FROM items`,
    `WITH a AS (INSERT INTO items (Name) VALUES ('x') RETURNING Name) SELECT Name FROM a`,
    'WITH a AS (SELECT 1) INSERT INTO planted SELECT 1',
    'SELECT * FROM temp.svc_log',
    'SELECT zeroblob(900000000) AS A FROM items; --',
  ]

  test('opens no file, no table of the engine and writes nothing, by no route', async () => {
    await using app = await startDesign()
    await plant(app)
    const canary = join(app.folder, 'canary')
    for (const text of REFUSED) {
      const sql = text.replace('CANARY', canary).replaceAll('<', '&lt;')
      await requireRefused(app, sql)
    }
    expect(existsSync(canary)).toBe(false)
    expect(await versions(app, 'Stock')).toHaveLength(1)
    // It is the SQL that is refused: the same report with another is taken.
    expect(
      (await save(app, withOptions('SELECT Name AS Value, Name AS Label FROM items'))).status,
    ).toBe(200)
  })

  const HIDDEN = [
    'SELECT readfile/**/(@F) AS A',
    'SELECT readfile -- (\n(@F) AS A',
    'SELECT READFILE\t(@F) AS A',
    'SELECT `readfile`(@F) AS A',
    'SELECT "readfile" /* " */ (@F) AS A',
    'SELECT Name, Region FROM items /* ; */ UNION SELECT readfile(@F), 1',
    "SELECT Name, Region FROM items -- '\n UNION SELECT readfile(@F), 1 --'",
    "SELECT 'it''s' AS A, readfile(@F) AS B, 'x' AS C",
    'SELECT "a""b" FROM (SELECT readfile(@F) AS "a""b")',
    'SELECT Name, Region FROM items WHERE (WITH a AS (SELECT readfile(@F) AS B) SELECT B FROM a)',
    'WITH a (readfile) AS (SELECT 1), b AS (SELECT readfile(@F) AS B FROM a) SELECT B FROM b',
    'WITH "a b" AS NOT MATERIALIZED (SELECT [readfile](@F) AS B) SELECT B FROM "a b"',
    'SELECT max(readfile(@F)) OVER () AS A FROM items',
    'SELECT Name, Region FROM items ORDER BY readfile(@F)',
    'SELECT Name, Region FROM items LIMIT length(readfile(@F))',
    'SELECT value AS A FROM json_each((SELECT readfile(@F)))',
    'VALUES (readfile(@F))',
    // The XML says it in pieces: what counts is the text that they make.
    'SELECT read<!-- -->file(@F) AS A',
    'SELECT <![CDATA[readfile(@F)]]> AS A',
    'SELECT &#114;eadfile(@F) AS A',
    'SELECT read<![CDATA[file]]>(@F) AS A',
    '<!-- <Sql>SELECT Name FROM items</Sql> -->SELECT readfile(@F) AS A',
  ]

  test('that is hidden in quotes, comments, CTEs and XML is refused as well', async () => {
    await using app = await startDesign()
    const secret = join(app.folder, 'secret.txt')
    writeFileSync(secret, 'root:')
    for (const text of HIDDEN) await requireRefused(app, text.replaceAll('@F', `'${secret}'`))
    expect(await versions(app, 'Stock')).toHaveLength(1)
    // It is the function that is refused: the same with another one is taken.
    for (const text of HIDDEN) {
      const sql = text.replaceAll('@F', `'[1]'`).replace('&#114;', 'r')
      const other = sql.replaceAll(/read(<!-- -->|<!\[CDATA\[)?file/gi, 'up$1per')
      expect([other, (await save(app, report('Stock', 'A', other))).status]).toEqual([other, 200])
    }
  })

  test('only looks forbidden: in a text, a comment or as a name', async () => {
    await using app = await startDesign()
    for (const sql of [
      `SELECT Name, Region, 'readfile(''x'')' AS A FROM items`,
      'SELECT Name, Region /* readfile(1) */ FROM items -- load_extension(1)',
      'WITH readfile AS (SELECT Name, Region FROM items) SELECT Name, Region FROM readfile',
      'SELECT Name, Region, 1 AS readfile FROM items',
    ])
      expect([sql, (await save(app, report('Stock', 'A', sql))).status]).toEqual([sql, 200])
  })

  test('of a CTE is held by the row filter, whatever the CTE is called', async () => {
    await using app = await startDesign()
    const rows = 'SELECT Name, Region FROM'
    for (const sql of [
      `WITH a AS (${rows} items) ${rows} a`,
      `WITH planted AS (${rows} items), a AS (${rows} planted) ${rows} a`,
    ]) {
      const body = report('Stock', 'A', sql)
      await draft(app, 'Stock', body)
      const shown = await call<Preview>(app, 'POST', 'Stock/draft/data', {})
      expect(shown.body.data.DataSets.All?.Rows).toEqual([{ Name: 'bolt', Region: 'north' }])
      expect((await publish(app, 'Stock')).status).toBe(200)
    }
  })

  test('reads the company of its caller alone, and nothing for who may not List', async () => {
    await using app = await startDesign()
    await draft(app, 'Stock', report('Stock', 'A', 'SELECT Name, Region, CompanyId FROM items'))
    const rows = async (as: string) =>
      (await call<Preview>(app, 'POST', 'Stock/draft/data', { AllCompanies: true }, as)).body.data
        ?.DataSets.All?.Rows
    expect(await rows('des')).toEqual([{ Name: 'bolt', Region: 'north', CompanyId: '1' }])
    expect(await rows('abe')).toEqual([{ Name: 'gear', Region: 'north', CompanyId: '2' }])
    expect(await rows('bli')).toEqual([])
  })

  test('of a widget that is withheld does not run in a preview', async () => {
    await using app = await startDesign()
    const dataSet = (name: string, sql: string) =>
      `<DataSet Name="${name}"><Sql>${sql}</Sql></DataSet>`
    const widget = (name: string, more = '') =>
      `<Widget Name="${name}" Kind="Table" DataSet="${name}"${more}/>`
    const body = `<Report Name="Stock"><DataSets>${dataSet('Shown', 'SELECT Name, Region FROM items')}
      ${dataSet('Kept', `SELECT abs(-9223372036854775808) AS N, Region FROM items`)}</DataSets>
      <Widgets>${widget('Shown')}${widget('Kept', ' AllowedRoles="Looker"')}</Widgets></Report>`
    await draft(app, 'Stock', body)
    const show = (as: string) => call<object>(app, 'POST', 'Stock/draft/data', {}, as)
    const { body: shown } = await show('des')
    expect(Object.keys((shown.data as { DataSets: object }).DataSets)).toEqual(['Shown'])
    // Whoever sees the widget runs into its overflow.
    expect((await show('root')).status).toBe(400)
  })
})
