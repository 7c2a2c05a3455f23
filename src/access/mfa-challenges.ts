/** Sign-ins whose password was right and whose second factor is awaited, in `state.db`. */
import { createHash } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import { newSecret } from '../kernel/ids.ts'
import { and, eq, inArray, isNull, lt, readDatabase, sql, txDatabase } from '../store/drizzle.ts'
import type { Store, Tx } from '../store/store.ts'
import { mfaChallenges } from '../store/tables/sessions.ts'
import { markText } from './seal.ts'
import type { UserRow } from './users.ts'

const SWEPT_ROWS = 4
const SCOPE = { company: 'all' } as const

export type ChallengeRow = typeof mfaChallenges.$inferSelect

export interface ChallengeOptions {
  state: Store
  clock: Clock
  /** Milliseconds that a challenge waits for its code. */
  lifetime: number
  /** Wrong codes that end a challenge. */
  failuresMax: number
  sealKey: Uint8Array
}

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
      Hash: hashId(id),
      UserId: user.Id,
      CompanyId: companyId,
      PasswordMark: this.#markPassword(user),
      CreatedAt: now.toISOString(),
      ExpiresAt: new Date(now.getTime() + this.#options.lifetime).toISOString(),
    }
    await this.#options.state.write(async (tx) => {
      await txDatabase(tx).insert(mfaChallenges).values(row)
      await sweep(tx, now.toISOString())
    }, SCOPE)
    return id
  }

  /** The challenge with this id while it waits: neither ended nor expired. */
  async findWaiting(id: string): Promise<ChallengeRow | undefined> {
    const [row] = await readDatabase(this.#options.state)
      .select()
      .from(mfaChallenges)
      .where(eq(mfaChallenges.Hash, hashId(id)))
    return row?.EndedAt === null && row.ExpiresAt > this.#now() ? row : undefined
  }

  /** Whether the user may still sign in by the password that the challenge was opened with. */
  isOf(challenge: ChallengeRow, user: UserRow): boolean {
    return user.Active && challenge.PasswordMark === this.#markPassword(user)
  }

  /** Counts a wrong code; the last one allowed ends the challenge. */
  async fail(challenge: ChallengeRow): Promise<void> {
    const { failuresMax } = this.#options
    const failures = sql`${mfaChallenges.Failures} + 1`
    const ended = sql`CASE WHEN ${failures} >= ${failuresMax} THEN ${this.#now()} END`
    await this.#options.state.write(
      async (tx) =>
        void (await txDatabase(tx)
          .update(mfaChallenges)
          .set({ Failures: failures, EndedAt: ended })
          .where(and(eq(mfaChallenges.Hash, challenge.Hash), isNull(mfaChallenges.EndedAt)))),
      SCOPE,
    )
  }

  /** Ends a challenge; resolves to whether it still waited. */
  async end(challenge: ChallengeRow): Promise<boolean> {
    const ended = await this.#options.state.write(
      (tx) =>
        txDatabase(tx)
          .update(mfaChallenges)
          .set({ EndedAt: this.#now() })
          .where(and(eq(mfaChallenges.Hash, challenge.Hash), isNull(mfaChallenges.EndedAt)))
          .returning({ hash: mfaChallenges.Hash }),
      SCOPE,
    )
    return ended.length > 0
  }

  /** Ends all challenges of a user: too many codes were wrong. */
  async endAll(userId: number): Promise<void> {
    await this.#options.state.write(
      async (tx) =>
        void (await txDatabase(tx)
          .update(mfaChallenges)
          .set({ EndedAt: this.#now() })
          .where(and(eq(mfaChallenges.UserId, userId), isNull(mfaChallenges.EndedAt)))),
      SCOPE,
    )
  }

  #markPassword({ PasswordHash }: UserRow): string {
    return markText(this.#options.sealKey, PasswordHash ?? '', 'password of a challenge')
  }

  #now(): string {
    return this.#options.clock.now().toISOString()
  }
}

/** Only the SHA-256 is stored: who reads the file cannot go on with a challenge. */
const hashId = (id: string): string => createHash('sha256').update(id).digest('base64url')

/** Deletes some challenges that are over. Each write adds one, so that a few always keep up. */
async function sweep(tx: Tx, now: string): Promise<void> {
  const database = txDatabase(tx)
  const over = database
    .select({ Hash: mfaChallenges.Hash })
    .from(mfaChallenges)
    .where(lt(mfaChallenges.ExpiresAt, now))
    .limit(SWEPT_ROWS)
  await database.delete(mfaChallenges).where(inArray(mfaChallenges.Hash, over))
}
