/** The assistant's hub (src/server/README.md, Assistant), by the stock client of SignalR. */
import { describe, expect, test } from 'bun:test'
import type { HubConnection } from '@microsoft/signalr'
import { forgetOld } from '../../src/engine/assistant/forget.ts'
import type { AssistantItem } from '../../src/engine/assistant/item.ts'
import { connect, startHubs } from '../support/hubs.ts'
import type { Row } from '../support/objects.ts'

type Item = AssistantItem

const send = (client: HubConnection, message: Row) =>
  new Promise<{ items: Item[]; error: string | undefined }>((resolve) => {
    const items: Item[] = []
    client.stream<Item>('Send', message).subscribe({
      next: (item) => items.push(item),
      complete: () => resolve({ items, error: undefined }),
      error: (error: Error) => resolve({ items, error: error.message }),
    })
  })

async function ask(client: HubConnection, Message: string, more: Row = {}): Promise<Item[]> {
  const { items, error } = await send(client, { Message, ...more })
  expect(error).toBeUndefined()
  return items
}

const find = <T extends Item['Type']>(items: readonly Item[], type: T) =>
  items.find((item): item is Extract<Item, { Type: T }> => item.Type === type)

const types = (items: readonly Item[]): string[] => items.map(({ Type }) => Type)

describe('an answer', () => {
  test('comes as the tool, a sentence of the table’s numbers, the table, and its end', async () => {
    await using server = await startHubs()
    const client = await connect(server.client('assistant', 'ana'))
    const items = await ask(client, 'how many orders are shipped?')
    expect(types(items)).toEqual(['tool', 'text', 'table', 'done'])
    const table = find(items, 'table')
    const text = find(items, 'text')
    const count = table?.Rows[0]?.count
    expect(Number(count)).toBeGreaterThan(0)
    const [reference] = text?.References ?? []
    const { Start = 0, Length = 0, ...place } = reference ?? {}
    expect(place).toEqual({ Table: 0, Row: 0, Column: 'count' } as never)
    const number = text?.Text.slice(Start, Start + Length)
    expect(Number(number?.replaceAll(',', ''))).toBe(Number(count))
    expect(text?.Text).toStartWith('Orders: count, Status is Shipped. ')
    await client.stop()
  })

  test('cites the records that its rows are', async () => {
    await using server = await startHubs()
    const client = await connect(server.client('assistant', 'ana'))
    const table = find(await ask(client, 'top 3 orders by total'), 'table')
    expect(table?.RowCount).toBe(3)
    expect(table?.Citations).toEqual(
      (table?.Rows ?? []).map(({ Id }) => ({ Object: 'Orders', Keys: { Id } })),
    )
    await client.stop()
  })

  test('says parts of all, and changes', async () => {
    await using server = await startHubs()
    const client = await connect(server.client('assistant', 'ana'))
    const share = find(await ask(client, 'share of cancelled orders'), 'text')
    expect(share?.Text).toMatch(/ [\d,]+ of [\d,]+ \([\d.]+%\)$/)
    const change = find(await ask(client, 'revenue of 2025 compared with 2024'), 'text')
    expect(change?.Text).toMatch(/ [\d,.]+ and then [\d,.]+ \([+-][\d.,]+, [+-][\d.,]+%\)$/)
    await client.stop()
  })

  test('that is none says what could be asked', async () => {
    await using server = await startHubs()
    const client = await connect(server.client('assistant', 'ana'))
    const items = await ask(client, 'sing me a song')
    expect(types(items)).toEqual(['error', 'done'])
    expect(find(items, 'error')).toMatchObject({ Code: 'NOT_UNDERSTOOD' })
    expect(find(items, 'error')?.Suggestions).toHaveLength(3)
    await client.stop()
  })

  test('of a sentence that wants something done is a proposal', async () => {
    await using server = await startHubs()
    const client = await connect(server.client('assistant', 'ana'))
    await server.store.write(
      (tx) => tx.run("INSERT INTO topics (Code, Name) VALUES ('glass', 'Glazing')"),
      { company: 'all', because: 'a test' },
    )
    const rows = 'SELECT Number FROM orders WHERE CompanyId = 1 AND Status = @status ORDER BY Id'
    const [open] = await server.store.all(rows, { status: 'new' })
    const [shipped] = await server.store.all(rows, { status: 'shipped' })
    const items = await ask(client, `approve order ${String(open?.Number)}`)
    expect(types(items)).toEqual(['tool', 'tool', 'text', 'proposal', 'done'])
    expect(find(items, 'proposal')).toMatchObject({ Kind: 'action', Action: 'Approve' })
    await client.invoke('Confirm', find(items, 'proposal')?.ProposalId)
    const [after] = await server.store.all('SELECT Status FROM orders WHERE Number = @number', {
      number: String(open?.Number),
    })
    expect(after?.Status).toBe('approved')
    for (const [message, type] of [
      [`approve order ${String(shipped?.Number)}`, 'error'],
      ['approve all new orders', 'proposal'],
      ['delete the customer Riverside Construction & Co', 'error'],
      ['lösche Thema Woodwork', 'error'],
      ['lösche Thema Glazing', 'proposal'],
    ] as const)
      expect({ message, types: types(await ask(client, message)) }).toMatchObject({
        types: expect.arrayContaining([type]) as string[],
      })
    const rep = await connect(server.client('assistant', 'dee'))
    const refused = await ask(rep, `approve order ${String(open?.Number)}`)
    expect(types(refused)).toEqual(['error', 'done'])
    await Promise.all([client.stop(), rep.stop()])
  })

  test('goes on from what was asked before', async () => {
    await using server = await startHubs()
    const client = await connect(server.client('assistant', 'ana'))
    const first = find(await ask(client, 'how many orders in 2025?'), 'done')
    const ConversationId = first?.ConversationId
    const items = await ask(client, 'by region', { ConversationId })
    expect(find(items, 'table')?.Request).toMatchObject({ GroupBy: ['Region'] })
    expect(find(items, 'done')?.ConversationId).toBe(ConversationId ?? '')
    await client.stop()
  })
})

interface Entry {
  Id: string
  Title: string
  UpdatedAt: string
}

interface Told {
  MessageId: string
  Question: string
  Items: Item[]
  Rating: number | null
}

describe('conversations', () => {
  test('are listed, shown without rows, rated and deleted', async () => {
    await using server = await startHubs()
    const client = await connect(server.client('assistant', 'ana'))
    const done = find(await ask(client, '  how many   orders? '), 'done')
    const id = done?.ConversationId ?? ''
    const [entry] = await client.invoke<Entry[]>('Conversations')
    expect(entry).toMatchObject({ Id: id, Title: 'how many orders?' })
    await client.invoke('Feedback', done?.MessageId, 1, 'good')
    const [told] = await client.invoke<Told[]>('History', id)
    expect(told).toMatchObject({ Question: '  how many   orders? ', Rating: 1 })
    expect(find(told?.Items ?? [], 'table')).toMatchObject({ Rows: [], Object: 'Orders' })
    await client.invoke('Delete', id)
    expect(await client.invoke<Entry[]>('Conversations')).toEqual([])
    expect(await failure(client.invoke('History', id))).toBe('There is no such conversation')
    await client.stop()
  })

  test('are their owner’s in a company: nobody else’s id works', async () => {
    await using server = await startHubs()
    const client = await connect(server.client('assistant', 'ana'))
    const done = find(await ask(client, 'how many orders?'), 'done')
    const other = await connect(server.client('assistant', 'dee'))
    expect(await other.invoke<Entry[]>('Conversations')).toEqual([])
    for (const id of [done?.ConversationId, 'none', '']) {
      expect(await failure(other.invoke('History', id))).toBe('There is no such conversation')
      expect(await failure(other.invoke('Delete', id))).toBe('There is no such conversation')
    }
    const mixed = await send(other, { ConversationId: done?.ConversationId, Message: 'orders' })
    expect(mixed).toEqual({ items: [], error: 'There is no such conversation' })
    expect(await failure(other.invoke('Feedback', done?.MessageId, 1, null))).toBe(
      'There is no such answer',
    )
    expect(await client.invoke<Entry[]>('Conversations')).toHaveLength(1)
    await Promise.all([client.stop(), other.stop()])
  })

  test('show nothing that was answered by rights that are gone', async () => {
    await using server = await startHubs()
    const client = await connect(server.client('assistant', 'dee'))
    const done = find(await ask(client, 'how many orders?'), 'done')
    await server.store.write(
      (tx) => tx.run("UPDATE svc_user_attributes SET Value = 'Coast' WHERE UserId = 5"),
      { company: 'all', because: 'a test' },
    )
    await client.stop()
    server.context.callers.forgetAll()
    const again = await connect(server.client('assistant', 'dee'))
    const [told] = await again.invoke<Told[]>('History', done?.ConversationId)
    expect(told?.Items).toEqual([
      { Type: 'text', Text: 'Your rights have changed since this answer. Please ask again.' },
    ])
    await again.stop()
  })

  test('are forgotten once they are old', async () => {
    await using server = await startHubs({ withoutLoops: true })
    const client = await connect(server.client('assistant', 'ana'))
    await ask(client, 'how many orders?')
    const { store, clock } = server.context
    await forgetOld({ store, clock, retention: 60_000 })
    expect(await client.invoke<Entry[]>('Conversations')).toHaveLength(1)
    const later = { now: () => new Date(clock.now().getTime() + 120_000) }
    await forgetOld({ store, clock: later, retention: 60_000 })
    expect(await client.invoke<Entry[]>('Conversations')).toEqual([])
    expect(await store.all('SELECT * FROM svc_assistant_messages')).toEqual([])
    await client.stop()
  })

  test('are 500 of a user at most, and 500 questions of one: the oldest go', async () => {
    await using server = await startHubs({ withoutLoops: true })
    const client = await connect(server.client('assistant', 'ana'))
    const id = find(await ask(client, 'how many orders?'), 'done')?.ConversationId ?? ''
    await server.store.write(
      async (tx) => {
        const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 600)`
        await tx.run(
          `${numbers} INSERT INTO svc_assistant_conversations
            (Id, UserId, CompanyId, Title, CreatedAt, UpdatedAt)
            SELECT 'old' || i, 2, 1, 'old', '2026-01-01', '2026-01-01' FROM n`,
        )
        await tx.run(
          `${numbers} INSERT INTO svc_assistant_messages
            (Id, ConversationId, Question, Items, RightsHash, Provider, Tokens, CreatedAt)
            SELECT printf('00%04d', i), @id, 'old', '[]', '', 'builtin', 0, '2026-01-01' FROM n`,
          { id },
        )
      },
      { company: 'all', because: 'a test' },
    )
    await ask(client, 'how many customers?', { ConversationId: id })
    await ask(client, 'how many products?')
    const count = async (table: string): Promise<unknown> =>
      (await server.store.all(`SELECT count(*) AS n FROM svc_assistant_${table}`))[0]?.n
    expect([await count('conversations'), await count('messages')]).toEqual([500, 501])
    const told = await client.invoke<Told[]>('History', id)
    expect(told.at(-1)?.Question).toBe('how many customers?')
    await client.stop()
  })

  test('a stream that is cancelled ends, and the client goes on', async () => {
    await using server = await startHubs()
    const client = await connect(server.client('assistant', 'ana'))
    await new Promise<void>((resolve) => {
      const subscription = client.stream('Send', { Message: 'orders by region' }).subscribe({
        next: () => {
          subscription.dispose()
          resolve()
        },
        complete: () => resolve(),
        error: () => resolve(),
      })
    })
    expect(types(await ask(client, 'how many orders?'))).toEqual(['tool', 'text', 'table', 'done'])
    await client.stop()
  })
})

const failure = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'nothing failed',
    (error: Error) => error.message,
  )
