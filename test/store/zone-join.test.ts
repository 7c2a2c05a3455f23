/** Joins of instants with svc_zone: what is rewritten, and that its rows stay the same. */
import { expect, test } from 'bun:test'
import Database from 'libsql'
import { composeSpans, listSpans } from '../../src/kernel/zone-spans.ts'
import { openGate } from '../../src/store/gate/gate.ts'
import { joinZoneByYear } from '../../src/store/read/zone-join.ts'
import { listZoneAliases } from '../../src/store/read/zone-table.ts'
import { ENGINE_DDL } from '../../src/model/sql/ddl.ts'
import { planShadows, withShadows } from '../../src/model/sql/shadow.ts'

const MODEL = { entityByTable: new Map([['t', { table: 't', company: undefined }]]) }
const HEAD = withShadows(planShadows(MODEL, ['t', 'svc_zone'], 'company'))
const TABLE = 'CREATE TABLE t (Id INTEGER PRIMARY KEY, At TEXT, Other TEXT)'

const OTHER = ["'2026-10-25T00:59:59.999Z'", "'1890-01-01T00:00:00.000Z'", 'NULL']
const rows = (zone: string): string =>
  listSpans(zone)
    .flatMap(({ from }) => {
      const at = Date.parse(from)
      return [-1, 0, 1].map((step) => new Date(at + step).toISOString())
    })
    .concat('0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z', '2150-07-01T12:00:00.000Z')
    .map((at, index) => `('${at}', ${OTHER[index % OTHER.length]})`)
    .concat("(NULL, '2026-01-01T00:00:00.000Z')")
    .join(', ')

/** Each with whether its join is made by year. */
const FORMS: readonly (readonly [string, boolean])[] = [
  ['FROM t JOIN svc_zone z ON t.At >= z.FromAt AND t.At < z.ToAt', true],
  ['FROM t JOIN svc_zone AS z ON t.At < z.ToAt AND z.FromAt <= t.At', true],
  ['FROM t LEFT JOIN "svc_zone" [z] ON t.[At] >= z.FromAt AND t."At" < z.ToAt WHERE Id > 3', true],
  ['FROM t JOIN svc_zone z ON t.Id > 3 AND t.At >= z.FromAt AND t.At < z.ToAt', true],
  ['FROM svc_zone z JOIN t ON t.At >= z.FromAt AND t.At < z.ToAt AND t.Id > 1', true],
  ['FROM t, svc_zone z WHERE t.At >= z.FromAt AND z.ToAt > t.At AND t.Id > 1', true],
  ['FROM t INNER JOIN svc_zone z ON At >= z.FromAt AND At < z.ToAt', true],
  [
    'FROM t JOIN svc_zone z ON t.At >= z.FromAt AND t.At < z.ToAt ' +
      'LEFT JOIN svc_zone y ON t.Other >= y.FromAt AND t.Other < y.ToAt',
    true,
  ],
  ['FROM t JOIN (SELECT * FROM svc_zone) z ON t.At >= z.FromAt AND t.At < z.ToAt', false],
  ['FROM svc_zone z LEFT JOIN t ON t.At >= z.FromAt AND t.At < z.ToAt', false],
  ['FROM t JOIN svc_zone z ON t.At >= z.FromAt AND t.At < z.ToAt OR t.Id = 1', false],
  ['FROM t JOIN svc_zone z ON NOT t.At >= z.FromAt AND t.At < z.ToAt', false],
  ['FROM t JOIN svc_zone z ON t.At >= z.FromAt AND t.Other < z.ToAt', false],
  ['FROM t JOIN svc_zone z ON t.At >= z.FromAt AND t.At <= z.ToAt', false],
  ["FROM t JOIN svc_zone z ON t.At >= z.FromAt AND t.At < z.ToAt || ''", false],
  ['FROM t RIGHT JOIN svc_zone z ON t.Id = 1 AND t.At >= z.FromAt AND t.At < z.ToAt', false],
  ['FROM svc_zone z LEFT JOIN t ON t.Id = 2 WHERE z.FromAt > @from', false],
]

test.each(FORMS)('%s', (from, isByYear) => {
  const db = new Database(':memory:')
  db.exec(TABLE)
  db.exec(`INSERT INTO t (At, Other) VALUES ${rows('Europe/Berlin')}`)
  const sql = `${HEAD}SELECT * FROM (\nSELECT t.Id AS Id, z.Shift AS Shift, z.FromAt ${from}\n)`
  const joined = joinZoneByYear(sql)
  expect(joined !== sql).toBe(isByYear)
  const args = { _zone: composeSpans('Europe/Berlin'), from: '2026' }
  const read = (text: string): unknown[] => db.prepare(text).raw(true).all(args).map(String).sort()
  const plain = read(sql)
  expect(plain.length).toBeGreaterThan(20)
  expect(read(joined)).toEqual(plain)
  if (isByYear) {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${joined}`).all(args) as { detail: string }[]
    const steps = plan.map(({ detail }) => detail).join('\n')
    expect(steps).toMatch(/SEARCH \[?z\]? USING AUTOMATIC (COVERING )?INDEX/)
  }
  db.close()
})

test('what shows the whole row is read as it is written', () => {
  const sql = (list: string): string =>
    `${HEAD}SELECT ${list} FROM t JOIN svc_zone z ON t.At >= z.FromAt AND t.At < z.ToAt`
  for (const list of ['*', 't.Id, z.*', 'DISTINCT *'])
    expect(joinZoneByYear(sql(list))).toBe(sql(list))
  expect(joinZoneByYear(sql('count(*), 2 * t.Id'))).not.toBe(sql('count(*), 2 * t.Id'))
  // The engine's own texts, which are no authored SQL.
  expect(joinZoneByYear('SELECT ?1')).toBe('SELECT ?1')
})

test('an instant falls in the one span that a calendar says, in whatever zone', () => {
  const db = new Database(':memory:')
  db.exec(TABLE)
  const instants = ['1900-01-01T00:00:00.000Z', '1945-06-01T10:00:00.000Z']
  for (let at = Date.UTC(1971, 0, 1); at < Date.UTC(2060, 0, 1); at += 61 * 86_400_000 + 3_599_999)
    instants.push(new Date(at).toISOString())
  db.exec(`INSERT INTO t (At) VALUES ${instants.map((at) => `('${at}')`).join(', ')}`)
  const sql =
    `${HEAD}SELECT strftime('%Y-%m-%dT%H:%M:%S', t.At, z.Shift) AS Local FROM t ` +
    'JOIN svc_zone z ON t.At >= z.FromAt AND t.At < z.ToAt ORDER BY t.Id'
  const statement = db.prepare(joinZoneByYear(sql)).raw(true)
  const zones = Intl.supportedValuesOf('timeZone').filter((_, at) => at % 9 === 0)
  for (const zone of [...zones, 'Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Casablanca']) {
    const found = statement.all({ _zone: composeSpans(zone) }).flat()
    const local = instants.map((at) =>
      Temporal.Instant.from(at).toZonedDateTimeISO(zone).toPlainDateTime().toString().slice(0, 19),
    )
    expect([zone, found]).toEqual([zone, local])
  }
  db.close()
})

test('the parameter of the zone is no author’s', async () => {
  const gate = await openGate([...ENGINE_DDL, TABLE])
  expect(() => gate.read('SELECT @_zone AS Zone')).toThrow('@_zone')
  expect(() => gate.read('SELECT 1 AS One FROM svc_zone_years')).toThrow('only svc_users')
  const facts = gate.read('SELECT Shift FROM svc_zone', () => HEAD)
  expect([facts.reads, facts.parameters]).toEqual([['svc_zone'], ['_zone']])
  gate.close()
})

test('a query plan calls the table as the statement does', () => {
  const aliases = (text: string): string[] => [...listZoneAliases(text)]
  expect(aliases('SELECT 1 FROM t JOIN svc_zone z ON 1 JOIN "svc_zone" AS [Other] ON 1')).toEqual([
    ...['svc_zone', 'z', 'Other'],
  ])
  expect(aliases('SELECT 1 FROM my_svc_zone a')).toEqual(['svc_zone'])
})
