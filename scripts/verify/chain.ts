/** A session that is refreshed over and over, as a client with many tabs would. */
import type { Random } from '../../data/demo/random.ts'
import type { Api, Tokens } from './api.ts'

const REFRESH = '/api/v1/auth/refresh'

/** A used token is forgiven for 10 s; when a start took longer, the session may be over. */
const FORGIVEN_MS = 9_000

export class Chain {
  /** Acknowledged refreshes. */
  count = 0
  readonly faults: string[] = []
  /** A 5xx is no fault now. */
  mayFail = false
  readonly #api: Api
  readonly #random: Random
  readonly #signIn: () => Promise<Tokens>
  #token: string
  #sentAt = 0

  private constructor(
    parts: { api: Api; random: Random; signIn: () => Promise<Tokens> },
    token: string,
  ) {
    this.#api = parts.api
    this.#random = parts.random
    this.#signIn = parts.signIn
    this.#token = token
  }

  /** Signs in and begins a chain. */
  static async open(parts: {
    api: Api
    random: Random
    signIn: () => Promise<Tokens>
  }): Promise<Chain> {
    return new Chain(parts, (await parts.signIn()).RefreshToken)
  }

  /** Refreshes until `isOver`, now and then twice at once. Throws NoAnswer: the server is gone. */
  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const times = this.#random.chance(0.25) ? 2 : 1
      this.#sentAt = Date.now()
      const answers = await Promise.all(
        Array.from({ length: times }, () => this.#refresh(this.#token)),
      )
      const [first, second] = answers
      if (second !== undefined && first !== second)
        this.faults.push('one refresh token got two successors')
      if (first === undefined) return
      this.#take(first)
      await Bun.sleep(this.#random.int(0, 4))
    }
  }

  /** After a start: the last token that came goes on, used up or not, as its access token does. */
  async recover(): Promise<void> {
    const before = this.faults.length
    const token = await this.#refresh(this.#token)
    if (token === undefined && Date.now() - this.#sentAt > FORGIVEN_MS) {
      this.faults.length = before
      this.#token = (await this.#signIn()).RefreshToken
    } else this.#take(token)
  }

  #take(token: string | undefined): void {
    if (token === undefined) return
    this.#token = token
    this.count++
  }

  async #refresh(token: string): Promise<string | undefined> {
    const { status, body } = await this.#api.send<Tokens>(REFRESH, { RefreshToken: token })
    if (status >= 500 && this.mayFail) return undefined
    if (status !== 200) {
      this.faults.push(`a refresh was answered with ${status} ${JSON.stringify(body)}`)
      return undefined
    }
    const me = await this.#api.send('/api/v1/auth/me', undefined, { token: body.data.AccessToken })
    if (me.status !== 200) this.faults.push(`a new access token was answered with ${me.status}`)
    return body.data.RefreshToken
  }
}
