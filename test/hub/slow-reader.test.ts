/** A client that never reads (fault 28), and many that come back at once (fault 29). */
import { expect, test } from 'bun:test'
import { ADMINISTRATORS } from '../support/administrators.ts'
import { echoHub, newEchoLog } from '../support/echo-hub.ts'
import { connect, cutOff, startHubs } from '../support/hubs.ts'
import { openRawSocket } from '../support/raw-socket.ts'
import { until } from '../support/until.ts'

const MB = 1024 * 1024

/** The most that the system itself buffers for a socket on this machine. */
const SYSTEM_BYTES = 12 * MB

const start = async (settings: Record<string, string> = {}) => {
  const log = newEchoLog()
  const hubs = [echoHub(log)]
  const server = await startHubs({
    application: ADMINISTRATORS,
    hubs,
    settings,
    withoutLoops: true,
  })
  return { server, log }
}

test.each(['publish', 'send'] as const)(
  'a client that never reads is closed when 1 MB waits for it: by %s',
  async (how) => {
    const { server, log } = await start()
    await using _server = server
    const deaf = await openRawSocket(server.url, 'echo', server.tokens.clerk ?? '')
    deaf.socket.pause()
    await until(() => log.connections.size > 0)
    const [connection] = log.connections.values()
    const reader = await connect(server.client('echo', 'far'))
    let heard = 0
    reader.on('said', () => heard++)
    const text = 'x'.repeat(64 * 1024)
    let sent = 0
    while (!log.events.includes('close clerk') && sent < 64 * MB) {
      if (how === 'send') connection?.send('said', text)
      else log.channels[0]?.publish('all', 'said', text)
      sent += text.length
      await Bun.sleep(1)
    }
    expect(log.events).toContain('close clerk')
    expect(sent).toBeLessThan(SYSTEM_BYTES + 2 * MB)
    if (how === 'publish') await until(() => heard > 0)
    expect(await reader.invoke<{ name: string }>('Who')).toMatchObject({ name: 'far' })
    deaf.socket.destroy()
  },
)

test('300 clients that are cut off at once are all back, and each hears what is said', async () => {
  const count = 300
  const { server, log } = await start({ 'Svc:Hubs:UserConnections': String(count * 2) })
  await using _server = server
  let heard = 0
  const clients = await Promise.all(
    Array.from({ length: count }, async () => {
      const client = server.client('echo', 'clerk', {
        reconnects: [0, 50, 100, 500, ...Array<number>(100).fill(1000)],
      })
      client.on('said', () => heard++)
      return connect(client)
    }),
  )
  const back = clients.map(
    (client) => new Promise<void>((resolve) => client.onreconnected(() => resolve())),
  )
  cutOff(log.connections.values())
  await Promise.all(back)
  while (log.connections.size < count) await Bun.sleep(1)
  await clients[0]?.invoke('Say', 'all together')
  while (heard < count) await Bun.sleep(1)
  expect(new Set(clients.map(({ connectionId }) => connectionId)).size).toBe(count)
})

test('others have their turns while the rights of many are looked at anew', async () => {
  const { server, log } = await start({ 'Svc:Hubs:UserConnections': '400' })
  await using _server = server
  const token = server.tokens.clerk ?? ''
  const open = () => openRawSocket(server.url, 'echo', token)
  const sockets = await Promise.all(Array.from({ length: 300 }, open))
  while (log.connections.size < sockets.length) await Bun.sleep(1)
  server.context.callers.forgetAll()
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await server.context.hubs.sweep()
  isOver = true
  expect(turns).toBeGreaterThan(0)
  expect(log.events.filter((event) => event === 'change clerk')).toHaveLength(sockets.length)
  for (const { socket } of sockets) socket.destroy()
})
