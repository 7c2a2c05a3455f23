/** `Svc:Assistant:TokensPerDay`: tokens that a user may spend in a day, also over restarts. */
import type { Clock } from '../../../kernel/clock.ts'
import { say } from '../../../kernel/messages.ts'
import { DAY } from '../../../kernel/setting.ts'
import { getRow } from '../../../store/rows.ts'
import type { Store, Tx } from '../../../store/store.ts'
import { OF_NO_COMPANY } from '../../../access/sessions/state-rows.ts'
import { ModelFailure } from './model-failure.ts'
import { assistantTokens } from './state-db.ts'

/** Bytes of a token; few models have fewer, so that an estimate is rather too high. */
const BYTES_PER_TOKEN = 3

/** The tokens of a text, estimated by its bytes. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN)

/** A day is one of UTC: a zone that the caller may choose would give a new budget. */
const dayOf = (now: Date): string => now.toISOString().slice(0, 10)

/** Tokens that were charged before a request. */
interface Charge {
  day: string
  userId: number
  tokens: number
}

/** Counts tokens by user and day. */
export class TokenBudget {
  readonly #state: Store
  readonly #clock: Clock
  readonly #tokensPerDay: number

  constructor(state: Store, clock: Clock, tokensPerDay: number) {
    this.#state = state
    this.#clock = clock
    this.#tokensPerDay = tokensPerDay
  }

  /**
   * Charges the least cost of a request before it is sent: requests beside it, and those that a
   * crash interrupts, are counted too.
   * @throws ModelFailure where nothing is left of the day
   */
  async charge(userId: number, tokens: number): Promise<Charge> {
    const now = this.#clock.now()
    const day = dayOf(now)
    const isTaken = await this.#state.write(async (tx) => {
      const own = 'WHERE Day = @day AND UserId = @userId'
      const row = await getRow(tx, assistantTokens, own, { day, userId })
      if ((row?.Tokens ?? 0) + tokens > this.#tokensPerDay) return false
      await add(tx, { day, userId, tokens })
      await tx.run('DELETE FROM svc_assistant_tokens WHERE Day < @day', { day })
      return true
    }, OF_NO_COMPANY)
    if (isTaken) return { day, userId, tokens }
    const renewedAt = new Date(Date.parse(day) + DAY).toISOString()
    throw new ModelFailure(
      'ASSISTANT_BUDGET_REACHED',
      say`You have used up today's tokens. You get new ones at ${renewedAt}.`,
    )
  }

  /** Replaces the charge by the true cost of the request. */
  async settle({ day, userId, tokens: charged }: Charge, tokens: number): Promise<void> {
    if (tokens === charged) return
    await this.#state.write(
      (tx) => add(tx, { day, userId, tokens: tokens - charged }),
      OF_NO_COMPANY,
    )
  }
}

const ADD = `INSERT INTO svc_assistant_tokens (Day, UserId, Tokens)
  VALUES (@day, @userId, max(0, @tokens))
  ON CONFLICT (Day, UserId) DO UPDATE SET Tokens = max(0, Tokens + @tokens)`

async function add(tx: Tx, { day, userId, tokens }: Charge): Promise<void> {
  await tx.run(ADD, { day, userId, tokens })
}
