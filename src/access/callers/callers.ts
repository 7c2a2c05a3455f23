/**
 * From a bearer token to the caller behind it: verified once, then remembered until something
 * ends.
 */
import type { Clock } from '../../kernel/clock.ts'
import { unauthenticated } from '../../kernel/failure.ts'
import { say } from '../../kernel/messages.ts'
import type { Store, Tx } from '../../store/store.ts'
import { type ApiKeyRow, isApiKey, narrowFacts, requireKey, requireKeyOf } from '../api-keys.ts'
import { type CallerFacts, loadCallerFacts } from './caller-facts.ts'
import { CallerValidity, keepValidity } from './caller-validity.ts'
import { type Caller, SYSTEM_ROLE } from './caller.ts'
import { WatchedCallers } from './watched-callers.ts'
import { requireActing } from '../impersonation.ts'
import type { SessionRow } from '../sessions/session-rows.ts'
import type { SessionUses } from '../sessions/session-uses.ts'
import { findLiveSession } from '../sessions/sessions.ts'
import { type PublicKeys, type TokenPolicy, verifyToken } from '../sessions/token.ts'

/** Tokens, and pairs of user and company, that are remembered; the longest unused go first. */
const REMEMBERED_MAX = 10_000

interface CallersOptions {
  store: Store
  state: Store
  keys: PublicKeys
  policy: TokenPolicy
  clock: Clock
  uses: SessionUses
  /** Names of roles that always need a second factor. */
  mfaRoles: readonly string[]
}

/** The user who acts as another, and until when at the latest. */
interface Impersonator {
  readonly userId: number
  readonly userName: string
  readonly until: Date
}

/** Whose work is done without a session, in which company, and who acted as them. */
interface SessionlessOwner {
  userId: number
  companyId: number
  impersonatorId?: number | undefined
  /** The API key by which they asked for it. */
  apiKeyId?: number | undefined
}

/** Whose session it is, and in which company. */
type SessionOf = Pick<Caller, 'sessionId' | 'userId' | 'companyId'>

interface Admitted {
  caller: Caller
  validity: CallerValidity
  /** The session from which another user acts as the caller. */
  actingFrom: string | null
  /** Milliseconds since 1970 at which the right to act as the caller ends. */
  until: number
}

interface Remembered extends Admitted {
  /** Milliseconds since 1970. */
  expiresAt: number
}

/**
 * Callers by token. A verified token is kept under its SHA-256 and costs no SQL until it expires or
 * a report says that the session ended or the user changed: then the next request knows.
 */
export class Callers {
  /** Times of the last uses of sessions. */
  readonly uses: SessionUses
  /** Callers whose connections stay open. */
  readonly watched: WatchedCallers
  readonly #options: CallersOptions
  readonly #mfaRoles: ReadonlySet<string>
  readonly #byToken = new Map<string, Remembered>()
  readonly #facts = new Map<string, CallerFacts>()
  /** Count of forgettings: facts that were loaded before one are not remembered after it. */
  #turn = 0

  constructor(options: CallersOptions) {
    this.#options = options
    this.uses = options.uses
    this.watched = new WatchedCallers(() => this.#now())
    this.#mfaRoles = new Set(options.mfaRoles.map((role) => role.toLowerCase()))
  }

  /** Claims that every token of this installation carries. */
  get policy(): TokenPolicy {
    return this.#options.policy
  }

  /** The caller of a token that was verified before and still holds. */
  findVerified(token: string): Caller | undefined {
    const digest = digestOf(token)
    const found = this.#byToken.get(digest)
    if (!found) return undefined
    this.#byToken.delete(digest)
    if (found.expiresAt <= this.#now()) {
      found.validity.markUnchecked()
      return undefined
    }
    this.#byToken.set(digest, found)
    this.#noteUse(found.caller)
    return found.caller
  }

  /**
   * The caller of a token. Throws the 401 of a token that is false, expired or of an ended
   * session.
   */
  async verify(token: string): Promise<Caller> {
    const found = this.findVerified(token)
    if (found) return found
    const { keys, policy, clock } = this.#options
    const verified = isApiKey(token)
      ? undefined
      : await verifyToken(token, keys, policy, clock.now())
    const turn = this.#turn
    const admitted = verified ? await this.#admit(verified) : await this.#admitKey(token)
    this.#noteUse(admitted.caller)
    const expiresAt = Math.min(verified?.expiresAt ?? Infinity, admitted.until)
    // A caller who is not remembered gets no report of endings: they are read again each time.
    if (turn !== this.#turn) admitted.validity.markUnchecked()
    else {
      const digest = digestOf(token)
      this.#byToken.get(digest)?.validity.markUnchecked()
      remember(this.#byToken, digest, { ...admitted, expiresAt })?.validity.markUnchecked()
    }
    return admitted.caller
  }

  /**
   * Returns the user who acts as the user of a session, as `facts` has them; undefined when the
   * session is the user's own. Throws the 401 when acting is not allowed any more.
   */
  async findImpersonator(
    session: SessionRow,
    facts: CallerFacts,
  ): Promise<Impersonator | undefined> {
    if (session.ImpersonatorId === null) return undefined
    const { state, clock } = this.#options
    const from = await findLiveSession(state, session.ImpersonatorSessionId ?? '', clock.now())
    if (from?.UserId !== session.ImpersonatorId || from.ImpersonatorId !== null) throw ended()
    const impersonator = await this.load(from.UserId, from.CompanyId)
    requireActing(impersonator, facts)
    const { userId, userName } = impersonator
    return { userId, userName, until: new Date(earlier(session.ExpiresAt, from.ExpiresAt)) }
  }

  /**
   * Loads the present facts of a user in a company. Throws the 401 when the user is locked, the
   * company is closed or the user does not belong to it.
   */
  async load(userId: number, companyId: number): Promise<CallerFacts> {
    const key = `${userId}:${companyId}`
    const known = this.#facts.get(key)
    if (known) return known
    const turn = this.#turn
    const facts = await loadCallerFacts(this.#options.store, userId, companyId)
    if (!facts) throw ended()
    if (turn === this.#turn) remember(this.#facts, key, facts)
    return facts
  }

  /**
   * Loads a user in a company without a session, with the rights of now: for work that they caused
   * and that is done later. Throws the 401 when the user is locked or has left, or when the user
   * who acted as them may do so no longer.
   */
  async loadWithoutSession(owner: SessionlessOwner): Promise<Caller> {
    const { userId, companyId, impersonatorId, apiKeyId } = owner
    const { store, clock } = this.#options
    const key = apiKeyId === undefined ? undefined : await requireKey(store, apiKeyId, clock.now())
    const facts = await this.load(userId, companyId)
    const acting =
      impersonatorId === undefined ? undefined : await this.load(impersonatorId, companyId)
    if (acting) requireActing(acting, facts)
    const impersonator = acting && { userId: acting.userId, userName: acting.userName }
    const mustSetUpMfa = acting === undefined && this.#lacksFactor(facts)
    const caller = key
      ? toKeyCaller(facts, key)
      : { ...toCaller(facts, '', impersonator), mustSetUpMfa }
    const validity = new CallerValidity({
      until: Infinity,
      now: () => this.#now(),
      renew: () => this.loadWithoutSession(owner),
    })
    // No report of endings reaches this validity: it is checked each time.
    validity.markUnchecked()
    keepValidity(caller, validity)
    return caller
  }

  /**
   * Returns true when a role of the user asks for a second factor that they do not have. False
   * while another acts as them: it would not be theirs, and their own sign-in was asked.
   */
  mustSetUpMfa(facts: CallerFacts, impersonator: Impersonator | undefined): boolean {
    return impersonator === undefined && this.#lacksFactor(facts)
  }

  #lacksFactor({ mfaEnabled, roles }: CallerFacts): boolean {
    return !mfaEnabled && roles.some((role) => this.#mfaRoles.has(role.toLowerCase()))
  }

  /** After a change to a user: roles, companies, attributes, lock, password, names. */
  forgetUser(userId: number): void {
    this.#turn += 1
    for (const [key, facts] of this.#facts) if (facts.userId === userId) this.#facts.delete(key)
    this.#forgetTokens(({ caller }) => caller.userId === userId || caller.impersonatorId === userId)
    this.watched.markUnchecked(
      (caller) => caller.userId === userId || caller.impersonatorId === userId,
    )
  }

  /** Forgets an ended session, and the sessions begun from it, which end with it. */
  forgetSession(id: string): void {
    this.#turn += 1
    this.#forgetTokens(({ caller, actingFrom }) => caller.sessionId === id || actingFrom === id)
    // All impersonated callers are asked again, since they are few.
    this.watched.markUnchecked(
      (caller) => caller.sessionId === id || caller.impersonatorId !== undefined,
    )
  }

  /** `forgetAll`, for an API key alone, with the commit of the transaction that revokes it. */
  forgetKeyWith(tx: Tx, id: number): void {
    const isOfKey = ({ apiKey }: Caller) => apiKey?.id === id
    tx.endGroup()
    tx.afterCommit(() => {
      this.#turn += 1
      this.#forgetTokens(({ caller }) => isOfKey(caller))
      this.watched.markUnchecked(isOfKey)
    })
  }

  /**
   * `forgetUser` with the commit of a transaction that changes them, before any other begins.
   */
  forgetUserWith(tx: Tx, userId: number): void {
    tx.endGroup()
    tx.afterCommit(() => this.forgetUser(userId))
  }

  /** `forgetAll` with the commit of a transaction, before any other is decided on. */
  forgetAllWith(tx: Tx): void {
    tx.endGroup()
    tx.afterCommit(() => this.forgetAll())
  }

  /** After a change that touches many: a company, the roles of a model. */
  forgetAll(): void {
    this.#turn += 1
    this.#facts.clear()
    this.#forgetTokens(() => true)
    this.watched.markUnchecked(() => true)
  }

  /** The caller of a session as they are now. */
  async #admit(of: SessionOf): Promise<Admitted> {
    const session = await this.#requireSession(of)
    const facts = await this.load(of.userId, of.companyId)
    const impersonator = await this.findImpersonator(session, facts)
    const mustSetUpMfa = this.mustSetUpMfa(facts, impersonator)
    const caller = { ...toCaller(facts, of.sessionId, impersonator), mustSetUpMfa }
    const until = impersonator?.until.getTime() ?? Date.parse(session.ExpiresAt)
    const validity = new CallerValidity({
      until,
      now: () => this.#now(),
      renew: async () => {
        const again = await this.#admit(of)
        // No report of endings reaches it from here on.
        again.validity.markUnchecked()
        return again.caller
      },
    })
    keepValidity(caller, validity)
    return { caller, validity, actingFrom: session.ImpersonatorSessionId, until }
  }

  /** The caller of an API key as they are now. */
  async #admitKey(token: string): Promise<Admitted> {
    const { store, clock } = this.#options
    const { key, companyId } = await requireKeyOf(store, token, clock.now())
    const caller = toKeyCaller(await this.load(key.UserId, companyId), key)
    const until = Date.parse(key.ExpiresAt)
    const validity = new CallerValidity({
      until,
      now: () => this.#now(),
      renew: async () => (await this.#admitKeyAgain(token, companyId)).caller,
    })
    keepValidity(caller, validity)
    return { caller, validity, actingFrom: null, until }
  }

  /** A caller who is admitted stays in the company that they were in. */
  async #admitKeyAgain(token: string, companyId: number): Promise<Admitted> {
    const again = await this.#admitKey(token)
    if (again.caller.companyId !== companyId) throw ended()
    // No report of endings reaches it from here on.
    again.validity.markUnchecked()
    return again
  }

  #noteUse({ sessionId, apiKey }: Caller): void {
    if (apiKey) this.uses.noteKey(apiKey.id)
    else this.uses.note(sessionId)
  }

  async #requireSession({ sessionId, userId, companyId }: SessionOf): Promise<SessionRow> {
    const { state, clock } = this.#options
    const session = await findLiveSession(state, sessionId, clock.now())
    if (session?.UserId !== userId || session.CompanyId !== companyId) throw ended()
    return session
  }

  #now(): number {
    return this.#options.clock.now().getTime()
  }

  #forgetTokens(matches: (remembered: Remembered) => boolean): void {
    for (const [digest, remembered] of this.#byToken)
      if (matches(remembered)) {
        this.#byToken.delete(digest)
        remembered.validity.markUnchecked()
      }
  }
}

const earlier = (one: string, other: string): string => (one < other ? one : other)

const ended = () =>
  unauthenticated(say`The session has ended. Please sign in again.`, 'SESSION_ENDED')

const digestOf = (token: string): string => Bun.SHA256.hash(token, 'base64')

/** Returns the value that was evicted for it. */
function remember<V>(known: Map<string, V>, key: string, value: V): V | undefined {
  let evicted: V | undefined
  if (known.size >= REMEMBERED_MAX) {
    const [oldest] = known.keys()
    if (oldest !== undefined) {
      evicted = known.get(oldest)
      known.delete(oldest)
    }
  }
  known.set(key, value)
  return evicted
}

/** A user as an API key of theirs lets them be: a second factor was proved when it was made. */
function toKeyCaller(facts: CallerFacts, key: ApiKeyRow): Caller {
  const narrowed = narrowFacts(facts, key)
  return { ...toCaller(narrowed.facts, '', undefined), apiKey: narrowed.limits }
}

function toCaller(
  facts: CallerFacts,
  sessionId: string,
  impersonator: Pick<Impersonator, 'userId' | 'userName'> | undefined,
): Caller {
  return {
    userId: facts.userId,
    userName: facts.userName,
    displayName: facts.displayName,
    email: facts.email,
    sessionId,
    companyId: facts.companyId,
    companyCode: facts.companyCode,
    roles: facts.roles,
    isSystem: facts.roles.includes(SYSTEM_ROLE),
    impersonatorId: impersonator?.userId,
    impersonatorName: impersonator?.userName,
    attributes: facts.attributes,
    // The password is the user's own affair; an impersonator could not change it.
    mustChangePassword: facts.mustChangePassword && impersonator === undefined,
    timeZone: facts.timeZone,
  }
}
