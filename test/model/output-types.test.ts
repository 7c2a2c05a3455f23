/** Types of output columns that come from no table, by the text of their query. */
import { expect, test } from 'bun:test'
import { findOutputScales } from '../../src/model/compile/output-scales.ts'
import { findOutputTypes } from '../../src/model/compile/output-types.ts'
import type { FieldType } from '../../src/model/compiled/field-features.ts'

const COLUMNS: Record<string, FieldType> = {
  total: 'Decimal',
  cost: 'Decimal',
  quantity: 'Integer',
  name: 'Text',
  day: 'Date',
  at: 'DateTime',
}

const CASES: [sql: string, type: FieldType | undefined][] = [
  ['SELECT count(*) AS X FROM t', 'Integer'],
  ['SELECT sum(Total) X FROM t', 'Decimal'],
  ['SELECT sum(t.Quantity) AS X FROM t', 'Integer'],
  ['SELECT sum(Quantity * 2) AS X FROM t', 'Integer'],
  ['SELECT sum(Quantity * Total) AS X FROM t', 'Decimal'],
  ['SELECT Total - Cost AS X FROM t', 'Decimal'],
  ['SELECT round(100.0 * sum(Total) / sum(Cost), 1) AS X FROM t', 'Decimal'],
  ['SELECT max(At) AS X FROM t', 'DateTime'],
  ['SELECT coalesce(NULL, @From, Day) AS X FROM t', 'Date'],
  ['SELECT date(At) AS "X" FROM t', 'Date'],
  ["SELECT strftime('%Y-%m', At) AS X FROM t", 'Text'],
  ["SELECT Name || ' ' || Quantity AS X FROM t", 'Text'],
  ['SELECT CAST(Name AS INTEGER) AS X FROM t', 'Integer'],
  ["SELECT CASE WHEN Total > 1 THEN 'a' ELSE 'b' END AS X FROM t", 'Text'],
  ['SELECT CASE WHEN 1 THEN NULL WHEN 2 THEN (SELECT max(Day) FROM t) END X FROM t', 'Date'],
  ['SELECT (CASE Name WHEN 1 THEN 2 END) + 1 AS X FROM t', 'Integer'],
  ['SELECT Total > 1 AND Cost < 2 AS X FROM t', 'Integer'],
  ['SELECT -Quantity AS X FROM t', 'Integer'],
  ['SELECT iif(Total > 1, Name, 2) AS X FROM t', 'Text'],
  ['SELECT sum(Total) OVER (ORDER BY Day) AS X FROM t', 'Decimal'],
  ['SELECT count(*) FILTER (WHERE Total > 1) AS X FROM t', 'Integer'],
  ['SELECT lag(Total, 1) OVER (ORDER BY Day) AS X FROM t', 'Decimal'],
  ['SELECT DISTINCT 1.5 AS X', 'Decimal'],
  ['SELECT 7 AS X UNION ALL SELECT 8', 'Integer'],
  ['WITH m AS (SELECT sum(Total) AS Sold FROM t) SELECT Sold AS X FROM m', 'Decimal'],
  ['WITH m AS (SELECT sum(Total) AS X FROM t) SELECT X FROM m', 'Decimal'],
  ['SELECT m.X FROM (SELECT count(*) AS X FROM t) m', 'Integer'],
  ['SELECT (SELECT Name FROM t LIMIT 1) AS X', 'Text'],
  ['SELECT X FROM t', undefined],
  ['SELECT X + 1 AS X FROM t', 'Decimal'],
  ["SELECT json_extract(Name, '$.a') AS X FROM t", undefined],
  ['SELECT @From AS X', undefined],
  ['SELECT NULL AS X', undefined],
  ['VALUES (1)', undefined],
]

test.each(CASES)('%s', (sql, type) => {
  expect(findOutputTypes(sql, (key) => COLUMNS[key]).get('x')).toBe(type)
})

test('names that are made of each other cost no more than their text', () => {
  const steps = Array.from({ length: 60 }, (_, at) => `x${at} + x${at} AS x${at + 1}`)
  const sql = `SELECT ${steps.join(', ')} FROM (SELECT 1 AS x0)`
  expect(findOutputTypes(sql, () => undefined).get('x60')).toBe('Integer')
})

const SCALES: Record<string, number> = { total: 2, cost: 2, price: 2, amount: 3, quantity: 0 }

test.each([
  ['SELECT sum(Total) AS X FROM t', 2],
  ['SELECT coalesce(sum(t.Total), 0) X FROM t', 2],
  ['SELECT sum(Total - Cost) AS X FROM t', 2],
  ['SELECT Total - -Cost AS X FROM t', 2],
  ['SELECT sum(Amount * Price) AS X FROM t', 5],
  ['SELECT Amount * Price * (1 - 0.25) + Total AS X FROM t', 7],
  ['SELECT sum(Quantity) AS X FROM t', 0],
  ['SELECT total(Total) FILTER (WHERE Cost > 1) AS X FROM t', 2],
  ['SELECT sum(Total) OVER (ORDER BY Cost) AS X FROM t', 2],
  ['SELECT CASE WHEN Total > 1 THEN Total WHEN 2 THEN NULL ELSE 0.125 END AS X FROM t', 3],
  ['SELECT iif(1, Total, Amount) AS X FROM t', 3],
  ['SELECT CAST(sum(Total) AS REAL) AS X FROM t', 2],
  ['SELECT (SELECT sum(Total) FROM t) AS X', 2],
  ['SELECT n.X FROM (SELECT sum(Total * Amount) AS X FROM t) n', 5],
  ['SELECT n.Total AS X FROM (SELECT sum(o.Total * o.Amount) AS Total FROM t o) n', 5],
  ['WITH m AS (SELECT sum(Total) AS Sold FROM t) SELECT a.Sold - b.Sold AS X FROM m a, m b', 2],
  ['SELECT Total AS X FROM t UNION ALL SELECT Amount FROM t', 3],
  ['SELECT (SELECT sum(Total) FROM t UNION ALL SELECT sum(Amount) FROM t) AS X', 3],
  ['UPDATE t SET Total = 1 RETURNING Id, (SELECT sum(Cost) FROM t) AS X', 2],
  // Nobody knows.
  ['SELECT (SELECT sum(Total) FROM t UNION ALL SELECT avg(Amount) FROM t) AS X', undefined],
  ['DELETE FROM t', undefined],
  ['SELECT sum(Total) / 3 AS X FROM t', undefined],
  ['SELECT avg(Total) AS X FROM t', undefined],
  ['SELECT Total * @Rate AS X FROM t', undefined],
  ['SELECT sum(Total) * 1e-3 AS X FROM t', undefined],
  ['SELECT Amount * Amount * Amount * Amount AS X FROM t', undefined],
  ['SELECT Total AS X FROM t UNION ALL SELECT avg(Cost) FROM t', undefined],
  ['SELECT X FROM (SELECT Total AS X FROM t UNION ALL SELECT avg(Cost) FROM t)', undefined],
  ['SELECT X FROM (SELECT Cost, Total AS X FROM t UNION ALL SELECT * FROM u)', undefined],
  ['WITH m(Total) AS (SELECT avg(Cost) FROM t) SELECT Total AS X FROM m', undefined],
  ['SELECT value AS X FROM t, json_each(Name)', undefined],
  ['SELECT Name AS X FROM t', undefined],
  ["SELECT 'a' AS X", undefined],
  ['SELECT Total > 1 AS X FROM t', 0],
] as const)('decimal places of %s', (sql, places) => {
  expect(findOutputScales(sql, (key) => SCALES[key]).get('x')).toBe(places)
})

test('what has no name is called by its text', () => {
  const sql =
    'SELECT sum(Total), t.Amount - 1 FROM t UNION ALL SELECT sum( Amount ), avg(Cost) FROM t'
  expect([...findOutputScales(sql, (key) => SCALES[key])]).toEqual([['sum(total)', 3]])
})
