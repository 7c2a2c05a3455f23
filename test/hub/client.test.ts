/** The stock client of SignalR at a hub, over a real socket. */
import { expect, test } from 'bun:test'
import { type HubConnection, HubConnectionState } from '@microsoft/signalr'
import { type EndedSpan, followSpans } from '../../src/kernel/tracing.ts'
import { echoHub, newEchoLog } from '../support/echo-hub.ts'
import { closingOf, connect, cutOff, nextCall, startHubs } from '../support/hubs.ts'

const start = async () => {
  const log = newEchoLog()
  return { log, server: await startHubs({ hubs: [echoHub(log)] }) }
}

/** All items of a stream, and how it ended. */
const collect = (client: HubConnection, method: string, ...args: unknown[]) =>
  new Promise<{ items: unknown[]; error: string | undefined }>((resolve) => {
    const items: unknown[] = []
    client.stream(method, ...args).subscribe({
      next: (item) => items.push(item),
      complete: () => resolve({ items, error: undefined }),
      error: (error: Error) => resolve({ items, error: error.message }),
    })
  })

test('calls a method with arguments, in any case of letters, and gets what it gives', async () => {
  const { server } = await start()
  await using _server = server
  const client = await connect(server.client('echo', 'ana'))
  expect(await client.invoke<unknown>('Echo', 'a text')).toEqual({ text: 'a text', box: null })
  expect(await client.invoke<unknown>('eCHO', 'é€😀', { width: 3, label: 'w' })).toEqual({
    text: 'é€😀',
    box: { Width: 3, Label: 'w' },
  })
  expect(await client.invoke<unknown>('Nothing')).toBeUndefined()
  expect(await client.invoke<unknown>('Who')).toEqual({ name: 'ana', id: client.connectionId })
  await client.stop()
})

test.each([
  ['Missing', [], 'There is no such method'],
  ['Echo', ['x', { Width: 1 }, 3], 'The method takes at most 2 arguments'],
  ['Echo', [], 'text: This is required'],
  ['Echo', [7], 'text: Must be a string'],
  ['Echo', ['x', { Width: 1.5 }], 'box: Must be an integer'],
  ['Echo', ['x'.repeat(21)], 'text: Must be a string of at most 20 characters'],
  ['Refuse', [], 'That is not possible'],
  ['Count', [1], 'This method returns a stream'],
  ['Large', [], 'The result is too large for a hub message'],
])('%s %p is told why it fails: %s', async (method, args, sentence) => {
  const { server } = await start()
  await using _server = server
  const client = await connect(server.client('echo', 'ana'))
  const failed = await client.invoke<unknown>(method, ...args).catch((error: Error) => error)
  expect(failed).toBeInstanceOf(Error)
  expect((failed as Error).message).toBe(sentence)
  expect(await client.invoke<unknown>('Nothing')).toBeUndefined()
})

test('a fault of the inside is logged, and told to nobody in Production', async () => {
  await using server = await startHubs({
    hubs: [echoHub(newEchoLog())],
    settings: { 'Svc:Errors': 'false' },
  })
  const client = await connect(server.client('echo', 'ana'))
  const failed = await client.invoke<unknown>('Break').catch((error: Error) => error.message)
  expect(failed).toStartWith('The server could not complete this.')
  expect(failed).not.toContain('secret')
  expect(server.log.join('\n')).toContain('a secret of the inside')
})

test('streams come item by item, and end or fail as the method does', async () => {
  const { server } = await start()
  await using _server = server
  const client = await connect(server.client('echo', 'ana'))
  expect(await collect(client, 'Count', 4)).toEqual({ items: [1, 2, 3, 4], error: undefined })
  expect(await collect(client, 'Falter')).toEqual({ items: ['first'], error: 'No further' })
  expect(await collect(client, 'Echo', 'x')).toEqual({
    items: [],
    error: 'This method does not return a stream',
  })
})

test('each call has a span under its trace id; a refusal is no fault', async () => {
  const { server } = await start()
  await using _server = server
  const client = await connect(server.client('echo', 'ana'))
  const spans: EndedSpan[] = []
  followSpans((span) => {
    if (span.kind === 'server' && span.name.startsWith('echo/')) spans.push(span)
  })
  try {
    await client.invoke('eCHO', 'a text of the caller')
    for (const method of ['Refuse', 'Break', 'Missing'])
      await client.invoke(method).catch(() => undefined)
    expect((await collect(client, 'Count', 3)).items).toEqual([1, 2, 3])
  } finally {
    followSpans(undefined)
  }
  expect(spans.map(({ name, isFailed }) => [name, isFailed])).toEqual([
    ['echo/Echo', false],
    ['echo/Refuse', false],
    ['echo/Break', true],
    ['echo/Count', false],
  ])
  const [first] = spans
  expect(first?.attributes).toEqual({
    'rpc.system': 'signalr',
    'rpc.service': 'echo',
    'rpc.method': 'Echo',
  })
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(4)
  expect(JSON.stringify(spans)).not.toContain('a text')
  await client.stop()
})

test('a stream that the client wants no more of is ended at the server', async () => {
  const { server, log } = await start()
  await using _server = server
  const client = await connect(server.client('echo', 'ana'))
  await new Promise<void>((resolve) => {
    const subscription = client.stream<number>('Count', 1e9).subscribe({
      next: (item) => {
        if (item < 3) return
        subscription.dispose()
        resolve()
      },
      complete: () => {},
      error: () => {},
    })
  })
  while (!log.events.includes('counting was cancelled')) await client.invoke('Nothing')
  expect(await client.invoke<unknown>('Nothing')).toBeUndefined()
})

test('what is said to all reaches all, and nobody whose connection has ended', async () => {
  const { server, log } = await start()
  await using _server = server
  const [one, other, gone] = await Promise.all(
    ['ana', 'bo', 'ana'].map((as) => connect(server.client('echo', as))),
  )
  if (!one || !other || !gone) throw new Error('Three were connected')
  await gone.stop()
  while (!log.events.includes('close ana')) await one.invoke('Nothing')
  const heard = Promise.all([nextCall(one, 'said'), nextCall(other, 'said')])
  // Without an id: nobody waits for what comes of it.
  await one.send('Say', 'good morning')
  expect(await heard).toEqual([['good morning'], ['good morning']])
})

test('connects without a negotiation, too', async () => {
  const { server } = await start()
  await using _server = server
  const client = await connect(server.client('echo', 'ana', { skipsNegotiation: true }))
  expect(await client.invoke<{ name: string }>('Who')).toMatchObject({ name: 'ana' })
})

test('comes back by itself when the connection is cut', async () => {
  const { server, log } = await start()
  await using _server = server
  const client = server.client('echo', 'ana', { reconnects: [0, 10, 50, 100, 100, 100] })
  const back = new Promise<string | undefined>((resolve) => client.onreconnected(resolve))
  await client.start()
  const before = client.connectionId
  cutOff(log.connections.values())
  expect(await back).not.toBe(before ?? '')
  expect(await client.invoke<{ name: string }>('Who')).toMatchObject({ name: 'ana' })
})

test('a stopped server says good-bye, so that its clients come back', async () => {
  const { server } = await start()
  await using _server = server
  const client = await connect(server.client('echo', 'ana'))
  const closed = closingOf(client)
  await server.context.hubs.close(1000)
  await closed
  expect(client.state).toBe(HubConnectionState.Disconnected)
  expect((await server.fetch('/health/live')).status).toBe(200)
  const refused = await server
    .client('echo', 'ana')
    .start()
    .catch((error: Error) => error.message)
  expect(refused).toContain('503')
})

test('progress of an export reaches the one who asked for it', async () => {
  const { server } = await start()
  await using _server = server
  const [ana, bo] = await Promise.all(
    ['ana', 'bo'].map((as) => connect(server.client('notifications', as))),
  )
  if (!ana || !bo) throw new Error('Both were connected')
  const heard: unknown[] = []
  bo.on('progress', (report) => heard.push(report))
  const told = nextCall(ana, 'progress')
  const answer = await server.fetch('/api/v1/svc/object/export-data', {
    as: 'ana',
    body: { ObjectName: 'Orders', Format: 'csv', OperationId: 'mine' },
  })
  expect(answer.status).toBe(200)
  expect(await told).toEqual([
    { OperationId: 'mine', Kind: 'export', Done: 0, Total: null, State: 'running', Message: null },
  ])
  await bo.invoke('Nothing').catch(() => {})
  expect(heard).toEqual([])
})
