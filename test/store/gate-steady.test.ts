import { expect, test } from 'bun:test'
import { isSteady } from '../../src/store/gate/steady.ts'
import { tokenize } from '../../src/store/gate/tokenize.ts'

const long = 'x'.repeat(201)

test.each([
  "SELECT Name LIKE 'a%' OR Name NOT LIKE '%b' ESCAPE '\\' FROM t",
  "SELECT Name GLOB 'a*' AND Name = @Like FROM t",
  "SELECT instr(Name, '@'), replace(Name, '--', '-'), trim(Name), ltrim(lower(Name), ' .') FROM t",
  "SELECT replace(replace(Name, ' ', ''), 'a', '')",
  "SELECT like('a%', Name), unhex(Name), trim(coalesce(Name, 'a, b'), 'x')",
  'SELECT "trim", Replace FROM t',
  "REPLACE INTO t VALUES ('like')",
  'INSERT OR REPLACE INTO t VALUES (1) -- LIKE Name',
])('steady: %s', (sql) => expect(isSteady(tokenize(sql))).toBe(true))

test.each([
  'SELECT Name LIKE @Mask FROM t',
  "SELECT Name LIKE '%' || Mask || '%' FROM t",
  'SELECT Name NOT LIKE Mask FROM t',
  "SELECT Name LIKE '%' COLLATE NOCASE || Mask FROM t",
  'SELECT Name GLOB (Mask) FROM t',
  'SELECT like(Mask, Name), 1',
  'SELECT instr(Name, Part) FROM t',
  'SELECT trim(Name, Letters) FROM t',
  'SELECT "trim"(Name, Letters) FROM t',
  "SELECT trim(coalesce(Name, ','), Letters) FROM t",
  'SELECT unhex(Name, Letters) FROM t',
  "SELECT replace(Name, 'a', Part) FROM t",
  "SELECT replace(Name, 'a', 'aa') FROM t",
  'SELECT (SELECT max(rtrim(a, b)) FROM t)',
  `SELECT Name LIKE '${long}'`,
  `SELECT instr(Name, '${long}')`,
])('not steady: %s', (sql) => expect(isSteady(tokenize(sql))).toBe(false))
