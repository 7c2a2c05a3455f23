/** Links that set a new password; the store has only the SHA-256 of their secret. */
import type { Clock } from '../../kernel/clock.ts'
import { newSecret } from '../../kernel/ids.ts'
import { allRows, getRow, insertRow } from '../../store/rows.ts'
import type { Store, Tx } from '../../store/store.ts'
import { deleteExpired, hashSecret, OF_NO_COMPANY } from '../sessions/state-rows.ts'
import { passwordResets } from '../state-db.ts'

/** Milliseconds in which a link may be used, once. */
export const RESET_LIFETIME_MS = 30 * 60_000

/** User id of a link for an unknown name: it is made like the others but never sent. */
export const NOBODY = 0

type ResetRow = typeof passwordResets.$inferSelect

const USE = `UPDATE svc_password_resets SET UsedAt = @now
  WHERE Hash = @hash AND UsedAt IS NULL RETURNING ExpiresAt`

/** Makes, finds and uses up links. It holds no state itself: `state.db` has all of it. */
export class PasswordResets {
  readonly #state: Store
  readonly #clock: Clock

  constructor({ state, clock }: { state: Store; clock: Clock }) {
    this.#state = state
    this.#clock = clock
  }

  /** The token of a new link, which is known only now. */
  async open(userId: number): Promise<string> {
    const token = newSecret()
    const now = this.#clock.now().getTime()
    const row = {
      Hash: hashSecret(token),
      UserId: userId,
      CreatedAt: new Date(now).toISOString(),
      ExpiresAt: new Date(now + RESET_LIFETIME_MS).toISOString(),
    }
    await this.#write(async (tx) => {
      await insertRow(tx, passwordResets, row)
      await deleteExpired(tx, 'svc_password_resets', row.CreatedAt)
    })
    return token
  }

  /** Counts the links of a user that could be used now. */
  async count(userId: number): Promise<number> {
    const now = this.#now()
    const open = 'WHERE UserId = @userId AND UsedAt IS NULL AND ExpiresAt > @now'
    return (await allRows(this.#state, passwordResets, open, { userId, now })).length
  }

  /** Whose link it is, and since when; undefined when it is unknown, used or expired. */
  async find(token: string): Promise<{ userId: number; createdAt: string } | undefined> {
    const hash = hashSecret(token)
    const row = await getRow(this.#state, passwordResets, 'WHERE Hash = @hash', { hash })
    const isOpen = row !== undefined && row.UsedAt === null && row.ExpiresAt > this.#now()
    if (!isOpen || row.UserId === NOBODY) return undefined
    return { userId: row.UserId, createdAt: row.CreatedAt }
  }

  /** Uses a link up; of several at the same time one resolves to true. */
  async use(token: string): Promise<boolean> {
    const now = this.#now()
    const used = await this.#write((tx) =>
      tx.get<Pick<ResetRow, 'ExpiresAt'>>(USE, { hash: hashSecret(token), now }),
    )
    return used !== undefined && used.ExpiresAt > now
  }

  /** Ends all links of a user: the password that they were asked for is another one now. */
  async endAll(userId: number): Promise<void> {
    await this.#write((tx) =>
      tx.run('DELETE FROM svc_password_resets WHERE UserId = @userId', { userId }),
    )
  }

  #now(): string {
    return this.#clock.now().toISOString()
  }

  #write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#state.write(work, OF_NO_COMPANY)
  }
}
