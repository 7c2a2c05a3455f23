/** The SignalR protocol in JSON, as its clients and others write it. */
import { describe, expect, test } from 'bun:test'
import { RECORD_END } from '../../src/server/hub/protocol.ts'
import { ADMINISTRATORS } from '../support/administrators.ts'
import { echoHub, newEchoLog } from '../support/echo-hub.ts'
import { closingOf, connect, startHubs } from '../support/hubs.ts'

const HELLO = `{"protocol":"json","version":1}${RECORD_END}`

const start = async () => {
  const log = newEchoLog()
  const hubs = [echoHub(log)]
  return { log, server: await startHubs({ application: ADMINISTRATORS, hubs, withoutLoops: true }) }
}

/** A WebSocket with what it has heard, record by record. */
async function open(server: Awaited<ReturnType<typeof startHubs>>, headers = {}) {
  const socket = server.socket('echo', 'clerk', { headers })
  const heard: string[] = []
  const closed = new Promise<number>((resolve) => (socket.onclose = ({ code }) => resolve(code)))
  socket.onmessage = ({ data }) => heard.push(...String(data).split(RECORD_END).filter(Boolean))
  await new Promise<void>((resolve) => (socket.onopen = () => resolve()))
  const hear = async (count: number): Promise<string[]> => {
    while (heard.length < count) await Bun.sleep(1)
    return heard
  }
  return { socket, heard, closed, hear }
}

const call = (members: object): string =>
  JSON.stringify({ type: 1, target: 'Echo', arguments: ['x'], ...members }) + RECORD_END

describe('the handshake', () => {
  test.each([
    [{ protocol: 'messagepack', version: 1 }, "The protocol 'messagepack' is not supported."],
    [
      { protocol: 'json', version: 2 },
      "The server does not support version 2 of the 'json' protocol.",
    ],
  ])('%p is told why it fails', async (hello, error) => {
    const { server } = await start()
    await using _server = server
    const { socket, heard, closed } = await open(server)
    socket.send(JSON.stringify(hello) + RECORD_END)
    expect(await closed).toBe(1002)
    expect(heard).toEqual([JSON.stringify({ error })])
  })

  test.each([call({ invocationId: '1' }), '{}' + RECORD_END, 'hello' + RECORD_END])(
    '%p in its place ends the connection: nothing was called',
    async (record) => {
      const { server, log } = await start()
      await using _server = server
      const { socket, heard, closed } = await open(server)
      socket.send(record)
      expect(await closed).toBe(1002)
      expect(heard).toEqual([])
      expect(log.events).toEqual([])
    },
  )
})

test('records come together, in pieces and as bytes; headers are ignored', async () => {
  const { server } = await start()
  await using _server = server
  const { socket, hear } = await open(server)
  const [first, rest] = [
    call({ invocationId: 'b' }).slice(0, 20),
    call({ invocationId: 'b' }).slice(20),
  ]
  socket.send(HELLO + call({ invocationId: 'a', headers: { x: 'y' } }) + first)
  socket.send(new TextEncoder().encode(rest))
  socket.send(`{"type":9,"sequenceId":1}${RECORD_END}{"type":3,"invocationId":"z"}${RECORD_END}`)
  socket.send(call({ invocationId: 'c', target: 'ECHO' }))
  const result = '"result":{"text":"x","box":null}'
  expect(await hear(4)).toEqual([
    '{}',
    ...['a', 'b', 'c'].map((id) => `{"type":3,"invocationId":"${id}",${result}}`),
  ])
})

test('a stream under an id in use, and one with streamed arguments, are refused', async () => {
  const { server } = await start()
  await using _server = server
  const { socket, hear } = await open(server)
  const count = { type: 4, invocationId: 's', target: 'Count', arguments: [1e9] }
  socket.send(HELLO + call(count) + call(count))
  socket.send(call({ invocationId: 'u', streamIds: ['1'] }))
  const errors: string[] = []
  for (let at = 1; errors.length < 2; at++) {
    const record = (await hear(at + 1))[at] ?? ''
    if (record.includes('error')) errors.push(record)
  }
  expect(errors.toSorted()).toEqual([
    '{"type":3,"invocationId":"s","error":"This invocation id is already in use"}',
    '{"type":3,"invocationId":"u","error":"Arguments cannot be streamed"}',
  ])
})

test('errors are in the language that the connection was opened with', async () => {
  const { server } = await start()
  await using _server = server
  const { socket, hear } = await open(server, { 'Accept-Language': 'de' })
  socket.send(HELLO + call({ invocationId: '1', target: 'Missing' }))
  expect((await hear(2))[1]).toBe(
    '{"type":3,"invocationId":"1","error":"Diese Methode gibt es nicht"}',
  )
})

test.each([
  ['{"type":1,"target":7}', 'target muss ein Text sein'],
  ['{"type":"ping"}', 'Die Nachricht muss einen Typ haben'],
  ['[]', 'Die Nachricht muss ein JSON-Objekt sein'],
])('so is the reason of the end: of %s', async (record, error) => {
  const { server } = await start()
  await using _server = server
  const { socket, hear, closed } = await open(server, { 'Accept-Language': 'de' })
  socket.send(`${HELLO}${record}\x1e`)
  expect((await hear(2))[1]).toBe(JSON.stringify({ type: 7, error }))
  expect(await closed).toBe(1002)
})

describe('a negotiation', () => {
  const path = '/api/v1/hubs/notifications/negotiate'
  const negotiate = async (query: string) => {
    const { server } = await start()
    await using _server = server
    const answer = await server.fetch<Record<string, unknown>>(path + query, {
      as: 'clerk',
      method: 'POST',
    })
    return Object.keys(answer.body)
  }

  test('of version 0 names the connection alone, of version 1 its token too', async () => {
    expect(await negotiate('')).toEqual(['connectionId', 'availableTransports'])
    expect(await negotiate('?negotiateVersion=0')).toEqual(['connectionId', 'availableTransports'])
    expect(await negotiate('?negotiateVersion=1')).toEqual([
      ...['negotiateVersion', 'connectionId', 'connectionToken', 'availableTransports'],
    ])
  })
})

describe('time', () => {
  test('the server pings, and ends what says nothing for half a minute', async () => {
    const { server } = await start()
    await using _server = server
    const { socket, hear, closed } = await open(server)
    const early = await open(server)
    socket.send(HELLO)
    await hear(1)
    await server.context.hubs.sweep(performance.now() + 14_000)
    expect((await hear(2))[1]).toBe('{"type":6}')
    // Of the handshake nothing came in its time.
    await server.context.hubs.sweep(performance.now() + 16_000)
    expect(await early.closed).toBe(1008)
    await server.context.hubs.sweep(performance.now() + 31_000)
    expect(await closed).toBe(1008)
    expect((await hear(3)).at(-1)).toBe(
      '{"type":7,"error":"The client stopped responding","allowReconnect":true}',
    )
  })

  test('a call that runs when the server stops is answered before the good-bye', async () => {
    const { server, log } = await start()
    await using _server = server
    const client = await connect(server.client('echo', 'clerk'))
    const closed = closingOf(client)
    const answer = client.invoke<string>('Wait', 'door')
    while (!log.gates.has('door')) await Bun.sleep(1)
    const stopping = server.context.hubs.close(10_000)
    expect(server.context.hubs.size).toBe(1)
    // What is called from now on is not begun.
    const late = client.invoke('Wait', 'window').catch(() => 'dropped')
    log.gates.get('door')?.()
    expect(await answer).toBe('door')
    await Promise.all([closed, stopping])
    expect(await late).toBe('dropped')
    expect(log.gates.has('window')).toBe(false)
    expect(server.context.hubs.size).toBe(0)
  })
})
