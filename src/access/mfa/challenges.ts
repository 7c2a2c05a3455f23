/** Sign-ins whose password was right and whose second factor is awaited, in `state.db`. */
import type { Clock } from '../../kernel/clock.ts'
import { newSecret } from '../../kernel/ids.ts'
import { getRow, insertRow, updateRows } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'
import { markText } from '../seal.ts'
import { deleteExpired, hashSecret, OF_NO_COMPANY } from '../sessions/state-rows.ts'
import { mfaChallenges } from '../state-db.ts'
import type { UserRow } from '../users/users.ts'

export type ChallengeRow = typeof mfaChallenges.$inferSelect

interface ChallengeOptions {
  state: Store
  clock: Clock
  /** Milliseconds that a challenge waits for its code. */
  lifetime: number
  /** Wrong codes that end a challenge. */
  failuresMax: number
  sealKey: Uint8Array
}

const FAIL = `UPDATE svc_mfa_challenges
  SET Failures = Failures + 1, EndedAt = CASE WHEN Failures + 1 >= @max THEN @now END
  WHERE Hash = @hash AND EndedAt IS NULL`

/** Opens challenges, counts what fails at them and ends them. */
export class MfaChallenges {
  readonly #options: ChallengeOptions

  constructor(options: ChallengeOptions) {
    this.#options = options
  }

  /** Opens a challenge and resolves to its id, which is known only now. */
  async open(user: UserRow, companyId: number): Promise<string> {
    const id = newSecret()
    const now = this.#options.clock.now()
    const row = {
      Hash: hashSecret(id),
      UserId: user.Id,
      CompanyId: companyId,
      PasswordMark: this.#markPassword(user),
      CreatedAt: now.toISOString(),
      ExpiresAt: new Date(now.getTime() + this.#options.lifetime).toISOString(),
    }
    await this.#options.state.write(async (tx) => {
      await insertRow(tx, mfaChallenges, row)
      await deleteExpired(tx, 'svc_mfa_challenges', row.CreatedAt)
    }, OF_NO_COMPANY)
    return id
  }

  /** The challenge with this id while it waits: neither ended nor expired. */
  async findWaiting(id: string): Promise<ChallengeRow | undefined> {
    const hash = hashSecret(id)
    const row = await getRow(this.#options.state, mfaChallenges, 'WHERE Hash = @hash', { hash })
    return row?.EndedAt === null && row.ExpiresAt > this.#now() ? row : undefined
  }

  /** Returns true while the user may still sign in by the password that opened the challenge. */
  isOf(challenge: ChallengeRow, user: UserRow): boolean {
    return user.Active && challenge.PasswordMark === this.#markPassword(user)
  }

  /** Counts a wrong code; the last one allowed ends the challenge. */
  async fail(challenge: ChallengeRow): Promise<void> {
    const { failuresMax, state } = this.#options
    const args = { hash: challenge.Hash, max: failuresMax, now: this.#now() }
    await state.write((tx) => tx.run(FAIL, args), OF_NO_COMPANY)
  }

  /** Ends a challenge; resolves to whether it still waited. */
  async end(challenge: ChallengeRow): Promise<boolean> {
    const waiting = 'WHERE Hash = @hash AND EndedAt IS NULL'
    const end = { hash: challenge.Hash, set: { EndedAt: this.#now() } }
    const ended = await this.#options.state.write(
      (tx) => updateRows(tx, mfaChallenges, waiting, end),
      OF_NO_COMPANY,
    )
    return ended > 0
  }

  /** Ends all challenges of a user: too many codes were wrong, or the user is locked. */
  endAll(userId: number): Promise<void> {
    return endChallenges(this.#options.state, userId, this.#options.clock.now())
  }

  #markPassword({ PasswordHash }: UserRow): string {
    return markText(this.#options.sealKey, PasswordHash ?? '', 'password of a challenge')
  }

  #now(): string {
    return this.#options.clock.now().toISOString()
  }
}

/** See `MfaChallenges.endAll`, which this is where no server runs. */
export async function endChallenges(state: Store, userId: number, now: Date): Promise<void> {
  const end = { userId, set: { EndedAt: now.toISOString() } }
  await state.write(
    (tx) => updateRows(tx, mfaChallenges, 'WHERE UserId = @userId AND EndedAt IS NULL', end),
    OF_NO_COMPANY,
  )
}
