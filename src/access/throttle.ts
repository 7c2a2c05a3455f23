/** Throttles: limits on failures of a user and an address; they outlive a restart. */
import type { Clock } from '../kernel/clock.ts'
import { tooMany } from '../kernel/failure.ts'
import { type Message, say } from '../kernel/messages.ts'
import { isOver } from '../kernel/stored-times.ts'
import { allRows, getRow, upsertRow } from '../store/rows.ts'
import type { Store, Tx } from '../store/store.ts'
import { deleteExpired, OF_NO_COMPANY } from './sessions/state-rows.ts'
import { throttles } from './state-db.ts'
import { toUserNameKey } from './users/user-names.ts'

/** Rows stay for the longest window that any limit may have (src/server/floor.ts). */
const KEPT_MS = 24 * 60 * 60_000

/** Most characters of an address; a longer text came through a proxy and is not an address. */
const ADDRESS_CHARACTERS_MAX = 64

/** Limits, each counted by itself: by failures, for resets by requests. */
export type LimitName = 'login' | 'refresh' | 'mfa' | 'mfaSetup' | 'reset'

const REFUSALS: Readonly<Record<LimitName, Message>> = {
  login: say`Too many failed sign-ins. Try again later.`,
  refresh: say`Too many refresh tokens were refused. Try again later.`,
  mfa: say`Too many wrong codes. Try again later.`,
  mfaSetup: say`You started setting up a second factor too often. Try again later.`,
  reset: say`Too many password resets were requested. Try again later.`,
}

interface ThrottleOptions {
  state: Store
  clock: Clock
  limit: LimitName
  /** Failures that a user may have in a window. */
  userFailures: number
  /** Failures that an address may have in a window. */
  addressFailures: number
  /** Milliseconds from a subject's first failure. */
  window: number
}

/** An attempt: the user and the address that it comes from. */
interface Attempt {
  /**
   * The name given, of an existing user or not, as `toUserNameKey` writes it, or another word for
   * the user that is always the same. Undefined where the user cannot be told: only the address is
   * counted.
   */
  user?: string | undefined
  /** Undefined for an attempt that must not hold up other users at its address. */
  address?: string | undefined
}

type ThrottleRow = typeof throttles.$inferSelect

interface Subject {
  name: string
  max: number
}

const LISTED = 'WHERE Subject IN (SELECT value FROM json_each(@names))'

/** Counts one limit's failures by user and by address, and refuses further tries at the limits. */
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
   * Runs one check of a secret under the limits: refused before it begins when they are reached,
   * counted when it is false. A true one clears the user's failures, never the address's.
   */
  async guard(attempt: Attempt, check: () => Promise<boolean>): Promise<boolean> {
    const subjects = this.#subjectsOf(attempt)
    const rows = await this.#load(subjects)
    // No step may come between the check of the limits and the count of one more run.
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

  /** Counts a try that is one of those allowed whatever comes of it; 429 beyond the limits. */
  async spend(attempt: Attempt): Promise<void> {
    await this.guard(attempt, () => Promise.resolve(false))
  }

  /** Counts a failure that came to light after `require`. */
  async fail(attempt: Attempt): Promise<void> {
    await this.#fail(this.#subjectsOf(attempt))
  }

  /** Returns true when failures alone, whatever runs now, have reached a limit. */
  async isReached(attempt: Attempt): Promise<boolean> {
    const subjects = this.#subjectsOf(attempt)
    const rows = await this.#load(subjects)
    return subjects.some(({ name, max }) => this.#failuresOf(rows, name).failures >= max)
  }

  #load(subjects: readonly Subject[]): Promise<ThrottleRow[]> {
    const names = JSON.stringify(subjects.map(({ name }) => name))
    return allRows(this.#options.state, throttles, LISTED, { names })
  }

  #check(subjects: readonly Subject[], rows: readonly ThrottleRow[]): void {
    const now = this.#options.clock.now().getTime()
    for (const { name, max } of subjects) {
      const { failures, ends } = this.#failuresOf(rows, name)
      if (failures + (this.#running.get(name) ?? 0) < max) continue
      const seconds = Math.max(1, Math.ceil((ends - now) / 1000))
      throw tooMany(REFUSALS[this.#options.limit], seconds)
    }
  }

  /** Returns the failures that count now, and when their window ends (milliseconds since 1970). */
  #failuresOf(rows: readonly ThrottleRow[], name: string): { failures: number; ends: number } {
    const row = rows.find(({ Subject }) => Subject === name)
    if (!row) return { failures: 0, ends: 0 }
    const { window, clock } = this.#options
    const start = Date.parse(row.WindowStart)
    const failures = isOver(start, window, clock.now().getTime()) ? 0 : row.Failures
    return { failures, ends: start + window }
  }

  #subjectsOf({ user, address }: Attempt): Subject[] {
    const { limit, userFailures, addressFailures } = this.#options
    const subjects: Subject[] = []
    if (user !== undefined) subjects.push({ name: this.#userSubject(user), max: userFailures })
    if (address !== undefined)
      subjects.push({ name: `${limit}:address:${toNetwork(address)}`, max: addressFailures })
    return subjects
  }

  #userSubject(user: string): string {
    return `${this.#options.limit}:user:${user}`
  }

  #count(name: string, by: number): void {
    const count = (this.#running.get(name) ?? 0) + by
    if (count > 0) this.#running.set(name, count)
    else this.#running.delete(name)
  }

  async #fail(subjects: readonly Subject[]): Promise<void> {
    const { clock, window } = this.#options
    const now = clock.now()
    await this.#write(async (tx) => {
      for (const { name } of subjects) await countFailure(tx, name, { now, window })
      await deleteExpired(tx, 'svc_throttles', this.#before(KEPT_MS))
    })
  }

  async #clear({ user }: Attempt): Promise<void> {
    if (user === undefined) return
    const subject = this.#userSubject(user)
    const row = await getRow(this.#options.state, throttles, 'WHERE Subject = @subject', {
      subject,
    })
    if (!row) return
    await this.#write((tx) =>
      tx.run('DELETE FROM svc_throttles WHERE Subject = @subject', { subject }),
    )
  }

  #before(ms: number): string {
    return new Date(this.#options.clock.now().getTime() - ms).toISOString()
  }

  async #write(work: (tx: Tx) => Promise<unknown>): Promise<void> {
    await this.#options.state.write(async (tx) => void (await work(tx)), {
      ...OF_NO_COMPANY,
      isAside: true,
    })
  }
}

/**
 * Returns the text that an address is counted by: an IPv4 address itself, mapped into IPv6 or not,
 * and of an IPv6 address its first 64 bits, which one household or machine is given (RFC 6177).
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

const REPLACE = `ON CONFLICT (Subject)
  DO UPDATE SET WindowStart = excluded.WindowStart, Failures = excluded.Failures`

async function countFailure(
  tx: Tx,
  subject: string,
  { now, window }: { now: Date; window: number },
): Promise<void> {
  const row = await getRow(tx, throttles, 'WHERE Subject = @subject', { subject })
  const isRunning = row && !isOver(Date.parse(row.WindowStart), window, now.getTime())
  const next = isRunning
    ? { WindowStart: row.WindowStart, Failures: row.Failures + 1 }
    : { WindowStart: now.toISOString(), Failures: 1 }
  await upsertRow(tx, throttles, { Subject: subject, ...next }, REPLACE)
}

/**
 * Forgets a user's failures at every limit, so that they may try again at once. The counts of an
 * address stay: other users may share it.
 */
export async function forgetFailures(
  state: Store,
  user: { Id: number; UserName: string; Email: string | null },
): Promise<void> {
  const words = [user.UserName, user.Email].filter((word) => word !== null).map(toUserNameKey)
  const names: Record<LimitName, readonly string[]> = {
    login: words,
    reset: words,
    refresh: [],
    mfa: [String(user.Id)],
    mfaSetup: [String(user.Id)],
  }
  const subjects = Object.entries(names).flatMap(([limit, of]) =>
    of.map((name) => `${limit}:user:${name}`),
  )
  const args = { names: JSON.stringify(subjects) }
  await state.write((tx) => tx.run(`DELETE FROM svc_throttles ${LISTED}`, args), OF_NO_COMPANY)
}
