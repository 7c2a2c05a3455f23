/** Warnings of `check` and a deploy in authored SQL: days by UTC, and Decimals rounded by hand. */
import { describe, expect, test } from 'bun:test'
import { adviseOnSql } from '../../src/model/compile/sql-advice.ts'
import type { FieldType } from '../../src/model/compiled/field-features.ts'
import { compileTexts } from '../support/compile-text.ts'

const COLUMNS: Record<string, FieldType> = {
  at: 'DateTime',
  since: 'DateTime',
  day: 'Date',
  name: 'Text',
  total: 'Decimal',
  rate: 'Decimal',
  pieces: 'Integer',
}
const PARAMETERS: Record<string, FieldType> = {
  now: 'DateTime',
  today: 'Date',
  from: 'Date',
  from_start: 'DateTime',
  on: 'Date',
  price: 'Decimal',
}

const advise = (sql: string) =>
  adviseOnSql(sql, {
    columnOf: (key) => COLUMNS[key],
    parameterOf: (key) => PARAMETERS[key],
    isBound: (key) => key in PARAMETERS,
  }).map(({ offset, message }) => `${sql.slice(offset).split(/[\s(]/)[0]}: ${message}`)

const JOIN = 'JOIN svc_zone z ON t.At >= z.FromAt AND t.At < z.ToAt'

describe('of instants', () => {
  test.each([
    [
      'SELECT substr(t.At, 1, 7) FROM t',
      /^substr: .* by the clocks of UTC: JOIN svc_zone z ON t.At/,
    ],
    ["SELECT strftime('%H', At) FROM t", /strftime\('%Y-%m', At, z.Shift\)$/],
    ['SELECT date(max(t.At, t.Since)) FROM t', /z ON max\(t.At, t.Since\) >= z.FromAt/],
    ['SELECT time(t.At) FROM t', /^time: /],
    ["SELECT date(x.Last, '+1 day') FROM (SELECT max(At) AS Last FROM t) x", /^date: /],
    ['SELECT count(*) FROM t GROUP BY date(At)', /^date: /],
    ['SELECT date(@Now)', /write @Today/],
    [
      'SELECT 1 FROM t WHERE t.At >= @From',
      /^>=: t.At is an instant and @From a day, .*@From_Start/,
    ],
    ["SELECT 1 FROM t WHERE date(@From, '-1 year') < t.At", /@From_Start or @From_End$/],
    ['SELECT 1 FROM t WHERE t.At < @On', /compare date\(t.At, z.Shift\)$/],
    ['SELECT 1 FROM t WHERE t.At NOT BETWEEN @From AND @Today', /^BETWEEN: t.At is an instant/],
    ["SELECT 1 FROM t WHERE At >= '2026-01-01'", /'2026-01-01' a day/],
    ['SELECT 1 FROM t WHERE t.Day = t.At', /t.At is an instant and t.Day a day/],
    ["SELECT 1 FROM t WHERE At LIKE '2026-%'", /^LIKE: LIKE goes by the clocks of UTC/],
  ])('%s', (sql, message) => {
    const found = advise(sql)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(message)
  })

  test.each([
    `SELECT strftime('%Y-%m', t.At, z.Shift), date(t.At, z.Shift, '+1 day') FROM t ${JOIN}`,
    `SELECT 1 FROM t ${JOIN} WHERE date(t.At, z.Shift) >= date(@From, '-1 year')`,
    "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', t.At, '-1 year'), strftime('%s', At) FROM t",
    "SELECT date(At, @UtcOffsetMinutes || ' minutes') FROM t",
    'SELECT 1 FROM t WHERE At >= @From_Start AND At < @Now AND At > Since',
    'SELECT julianday(At) - julianday(Since), unixepoch(At), datetime(At) FROM t',
    "SELECT substr(Day, 1, 7), date(Day, '+1 day'), substr(Name, 1, 7) FROM t WHERE Day >= @From",
    'SELECT At FROM t GROUP BY At ORDER BY At',
    "SELECT 1 FROM t WHERE At > '2026-01-01T00:00:00.000Z' AND Name LIKE '2026%'",
  ])('not of %s', (sql) => {
    expect(advise(sql)).toEqual([])
  })
})

describe('of rounding', () => {
  test.each([
    ['SELECT round(sum(Total), 2) FROM t', /^round: round counts in binary floats \(0.475 becomes/],
    ['SELECT round(Total * 0.19, 2) FROM t', /leave it out/],
    ['SELECT round(Pieces * @Price) ', /round\(round\(x \* 100, 6\)\) \/ 100$/],
    ['SELECT round(x.S / 3, 2) FROM (SELECT sum(Total) AS S FROM t) x', /^round/],
    ['SELECT round(round(Total * 100, 2)) / 100 FROM t', /^round/],
    ["SELECT printf('%.2f', Total) FROM t", /^printf: printf rounds a Decimal .* a Format$/],
  ])('%s', (sql, message) => {
    const found = advise(sql)
    expect(found.length).toBeGreaterThan(0)
    expect(found[0]).toMatch(message)
  })

  test.each([
    'SELECT round(round(Total * Rate * 100, 6)) / 100, round(round(avg(Total) * 100, 6), 0) FROM t',
    'SELECT round(avg(julianday(At) - julianday(Since)) * 24, 1) FROM t',
    'SELECT round(100.0 * Pieces / 3, 1), sum(Total), Total * Rate FROM t',
    "SELECT printf('%d: %.1f', Pieces, Pieces / 2.0) FROM t",
  ])('not of %s', (sql) => {
    expect(advise(sql)).toEqual([])
  })
})

const MODEL = `<Model>
<Entity Name="Visit" Table="visits">
  <Column Name="Id" Type="Integer" Key="true" Identity="true"/>
  <Column Name="At" Type="DateTime"/>
  <Column Name="Year"><Compute>SELECT substr(@At, 1, 4)</Compute></Column>
  <Column Name="Here"><Compute>SELECT max(date(@At, Shift)) FROM svc_zone WHERE @At &gt;= FromAt AND @At &lt; ToAt</Compute></Column>
  <Column Name="Fee" Type="Decimal" Scale="2"/>
  <Column Name="Tax" Type="Decimal" Scale="2"><Compute>SELECT round(@Fee * 0.19, 2)</Compute></Column>
</Entity>
<ObjectView Name="Visits" Entity="Visit"><Preset Name="Now" Where="date(At) = @Today"/>
  <RowAction Name="Touch" For="Row"><Parameter Name="On" Type="Date"/><Sql>UPDATE visits SET At = @Now WHERE At &lt; @On</Sql></RowAction></ObjectView>
<Report Name="Busy"><Filters><Filter Name="From" Type="Date"/></Filters><DataSets>
  <DataSet Name="Days"><Sql>SELECT count(*) AS N FROM visits WHERE At &gt;= @From</Sql></DataSet>
  <DataSet Name="Ends"><Sql>SELECT strftime('%Y-%m', h.EndedAt) AS M FROM svc_workflow_instances h</Sql></DataSet></DataSets></Report>
<StoredProcedure Name="Of" Mode="Read"><Parameter Name="Day" Type="Date"/><Sql Result="R">SELECT 1 AS One FROM visits v WHERE v.At &gt; @Day</Sql></StoredProcedure>
</Model>`

test('each statement of a model is looked at, where it stands', async () => {
  const { faults, warnings } = await compileTexts({ 'a.xml': MODEL })
  expect(faults).toEqual([])
  expect(warnings.map((each) => each.slice(0, 45))).toEqual([
    'a.xml:6:23 Here is stored in the time zone of',
    'a.xml:8:63 round counts in binary floats (0.4',
    'a.xml:10:68 date goes by the clocks of UTC: J',
    'a.xml:11:113 At is an instant and @On a day, ',
    'a.xml:13:71 At is an instant and @From a day,',
    'a.xml:14:36 strftime goes by the clocks of UT',
    'a.xml:15:132 v.At is an instant and @Day a da',
  ])
})
