/** Last uses of sessions and API keys, gathered in memory: no request waits for its write. */
import type { Clock } from '../../kernel/clock.ts'
import { isOver } from '../../kernel/stored-times.ts'
import { allRows, updateRows, upsertRow } from '../../store/rows.ts'
import type { Store, Tx } from '../../store/store.ts'
import { OF_NO_COMPANY } from './state-rows.ts'
import { apiKeyUses, sessions } from '../state-db.ts'

/** Milliseconds that uses are gathered before the next use has them written. */
const GATHERED_MS = 60_000

/** Prefix of the id of an API key; no session id has it. */
const KEY_MARK = 'key:'

/** Sessions that are written in one turn of the writer. */
const AT_ONCE = 200

/** Notes uses of sessions and writes them now and then; a crash loses a minute of them. */
export class SessionUses {
  readonly #state: Store
  readonly #clock: Clock
  /** Milliseconds since 1970 by session, or by `KEY_MARK` and an API key. */
  readonly #used = new Map<string, number>()
  #writing: Promise<void> | undefined
  #writtenAt: number

  constructor({ state, clock }: { state: Store; clock: Clock }) {
    this.#state = state
    this.#clock = clock
    this.#writtenAt = clock.now().getTime()
  }

  /** Notes a request of this session. */
  note(sessionId: string): void {
    const now = this.#clock.now().getTime()
    this.#used.set(sessionId, now)
    if (!isOver(this.#writtenAt, GATHERED_MS, now)) return
    this.#writtenAt = now
    // A failure is not reported: the next minute writes a later time.
    this.write().catch(() => undefined)
  }

  /** Notes a request by this API key. */
  noteKey(id: number): void {
    this.note(`${KEY_MARK}${id}`)
  }

  /** Returns when API keys were last used; keys that never were are left out. */
  async findKeys(ids: number[]): Promise<ReadonlyMap<number, string>> {
    const keys = JSON.stringify(ids)
    const listed = 'WHERE KeyId IN (SELECT value FROM json_each(@keys))'
    const rows = await allRows(this.#state, apiKeyUses, listed, { keys })
    const used = new Map(rows.map(({ KeyId, LastUsedAt }) => [KeyId, LastUsedAt]))
    for (const id of ids) {
      const latest = this.find(`${KEY_MARK}${id}`)
      if (latest) used.set(id, latest.toISOString())
    }
    return used
  }

  /** The last use that is not written yet. */
  find(sessionId: string): Date | undefined {
    const at = this.#used.get(sessionId)
    return at === undefined ? undefined : new Date(at)
  }

  /** Writes the gathered uses. */
  write(): Promise<void> {
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined))
    return this.#writing
  }

  async #write(): Promise<void> {
    const gathered = [...this.#used]
    for (let from = 0; from < gathered.length; from += AT_ONCE) {
      const some = gathered.slice(from, from + AT_ONCE)
      await this.#state.write(
        async (tx) => {
          for (const [id, at] of some) await saveUse(tx, id, new Date(at).toISOString())
        },
        { ...OF_NO_COMPANY, isAside: true },
      )
      for (const [id, at] of some) if (this.#used.get(id) === at) this.#used.delete(id)
    }
  }
}

async function saveUse(tx: Tx, id: string, LastUsedAt: string): Promise<void> {
  if (id.startsWith(KEY_MARK)) {
    const KeyId = Number(id.slice(KEY_MARK.length))
    const replace = 'ON CONFLICT (KeyId) DO UPDATE SET LastUsedAt = excluded.LastUsedAt'
    return upsertRow(tx, apiKeyUses, { KeyId, LastUsedAt }, replace)
  }
  const use = { id, at: LastUsedAt, set: { LastUsedAt } }
  await updateRows(tx, sessions, 'WHERE Id = @id AND LastUsedAt < @at', use)
}
