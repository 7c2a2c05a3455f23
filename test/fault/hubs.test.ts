/** Hubs of the executable under faults of their clients and at its end. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import { type RunningExecutable, startExecutable } from '../support/executable.ts'
import { closingOf, connect } from '../support/hubs.ts'
import { openRawSocket, toFrame } from '../support/raw-socket.ts'

const MB = 1024 * 1024

async function signIn({ url }: RunningExecutable): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: 'ana', Password: 'ana-demo-password' }),
  })
  const { data } = (await answer.json()) as { data: { AccessToken: string } }
  return data.AccessToken
}

const clientOf = ({ url }: RunningExecutable, token: string) =>
  new HubConnectionBuilder()
    .configureLogging(LogLevel.None)
    .withUrl(`${url}/api/v1/hubs/notifications`, { accessTokenFactory: () => token })
    .build()

/** Resident memory of a process, in bytes. */
function readMemory(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

test('SIGTERM with hubs open: each is told to come back, and the process exits 0', async () => {
  await using server = await startExecutable()
  const token = await signIn(server)
  const twenty = Array.from({ length: 20 }, () => connect(clientOf(server, token)))
  const clients = await Promise.all(twenty)
  const closed = clients.map((client) => closingOf(client))
  // One that neither reads nor answers must keep nobody waiting.
  const deaf = await openRawSocket(server.url, 'notifications', token)
  deaf.socket.pause()
  const polite = await openRawSocket(server.url, 'notifications', token)
  expect(await server.stop()).toBe(0)
  await Promise.all([...closed, polite.closed])
  expect(polite.text()).toContain('{"type":7,"allowReconnect":true}\x1e')
  // The close frame behind it: 1001, going away.
  expect(polite.text()).toContain('\x88\x02\x03\xe9')
})

test('oven-sh/bun#32483: 512 MB in frames of 64 KB take no memory, and are closed', async () => {
  await using server = await startExecutable()
  const token = await signIn(server)
  const polite = await connect(clientOf(server, token))
  const before = readMemory(server.pid)
  let peak = before
  const flood = toFrame('x'.repeat(64 * 1024))
  let sent = 0
  while (sent < 512 * MB) {
    const { socket, closed } = await openRawSocket(server.url, 'notifications', token)
    let isOpen = true
    void closed.then(() => (isOpen = false))
    while (isOpen && sent < 512 * MB) {
      const hasRoom = socket.write(flood)
      sent += flood.length
      if (!hasRoom)
        await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed])
      peak = Math.max(peak, readMemory(server.pid))
    }
    socket.destroy()
  }
  expect(peak - before).toBeLessThan(100 * MB)
  expect((await fetch(`${server.url}/health/live`)).status).toBe(200)
  await polite.stop()
})
