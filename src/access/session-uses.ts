/** When sessions were last used, gathered in memory: no request waits for a write of it. */
import type { Clock } from '../kernel/clock.ts'
import { and, eq, lt, txDatabase } from '../store/drizzle.ts'
import type { Store } from '../store/store.ts'
import { sessions } from './state-db.ts'
import { OF_NO_COMPANY } from './state-rows.ts'

/** How long uses are gathered before they are written, with the next use that there is. */
const GATHERED_MS = 60_000

/** Sessions that are written in one turn of the writer. */
const AT_ONCE = 200

/** Notes uses of sessions and writes them now and then; what a crash loses is a minute of them. */
export class SessionUses {
  readonly #state: Store
  readonly #clock: Clock
  /** Milliseconds since 1970 by session. */
  readonly #used = new Map<string, number>()
  #writing: Promise<void> | undefined
  #writtenAt: number

  constructor({ state, clock }: { state: Store; clock: Clock }) {
    this.#state = state
    this.#clock = clock
    this.#writtenAt = clock.now().getTime()
  }

  /** A request came from this session. */
  note(sessionId: string): void {
    const now = this.#clock.now().getTime()
    this.#used.set(sessionId, now)
    if (now - this.#writtenAt < GATHERED_MS) return
    this.#writtenAt = now
    // Not worth a word when it fails: the next minute writes a later time.
    this.write().catch(() => undefined)
  }

  /** The last use that is not written yet. */
  find(sessionId: string): Date | undefined {
    const at = this.#used.get(sessionId)
    return at === undefined ? undefined : new Date(at)
  }

  /** Writes what was gathered. */
  write(): Promise<void> {
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined))
    return this.#writing
  }

  async #write(): Promise<void> {
    const gathered = [...this.#used]
    for (let from = 0; from < gathered.length; from += AT_ONCE) {
      const some = gathered.slice(from, from + AT_ONCE)
      await this.#state.write(async (tx) => {
        for (const [id, at] of some) {
          const LastUsedAt = new Date(at).toISOString()
          await txDatabase(tx)
            .update(sessions)
            .set({ LastUsedAt })
            .where(and(eq(sessions.Id, id), lt(sessions.LastUsedAt, LastUsedAt)))
        }
      }, OF_NO_COMPANY)
      for (const [id, at] of some) if (this.#used.get(id) === at) this.#used.delete(id)
    }
  }
}
