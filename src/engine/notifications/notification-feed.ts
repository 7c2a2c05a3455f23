/** Reports notifications as they are committed, each once and in their order. */
import { Loop } from '../../kernel/background.ts'
import type { Log } from '../../kernel/log.ts'
import type { Store, TableChanges } from '../../store/store.ts'
import {
  findLastId,
  listAfter,
  type NotificationRow,
  type UserInCompany,
} from './notification-records.ts'

/** Rows that are reported before others have their turn. */
const CHUNK = 500

/** Milliseconds until a look for rows of commits that did not wake the feed. */
const LOOK_MS = 5000

const TABLE = 'svc_notifications'

/** Follows the commits of notifications; subscribers get new rows, the oldest first. */
export class NotificationFeed {
  readonly #store: Store
  readonly #subscribers: ((row: NotificationRow) => void)[] = []
  readonly #readers: ((place: UserInCompany) => void)[] = []
  #last: number | undefined
  /** The loop that the server starts and stops. */
  readonly loop: Loop

  constructor({ store, log }: { store: Store; log: Log }) {
    this.#store = store
    this.loop = new Loop({
      name: 'notifications',
      everyMs: LOOK_MS,
      log,
      prepare: () => this.#begin(),
      steps: [() => this.#tell()],
      failure: 'notifications could not be told to those who are connected',
    })
    store.follow({
      follows: () => false,
      begin: () => {},
      end: (changes: TableChanges) => {
        const isMeant = changes === 'all' || changes.has(TABLE)
        if (isMeant && this.#last !== undefined) this.loop.wake()
      },
    })
  }

  /** `tell` is called with each row that is committed from the start on. */
  subscribe(tell: (row: NotificationRow) => void): void {
    this.#subscribers.push(tell)
  }

  /** `tell` is called with each user who has read some, or has removed one. */
  subscribeUnread(tell: (place: UserInCompany) => void): void {
    this.#readers.push(tell)
  }

  /** A user has read some, or has removed one. */
  tellUnread(place: UserInCompany): void {
    for (const tell of this.#readers) tell(place)
  }

  async #begin(): Promise<void> {
    this.#last ??= await findLastId(this.#store)
  }

  async #tell(): Promise<void> {
    for (;;) {
      const rows = await listAfter(this.#store, this.#last ?? 0, CHUNK)
      for (const row of rows) {
        this.#last = row.Id
        for (const tell of this.#subscribers) tell(row)
      }
      if (rows.length < CHUNK || this.loop.isStopping) return
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
