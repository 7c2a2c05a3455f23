import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SqlFault } from '../../src/store/gate/fault.ts'
import { openGate, type SqlGate } from '../../src/store/gate/gate.ts'
import { GATE_DDL, Jail } from './gate-jail.ts'

const list = (count: number, part: (at: number) => string, between = ', '): string =>
  Array.from({ length: count }, (_, at) => part(at)).join(between)

/** Each level writes the expression of the one within it four times. */
const multiplied = (levels: number): string =>
  'SELECT Total + Total + Total + Total AS Total FROM ('.repeat(levels) +
  'SELECT Total FROM orders' +
  ')'.repeat(levels)

let gate: SqlGate
let jail: Jail

beforeAll(async () => {
  gate = await openGate(GATE_DDL)
  jail = new Jail()
})

afterAll(() => {
  gate.close()
  jail.close()
})

/** The sentence with which the gate refuses; the test fails when it does not. */
function refusal(attempt: () => unknown): string {
  try {
    attempt()
  } catch (error) {
    if (error instanceof SqlFault) return error.message
    throw error
  }
  throw new Error('it passed the gate')
}

const bracketed = (times: number): string => '('.repeat(times) + '1' + ')'.repeat(times)

const doubling = `WITH ${Array.from({ length: 30 }, (_, at) =>
  at === 0 ? 'a0 AS (SELECT 1 AS x)' : `a${at} AS (SELECT 1 AS x FROM a${at - 1}, a${at - 1} b)`,
).join(', ')} SELECT x FROM a29`

/** Source of the attack, statement, what the refusal says. */
const READS: [string, string, RegExp][] = [
  ['reads a file', "SELECT readfile('/etc/passwd')", /readfile is not available/],
  ['writes a file', "SELECT writefile('/tmp/x', 'y')", /writefile is not available/],
  ['lists a folder', "SELECT * FROM fsdir('/')", /fsdir is not available/],
  ['lists a folder, quoted', `SELECT * FROM "fsdir"('/')`, /fsdir is not available/],
  ['lists a folder, as a string', "SELECT * FROM 'fsdir'('/')", /fsdir is not available/],
  ['lists a folder, second', "SELECT * FROM cities, 'fsdir' WHERE path = '/'", /table function/],
  ['lists a folder, by IN', "SELECT 1 WHERE 1 IN fsdir('/')", /fsdir is not available/],
  ['lists a folder under an alias', 'SELECT f.data FROM fsdir f', /fsdir is not available/],
  ['quoted call', `SELECT "readfile"('/etc/passwd')`, /readfile is not available/],
  ['call in brackets', "SELECT [readfile]('/etc/passwd')", /readfile is not available/],
  ['call in backticks', "SELECT `readfile`('/etc/passwd')", /readfile is not available/],
  ['call in capitals', "SELECT READFILE ('/etc/passwd')", /READFILE is not available/],
  ['call behind a comment', "SELECT readfile/**/('/etc/passwd')", /readfile is not available/],
  [
    'call in a WITH',
    "WITH a AS (SELECT readfile('/etc/passwd') AS t) SELECT t FROM a",
    /readfile is not available/,
  ],
  [
    'call in a subselect',
    "SELECT Id FROM orders WHERE Note = (SELECT hex(readfile('/x')))",
    /readfile is not available/,
  ],
  [
    'call in a CASE',
    "SELECT CASE WHEN 0 THEN writefile('/x', 'y') ELSE 1 END AS x",
    /writefile is not available/,
  ],
  [
    'call in a window',
    "SELECT count(*) OVER (ORDER BY readfile('/x')) FROM orders",
    /readfile is not available/,
  ],
  ['call as a filter', "SELECT count(*) FILTER (WHERE readfile('/x'))", /readfile/],
  ['loads code', "SELECT load_extension('/tmp/x.so')", /load_extension is not available/],
  ['sets the cipher', "SELECT sqlite3mc_config('cipher')", /sqlite3mc_config is not available/],
  ['runs SQL from text', "SELECT sha3_query('SELECT 1')", /sha3_query is not available/],
  ['edits', "SELECT edit('x', 'vi')", /edit is not available/],
  ['concat_ws (CVE-2025-29087)', "SELECT concat_ws(',', 1, 2)", /join the parts by/],
  ['memory by zeroblob', 'SELECT zeroblob(900000000)', /zeroblob is not available/],
  ['memory by randomblob', 'SELECT randomblob(1000000000)', /randomblob is not available/],
  ['memory by printf', "SELECT printf('%.*c', 1000000000, 'x')", /begins with a format/],
  ['memory by width', "SELECT printf('%1000000000d', 1)", /begins with a format/],
  ['memory by a computed format', "SELECT format('%' || '99999999d', 1)", /begins with a format/],
  ['regular expressions', "SELECT 'a' REGEXP '^(a+)+$'", /regexp is not available/],
  ['regexp as a function', "SELECT regexp('^(a+)+$', 'aaa')", /use LIKE or GLOB/],
  ['full text as a function', 'SELECT snippet(orders) FROM orders', /snippet is not available/],
  ['MATCH', "SELECT 1 FROM orders WHERE Note MATCH 'a'", /match/],
  ['random', 'SELECT random()', /random is not available/],
  ['shuffling', 'SELECT Id FROM orders ORDER BY RANDOM()', /RANDOM is not available/],
  ['the clock', "SELECT date('now')", /@Now or @Today/],
  ['the clock, capitals', "SELECT strftime('%Y', 'NOW')", /@Now or @Today/],
  ['the clock in brackets', "SELECT date((('now')))", /@Now or @Today/],
  ['the clock by default', 'SELECT datetime()', /Give datetime a time/],
  ['the clock by a format alone', "SELECT strftime('%s')", /Give strftime a time/],
  ['the clock by subsec', "SELECT unixepoch('subsec')", /@Now or @Today/],
  ['the clock by keyword', 'SELECT CURRENT_TIMESTAMP', /@Now or @Today/],
  ['the zone of the machine', "SELECT datetime(@Now, 'localtime')", /UtcOffsetMinutes/],
  ['BLOB that is no UTF-8', "SELECT CAST(x'ff' AS TEXT)", /BLOB literals/],
  ['BLOB by CAST', "SELECT CAST('é' AS BLOB)", /CAST takes/],
  ['BLOB by an untyped CAST', "SELECT CAST('é' AS )", /CAST takes/],
  ['BLOB by a quoted type', `SELECT CAST('é' AS "BLOB")`, /CAST takes/],
  ['BLOB by unhex', "SELECT unhex('ff')", /unhex is not available/],
  ['BLOB by jsonb', "SELECT jsonb('1')", /use json/],
  ['half a character by char', 'SELECT char(55296)', /char takes numbers/],
  ['half a character by char, hex', 'SELECT char(0xD800)', /char takes numbers/],
  ['half a character by a parameter', 'SELECT char(@Id)', /char takes numbers/],
  ['half a letter by printf', "SELECT printf('%.1s', 'é')", /begins with a format/],
  ['PRAGMA', 'PRAGMA writable_schema = ON', /^No PRAGMA here/],
  ['EXPLAIN PRAGMA takes effect', 'EXPLAIN PRAGMA journal_mode = OFF', /opens with SELECT/],
  ['a misspelt word', 'SELCT 1', /^No statement starts with SELCT; did you mean SELECT\?$/],
  ['EXPLAIN', 'EXPLAIN SELECT 1', /opens with SELECT/],
  ['ATTACH', "ATTACH '/tmp/x.db' AS x", /^No ATTACH here/],
  ['DETACH', 'DETACH main', /^No DETACH here/],
  ['VACUUM INTO', "VACUUM INTO '/tmp/x.db'", /^No VACUUM here/],
  ['CREATE', 'CREATE TABLE x (a)', /^No CREATE here/],
  ['CREATE of a trigger', 'CREATE TEMP TRIGGER t AFTER INSERT ON orders BEGIN SELECT 1; END', /;/],
  ['DROP', 'DROP TABLE orders', /^No DROP here/],
  ['BEGIN', 'BEGIN', /^No BEGIN here/],
  ['COMMIT', 'COMMIT', /^No COMMIT here/],
  ['REINDEX', 'REINDEX', /opens with SELECT/],
  ['ANALYZE', 'ANALYZE', /opens with SELECT/],
  ['second statement', 'SELECT 1; DROP TABLE orders', /remove the ;/],
  ['trailing semicolon', 'SELECT 1;', /remove the ;/],
  ['semicolon behind a comment', 'SELECT 1 -- \n;', /remove the ;/],
  ['nothing', ' -- nothing', /empty/],
  ['open comment', 'SELECT 1 /* ', /is never closed/],
  ['comment of three signs', 'SELECT 1 /*/', /is never closed/],
  ['open string', "SELECT 'x", /never closed/],
  ['open bracket', 'SELECT (1', /never closed/],
  ['escaped bracket', 'SELECT 1) UNION SELECT (2', /has no opening/],
  ['bracket in a parameter', 'SELECT @a(1) UNION SELECT 2', /A parameter is written @Name/],
  ['numbered parameter', 'SELECT ?1', /Parameters are written @Name/],
  ['nameless parameter', 'SELECT ?', /Parameters are written @Name/],
  ['colon parameter', 'SELECT :Id', /Parameters are written @Name/],
  ['dollar parameter', 'SELECT $Id', /Parameters are written @Name/],
  ['two spellings', 'SELECT @Id, @id', /also written @Id/],
  ['NUL', 'SELECT 1 \0; DROP TABLE orders', /NUL/],
  ['half a surrogate pair', "SELECT '\ud800'", /surrogate/],
  ['no-break space', 'SELECT\u00a01', /U\+00A0/],
  ['full-width brackets', "SELECT readfile（'/etc/passwd'）", /U\+FF08/],
  ['full-width letters', "SELECT ｒｅａｄｆｉｌｅ('/etc/passwd')", /is not available/],
  ['letter that folds elsewhere', 'SELECT \u212a FROM orders', /No column/],
  ['byte order mark', '\ufeffSELECT 1', /U\+FEFF/],
  ['deep nesting', `SELECT ${bracketed(60)}`, /nest deeper/],
  [
    'deep nesting of selects',
    'SELECT * FROM ('.repeat(25) + 'SELECT 1' + ')'.repeat(25),
    /too deep/,
  ],
  ['deep nesting of signs', `SELECT ${'- '.repeat(5000)}1`, /too deep/],
  ['very long', `SELECT '${'x'.repeat(200_000)}'`, /longer than/],
  ['expressions that double', doubling, /grow to more/],
  // Each of these kept the thread for seconds or minutes.
  ['columns that multiply', multiplied(12), /grow too large/],
  ['tables without end', `SELECT 1 FROM ${list(30, (i) => `orders o${i}`)}`, /24 tables in a FROM/],
  [
    'joins by USING',
    `SELECT 1 FROM orders ${list(20, (i) => `JOIN orders o${i} USING (Total, Note)`, ' ')}`,
    /12 times USING/,
  ],
  [
    'joins of unions',
    `SELECT 1 FROM (${list(60, () => 'SELECT Id FROM orders', ' UNION ALL ')})`,
    /30 times UNION/,
  ],
  [
    'rows compared with rows',
    `SELECT 1 FROM orders WHERE (Id, Total) IN (${list(1000, (i) => `(${i}, 1)`)})`,
    /500 rows in a list/,
  ],
  ['words without end', `SELECT ${list(5000, String, '+')}`, /8000 words and signs/],
  ['calls without end', `SELECT ${list(400, (i) => `abs(${i}) AS c${i}`)}`, /300 calls/],
  [
    'joins that compare every column',
    `SELECT 1 FROM orders ${'NATURAL JOIN orders '.repeat(40)}`,
    /More than 8 times NATURAL/,
  ],
  [
    'expressions within their namesakes',
    'WITH a AS (WITH a AS (SELECT 1) SELECT * FROM a, a b) SELECT * FROM a, a b',
    /inside another of the same name/,
  ],
  ['another schema', 'SELECT Number FROM main.orders', /without "main\."/],
  ['another schema, quoted', 'SELECT Number FROM "main"."orders"', /without "main\."/],
  ['another schema, bracketed', 'SELECT Number FROM [MAIN].orders', /without "MAIN\."/],
  ['another schema, as a string', "SELECT Number FROM 'main'.'orders'", /without "main\."/],
  ['another schema, spaced', 'SELECT Number FROM main /**/ . orders', /without "main\."/],
  ['the temp schema', 'SELECT c FROM temp.ctx', /without "temp\."/],
  ['column by schema', 'SELECT main.orders.Number FROM orders', /without "main\."/],
  ['column by another schema', 'SELECT x.orders.Number FROM orders', /without a schema/],
  ['the schema table', 'SELECT sql FROM sqlite_master', /sqlite_master is not available/],
  ['the schema table, quoted', 'SELECT sql FROM "sqlite_schema"', /not available/],
  ['the schema table, as a string', "SELECT sql FROM 'sqlite_master'", /not available/],
  ['the schema table, second', "SELECT sql FROM cities, 'sqlite_master'", /not available/],
  ['the temp schema table', 'SELECT sql FROM sqlite_temp_master', /not available/],
  ['sequences', 'SELECT * FROM sqlite_sequence', /not available/],
  ['sequences, as a string', "SELECT * FROM cities, 'sqlite_sequence'", /not available/],
  ['pages', 'SELECT data FROM [sqlite_dbpage]', /not available/],
  ['page statistics', 'SELECT * FROM `dbstat`', /dbstat is not available/],
  ['statements', 'SELECT sql FROM sqlite_stmt', /not available/],
  ['pragma as a table', "SELECT * FROM pragma_table_info('svc_keys')", /not available/],
  ['pragma as a table, second', "SELECT * FROM cities, 'pragma_database_list'", /table function/],
  ['pointers', 'SELECT * FROM carray(1, 2)', /carray is not available/],
  ['endless series', 'SELECT * FROM generate_series(1, 1e9)', /generate_series is not available/],
  ['vectors', "SELECT * FROM vector_top_k('x', 'y', 1)", /vector_top_k is not available/],
  ['secret engine table', 'SELECT PrivateJwk FROM svc_keys', /only svc_users/],
  ['engine table of the scope', 'SELECT * FROM svc_user_companies', /only svc_users/],
  [
    'engine table of the scope, as a string',
    "SELECT * FROM cities c, 'svc_user_companies'",
    /not available/,
  ],
  ['secret engine column', 'SELECT PasswordHash FROM svc_users', /No column is named PasswordHash/],
  ['rowid', 'SELECT rowid FROM orders', /rowid is not available/],
  ['rowid, qualified', 'SELECT o._rowid_ FROM orders o', /_rowid_ is not available/],
  ['rowid, quoted', 'SELECT "oid" FROM orders', /oid is not available/],
  ['INDEXED BY', 'SELECT Id FROM orders INDEXED BY orders_company', /INDEXED BY/],
  [
    'own expression of a table',
    'WITH orders AS (SELECT 1 AS Id) SELECT Id FROM orders',
    /is already used/,
  ],
  ['own expression, nested', 'SELECT (WITH "ORDERS" AS (SELECT 1) SELECT 1)', /is already used/],
  [
    'own expression, recursive',
    'WITH RECURSIVE orders(Id) AS (SELECT 1) SELECT 1',
    /is already used/,
  ],
  ['own expression, as a string', "WITH 'orders' AS (SELECT 1) SELECT 1", /is already used/],
  [
    'own expression, second',
    'WITH a AS (SELECT 1), customers AS (SELECT 2) SELECT 1',
    /is already used/,
  ],
  [
    'own expression of an engine table',
    'WITH svc_users AS (SELECT 1) SELECT 1',
    /is already used|only/,
  ],
  ['writing', 'DELETE FROM orders', /Only reading/],
  ['writing behind WITH', 'WITH a AS (SELECT 1) DELETE FROM orders', /Only reading/],
  ['writing inside', 'SELECT * FROM (DELETE FROM orders RETURNING Id)', /not expected/],
  ['two columns of one name', 'SELECT Id, Number AS id FROM orders', /Two output columns/],
  ['RAISE', "SELECT RAISE(ROLLBACK, 'x')", /RAISE is not available/],
]

const WRITES: [string, string, RegExp][] = [
  ['REPLACE', 'REPLACE INTO orders (Id) VALUES (1)', /ON CONFLICT/],
  ['OR REPLACE', 'INSERT OR REPLACE INTO orders (Id) VALUES (1)', /OR REPLACE/],
  ['OR ROLLBACK', 'UPDATE OR ROLLBACK orders SET Id = 1', /OR ROLLBACK/],
  ['OR FAIL', 'UPDATE OR FAIL orders SET Id = 1', /OR FAIL/],
  ['engine table', "UPDATE svc_users SET Email = 'x'", /only be read/],
  ['engine table, deleted', 'DELETE FROM svc_user_roles', /only be read/],
  ['secret engine table', "INSERT INTO svc_keys VALUES ('x')", /only svc_users/],
  ['the schema', "INSERT INTO sqlite_master VALUES ('x')", /not available/],
  ['the schema, quoted', 'DELETE FROM "sqlite_schema"', /not available/],
  ['sequences', 'UPDATE sqlite_sequence SET seq = 0', /not available/],
  ['another schema', 'DELETE FROM main.orders', /without "main\."/],
  ['another schema, WITH', 'WITH a AS (SELECT 1) UPDATE temp.ctx SET c = 2', /without "temp\."/],
  ['target as a string', "DELETE FROM 'orders'", /not a table of the model/],
  ['unknown target', 'DELETE FROM ctx', /not a table of the model/],
  [
    'own expression as target',
    'WITH a AS (SELECT 1 AS x) DELETE FROM a',
    /not a table of the model/,
  ],
  [
    'own expression of the target',
    'WITH orders AS (SELECT 1) DELETE FROM orders',
    /is already used/,
  ],
  ['a read', 'SELECT 1', /opens with INSERT/],
  ['PRAGMA', 'PRAGMA foreign_keys = OFF', /opens with INSERT/],
  ['a file in RETURNING', "DELETE FROM orders RETURNING readfile('/x')", /readfile/],
  ['a file in VALUES', "INSERT INTO cities (Name) VALUES (readfile('/x'))", /readfile/],
  [
    'a file in an upsert',
    "INSERT INTO cities VALUES (1) ON CONFLICT DO UPDATE SET Name = writefile('/x', 1)",
    /writefile/,
  ],
  ['the clock', "UPDATE orders SET OrderedAt = datetime('now')", /@Now/],
  ['the clock by keyword', 'UPDATE orders SET OrderedAt = CURRENT_TIMESTAMP', /@Now/],
  ['last key', 'INSERT INTO order_lines (OrderId) VALUES (last_insert_rowid())', /RETURNING/],
  [
    'secret engine table read',
    'UPDATE orders SET Note = (SELECT PrivateJwk FROM svc_keys)',
    /only svc_users/,
  ],
  ['key by rowid', 'DELETE FROM orders WHERE rowid = 1', /rowid is not available/],
  ['second statement', 'DELETE FROM orders; DELETE FROM customers', /remove the ;/],
]

const CONDITIONS: [string, string, RegExp][] = [
  ['another query', '1) UNION SELECT * FROM customers WHERE (1', /has no opening/],
  ['all rows', '1) OR (1', /has no opening/],
  ['rest as comment', '1 /*', /is never closed/],
  ['rest as string', "Id = '", /never closed/],
  ['a statement', 'SELECT 1', /put a SELECT in brackets/],
  ['a limit', '1 LIMIT 1', /not expected/],
  ['an order', '1 ORDER BY 1', /not expected/],
  ['two values', 'Id, 1', /row value|not expected/],
  ['a file', "readfile('/x') IS NULL", /readfile is not available/],
  ['a file in a subselect', "EXISTS (SELECT 1 FROM fsdir('/'))", /fsdir is not available/],
  ['unknown column', "Regin = 'x'", /No column is named Regin here; the nearest is Region/],
  ["the query's tables", 'o.Id = 1', /No column is named o\.Id/],
  ['an aggregate', 'count(*) > 1', /may not stand here/],
  ['another schema', 'EXISTS (SELECT 1 FROM main.orders)', /without "main\."/],
  ['nothing', ' ', /empty/],
  ['semicolon', '1;', /remove the ;/],
]

const QUERY = 'SELECT o.Id, c.Region FROM orders o JOIN customers c ON c.Id = o.CustomerId'

describe('the gate refuses', () => {
  test.each(READS)('reads: %s', (_, text, says) => {
    expect(refusal(() => gate.read(text))).toMatch(says)
  })

  test.each(WRITES)('writes: %s', (_, text, says) => {
    expect(refusal(() => gate.write(text))).toMatch(says)
  })

  test.each(CONDITIONS)('conditions: %s', (_, text, says) => {
    expect(refusal(() => gate.condition(text, QUERY))).toMatch(says)
  })

  test('every read that it refuses, as a part of a write too', () => {
    const passed = READS.filter(([, text]) => passes(`INSERT INTO cities (Name) ${text}`))
    expect(passed).toEqual([])
  })
})

function passes(text: string): boolean {
  try {
    gate.write(text)
    return true
  } catch (error) {
    if (error instanceof SqlFault) return false
    throw error
  }
}
