/** Users who have one record open, each by a view of their own, and the messages to them. */
import { sleep } from '../../kernel/clock.ts'
import type { HubConnection } from '../../server/hub/hub.ts'

/** A record that a client has open, as the client named it. */
export interface Opening {
  readonly connection: HubConnection
  /** The view by which the client opened it. */
  readonly object: string
  /** Keys in the form that clients get. */
  readonly keys: Readonly<Record<string, unknown>>
  readonly since: Date
  /** Returns true while the caller of now sees the record. Never rejects. */
  isVisible(): Promise<boolean>
  /** Closes the record for a caller who does not see it. */
  expel(): void
}

/** One user of `presence`. */
interface PresentUser {
  readonly Id: number
  readonly DisplayName: string
  readonly Since: string
}

/** Most users named in a message, which the others get as well. */
const USERS_MAX = 50

/** Clients whose rights are looked at together. */
const JUDGED_AT_ONCE = 10

/** Milliseconds between two messages about one record: not each coming and going has one. */
const PAUSE_MS = 200

/** The clients that have a record open, in the order in which they came. */
export class PresenceRoom {
  readonly #openings = new Set<Opening>()
  readonly #onEmpty: () => void
  #isDue = false
  #isTelling = false

  /** `onEmpty` is called when the last client has left. */
  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty
  }

  add(opening: Opening): void {
    this.#openings.add(opening)
    this.announce()
  }

  delete(opening: Opening): void {
    if (!this.#openings.delete(opening)) return
    if (this.#openings.size === 0) this.#onEmpty()
    else this.announce()
  }

  /** Tells all present clients, now or soon; one that sees the record no longer is left out. */
  announce(): void {
    this.#isDue = true
    if (!this.#isTelling) void this.#tellWhileDue()
  }

  /** Tells all clients that see the record that its comments changed. */
  async tellComments(): Promise<void> {
    await forEachVisible([...this.#openings], ({ connection, object, keys }) =>
      connection.send('commentsChanged', { Object: object, Keys: keys }),
    )
  }

  async #tellWhileDue(): Promise<void> {
    this.#isTelling = true
    while (this.#isDue && this.#openings.size > 0) {
      this.#isDue = false
      await this.#expelBlind()
      this.#tell()
      if (this.#openings.size > 1) await sleep(PAUSE_MS)
    }
    this.#isTelling = false
  }

  async #expelBlind(): Promise<void> {
    const expel = (opening: Opening): void => opening.expel()
    await forEachVisible([...this.#openings], () => {}, expel)
  }

  #tell(): void {
    const Users = listUsers(this.#openings)
    for (const { connection, object, keys } of this.#openings)
      if (!connection.isUnchecked)
        connection.send('presence', { Object: object, Keys: keys, Users })
  }
}

/** Calls `tell` for each client that sees the record now, `miss` for each other one. */
async function forEachVisible(
  all: readonly Opening[],
  tell: (opening: Opening) => void,
  miss: (opening: Opening) => void = () => {},
): Promise<void> {
  for (let from = 0; from < all.length; from += JUDGED_AT_ONCE) {
    const some = all.slice(from, from + JUDGED_AT_ONCE)
    const seen = await Promise.all(some.map((opening) => opening.isVisible()))
    for (const [at, opening] of some.entries())
      if (seen[at] !== true) miss(opening)
      else if (!opening.connection.isUnchecked) tell(opening)
  }
}

/** Lists each user once, with however many clients. */
function listUsers(openings: Iterable<Opening>): PresentUser[] {
  const users = new Map<number, PresentUser>()
  for (const { connection, since } of openings) {
    const { userId: Id, displayName: DisplayName } = connection.caller
    if (users.size < USERS_MAX && !users.has(Id))
      users.set(Id, { Id, DisplayName, Since: since.toISOString() })
  }
  return [...users.values()]
}
