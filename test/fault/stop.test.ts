import { expect, test } from 'bun:test'
import { startExecutable } from '../support/executable.ts'

const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n'

/** A connection that counts the answers it gets. */
async function connect(url: string) {
  const { hostname, port } = new URL(url)
  const answers = { count: 0 }
  const closed = Promise.withResolvers<void>()
  let onAnswer = (): void => {}
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, chunk) => {
        answers.count += chunk.toString().split('HTTP/1.1 200').length - 1
        onAnswer()
      },
      close: () => closed.resolve(),
      error: () => closed.resolve(),
    },
  })
  const answered = new Promise<void>((resolve) => (onAnswer = resolve))
  return { socket, answers, answered, closed: closed.promise }
}

test('what has arrived at the signal is answered, on open and on new connections', async () => {
  await using server = await startExecutable({ args: [] })
  const open = await Promise.all(Array.from({ length: 6 }, () => connect(server.url)))
  for (const { socket } of open) socket.write(REQUEST)
  await Promise.all(open.map(({ answered }) => answered))
  // Held, so that requests and signal are there at the same moment.
  process.kill(server.pid, 'SIGSTOP')
  const fresh = await Promise.all(Array.from({ length: 6 }, () => connect(server.url)))
  for (const { socket } of [...open, ...fresh]) socket.write(REQUEST)
  const stopped = server.stop()
  process.kill(server.pid, 'SIGCONT')
  expect(await stopped).toBe(0)
  await Promise.all([...open, ...fresh].map(({ closed }) => closed))
  expect(open.map(({ answers }) => answers.count)).toEqual(open.map(() => 2))
  expect(fresh.map(({ answers }) => answers.count)).toEqual(fresh.map(() => 1))
})
