/**
 * The load: a process of its own, one request at a time on each kept connection, on raw sockets, so
 * that it is not what limits. Reads a `LoadJob` as JSON on standard input, prints a `LoadResult`.
 */
import type { Socket } from 'bun'

export interface LoadRequest {
  method: string
  path: string
  /** JSON text; '' for none. */
  body: string
}

export interface LoadJob {
  port: number
  connections: number
  seconds: number
  headers: Record<string, string>
  /** Taken in turn by all connections. */
  requests: LoadRequest[]
  /** True to end the load once each request was sent; otherwise it repeats them. */
  isOnce?: boolean
  /** Statuses that count as answered; all others are errors. */
  expect: number[]
}

export interface LoadResult {
  answered: number
  errors: number
  /** A status that was not expected, and its body, for the message. */
  firstError: string | undefined
  seconds: number
  perSecond: number
  /** Milliseconds. */
  median: number
  p99: number
  max: number
}

/** How long after its end a job waits for answers that are still out. */
const LATE_MS = 300_000

const HEADER_END = Buffer.from('\r\n\r\n')

/** The bytes of a request, made once. */
function encode(job: LoadJob, { method, path, body }: LoadRequest): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${job.port}`,
    ...Object.entries(job.headers).map(([name, value]) => `${name}: ${value}`),
    ...(body
      ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]
      : []),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** The length of the first whole answer in `bytes`, or undefined while it is not whole. */
function findEnd(bytes: Buffer): number | undefined {
  const head = bytes.indexOf(HEADER_END)
  if (head < 0) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, head))?.[1]
  const end = head + HEADER_END.length + Number(length ?? 0)
  return bytes.length >= end ? end : undefined
}

/** State that all connections of a job share. */
class Load {
  readonly #messages: Buffer[]
  readonly #expected: ReadonlySet<number>
  readonly #isOnce: boolean
  readonly times: number[] = []
  errors = 0
  firstError: string | undefined
  #next = 0

  constructor(job: LoadJob) {
    this.#messages = job.requests.map((request) => encode(job, request))
    this.#expected = new Set(job.expect)
    this.#isOnce = job.isOnce === true
  }

  /** The next request; undefined when there is none. */
  take(): Buffer | undefined {
    const index = this.#next++
    return this.#messages[this.#isOnce ? index : index % this.#messages.length]
  }

  note(answer: Buffer, milliseconds: number): void {
    const status = Number(answer.toString('latin1', 9, 12))
    if (this.#expected.has(status)) this.times.push(milliseconds)
    else {
      this.errors++
      this.firstError ??= answer.toString('utf8', 0, 2000)
    }
  }
}

/** One connection: sends, waits for the whole answer, sends again until the end. */
class Connection {
  #received: Buffer = Buffer.alloc(0)
  #sentAt = 0
  /** The request that is out. */
  waitsFor: Buffer | undefined
  readonly done = Promise.withResolvers<void>()

  constructor(
    readonly load: Load,
    readonly endsAt: number,
  ) {}

  send(socket: Socket): void {
    this.waitsFor = performance.now() < this.endsAt ? this.load.take() : undefined
    if (this.waitsFor === undefined) {
      socket.end()
      this.done.resolve()
      return
    }
    this.#sentAt = performance.now()
    socket.write(this.waitsFor)
  }

  receive(socket: Socket, chunk: Buffer): void {
    this.#received = this.#received.length ? Buffer.concat([this.#received, chunk]) : chunk
    const end = findEnd(this.#received)
    if (end === undefined) return
    this.load.note(this.#received.subarray(0, end), performance.now() - this.#sentAt)
    this.#received = this.#received.subarray(end)
    this.waitsFor = undefined
    this.send(socket)
  }
}

async function run(job: LoadJob): Promise<LoadResult> {
  const load = new Load(job)
  const startedAt = performance.now()
  const connections = Array.from(
    { length: job.connections },
    () => new Connection(load, startedAt + job.seconds * 1000),
  )
  for (const connection of connections) {
    await Bun.connect({
      hostname: '127.0.0.1',
      port: job.port,
      socket: {
        open: (socket) => connection.send(socket),
        // The buffer is Bun's own and used again: what is kept must be a copy.
        data: (socket, chunk) => connection.receive(socket, Buffer.from(chunk)),
        close: () => connection.done.resolve(),
        error: (_, error) => connection.done.reject(error),
      },
    })
  }
  const answered = Promise.all(connections.map(({ done }) => done.promise))
  const late = Bun.sleep(job.seconds * 1000 + LATE_MS).then(() => 'late' as const)
  if ((await Promise.race([answered, late])) === 'late') {
    const unanswered = connections.flatMap(({ waitsFor }) => waitsFor ?? [])
    throw new Error(`${unanswered.length} requests got no answer:\n${unanswered.join('\n')}`)
  }
  return summarize(load, (performance.now() - startedAt) / 1000)
}

function summarize(load: Load, seconds: number): LoadResult {
  const times = load.times.sort((a, b) => a - b)
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  return {
    answered: times.length,
    errors: load.errors,
    firstError: load.firstError,
    seconds,
    perSecond: times.length / seconds,
    median: at(0.5),
    p99: at(0.99),
    max: at(1),
  }
}

if (import.meta.main) {
  console.log(JSON.stringify(await run((await Bun.stdin.json()) as LoadJob)))
  process.exit()
}
