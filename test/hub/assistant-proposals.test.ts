/** Proposals of the assistant: rehearsed, shown, confirmed once, by the rights of now. */
import { describe, expect, test } from 'bun:test'
import { openTools } from '../../src/engine/assistant/call-tool.ts'
import type { ProposalItem } from '../../src/engine/assistant/item.ts'
import { toAssistantCall } from '../../src/features/assistant/assistant-call.ts'
import { connect, type HubServer, startHubs } from '../support/hubs.ts'
import { replaceBehind } from '../support/model-changes.ts'
import type { Row } from '../support/objects.ts'

/** The tools of a user of the demo, as a provider has them. */
async function propose(server: HubServer, userId: number, given: Row): Promise<ProposalItem> {
  const { context } = server
  const caller = await context.callers.loadWithoutSession({ userId, companyId: 1 })
  const call = openTools(
    toAssistantCall({
      app: context,
      caller,
      model: context.models.get(),
      language: 'en',
      traceId: 'test',
      signal: new AbortController().signal,
    }),
    'test',
  )
  const { item } = await call('propose', given)
  if (item?.Type !== 'proposal') throw new Error('No proposal came')
  return item
}

const ANA = 2
const DEE = 5

const UPDATE = {
  Kind: 'update',
  ObjectName: 'customers',
  Keys: { Id: 1 },
  Values: { PaymentDays: 45 },
}

const daysOf = async ({ store }: HubServer): Promise<unknown> =>
  (await store.all('SELECT PaymentDays FROM customers WHERE Id = 1'))[0]?.PaymentDays

const countAudit = async ({ store }: HubServer): Promise<number> =>
  (await store.all("SELECT Id FROM svc_audit WHERE Entity = 'Customer'")).length

const failure = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'nothing failed',
    (error: Error) => error.message,
  )

/** The id under which the proposal is confirmed by whoever signs in. */
async function own(server: HubServer, id: string, as: string): Promise<void> {
  const [row] = await server.store.all(
    'SELECT UserId FROM svc_assistant_proposals WHERE Id = @id',
    {
      id,
    },
  )
  expect([row?.UserId, as]).toEqual([as === 'ana' ? ANA : DEE, as])
}

describe('a proposal', () => {
  test('shows what would change, and changes nothing', async () => {
    await using server = await startHubs()
    const [before, audited] = [await daysOf(server), await countAudit(server)]
    const item = await propose(server, ANA, UPDATE)
    expect(item).toMatchObject({
      Kind: 'update',
      Object: 'Customers',
      Record: 'Stonebow Gardens & Co',
    })
    expect(item.Title).toBe('Change: Customer Stonebow Gardens & Co')
    expect(item.Preview).toContainEqual({
      Field: 'PaymentDays',
      Label: 'Payment days',
      From: before,
      To: 45,
      Asked: true,
    })
    expect(await daysOf(server)).toBe(before)
    expect(await countAudit(server)).toBe(audited)
  })

  test('is carried out once, however often and at once it is confirmed', async () => {
    await using server = await startHubs()
    const { ProposalId } = await propose(server, ANA, UPDATE)
    await own(server, ProposalId, 'ana')
    const audited = await countAudit(server)
    const clients = await Promise.all(
      [1, 2, 3, 4].map(() => connect(server.client('assistant', 'ana'))),
    )
    const results = await Promise.all(
      clients.map((client) => client.invoke<Row>('Confirm', ProposalId)),
    )
    for (const result of results) expect(result).toEqual(results[0] ?? {})
    expect(results[0]).toMatchObject({ Action: 'updated', Keys: { Id: 1 } })
    expect(await daysOf(server)).toBe(45)
    expect(await countAudit(server)).toBe(audited + 1)
    await Promise.all(clients.map((client) => client.stop()))
  })

  test('is carried out once while the model changes', async () => {
    await using server = await startHubs()
    const { ProposalId } = await propose(server, ANA, UPDATE)
    const audited = await countAudit(server)
    const client = await connect(server.client('assistant', 'ana'))
    using replacing = replaceBehind(server, 8)
    expect(await client.invoke<Row>('Confirm', ProposalId)).toMatchObject({ Action: 'updated' })
    expect([replacing.left, await countAudit(server)]).toEqual([0, audited + 1])
    await client.stop()
  })

  test('is its owner’s alone', async () => {
    await using server = await startHubs()
    const { ProposalId } = await propose(server, ANA, UPDATE)
    const other = await connect(server.client('assistant', 'dee'))
    for (const id of [ProposalId, 'none', ''])
      expect(await failure(other.invoke('Confirm', id))).toBe('There is no such proposal')
    expect(await daysOf(server)).not.toBe(45)
    await other.stop()
  })

  test('loses to who changes the record meanwhile, and expires', async () => {
    await using server = await startHubs()
    const { ProposalId } = await propose(server, ANA, UPDATE)
    const later = await propose(server, ANA, { ...UPDATE, Values: { PaymentDays: 50 } })
    const client = await connect(server.client('assistant', 'ana'))
    await client.invoke('Confirm', later.ProposalId)
    expect(await failure(client.invoke('Confirm', ProposalId))).toContain('changed')
    expect(await daysOf(server)).toBe(50)
    const { store } = server
    const last = await propose(server, ANA, { ...UPDATE, Values: { PaymentDays: 60 } })
    await store.write(
      (tx) => tx.run("UPDATE svc_assistant_proposals SET ExpiresAt = '2020-01-01T00:00:00.000Z'"),
      { company: 'all', because: 'a test' },
    )
    expect(await failure(client.invoke('Confirm', last.ProposalId))).toContain('expired')
    expect(await daysOf(server)).toBe(50)
    await client.stop()
  })

  test('is carried out by the rights of now', async () => {
    await using server = await startHubs()
    const { ProposalId } = await propose(server, ANA, UPDATE)
    await server.store.write(
      (tx) => tx.run('DELETE FROM svc_user_roles WHERE UserId = @user', { user: ANA }),
      { company: 'all', because: 'a test' },
    )
    server.context.callers.forgetAll()
    const client = await connect(server.client('assistant', 'ana'))
    expect(await failure(client.invoke('Confirm', ProposalId))).not.toBe('nothing failed')
    expect(await daysOf(server)).not.toBe(45)
    await client.stop()
  })

  test('creates, deletes and runs actions', async () => {
    await using server = await startHubs()
    const client = await connect(server.client('assistant', 'ana'))
    const created = await propose(server, ANA, {
      Kind: 'create',
      ObjectName: 'topics',
      Values: { Code: 'glass', Name: 'Glazing' },
    })
    expect(created.Preview.map(({ Field, To }) => [Field, To])).toContainEqual(['Name', 'Glazing'])
    expect(await client.invoke<Row>('Confirm', created.ProposalId)).toMatchObject({
      Action: 'created',
    })
    const deleted = await propose(server, ANA, {
      Kind: 'delete',
      ObjectName: 'topics',
      Keys: { Code: 'glass' },
    })
    await client.invoke('Confirm', deleted.ProposalId)
    expect(await server.store.all("SELECT 1 FROM topics WHERE Code = 'glass'")).toEqual([])
    const blocked = await propose(server, ANA, {
      Kind: 'action',
      ObjectName: 'customers',
      Keys: { Id: 1 },
      Action: 'Block',
      Values: { Reason: 'No answer' },
    })
    expect(blocked.Title).toBe('Block: Customer Stonebow Gardens & Co')
    await client.invoke('Confirm', blocked.ProposalId)
    expect((await server.store.all('SELECT Active FROM customers WHERE Id = 1'))[0]?.Active).toBe(0)
    await client.stop()
  })

  test('of several records is carried out as a whole, or tells which were changed', async () => {
    await using server = await startHubs()
    const keys = await server.store.all(
      'SELECT Id FROM customers WHERE CompanyId = 1 AND Active = 1 ORDER BY Id LIMIT 3',
    )
    const several = { Kind: 'update', ObjectName: 'customers', Records: keys }
    const days = async (): Promise<unknown[]> => {
      const ids = keys.map(({ Id }) => String(Id)).join()
      const rows = await server.store.all(
        `SELECT PaymentDays FROM customers WHERE Id IN (${ids}) ORDER BY Id`,
      )
      return rows.map(({ PaymentDays }) => PaymentDays)
    }
    const before = await days()
    const stale = await propose(server, ANA, { ...several, Values: { PaymentDays: 51 } })
    expect(await days()).toEqual(before)
    const other = await propose(server, ANA, { ...several, Values: { PaymentDays: 52 } })
    const client = await connect(server.client('assistant', 'ana'))
    const audited = await countAudit(server)
    const [first, again] = await Promise.all([
      client.invoke<Row>('Confirm', other.ProposalId),
      client.invoke<Row>('Confirm', other.ProposalId),
    ])
    expect(first).toMatchObject({ Action: 'updated', Keys: keys })
    expect(again).toEqual(first)
    expect([await days(), await countAudit(server)]).toEqual([[52, 52, 52], audited + 3])
    const told = await failure(client.invoke('Confirm', stale.ProposalId))
    const names = (stale.Records ?? []).map(({ Record }) => Record).join(', ')
    expect(told).toContain(`others changed these meanwhile: ${names}. Please ask again.`)
    const one = await propose(server, ANA, { ...UPDATE, Values: { PaymentDays: 53 } })
    const late = await propose(server, ANA, { ...several, Values: { PaymentDays: 54 } })
    await client.invoke('Confirm', one.ProposalId)
    const mixed = await failure(client.invoke('Confirm', late.ProposalId))
    expect(mixed).toContain(`meanwhile: ${String(one.Record)}. Please ask again.`)
    expect(await days()).toEqual([53, 52, 52])
    await client.stop()
  })

  test.each([
    [
      DEE,
      { Kind: 'update', ObjectName: 'customers', Keys: { Id: 1 }, Values: {} },
      'There is no such record',
    ],
    [DEE, { Kind: 'delete', ObjectName: 'products', Keys: { Id: 1 } }, ''],
    [
      ANA,
      { Kind: 'update', ObjectName: 'nowhere', Keys: { Id: 1 } },
      'There is no object with this name',
    ],
    [ANA, { Kind: 'burn', ObjectName: 'orders', Keys: { Id: 1 } }, 'one of: create, update'],
    [ANA, { Kind: 'update', ObjectName: 'orders' }, 'Keys'],
    [
      DEE,
      { Kind: 'update', ObjectName: 'orders', Records: [{ Id: 394 }, { Id: 400 }], Values: {} },
      'There is no such record',
    ],
    [
      ANA,
      {
        Kind: 'delete',
        ObjectName: 'orders',
        Records: Array.from({ length: 51 }, (_, Id) => ({ Id })),
      },
      'at most 50 records',
    ],
    [ANA, { Kind: 'delete', ObjectName: 'orders', Records: [{ Id: 1 }, { Id: 1 }] }, 'only once'],
    [
      ANA,
      {
        Kind: 'update',
        ObjectName: 'customers',
        Records: [{ Id: 1 }, { Id: 4 }],
        Values: { Email: 'none' },
      },
      'Stonebow Gardens & Co: ',
    ],
    [
      ANA,
      { Kind: 'create', ObjectName: 'topics', Records: [{ Code: 'a' }] },
      'a single record only',
    ],
    [
      ANA,
      { Kind: 'action', ObjectName: 'customers', Keys: { Id: 1 }, Action: 'Nope' },
      'There is no action',
    ],
    [ANA, { ...UPDATE, Values: { PaymentDays: 'many' } }, ''],
    [ANA, { ...UPDATE, Values: { Email: 'none' } }, 'An address such as'],
    [ANA, { Kind: 7 }, 'is missing'],
  ])('of what may not be is refused: %j %j', async (user, given, sentence) => {
    await using server = await startHubs()
    const told = await failure(propose(server, user, given))
    expect(told).not.toBe('nothing failed')
    expect(told).toContain(sentence)
    expect(await server.store.all('SELECT 1 FROM svc_assistant_proposals')).toEqual([])
  })
})
