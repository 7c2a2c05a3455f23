import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { SqlFault } from '../../src/store/gate/fault.ts'
import { type GateFacts, openGate, type SqlGate } from '../../src/store/gate/gate.ts'
import { planShadows, withShadows } from '../../src/model/sql/shadow.ts'
import { JAIL_MODEL } from './gate-entities.ts'
import { GATE_DDL, Jail, SECRET } from './gate-jail.ts'

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

const head = (tables: readonly string[]): string =>
  withShadows(planShadows(JAIL_MODEL, tables, 'company'))

/** The facts of a statement that passes; undefined for one that is refused. */
function pass(text: string): GateFacts | undefined {
  try {
    return gate.isWrite(text) ? gate.write(text, head) : gate.read(text, head)
  } catch (error) {
    if (error instanceof SqlFault) return undefined
    throw error
  }
}

const findHarm = (text: string, facts: GateFacts): string[] =>
  jail.run(text, facts, head(facts.reads)).harm

/** Statements that try something and pass, since the composition holds them. */
const HARMLESS = [
  "SELECT * FROM 'orders'",
  "SELECT c.Name FROM cities c, 'orders' o, 'customers' u",
  'SELECT Id FROM orders -- ) UNION SELECT * FROM svc_keys',
  "SELECT 'SELECT readfile(1)' AS x, ';' AS y, '/*' AS z",
  'SELECT (WITH a AS (SELECT * FROM customers) SELECT group_concat(Name) FROM a) AS x',
  'SELECT group_concat(o.Number) AS x FROM cities NATURAL FULL JOIN orders o',
  'SELECT group_concat(UserName || DisplayName) AS x FROM svc_users',
  'SELECT group_concat(Role) AS x FROM svc_user_roles',
  'SELECT group_concat(Name) AS x FROM svc_companies',
  'VALUES ((SELECT max(Name) FROM customers))',
  'SELECT 1 AS x UNION ALL SELECT Number FROM orders',
  'SELECT o.Number AS n FROM orders o WHERE o.CompanyId = 2 OR 1',
  'SELECT @CurrentCompanyId AS c, Name FROM customers WHERE CompanyId <> @CurrentCompanyId',
  `WITH RECURSIVE r(n) AS (SELECT Number FROM orders UNION SELECT Name FROM r, customers)
    SELECT n FROM r`,
  'UPDATE orders SET Note = 1 RETURNING Number, Status',
  'UPDATE orders SET CompanyId = 2',
  'UPDATE orders SET Note = (SELECT group_concat(Name) FROM customers) RETURNING Note',
  'UPDATE cities SET Name = c.Name FROM customers c RETURNING *',
  'DELETE FROM orders RETURNING *',
  'DELETE FROM customers WHERE CompanyId = 2',
  'INSERT INTO cities (Name) SELECT Name FROM customers RETURNING Name',
  'INSERT INTO cities (Name) VALUES (1) RETURNING (SELECT group_concat(Number) FROM orders) AS x',
  "INSERT INTO orders (CompanyId, Status) VALUES (2, 'x')",
  `INSERT INTO orders (Id, CompanyId) VALUES (2, 1)
    ON CONFLICT (Id) DO UPDATE SET Note = 1 RETURNING *`,
  'INSERT OR IGNORE INTO orders (Id, CompanyId) VALUES (2, 1) RETURNING Status',
]

test.each(HARMLESS)('passes, and does no harm: %s', (text) => {
  const facts = pass(text)
  expect(facts).toBeDefined()
  if (facts) expect(findHarm(text, facts)).toEqual([])
})

test('the jail sees harm: the same statements without shadows read what is hidden', () => {
  const text = 'SELECT group_concat(Name) AS x FROM customers'
  const facts = pass(text)
  if (!facts) throw new Error('it was refused')
  expect(jail.run(text, facts, '').harm).toEqual([expect.stringContaining(SECRET)])
})

/** Parts of statements, and of attacks on them. */
const PARTS = [
  ...'SELECT FROM WHERE JOIN ON AS IN ( ) ( ) , . * = < || ->> - 1 2 NULL AND OR NOT'.split(' '),
  ...'orders customers order_lines cities o c x Id Name Number Status CompanyId Note'.split(' '),
  ...'svc_users svc_user_roles svc_companies svc_user_companies svc_keys PasswordHash'.split(' '),
  ...'main temp sqlite_master sqlite_sequence fsdir rowid pragma_database_list dbstat'.split(' '),
  ...`'orders' "orders" [customers] 'svc_keys' 'sqlite_master' 'fsdir' 'main' "main" 'x'`.split(
    ' ',
  ),
  ...'@Id @CurrentCompanyId ; -- /* */ UNION ALL EXCEPT ORDER BY LIMIT GROUP HAVING'.split(' '),
  ...'readfile writefile upper count max group_concat json_each json_tree load_extension'.split(
    ' ',
  ),
  ...'WITH RECURSIVE MATERIALIZED OVER FILTER CASE WHEN THEN ELSE END CAST TEXT LEFT FULL'.split(
    ' ',
  ),
  ...'INSERT INTO UPDATE DELETE SET VALUES RETURNING CONFLICT DO EXISTS DISTINCT EXPLAIN'.split(
    ' ',
  ),
  ...['\n', '-- x\n', '/* x */', 'INSERT INTO', 'NATURAL JOIN', 'RETURNING *', 'SELECT * FROM'],
  ...['(SELECT * FROM orders)', '(SELECT max(Name) FROM customers)', 'FROM customers', ', orders'],
]

/** Statements that pass, to be changed at random. */
const SEEDS = [
  ...HARMLESS,
  'SELECT o.Id, c.Name FROM orders o JOIN customers c ON c.Id = o.CustomerId WHERE o.Status = @Id',
  'WITH x AS (SELECT * FROM orders), y(a, b) AS (SELECT Id, Name FROM cities) SELECT * FROM x, y',
  "SELECT Id, count(*) OVER (PARTITION BY Status ORDER BY Id) AS n FROM orders WHERE Note LIKE 'a'",
  'WITH x AS (SELECT Id FROM customers) UPDATE orders SET Note = (SELECT Id FROM x) RETURNING *',
  'SELECT j.value AS v FROM orders o, json_each(o.Note) j',
].map((text) => text.match(/'[^']*'|[@\w]+|--[^\n]*|\s+|[^\s\w]/g) ?? [])

const edit = fc.record({
  at: fc.nat(60),
  remove: fc.nat(2),
  parts: fc.array(fc.constantFrom(...PARTS), { maxLength: 2 }),
})

const changed = fc
  .tuple(fc.constantFrom(...SEEDS), fc.array(edit, { minLength: 1, maxLength: 2 }))
  .map(([seed, edits]) => {
    const words = [...seed]
    for (const { at, remove, parts } of edits)
      words.splice(at % (words.length + 1), remove, ' ', parts.join(' '), ' ')
    return words.join('')
  })

const soup = fc.array(fc.constantFrom(...PARTS), { maxLength: 14 }).map((parts) => parts.join(' '))

describe('whatever passes does no harm', () => {
  test('random statements', () => {
    let passed = 0
    fc.assert(
      fc.property(fc.oneof({ weight: 5, arbitrary: changed }, soup), (text) => {
        const facts = pass(text)
        // One that recurses may never end; the deadline of the store is not here.
        if (!facts?.mayRunInline) return
        passed++
        expect(findHarm(text, facts)).toEqual([])
      }),
      { numRuns: 5000, seed: 20261121 },
    )
    expect(passed).toBeGreaterThan(200)
  })

  test('random conditions stay in their brackets', () => {
    const query = 'SELECT Id, Name, CompanyId FROM customers'
    const condition = fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 5 })
    let passed = 0
    fc.assert(
      fc.property(condition, (parts) => {
        const text = parts.join(' ')
        try {
          gate.condition(text, query, head)
        } catch (error) {
          if (error instanceof SqlFault) return
          throw error
        }
        const composed = `SELECT Id, Name FROM (\n${query}\n) WHERE (\n${text}\n)`
        const facts = pass(composed)
        if (!facts) return
        passed++
        expect(findHarm(composed, facts)).toEqual([])
        expect(facts.columns.map(({ name }) => name)).toEqual(['Id', 'Name'])
      }),
      { numRuns: 3000, seed: 20261121 },
    )
    expect(passed).toBeGreaterThan(50)
  })
})
