/**
 * `bun run bench loop [ROUTE]`: how long one request holds the event loop. Each route gets the
 * largest bodies that it admits, one after another, while a probe asks for the server's liveness
 * every 10 ms; the longest that the probe waits, less what it waits at rest, is the hold.
 */
import { type RunningExecutable, startExecutable } from '../../test/support/executable.ts'
import { openRawSocket, toFrame } from '../../test/support/raw-socket.ts'
import { type ApiDocument, type LargeRequest, listLargeRequests } from './loop-bodies.ts'
import type { Hold, Holds, ProbeWord } from './loop-probe.ts'
import { listNamedRequests } from './loop-requests.ts'

const WANTED_MS = 50
const TRIES = 3
const REST_MS = 2000

interface LoopOptions {
  /** Part of the paths of the routes that are measured; '' for all. */
  named: string
  isQuick: boolean
}

/** A request under way; resolves with what it was answered. */
export type Attempt = () => Promise<string>

/** One row: what a body of a route did in each try. */
interface Measured {
  route: string
  of: string
  /** Of the last try. */
  answer: string
  holds: Hold[]
}

const by = (pick: (hold: Hold) => number, holds: readonly Hold[]): number[] =>
  holds.map(pick).sort((one, other) => one - other)

/**
 * The measure of a try: the time that the server's thread ran, on a machine that others use as
 * well; by the clock where nothing tells.
 */
const counted = ({ own, wall }: Hold): number => (Number.isNaN(own) ? wall : own)

const worstOf = ({ holds }: Measured): number => by(counted, holds).at(-1) ?? 0
const medianOf = ({ holds }: Measured): number => by(counted, holds)[holds.length >> 1] ?? 0

/** Starts a probe of a server; the result is the worst hold while `work` went on. */
async function startProbe({ url, pid }: RunningExecutable) {
  const waiting: ((holds: Holds) => void)[] = []
  const script = `${import.meta.dir}/loop-probe.ts`
  const child = Bun.spawn([process.execPath, script, new URL(url).port, String(pid)], {
    ipc: (holds: Holds) => waiting.shift()?.(holds),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const say = (word: ProbeWord): void => child.send(word)
  const watch = async <T>(work: () => Promise<T>): Promise<Holds & { answer: T }> => {
    say('begin')
    const answer = await work()
    const { promise, resolve } = Promise.withResolvers<Holds>()
    waiting.push(resolve)
    say('end')
    return { ...(await promise), answer }
  }
  const { median: rest } = await watch(() => Bun.sleep(REST_MS))
  const measure = async <T>(work: () => Promise<T>): Promise<Hold & { answer: T }> => {
    const { worst, answer } = await watch(work)
    return { wall: worst.wall - rest.wall, own: worst.own - rest.own, answer }
  }
  return { measure, rest, [Symbol.dispose]: () => child.kill() }
}

async function signIn({ url }: RunningExecutable, name: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ UserName: name, Password: `${name}-demo-password` }),
  })
  const { data } = (await answer.json()) as { data: { AccessToken: string } }
  return data.AccessToken
}

/**
 * Tokens: another user's for routes that may end the token or lock its user, root's for routes that
 * are open to System alone.
 */
class Tokens {
  readonly #server: RunningExecutable
  readonly #known = new Map<string, string>()
  readonly #ofSystem = new Set<string>()

  constructor(server: RunningExecutable) {
    this.#server = server
  }

  async for(route: string): Promise<string> {
    const isOfSession = /\/(auth|impersonation)\//.test(route) && !route.includes('/svc/')
    const name = this.#ofSystem.has(route) ? 'root' : isOfSession ? 'dee' : 'ana'
    const known = this.#known.get(name) ?? (await signIn(this.#server, name))
    this.#known.set(name, known)
    return known
  }

  /** Asks in another's name from now on, where a route refused the one before: false if it did. */
  retry(route: string, answer: string): boolean {
    if (answer !== '401' || this.#ofSystem.has(route)) return false
    this.#ofSystem.add(route)
    return true
  }
}

/** Plans the sending of one request, under a key of its own each time. */
const planSend =
  (url: string, token: string, { method, path, body }: LargeRequest): Attempt =>
  async () => {
    const isForm = typeof body !== 'string'
    const answer = await fetch(url + path, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'Idempotency-Key': crypto.randomUUID(),
        ...(isForm ? {} : { 'Content-Type': 'application/json' }),
      },
      body,
    })
    await answer.bytes()
    return String(answer.status)
  }

/** Sends one message of the largest size to a hub, and waits until it is answered. */
const planHubCall = (url: string, token: string, args: unknown[]): Attempt => {
  const call = { type: 1, invocationId: '1', target: 'Ask', arguments: args }
  const frame = toFrame(`${JSON.stringify(call)}\x1e`)
  return async () => {
    const { socket, received, closed } = await openRawSocket(url, 'notifications', token)
    const before = received()
    socket.write(frame)
    while (received() === before && !socket.destroyed) await Bun.sleep(1)
    socket.destroy()
    await closed
    return 'hub'
  }
}

const HUB_ARGUMENTS: Readonly<Record<string, unknown[]>> = {
  'argument items': [Array.from({ length: 9000 }, (_, at) => at)],
  'argument members': [Object.fromEntries(Array.from({ length: 4000 }, (_, at) => [`M${at}`, at]))],
  'argument text': ['x'.repeat(60_000)],
}

const print = (cells: readonly (string | number)[]): string => {
  const [route = '', of = '', ...figures] = cells.map((cell) =>
    typeof cell === 'number' ? cell.toFixed(1) : cell,
  )
  return `${route.padEnd(54)} ${of.padEnd(30)} ${figures.map((text) => text.padStart(8)).join(' ')}`
}

/** The longest holds of each route's largest bodies, the worst body of each. */
export async function* measureLoop({ named, isQuick }: LoopOptions): AsyncGenerator<string> {
  await using server = await startExecutable({ env: { Svc__Log__Level: 'error' } })
  const { url } = server
  using probe = await startProbe(server)
  const tokens = new Tokens(server)
  yield `loop  a probe waits ${probe.rest.wall.toFixed(1)} ms at rest; milliseconds beyond that:`
  yield print(['route', 'body', 'worst', 'median', 'clock', 'answer'])
  const all: Measured[] = []
  const measure = async (route: string, of: string, attempt: Attempt): Promise<Measured> => {
    const measured: Measured = { route, of, answer: '', holds: [] }
    for (let at = 0; at < (isQuick ? 1 : TRIES); at++) {
      const { answer, ...hold } = await probe.measure(attempt)
      measured.answer = answer
      measured.holds.push(hold)
    }
    all.push(measured)
    return measured
  }
  const answered = await fetch(`${url}/swagger/json`)
  const document = (await answered.json()) as ApiDocument
  let worst: Measured | undefined
  const tell = ({ route, of, holds, answer }: Measured, row: Measured): string =>
    print([
      route,
      of,
      worstOf(row),
      medianOf(row),
      by(({ wall }) => wall, holds).at(-1) ?? 0,
      answer,
    ])
  for (const request of [...listNamedRequests(named), ...listLargeRequests(document, named)]) {
    const send = async (): Promise<string> =>
      planSend(url, await tokens.for(request.route), request)()
    const route = `${request.method} ${request.route}`
    let row = await measure(route, request.of, send)
    if (tokens.retry(request.route, row.answer)) {
      all.pop()
      row = await measure(route, request.of, send)
    }
    if (worst && worst.route !== row.route) yield tell(worst, worst)
    if (worst?.route !== row.route || worstOf(row) > worstOf(worst)) worst = row
  }
  if (worst) yield tell(worst, worst)
  if ('/hubs/notifications'.includes(named))
    for (const [of, args] of Object.entries(HUB_ARGUMENTS)) {
      const attempt = planHubCall(url, await tokens.for('hub'), args)
      const row = await measure('/hubs/notifications', of, attempt)
      yield tell(row, row)
    }
  const over = all.filter((row) => worstOf(row) > WANTED_MS)
  yield `loop  ${all.length} bodies, ${over.length} held it over ${WANTED_MS} ms, wanted none`
  for (const row of over) yield tell(row, row)
}
