/** The chained audit log: no way of writing breaks it, no way of damaging it goes unnoticed. */
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { checkAudit, findAuditHead } from '../../src/store/audit/check.ts'
import { type AuditRecord, hashRecord, readHead } from '../../src/store/audit/record.ts'
import type { Store } from '../../src/store/store.ts'
import { ALL, ENDLESS, failureOf, openFile, openShop, rows } from './temporary.ts'

const record = (at: number): AuditRecord => ({
  at: '2026-11-21T09:00:00.000Z',
  userId: at,
  impersonatorId: at % 2 === 0 ? 9 : null,
  companyId: 1,
  source: 'orders',
  traceId: null,
  entity: 'Order',
  recordKey: `[${at}]`,
  action: 'update',
  changes: JSON.stringify({ Number: ['Ä \u{1F332}', at] }),
})

const append = (store: Store, at: number) => store.write((tx) => tx.audit(record(at)), ALL)

async function fill(store: Store, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, at) => append(store, at + 1)))
}

const listUsers = async (store: Store) =>
  (await rows(store, 'SELECT UserId FROM svc_audit ORDER BY Id')).map((row) => row.UserId)

describe('writing', () => {
  test('the hash is SHA-256 of a JSON array that anyone can build', async () => {
    await using shop = await openShop()
    await fill(shop.store, 2)
    let before = '0'.repeat(64)
    for (const row of await rows(shop.store, 'SELECT * FROM svc_audit ORDER BY Id')) {
      const { Id: _, Hash, ...content } = row
      const text = JSON.stringify([before, ...Object.values(content)])
      before = createHash('sha256').update(text).digest('hex')
      expect(Hash).toBe(before)
    }
    expect(await findAuditHead(shop.store)).toEqual({ count: 2, hash: before })
  })

  test('members that fail, at the work or at the end, leave no gap', async () => {
    await using shop = await openShop()
    await Promise.allSettled(
      Array.from({ length: 40 }, (_, at) =>
        shop.store.write(async (tx) => {
          await tx.audit(record(at))
          if (at % 5 === 0) throw new Error('no')
          if (at % 7 === 0) await tx.run('INSERT INTO orders (Id, CompanyId) VALUES (1, 1)')
        }, ALL),
      ),
    )
    expect(await listUsers(shop.store)).toEqual(
      Array.from({ length: 40 }, (_, at) => at).filter((at) => at % 5 !== 0 && at % 7 !== 0),
    )
    expect(await checkAudit(shop.store)).toMatchObject({ proven: { count: 28 }, fault: undefined })
  })

  test('a group that is lost to an interruption is chained anew when it runs again', async () => {
    await using shop = await openShop({ writeTimeoutMs: 100 })
    await fill(shop.store, 3)
    const others = [append(shop.store, 4), append(shop.store, 5)]
    const endless = shop.store.write(async (tx) => {
      await tx.audit(record(66))
      await tx.authored(`UPDATE orders SET Total = (${ENDLESS})`)
    }, ALL)
    const later = [append(shop.store, 6), append(shop.store, 7)]
    expect(await failureOf(endless)).toMatchObject({ kind: 'invalid' })
    await Promise.all([...others, ...later])
    expect(await listUsers(shop.store)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect((await checkAudit(shop.store)).fault).toBeUndefined()
  })

  test('entries of one transaction keep their order, also unawaited', async () => {
    await using shop = await openShop()
    await shop.store.write(async (tx) => {
      const slow = tx.authored('UPDATE orders SET Total = Total + 1')
      await Promise.all([slow, ...[1, 2, 3].map((at) => tx.audit(record(at)))])
    }, ALL)
    expect(await listUsers(shop.store)).toEqual([1, 2, 3])
    expect((await checkAudit(shop.store)).proven.count).toBe(3)
  })

  test('an entry that fails takes its transaction with it, though it is caught', async () => {
    await using shop = await openShop()
    await shop.store.write(
      (tx) =>
        tx.run(
          "CREATE TRIGGER full BEFORE INSERT ON svc_audit WHEN NEW.UserId = 2 BEGIN SELECT raise(ABORT, 'full'); END",
        ),
      ALL,
    )
    const write = shop.store.write(async (tx) => {
      await tx.run("UPDATE orders SET Number = 'lost' WHERE Id = 1")
      await tx.audit(record(2)).catch(() => undefined)
    }, ALL)
    await Promise.all([append(shop.store, 1), failureOf(write), append(shop.store, 3)])
    expect(await rows(shop.store, 'SELECT Number FROM orders WHERE Id = 1')).toEqual([
      { Number: 'A1' },
    ])
    expect((await checkAudit(shop.store)).proven.count).toBe(2)
  })

  test('migrations, kept or thrown away, and restarts continue the chain', async () => {
    await using shop = await openShop()
    await fill(shop.store, 2)
    await shop.store.migrate((tx) => tx.audit(record(3)))
    const undone = shop.store.migrate(async (tx) => {
      await tx.audit(record(4))
      throw new Error('no')
    })
    await failureOf(undone)
    await append(shop.store, 5)
    await shop.store.close()
    const again = await openFile(shop.file)
    await append(again, 6)
    expect(await listUsers(again)).toEqual([1, 2, 3, 5, 6])
    expect(await checkAudit(again)).toMatchObject({ proven: { count: 5 }, fault: undefined })
    await again.close()
  })
})

describe('damage', () => {
  const SWAP = `UPDATE svc_audit SET Id = -Id WHERE Id IN (3, 4);
    UPDATE svc_audit SET Id = CASE Id WHEN -3 THEN 4 ELSE 3 END WHERE Id < 0`
  const COPY = (id: number) => `INSERT INTO svc_audit SELECT ${id}, At, UserId, ImpersonatorId,
    CompanyId, Source, TraceId, Entity, RecordKey, Action, Changes, Hash FROM svc_audit WHERE Id = 5`
  const cases: Record<string, { sql: string; id: number | undefined; what: RegExp }> = {
    ...Object.fromEntries(
      [
        "At = '2020-01-01T00:00:00.000Z'",
        'UserId = 7',
        'UserId = NULL',
        'ImpersonatorId = NULL',
        'CompanyId = 2',
        "Source = 'other'",
        "TraceId = ''",
        "Entity = 'order'",
        "RecordKey = '[5]'",
        "Action = 'delete'",
        "Changes = '{}'",
        "Hash = ''",
      ].map((set) => [
        `edited: ${set}`,
        { sql: `UPDATE svc_audit SET ${set} WHERE Id = 4`, id: 4, what: /changed/ },
      ]),
    ),
    'removed in the middle': { sql: 'DELETE FROM svc_audit WHERE Id = 4', id: 5, what: /removed/ },
    'removed first': { sql: 'DELETE FROM svc_audit WHERE Id = 1', id: 2, what: /removed/ },
    'removed at the end': {
      sql: 'DELETE FROM svc_audit WHERE Id > 4',
      id: undefined,
      what: /^2 of the last/,
    },
    'removed altogether': { sql: 'DELETE FROM svc_audit', id: undefined, what: /^6 of the last/ },
    'inserted before the first': { sql: COPY(-1), id: -1, what: /inserted/ },
    'inserted at the end': { sql: COPY(9), id: 9, what: /inserted/ },
    reordered: { sql: SWAP, id: 3, what: /moved/ },
    'head removed': {
      sql: "DELETE FROM svc_facts WHERE Name = 'AuditHead'",
      id: undefined,
      what: /head of the log is missing/,
    },
    'head moved back': {
      sql: `UPDATE svc_facts SET Value = (SELECT '5:' || Hash FROM svc_audit WHERE Id = 5)
            WHERE Name = 'AuditHead'`,
      id: 6,
      what: /after the last one/,
    },
  }

  for (const [name, { sql, id, what }] of Object.entries(cases))
    test(`${name} is noticed, and named`, async () => {
      await using shop = await openShop()
      await fill(shop.store, 6)
      await shop.store.write(async (tx) => {
        for (const statement of sql.split(';')) await tx.run(statement)
      }, ALL)
      const { fault } = await checkAudit(shop.store)
      expect([fault?.id, fault?.what]).toEqual([id, expect.stringMatching(what)])
    })

  test('what is written after the damage does not heal it', async () => {
    await using shop = await openShop()
    await fill(shop.store, 6)
    await shop.store.write((tx) => tx.run('DELETE FROM svc_audit WHERE Id > 4'), ALL)
    await fill(shop.store, 3)
    expect((await checkAudit(shop.store)).fault?.id).toBe(7)
  })

  test('a log that was computed anew is noticed by a head written down before', async () => {
    await using shop = await openShop()
    await fill(shop.store, 6)
    const { proven } = await checkAudit(shop.store)
    await forge(shop.store)
    expect(await checkAudit(shop.store)).toMatchObject({
      proven: { count: 6 },
      fault: undefined,
    })
    expect((await checkAudit(shop.store, proven)).fault).toMatchObject({ id: 6 })
    await fill(shop.store, 3)
    expect((await checkAudit(shop.store, proven)).fault).toMatchObject({ id: 6 })
  })

  test('a head written down before is still in a log that only grew', async () => {
    await using shop = await openShop()
    await fill(shop.store, 6)
    const { proven } = await checkAudit(shop.store)
    await fill(shop.store, 6)
    expect((await checkAudit(shop.store, proven)).fault).toBeUndefined()
    expect((await checkAudit(shop.store, { ...proven, count: 20 })).fault?.what).toMatch(/missing/)
    expect(readHead(`${proven.count}:${proven.hash}`)).toEqual(proven)
    expect(readHead('6:abc')).toBeUndefined()
  })
})

test('a check beside a busy writer finds a whole log, page after page', async () => {
  await using shop = await openShop()
  await fill(shop.store, 2500)
  const writing = fill(shop.store, 500)
  const { proven, fault } = await checkAudit(shop.store)
  expect(fault).toBeUndefined()
  expect(proven.count).toBeGreaterThanOrEqual(2500)
  await writing
  expect((await checkAudit(shop.store)).proven.count).toBe(3000)
})

/** Forges the log as a writer of the file can: another content, with all its hashes and head. */
async function forge(store: Store): Promise<void> {
  let before = '0'.repeat(64)
  await store.write(async (tx) => {
    for (const id of [1, 2, 3, 4, 5, 6]) {
      const changes = '{"forged":[0,1]}'
      const user = await tx.get('SELECT UserId FROM svc_audit WHERE Id = @id', { id })
      before = hashRecord(before, { ...record(Number(user?.UserId)), changes })
      await tx.run('UPDATE svc_audit SET Changes = @changes, Hash = @before WHERE Id = @id', {
        id,
        changes,
        before,
      })
    }
    const head = { head: `6:${before}` }
    await tx.run("UPDATE svc_facts SET Value = @head WHERE Name = 'AuditHead'", head)
  }, ALL)
}
