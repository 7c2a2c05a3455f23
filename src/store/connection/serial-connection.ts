/** A connection whose work is done one piece after another, until it is closed. */
import { unavailable } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Connection } from './connection.ts'
import { startDeadline } from './deadline.ts'
import { isInterrupt, timedOut, toFailure, tooMuchMemory } from '../faults.ts'

const CLOSING_AGAIN_MS = 20

/** The time limit of a piece of work, and the owner of its fault. */
interface WorkLimit {
  /** The name of the setting that says how long, and its milliseconds. */
  setting: string
  timeoutMs: number
  /** The owner of an authored statement. */
  of?: string | undefined
}

/** Closing it ends the piece under way and closes the connection. */
export class SerialConnection {
  readonly #connection: Connection
  #busy: Promise<unknown> | undefined
  #isClosed = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Resolves to what `work` gives when its turn has come. @throws unavailable when closed */
  async run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    while (this.#busy !== undefined) await this.#busy.catch(ignore)
    if (this.#isClosed) throw stopping()
    const running = work(this.#connection).catch((error: unknown) => {
      throw this.#isClosed ? stopping() : toFailure(error)
    })
    const settled = running.finally(() => (this.#busy = undefined))
    this.#busy = settled
    return settled
  }

  /** The same, for work that is ended at a limit. @throws invalid that names the setting */
  runWithin<T>(
    { setting, timeoutMs, of }: WorkLimit,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    return this.run(async (connection) => {
      const deadline = startDeadline(connection, timeoutMs)
      try {
        return await work(connection)
      } catch (error) {
        if (!isInterrupt(error)) throw toFailure(error, of)
        throw deadline.isTooLarge ? tooMuchMemory(false) : timedOut(setting, timeoutMs)
      } finally {
        deadline.stop()
      }
    })
  }

  /** An interrupt that comes between two statements ends neither: it is sent again. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    while (this.#busy !== undefined) {
      this.#connection.interrupt()
      await Promise.race([this.#busy.catch(ignore), Bun.sleep(CLOSING_AGAIN_MS)])
    }
    this.#connection.close()
  }
}

const stopping = () => unavailable(say`The server is stopping`)

const ignore = (): void => undefined
