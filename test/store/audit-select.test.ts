/** Entries whose texts a SELECT makes are those that are written one by one, to the hash. */
import { expect, test } from 'bun:test'
import { checkAudit, findAuditHead } from '../../src/store/audit/check.ts'
import type { AuditRecord } from '../../src/store/audit/record.ts'
import type { Tx } from '../../src/store/store.ts'
import { ALL, failureOf, openShop, rows } from './temporary.ts'

const SHARED = {
  at: '2026-11-21T09:00:00.000Z',
  userId: 7,
  impersonatorId: null,
  source: 'or"ders',
  traceId: 'trace',
  entity: 'Order',
  action: 'insert',
}

/** Place, company and text of each; places are left out. */
const PLAIN: [place: number, company: number | null, text: string][] = [
  [0, 1, 'plain'],
  [1, 2, `"quotes", 'single', \\ and /`],
  [4, null, 'a\ttab, a\nline, \r\f\b\u0001\u007f'],
  [9, 1, 'ä ß \u{1F332} \u2028 null'],
]
const REPLACED: typeof PLAIN = [
  [2, 1, 'no text: \ufffd'],
  [3, 1, 'one'],
]

const SELECT = `SELECT value ->> 0 AS Place, value ->> 1 AS CompanyId,
  json_array(value ->> 0) AS RecordKey,
  json_object('Text', json_array(NULL, value ->> 2)) AS Changes
  FROM json_each(@list) ORDER BY value ->> 0`

const select = (tx: Tx, list: typeof PLAIN) =>
  tx.auditSelected({
    shared: SHARED,
    sql: SELECT,
    places: 10,
    args: { list: JSON.stringify(list) },
  })

const toRecord = ([place, companyId, text]: (typeof PLAIN)[number]): AuditRecord => ({
  ...SHARED,
  companyId,
  recordKey: JSON.stringify([place]),
  changes: JSON.stringify({ Text: [null, text] }),
})

const ENTRIES = 'SELECT * FROM svc_audit ORDER BY Id'

test.each([
  ['plain texts', PLAIN],
  ['what was no text', REPLACED],
  ['nothing', []],
])('%s', async (_, list) => {
  await using selected = await openShop()
  await using single = await openShop()
  const one = toRecord([1, 1, 'before and behind'])
  await selected.store.write(async (tx) => {
    await tx.audit(one)
    await select(tx, list)
    await select(tx, list)
    await tx.audit(one)
  }, ALL)
  const each = list.map(toRecord)
  await single.store.write((tx) => tx.audit(one, ...each, ...each, one), ALL)
  expect(await rows(selected.store, ENTRIES)).toEqual(await rows(single.store, ENTRIES))
  expect(await findAuditHead(selected.store)).toEqual(await findAuditHead(single.store))
  expect(await checkAudit(selected.store)).toEqual(await checkAudit(single.store))
})

test('what cannot be written takes the transaction with it, and the chain goes on', async () => {
  await using shop = await openShop()
  const failing = shop.store.write(async (tx) => {
    await tx.run("UPDATE orders SET Number = 'X'")
    await select(tx, PLAIN)
    const broken = { shared: SHARED, sql: 'SELECT 1 AS Place', args: {}, places: 1 }
    await tx.auditSelected(broken).catch(() => undefined)
  }, ALL)
  expect(await failureOf(failing)).toBeDefined()
  expect(await rows(shop.store, ENTRIES)).toEqual([])
  expect(await rows(shop.store, "SELECT Id FROM orders WHERE Number = 'X'")).toEqual([])
  await shop.store.write((tx) => select(tx, PLAIN), ALL)
  expect(await checkAudit(shop.store)).toMatchObject({ fault: undefined })
  expect(await findAuditHead(shop.store)).toMatchObject({ count: PLAIN.length })
})

test('a text that is no UTF-8 is hashed as it is stored', async () => {
  await using shop = await openShop()
  const [broken, whole] = ['7b2274223a22ff227d', '7b7d']
  const sql =
    `SELECT 0 AS Place, 1 AS CompanyId, '[0]' AS RecordKey, ` +
    `CAST(x'${broken}' AS TEXT) AS Changes ` +
    `UNION ALL SELECT 1, 1, '[1]', CAST(x'${whole}' AS TEXT)`
  await shop.store.write(
    (tx) => tx.auditSelected({ shared: SHARED, sql, args: {}, places: 2 }),
    ALL,
  )
  expect(await checkAudit(shop.store)).toMatchObject({ fault: undefined })
  const stored = await rows(shop.store, 'SELECT Changes FROM svc_audit ORDER BY Id')
  expect(stored).toEqual([{ Changes: '{"t":"\ufffd"}' }, { Changes: '{}' }])
})
