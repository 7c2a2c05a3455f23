/** Receives deliveries of webhooks, and writes down when each begins and ends. */
import type { Random } from '../../data/demo/random.ts'
import type { RunLine } from '../../test/support/job-runs.ts'

const ANSWER_MS_MAX = 6

/** Of a hundred deliveries so many are refused the first time. */
const REFUSED_PERCENT = 5

/** Several webhooks at one address. */
export class WebhookReceiver implements AsyncDisposable {
  /** The life of the server that sends: what it had begun ends with it. */
  life = 'first'
  readonly lines: RunLine[] = []
  readonly #random: Random
  readonly #server: Bun.Server<undefined>
  /** By webhook and item: the ids under which it was sent, and those that were taken. */
  readonly #sent = new Map<string, Set<string>>()
  readonly #taken = new Set<string>()

  constructor(random: Random) {
    this.#random = random
    const fetch = (request: Request): Promise<Response> => this.#take(request)
    this.#server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
  }

  get port(): number {
    return this.#server.port ?? 0
  }

  urlOf(name: string): string {
    return `http://127.0.0.1:${this.port}/${name}`
  }

  async #take(request: Request): Promise<Response> {
    const name = new URL(request.url).pathname.slice(1)
    const { Keys } = (await request.json()) as { Keys: { Id: number } }
    const [process, id] = [this.life, request.headers.get('webhook-id') ?? '']
    const what = `${name} ${Keys.Id}`
    const ids = this.#sent.getOrInsertComputed(what, () => new Set<string>())
    const isFirst = ids.size === 0
    ids.add(id)
    const line = { process, job: Keys.Id, key: name }
    this.lines.push({ ...line, what: 'begin' })
    await Bun.sleep(this.#random.next() * ANSWER_MS_MAX)
    this.lines.push({ ...line, what: 'end' })
    if (isFirst && this.#random.int(1, 100) <= REFUSED_PERCENT)
      return new Response('busy', { status: 503 })
    this.#taken.add(what)
    return new Response()
  }

  /** Deliveries of a webhook that were never taken, or were sent under two ids. */
  compare(name: string, items: readonly number[]): string[] {
    return items.flatMap((item) => {
      const what = `${name} ${item}`
      const ids = this.#sent.get(what)?.size ?? 0
      const lost = this.#taken.has(what) ? [] : [`never delivered: ${what}`]
      return ids > 1 ? [...lost, `${what} was delivered under ${ids} ids`] : lost
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true)
  }
}
