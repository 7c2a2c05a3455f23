/**
 * Hubs: what an idle connection takes, how long many take to come back, and how fast one event is
 * with all who subscribe, beside `ws.publish` of a bare server in the same run.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningExecutable, startExecutable } from '../../test/support/executable.ts'
import { openRawSocket, type RawHubSocket, toFrame } from '../../test/support/raw-socket.ts'

const IDLE = 5000
const SUBSCRIBERS = 1000
const FEW_SUBSCRIBERS = 500
const EVENTS = 50
const ROUNDS = 8
/** Connections that are opened at the same time. */
const AT_ONCE = 100

const USER = { UserName: 'ana', Password: 'ana-demo-password' }
const CALL = toFrame(
  `{"type":1,"target":"Say","arguments":["${'x'.repeat(100)}"]}${String.fromCharCode(0x1e)}`,
)

const readMemory = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

/** Opens so many connections; the server has greeted all of them. */
export async function openMany(
  url: string,
  hub: string,
  token: string,
  count: number,
): Promise<RawHubSocket[]> {
  const all: RawHubSocket[] = []
  while (all.length < count) {
    const some = Math.min(AT_ONCE, count - all.length)
    const open = () => openRawSocket(url, hub, token)
    all.push(...(await Promise.all(Array.from({ length: some }, open))))
  }
  return all
}

export const closeAll = (sockets: readonly RawHubSocket[]): Promise<unknown> =>
  Promise.all(
    sockets.map(({ socket, closed }) => {
      socket.destroy()
      return closed
    }),
  )

export async function signIn({ url }: RunningExecutable): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(USER),
  })
  return ((await answer.json()) as { data: { AccessToken: string } }).data.AccessToken
}

/** The longest that a small request waits while `work` goes on, in milliseconds. */
async function longestWait(url: string, work: Promise<unknown>): Promise<number> {
  let isOver = false
  void work.finally(() => (isOver = true))
  let longest = 0
  while (!isOver) {
    const begun = performance.now()
    await (await fetch(`${url}/health/live`)).text()
    longest = Math.max(longest, performance.now() - begun)
  }
  return longest
}

/** Memory of idle connections, and the time that all of them take to come back at once. */
async function measureIdle(): Promise<string[]> {
  const env = { Svc__Hubs__UserConnections: '20000', Svc__Log__Level: 'error' }
  await using server = await startExecutable({ env })
  const token = await signIn(server)
  // The first ones fill what other work has left; what more of them take is theirs.
  const first = await openMany(server.url, 'notifications', token, IDLE)
  await Bun.sleep(2000)
  const before = readMemory(server.pid)
  const more = await openMany(server.url, 'notifications', token, IDLE)
  await Bun.sleep(2000)
  const each = (readMemory(server.pid) - before) / IDLE
  await closeAll([...first, ...more])
  const begun = performance.now()
  const coming = openMany(server.url, 'notifications', token, IDLE)
  const longest = await longestWait(server.url, coming)
  const seconds = (performance.now() - begun) / 1000
  await closeAll(await coming)
  return [
    `hub     ${IDLE} more idle connections: ${each.toFixed(1)} KB each, wanted under 40; ` +
      `${(before / 1024).toFixed(0)} MB in all before them`,
    `hub     ${IDLE} come back in ${seconds.toFixed(1)} s, wanted under 10; ` +
      `a small request beside them waits at most ${longest.toFixed(0)} ms`,
  ]
}

interface Publisher extends AsyncDisposable {
  url: string
  token: string
  sockets: RawHubSocket[]
}

/** One of the two servers with its subscribers. */
async function startPublisher(
  kind: 'engine' | 'bare' | 'changes',
  subscribers: number,
): Promise<Publisher> {
  const server = join(import.meta.dir, 'hub-server.ts')
  const command = [process.execPath, server, kind]
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
  const reader = child.stdout.getReader()
  const line = new TextDecoder().decode((await reader.read()).value)
  const { port, token } = JSON.parse(line) as { port: number; token: string }
  const url = `http://127.0.0.1:${port}`
  const sockets = await openMany(url, 'echo', token, subscribers)
  // Who has just been greeted may be entered a moment later.
  await Bun.sleep(200)
  return {
    url,
    token,
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const { socket } of sockets) socket.destroy()
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Milliseconds until so many events are with all who subscribe. */
async function publish({ sockets }: Publisher, events: number): Promise<number> {
  const [speaker] = sockets
  const before = sockets.map((each) => each.received())
  const begun = performance.now()
  speaker?.socket.write(Buffer.concat(Array.from({ length: events }, () => CALL)))
  const bytes = events * EVENT_BYTES
  while (sockets.some((each, at) => each.received() < (before[at] ?? 0) + bytes))
    await new Promise((resolve) => setImmediate(resolve))
  return performance.now() - begun
}

/** A frame of the event: its head, and the record. */
const EVENT_BYTES = 4 + `{"type":1,"target":"said","arguments":["${'x'.repeat(100)}"]}\x1e`.length

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN

/** The rate of events to many beside a bare server, and when the last of fewer has one. */
async function measurePublish(): Promise<string[]> {
  await using engine = await startPublisher('engine', SUBSCRIBERS)
  await using bare = await startPublisher('bare', SUBSCRIBERS)
  const times: { engine: number[]; bare: number[] } = { engine: [], bare: [] }
  for (let round = 0; round < ROUNDS; round++) {
    times.engine.push(await publish(engine, EVENTS))
    times.bare.push(await publish(bare, EVENTS))
  }
  const rate = (of: readonly number[]): number => (SUBSCRIBERS * EVENTS * 1000) / median(of)
  await using few = await startPublisher('engine', FEW_SUBSCRIBERS)
  await using fewBare = await startPublisher('bare', FEW_SUBSCRIBERS)
  const single: { engine: number[]; bare: number[] } = { engine: [], bare: [] }
  for (let round = 0; round < ROUNDS * 5; round++) {
    single.engine.push(await publish(few, 1))
    single.bare.push(await publish(fewBare, 1))
  }
  const ratio = (median(times.bare) / median(times.engine)).toFixed(2)
  const last = `${median(single.engine).toFixed(1)} ms, bare ${median(single.bare).toFixed(1)}`
  return [
    `hub     events to ${SUBSCRIBERS}: ${rate(times.engine).toFixed(0)} messages/s, ` +
      `bare ${rate(times.bare).toFixed(0)}: ${ratio}, wanted 0.5`,
    `hub     the last of ${FEW_SUBSCRIBERS} has an event after ${last}, wanted 10`,
  ]
}

const SUBSCRIBE = toFrame('{"type":1,"target":"Subscribe","arguments":["Cases"]}\x1e')

/** A frame of `objectChanged` of the row that the server changes. */
const CHANGE_BYTES =
  2 +
  '{"type":1,"target":"objectChanged","arguments":['.length +
  '{"Object":"Cases","Action":"updated","Keys":{"Id":1}}]}\x1e'.length

/** From the message that changes a row to the last of those who see it. */
async function measureChanges(): Promise<string[]> {
  await using mover = await startPublisher('changes', 1)
  const { url, token } = mover
  const sockets = await openMany(url, 'notifications', token, FEW_SUBSCRIBERS)
  for (const { socket } of sockets) socket.write(SUBSCRIBE)
  await Bun.sleep(500)
  const speaker = mover.sockets[0]
  const times: number[] = []
  for (let round = 0; round < ROUNDS * 5; round++) {
    const before = sockets.map((each) => each.received())
    const begun = performance.now()
    speaker?.socket.write(CALL)
    while (sockets.some((each, at) => each.received() < (before[at] ?? 0) + CHANGE_BYTES))
      await new Promise((resolve) => setImmediate(resolve))
    times.push(performance.now() - begun)
    await Bun.sleep(20)
  }
  await closeAll(sockets)
  return [
    `hub     the last of ${FEW_SUBSCRIBERS} receives a changed row after ` +
      `${median(times).toFixed(1)} ms, the commit and two reads of who sees it included`,
  ]
}

/** All figures of hubs. */
export async function measureHub(): Promise<string[]> {
  return [...(await measureIdle()), ...(await measurePublish()), ...(await measureChanges())]
}
