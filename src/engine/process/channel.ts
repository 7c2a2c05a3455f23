/**
 * Messages between two processes, both ways, with a bound on those under way: a sender waits until
 * the other side has dealt with earlier messages, so that neither piles up the other's work.
 */

/** Messages under way in one direction. */
const WINDOW = 8

/** A frame on the wire: a message, or the news that one has been dealt with. */
type Frame = { body: unknown } | { taken: true }

/** The other side ignores the window: its messages would fill the memory of this one. */
export class ChannelFlooded extends Error {
  override readonly name = 'ChannelFlooded'
}

/** One end of a line of messages; `post` puts a frame on the wire. */
export class Channel {
  readonly #post: (frame: Frame) => void
  readonly #inbox: unknown[] = []
  readonly #waiting: { body: unknown; posted: PromiseWithResolvers<void> }[] = []
  #underWay = 0
  #wake: () => void = () => {}
  #drained: (() => void)[] = []
  #end: { error: Error | undefined } | undefined

  constructor(post: (frame: Frame) => void) {
    this.#post = post
  }

  /**
   * Sends a message, in the order of the calls. Resolves once it is on the wire, which may wait for
   * the other side. @throws Error when the line is closed
   */
  send(body: unknown): Promise<void> {
    if (this.#end) return Promise.reject(this.#end.error ?? closed())
    const posted = Promise.withResolvers<void>()
    this.#waiting.push({ body, posted })
    this.#pump()
    return posted.promise
  }

  /** Takes a frame from the wire. @throws ChannelFlooded for more messages than the window has. */
  receive(frame: unknown): void {
    if (typeof frame !== 'object' || frame === null) return
    if ('taken' in frame) {
      this.#underWay = Math.max(0, this.#underWay - 1)
      this.#pump()
    } else if ('body' in frame) {
      if (this.#inbox.length >= WINDOW) throw new ChannelFlooded('More messages than were allowed')
      this.#inbox.push(frame.body)
      this.#wake()
    }
  }

  /**
   * The messages of the other side, for one reader. A message counts as dealt with when the next
   * one is asked for. Ends with the line, or throws what it ended with.
   */
  async *messages(): AsyncGenerator<unknown, void, undefined> {
    for (;;) {
      if (this.#inbox.length > 0) {
        yield this.#inbox[0]
        this.#inbox.shift()
        if (!this.#end) this.#post({ taken: true })
      } else if (this.#end) {
        if (this.#end.error) throw this.#end.error
        return
      } else {
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#wake = resolve
        await promise
      }
    }
  }

  /** Resolves when the other side has dealt with every message, or the line is closed. */
  drained(): Promise<void> {
    if (this.#isDrained()) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#drained.push(resolve)
    return promise
  }

  /** Closes the line; what has arrived can still be read. Only the first call counts. */
  close(error?: Error): void {
    if (this.#end) return
    this.#end = { error }
    for (const { posted } of this.#waiting.splice(0)) {
      posted.promise.catch(() => {})
      posted.reject(error ?? closed())
    }
    this.#settleDrained()
    this.#wake()
  }

  #pump(): void {
    while (this.#underWay < WINDOW) {
      const next = this.#waiting.shift()
      if (!next) break
      this.#underWay++
      this.#post({ body: next.body })
      next.posted.resolve()
    }
    if (this.#isDrained()) this.#settleDrained()
  }

  #isDrained(): boolean {
    return this.#end !== undefined || (this.#underWay === 0 && this.#waiting.length === 0)
  }

  #settleDrained(): void {
    for (const resolve of this.#drained.splice(0)) resolve()
  }
}

const closed = (): Error => new Error('The line is closed')
