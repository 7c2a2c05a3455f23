/** How many failed sign-ins a user and an address may have; it outlives a restart. */
import type { Clock } from '../kernel/clock.ts'
import { tooMany } from '../kernel/failure.ts'
import { say } from '../kernel/messages.ts'
import { eq, inArray, lt, readDatabase, txDatabase } from '../store/drizzle.ts'
import type { Store, Tx } from '../store/store.ts'
import { throttles } from '../store/tables/sessions.ts'

const SWEPT_ROWS = 4

/** What is longer came through a proxy and is no address. */
const ADDRESS_CHARACTERS_MAX = 64

export interface ThrottleOptions {
  state: Store
  clock: Clock
  /** Failures that a user may have in a window. */
  userFailures: number
  /** Failures that an address may have in a window. */
  addressFailures: number
  /** Milliseconds from a subject's first failure. */
  window: number
}

/** Who tries: the name they gave, whether there is such a user or not, and from where. */
export interface Attempt {
  userNameKey: string
  address: string
}

type ThrottleRow = typeof throttles.$inferSelect

interface Subject {
  name: string
  max: number
}

/** Counts failed sign-ins by user and by address, and refuses further ones at the limits. */
export class Throttle {
  readonly #options: ThrottleOptions
  /**
   * Checks that run now: each may become a failure, so that parallel guesses cannot pass the
   * limit.
   */
  readonly #running = new Map<string, number>()

  constructor(options: ThrottleOptions) {
    this.#options = options
  }

  /** Throws the 429 with `Retry-After` when either the user or the address has failed too often. */
  async require(attempt: Attempt): Promise<void> {
    const subjects = this.#subjectsOf(attempt)
    this.#check(subjects, await this.#load(subjects))
  }

  /**
   * Runs one check of a password under the limits: refused before it begins when they are reached,
   * counted when it is false. A true one clears the user's failures, never the address's.
   */
  async guard(attempt: Attempt, check: () => Promise<boolean>): Promise<boolean> {
    const subjects = this.#subjectsOf(attempt)
    const rows = await this.#load(subjects)
    // Nothing may come between the look at the limits and the note that one more runs.
    this.#check(subjects, rows)
    for (const { name } of subjects) this.#count(name, 1)
    try {
      const isRight = await check()
      if (isRight) await this.#clear(attempt)
      else await this.#fail(subjects)
      return isRight
    } finally {
      for (const { name } of subjects) this.#count(name, -1)
    }
  }

  #load(subjects: readonly Subject[]): Promise<ThrottleRow[]> {
    const names = subjects.map(({ name }) => name)
    return readDatabase(this.#options.state)
      .select()
      .from(throttles)
      .where(inArray(throttles.Subject, names))
  }

  #check(subjects: readonly Subject[], rows: readonly ThrottleRow[]): void {
    const now = this.#options.clock.now().getTime()
    for (const { name, max } of subjects) {
      const row = rows.find(({ Subject }) => Subject === name)
      const ends = row ? Date.parse(row.WindowStart) + this.#options.window : 0
      const failures = row && ends > now ? row.Failures : 0
      if (failures + (this.#running.get(name) ?? 0) < max) continue
      const seconds = Math.max(1, Math.ceil((ends - now) / 1000))
      throw tooMany(say`Too many failed sign-ins; try again later`, seconds)
    }
  }

  #subjectsOf(attempt: Attempt): Subject[] {
    return [
      { name: `user:${attempt.userNameKey}`, max: this.#options.userFailures },
      { name: `address:${toNetwork(attempt.address)}`, max: this.#options.addressFailures },
    ]
  }

  #count(name: string, by: number): void {
    const count = (this.#running.get(name) ?? 0) + by
    if (count > 0) this.#running.set(name, count)
    else this.#running.delete(name)
  }

  async #fail(subjects: readonly Subject[]): Promise<void> {
    const now = this.#options.clock.now().toISOString()
    const over = this.#windowsFrom()
    await this.#write(async (tx) => {
      for (const { name } of subjects) await countFailure(tx, name, { now, over })
      await sweep(tx, over)
    })
  }

  async #clear(attempt: Attempt): Promise<void> {
    const subject = `user:${attempt.userNameKey}`
    const [row] = await readDatabase(this.#options.state)
      .select()
      .from(throttles)
      .where(eq(throttles.Subject, subject))
    if (!row) return
    await this.#write((tx) =>
      txDatabase(tx).delete(throttles).where(eq(throttles.Subject, subject)),
    )
  }

  /** Windows that began at or before this instant are over. */
  #windowsFrom(): string {
    return new Date(this.#options.clock.now().getTime() - this.#options.window).toISOString()
  }

  async #write(work: (tx: Tx) => Promise<unknown>): Promise<void> {
    await this.#options.state.write(async (tx) => void (await work(tx)), { company: 'all' })
  }
}

/**
 * What an address is counted by: an IPv4 address itself, mapped into IPv6 or not, and of an IPv6
 * address its first 64 bits, which is what one household or machine is given (RFC 6177).
 */
export function toNetwork(address: string): string {
  const plain = address
    .slice(0, ADDRESS_CHARACTERS_MAX)
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=[\d.]+$)/i, '')
    .toLowerCase()
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  const gap = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  const groups = [...first, ...Array<string>(gap).fill('0'), ...last].slice(0, 4)
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}

async function countFailure(
  tx: Tx,
  subject: string,
  times: { now: string; over: string },
): Promise<void> {
  const database = txDatabase(tx)
  const [row] = await database.select().from(throttles).where(eq(throttles.Subject, subject))
  const isRunning = row !== undefined && row.WindowStart > times.over
  const next = isRunning
    ? { WindowStart: row.WindowStart, Failures: row.Failures + 1 }
    : { WindowStart: times.now, Failures: 1 }
  await database
    .insert(throttles)
    .values({ Subject: subject, ...next })
    .onConflictDoUpdate({ target: throttles.Subject, set: next })
}

/** Deletes some windows that are over; a failure adds at most two. */
async function sweep(tx: Tx, over: string): Promise<void> {
  const database = txDatabase(tx)
  const past = database
    .select({ Subject: throttles.Subject })
    .from(throttles)
    .where(lt(throttles.WindowStart, over))
    .limit(SWEPT_ROWS)
  await database.delete(throttles).where(inArray(throttles.Subject, past))
}
