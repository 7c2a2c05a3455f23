/**
 * Idempotency-Key: the first answer to a key is remembered in the transaction of its mutation, and
 * a repeat gets that answer to the byte (src/server/README.md, Idempotency).
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../kernel/clock.ts'
import { conflict, denied, invalid } from '../kernel/failure.ts'
import { writeJsonInTurns } from '../kernel/json-writing.ts'
import { say } from '../kernel/messages.ts'
import { isOver } from '../kernel/stored-times.ts'
import { getRow, upsertRow } from '../store/rows.ts'
import { type Store, systemScope, type Tx } from '../store/store.ts'
import type { Caller } from '../access/callers/caller.ts'
import type { NeededRight } from '../engine/object/write/mutation-rights.ts'
import { idempotency } from './engine-db.ts'

/** Visible ASCII, as clients draw them: UUIDs, hashes, order numbers. */
const KEY = /^[\x21-\x7e]{1,255}$/

/** Expired keys that each new one deletes at most: the purge never holds the writer. */
export const PURGED_ROWS = 8

/** Statuses of a mutation that failed for a reason of its own; the others never began. */
const REMEMBERED_FAILURES: ReadonlySet<number> = new Set([400, 404, 409])

interface IdempotencyOptions {
  store: Store
  clock: Clock
  /** Milliseconds that an answer is remembered (`Svc:Idempotency:Ttl`). */
  lifetime: number
  /** True when the same key with another route or body is a 400 (`RejectMismatch`). */
  rejectsMismatch: boolean
}

/** The hash of a parsed body, by which a repeat is known; undefined is the body of a stream. */
export const hashBody = (body: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(body ?? null))
    .digest('base64url')

/** The same for a large body, while others have turns. */
export async function hashBodyInTurns(body: unknown): Promise<string> {
  const hash = createHash('sha256')
  await writeJsonInTurns(body ?? null, (piece) => hash.update(piece))
  return hash.digest('base64url')
}

type AttemptOptions = IdempotencyOptions & { refusals: RefusalRoom }

/** Refusals of one user that are remembered, in characters, and what one takes at least. */
const REFUSALS_CHARACTERS_MAX = 1024 * 1024
const REFUSAL_CHARACTERS = 1024

/** Limit on the remembered refusals of a user, so that mistakes cannot fill the table. */
class RefusalRoom {
  readonly #now: () => number
  readonly #lifetime: number
  /** Used characters by user, with the start of their period. */
  readonly #spent = new Map<string, { since: number; characters: number }>()

  constructor(now: () => number, lifetime: number) {
    this.#now = now
    this.#lifetime = lifetime
  }

  /** Spends room for one more refusal; false without room: its key may run again then. */
  spend(user: string, characters: number): boolean {
    const now = this.#now()
    let spent = this.#spent.get(user)
    if (!spent || isOver(spent.since, this.#lifetime, now))
      this.#spent.set(user, (spent = { since: now, characters: 0 }))
    spent.characters += Math.max(characters, REFUSAL_CHARACTERS)
    return spent.characters <= REFUSALS_CHARACTERS_MAX
  }
}

/** One request as its key sees it. */
interface KeyedRequest {
  caller: Pick<Caller, 'userId' | 'companyId' | 'apiKey'>
  key: string
  /** Method and path. */
  route: string
  /** See `hashBody`. */
  requestHash: string
  /** Gates of the mutation. */
  gates: readonly NeededRight[]
  /** Returns true when the caller would pass a gate now. */
  passes: (gate: NeededRight) => boolean
}

/** An answer that was given before: thrown past everything that would run the mutation again. */
export class Replay {
  readonly status: number
  readonly body: string

  constructor(status: number, body: string) {
    this.status = status
    this.body = body
  }
}

const OF_KEY = 'WHERE UserId = @userId AND CompanyId = @companyId AND Key = @key'

/** The keys of this server. Memory knows those in flight: no crash leaves a key behind. */
export class IdempotencyKeys {
  readonly #options: AttemptOptions
  readonly #inFlight = new Set<string>()

  constructor(options: IdempotencyOptions) {
    const { clock, lifetime } = options
    this.#options = { ...options, refusals: new RefusalRoom(() => clock.now().getTime(), lifetime) }
  }

  /**
   * Begins the attempt that a request makes under its key. Throws the `Replay` of an answer that is
   * remembered, 401 where its gates are not the caller's any more, 409 while another attempt under
   * the key is in flight, 400 for a malformed key.
   */
  async begin(request: KeyedRequest): Promise<Attempt> {
    const { caller } = request
    if (!KEY.test(request.key))
      throw invalid(say`Idempotency-Key must be 1 to 255 visible ASCII characters`)
    // An API key may see less than its user: it gets no answer of theirs. No key has a blank.
    const key = caller.apiKey ? `${caller.apiKey.id} ${request.key}` : request.key
    const name = `${caller.userId}:${caller.companyId}:${key}`
    if (this.#inFlight.has(name))
      throw conflict(say`A request with this Idempotency-Key is still running`, {
        code: 'IDEMPOTENCY_IN_FLIGHT',
        headers: { 'Retry-After': '1' },
      })
    this.#inFlight.add(name)
    const attempt = new Attempt(this.#options, { ...request, key }, () =>
      this.#inFlight.delete(name),
    )
    try {
      await this.#requireUnused(attempt)
      return attempt
    } catch (error) {
      attempt.end()
      throw error
    }
  }

  async #requireUnused(attempt: Attempt): Promise<void> {
    const { store, clock, rejectsMismatch } = this.#options
    const { caller, key, route } = attempt.request
    const { userId, companyId } = caller
    const row = await getRow(store, idempotency, OF_KEY, { userId, companyId, key })
    if (!row || row.ExpiresAt <= clock.now().toISOString()) return
    const gates = row.Gates === null ? [] : (JSON.parse(row.Gates) as NeededRight[])
    if (!gates.every(attempt.request.passes)) throw denied()
    const isOther = row.Route !== route || row.RequestHash !== attempt.request.requestHash
    if (rejectsMismatch && isOther)
      throw invalid(say`This Idempotency-Key was already used for a different request`, {
        code: 'IDEMPOTENCY_MISMATCH',
      })
    throw new Replay(row.Status, row.Body)
  }
}

/** One request that runs under a key. */
export class Attempt {
  readonly request: KeyedRequest
  readonly end: () => void
  readonly #options: AttemptOptions
  #hasBegun = false

  constructor(options: AttemptOptions, request: KeyedRequest, end: () => void) {
    this.#options = options
    this.request = request
    this.end = end
  }

  /** From here on a 400, 404 or 409 is the mutation's own answer, and is remembered. */
  begin(): void {
    this.#hasBegun = true
  }

  /** Remembers a success in the mutation's transaction. */
  record(tx: Tx, status: number, body: string): Promise<void> {
    return this.#save(tx, status, body)
  }

  /**
   * Remembers the mutation's refusal, if its user has room for it; the mutation itself is rolled
   * back already.
   */
  async saveRefusal(response: Response): Promise<void> {
    const { status } = response
    if (!this.#hasBegun || !REMEMBERED_FAILURES.has(status)) return
    const body = await response.clone().text()
    if (!this.#options.refusals.spend(String(this.request.caller.userId), body.length)) return
    await this.#options.store.write(
      (tx) => this.#save(tx, status, body),
      systemScope('a refusal is remembered under its Idempotency-Key'),
    )
  }

  async #save(tx: Tx, status: number, body: string): Promise<void> {
    const { caller, key, route, requestHash, gates } = this.request
    const now = this.#options.clock.now()
    const row = {
      UserId: caller.userId,
      CompanyId: caller.companyId,
      Key: key,
      Route: route,
      RequestHash: requestHash,
      Status: status,
      Body: body,
      Gates: JSON.stringify(gates),
      CreatedAt: now.toISOString(),
      ExpiresAt: new Date(now.getTime() + this.#options.lifetime).toISOString(),
    }
    await upsertRow(tx, idempotency, row, REPLACE)
    await tx.run(PURGE_OUTLIVED, { now: row.CreatedAt })
  }
}

/** An answer whose time is over makes room for the next one under its key. */
const REPLACE = `ON CONFLICT (UserId, CompanyId, Key) DO UPDATE SET Route = excluded.Route,
  RequestHash = excluded.RequestHash, Status = excluded.Status, Body = excluded.Body,
  Gates = excluded.Gates, CreatedAt = excluded.CreatedAt, ExpiresAt = excluded.ExpiresAt`

/**
 * Deletes a few expired rows, the oldest first: each save adds one row, so that a few per save keep
 * up, and none of them waits for a million.
 */
export const PURGE_OUTLIVED = `DELETE FROM svc_idempotency WHERE rowid IN (
  SELECT rowid FROM svc_idempotency WHERE ExpiresAt <= @now ORDER BY ExpiresAt LIMIT ${PURGED_ROWS}
)`
