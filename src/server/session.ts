/**
 * The caller of a request. Every request needs a token but those for open routes, also one for a
 * route that does not exist; the token is checked before anything of the body is read.
 */
import type { Account } from '../kernel/charged.ts'
import { Failure, invalid, unauthenticated } from '../kernel/failure.ts'
import { findTraceId, newTraceId } from '../kernel/ids.ts'
import { TOKEN_CHARACTERS_MAX } from '../kernel/limits.ts'
import { Lru } from '../kernel/lru.ts'
import { say } from '../kernel/messages.ts'
import { isZone, spellZone } from '../kernel/zones.ts'
import type { Model } from '../model/model.ts'
import { renewCaller, shareValidity } from '../access/callers/caller-validity.ts'
import type { Caller } from '../access/callers/caller.ts'
import type { Callers } from '../access/callers/callers.ts'
import type { HeldBody } from './body-budget.ts'
import { findPathStart } from './host.ts'
import type { Attempt } from './idempotency.ts'
import type { ConnectionServer } from './listening/connection-server.ts'
import type { RouteName } from './request-figures.ts'
import type { Stages } from './stages.ts'

/** Facts of a request beyond its own text. */
export interface RequestFacts {
  /** By the monotonic clock. */
  readonly startedAt: number
  readonly traceId: string
  readonly path: string
  /** The request as it came in, before it was given a whole address. */
  readonly received: Request
  readonly finders: Finders
  caller: Caller | undefined
  /** Account that pays for the request, once it was let in by the door. */
  account: Account | undefined
  /** Account that its work is done on: the same, or a stranger's. */
  charged: Account | undefined
  /** Its route, once the gate was reached. */
  route: RouteName | undefined
  /** The model by which the route's gate was passed. */
  guardedBy: Model | undefined
  /** The gate that was passed, and the value that it found: see `found`. */
  gate: object | undefined
  found: unknown
  /** The model that it was planned with: the first that it asked for. */
  planned: Model | undefined
  /** True when its route changes nothing: it may be answered again. */
  isSafe: boolean
  /** Due: to be answered again, the result held back. Begun: it is being answered again. */
  again: 'due' | 'begun' | undefined
  /** The request's JSON body, once it was read. */
  parsed: Record<string, unknown> | undefined
  /** True when the body fits the route's schema as it is; see `matchBody`. */
  fits: boolean
  /** The refusal of the body, which waits for the gate; see `matchBody`. */
  refusal?: Failure | undefined
  /** The attempt under its Idempotency-Key, once its gate was passed. */
  attempt: Attempt | undefined
  /** Decided once, when it is first read. */
  language: string | undefined
  /** True when the answer depends on the language, and names it. */
  isLanguageNamed: boolean
  /** An answer that has the headers of every answer already, with its text. */
  headed: { readonly response: Response; readonly text: string } | undefined
  /** Hold of its body on the budget of bodies in flight. */
  body: HeldBody | undefined
  /** Set when `Svc:Http:ServerTiming` asks for them. */
  stages: Stages | undefined
}

/** A duty of a caller before all routes are open to them. */
export type Duty = 'change password' | 'set up second factor'

/**
 * Ease of a route's admission: open to all, to watchers without a token (`isWatcher`), or to
 * callers with one of the duties.
 */
export type Ease = 'open' | 'watched' | readonly Duty[]

/** Finders of rarely needed facts of a request: the same for all requests. */
export interface Finders {
  /** Returns the address of the caller, read through trusted proxies only. */
  findAddress(received: Request): string | undefined
  findLanguage(request: Request): string
  /** See `isWatcher`. */
  isWatcher(received: Request): boolean
  /** See `isReplaced`. */
  isReplaced(planned: Model): Promise<boolean>
  /** The refusal of what met another model each time, with what changed of what its caller sees. */
  toModelChanged(facts: RequestFacts, cause?: unknown): Failure
  /** Finds the server that holds the connections; null without one. */
  findServer(): ConnectionServer | null
  /** Returns true when answers are sent in codings that clients take: `Svc:Http:Compression`. */
  isCompressing(): boolean
  /** See `RouteTable.findEased`. */
  findEased(method: string, path: string): Ease | undefined
  /** See `RouteTable.takesQueryToken`. */
  takesQueryToken(path: string): boolean
}

/** A request whose address can be found. */
export interface Located {
  readonly received: Request
  readonly finders: Pick<Finders, 'findAddress'>
}

const factsOf = new WeakMap<Request, RequestFacts>()

/** Notes down a request that has just come in; an incoming `traceparent` is continued. */
export function openRequest(request: Request, received: Request, finders: Finders): RequestFacts {
  const parent = request.headers.get('traceparent')
  const facts: RequestFacts = {
    startedAt: performance.now(),
    traceId: (parent !== null && findTraceId(parent)) || newTraceId(),
    path: pathOf(request.url),
    received,
    finders,
    caller: undefined,
    account: undefined,
    charged: undefined,
    route: undefined,
    guardedBy: undefined,
    gate: undefined,
    found: undefined,
    planned: undefined,
    isSafe: false,
    again: undefined,
    parsed: undefined,
    fits: false,
    attempt: undefined,
    language: undefined,
    isLanguageNamed: false,
    headed: undefined,
    body: undefined,
    stages: undefined,
  }
  factsOf.set(request, facts)
  return facts
}

/**
 * The path as it was sent, undecoded. It is looked for exactly as Elysia does, so that no odd
 * address can be one path here and another one there.
 */
function pathOf(url: string): string {
  const start = findPathStart(url)
  const query = url.indexOf('?', start + 1)
  return url.substring(start, query === -1 ? undefined : query)
}

/** A call, or another holder of a request's facts. */
export interface WithFacts {
  readonly facts: RequestFacts
}

/** Finds the facts of a request that came through the session. */
export const findFacts = (request: Request): RequestFacts | undefined => factsOf.get(request)

/** Returns the facts of a request. */
export const requireFacts = (request: Request): RequestFacts => {
  const facts = findFacts(request)
  if (!facts) throw new Error('The request did not come through the session')
  return facts
}

/** Forgets the plan of a request: it is planned again, with the model of now. */
export function forgetPlan(facts: RequestFacts): void {
  facts.planned = undefined
  facts.guardedBy = undefined
}

/**
 * Keeps the result of a request, which its transaction has recorded: a deploy behind that does not
 * have it made and recorded a second time.
 */
export function standBy({ facts }: WithFacts): void {
  facts.again = 'begun'
}

/** Returns the address that failures are counted by; `none` for a request without a network. */
export const networkOf = ({ facts }: WithFacts): string => addressOf(facts) ?? 'none'

/** Returns the address of a caller, read through trusted proxies only. */
export const addressOf = ({ finders, received }: Located): string | undefined =>
  finders.findAddress(received)

/** The language that a request is answered in: the answer names it. */
export function languageOf({ facts }: WithFacts): string {
  facts.isLanguageNamed = true
  return callerLanguageOf({ facts })
}

/** Returns the same language for a use beside the answer, which then does not name it. */
export function callerLanguageOf({ facts }: WithFacts): string {
  return (facts.language ??= facts.finders.findLanguage(facts.received))
}

/** Returns the caller of a request. A request to an open route has none: this throws the 401. */
export function callerOf({ facts: { caller } }: WithFacts): Caller {
  if (!caller) throw unauthenticated()
  return caller
}

const BEARER = /^Bearer +([\w\-.~+/]+=*)$/i

/**
 * Finds out who sent a request and keeps them for `callerOf`. Does nothing on an open route.
 * Throws, or rejects with, 401 without a valid token and 400 for an unknown `X-TimeZone`.
 * Asynchronous only for a token that is not known from an earlier request.
 */
export function admit(callers: Callers, request: Request): Promise<void> | undefined {
  const facts = requireFacts(request)
  const eased = facts.finders.findEased(request.method, facts.path)
  if (eased === 'open') return undefined
  if (eased === 'watched' && facts.finders.isWatcher(facts.received)) return undefined
  const keep = (caller: Caller): void => {
    requireNoDuty(caller, eased)
    facts.caller = toLocal(caller, facts)
  }
  const header = request.headers.get('authorization')
  const known = header !== null && findKnown(callers, header)
  if (known) {
    keep(known)
    return undefined
  }
  return callers.verify(findQueryToken(request) ?? requireToken(header)).then(keep)
}

/** Finds the caller of a request to an open route; undefined without a valid token. */
export async function findGuest(
  callers: Callers,
  { facts }: WithFacts,
): Promise<Caller | undefined> {
  const header = facts.received.headers.get('authorization')
  if (header === null) return undefined
  try {
    const caller = findKnown(callers, header) ?? (await callers.verify(requireToken(header)))
    requireNoDuty(caller)
    return caller
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

const PREFIX = 'Bearer '

/** Finds the caller of a token that was verified before, without another check. */
const findKnown = (callers: Callers, header: string): Caller | undefined =>
  header.startsWith(PREFIX) && header.length <= TOKEN_CHARACTERS_MAX
    ? callers.findVerified(header.slice(PREFIX.length))
    : undefined

/**
 * Finds out again who sent a request, after a change to their admission: their gate is evaluated
 * again then. Rejects with 401 when they are let in no longer, or have to do something else first.
 */
export function admitAgain({ facts }: WithFacts): Promise<void> | undefined {
  return (
    facts.caller &&
    renewCaller(facts.caller)?.then((caller) => {
      requireNoDuty(caller, facts.finders.findEased(facts.received.method, facts.path))
      facts.caller = toLocal(caller, facts)
      facts.guardedBy = undefined
    })
  )
}

/** Runs `work` of a request again, planned with the model, the rights and the gate of now. */
export async function planAnew<T>(of: WithFacts, work: () => T | Promise<T>): Promise<T> {
  forgetPlan(of.facts)
  await admitAgain(of)
  return work()
}

/** Returns true for a failure of the engine’s own, as after another model than it planned with. */
export const isFault = (thrown: unknown): boolean =>
  !(thrown instanceof Failure) || thrown.kind === 'internal'

/** Throws 401 for a caller who has to do something else before they pass the gate. */
export function requireNoDuty(caller: Caller, eased?: Ease): void {
  if (caller.mustChangePassword) {
    if (!isEased(eased, 'change password')) throw mustChangePassword()
  } else if (caller.mustSetUpMfa && !isEased(eased, 'set up second factor')) throw mustSetUpMfa()
}

const isEased = (eased: Ease | undefined, duty: Duty): boolean =>
  typeof eased === 'object' && eased.includes(duty)

/** Routes for people: their effect outlives a key, or is the user's own affair. */
const CLOSED_TO_KEYS = [
  '/api/v1/auth/',
  '/api/v1/impersonation/',
  '/api/v1/push-subscription',
  '/api/v1/svc/webhooks',
  '/api/v1/svc/company/switch',
]

/** Throws 401 for a route, by the path that it is declared with, that is closed to API keys. */
export function requireOpenToKeys(route: string): void {
  if (!CLOSED_TO_KEYS.some((start) => route.startsWith(start))) return
  throw new Failure('unauthorized', say`You cannot do this with an API key`, {
    code: 'PERMISSION_DENIED',
    headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
  })
}

const mustChangePassword = (): Failure =>
  new Failure(
    'unauthorized',
    say`Change your one-time password first: POST /auth/password/change`,
    {
      code: 'PASSWORD_CHANGE_REQUIRED',
      headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
    },
  )

const mustSetUpMfa = (): Failure =>
  new Failure(
    'unauthorized',
    say`Your role requires a second factor. Set one up first: POST /auth/mfa/setup`,
    {
      code: 'MFA_SETUP_REQUIRED',
      headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' },
    },
  )

/** A token in the query, on routes that take one there; a header goes before it. */
function findQueryToken(request: Request): string | undefined {
  const { finders, path } = requireFacts(request)
  if (request.headers.has('authorization') || !finders.takesQueryToken(path)) return undefined
  const at = request.url.indexOf('?')
  const query = new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1))
  const token = query.get('access_token')
  return token === null ? undefined : requireToken(`Bearer ${token}`)
}

/** RFC 6750, section 2.1: one token in the header, and nowhere else on most routes. */
function requireToken(header: string | null): string {
  if (header === null) throw unauthenticated()
  const token = header.length > TOKEN_CHARACTERS_MAX ? undefined : BEARER.exec(header)?.[1]
  if (token === undefined)
    throw unauthenticated(say`The header must be Authorization: Bearer <token>`, 'TOKEN_INVALID')
  return token
}

/** One caller in other zones and languages, one value each: grants and plans go by it. */
interface LocalCallers {
  /** The one that was asked for last. */
  latest: Caller
  all: Lru<string, Caller>
}

const localCallers = new WeakMap<Caller, LocalCallers>()
const LOCAL_CALLERS_MAX = 16

/**
 * The caller in the language of the request; `X-TimeZone` goes before the user's and the company's
 * zone (src/server/README.md, Conventions).
 */
function toLocal(caller: Caller, facts: RequestFacts): Caller {
  const zone = facts.received.headers.get('x-timezone') ?? caller.timeZone
  const language = callerLanguageOf({ facts })
  const known = localCallers.get(caller)
  const latest = known?.latest
  if (latest?.language === language && latest.timeZone === zone) return latest
  const all = known?.all ?? new Lru<string, Caller>(LOCAL_CALLERS_MAX)
  const key = `${language} ${zone}`
  const local = all.find(key) ?? all.keep(key, makeLocal(caller, language, zone))
  localCallers.set(caller, { latest: local, all })
  return local
}

/** Returns the caller in another zone. @throws invalid for a text that is not a zone */
function makeLocal(caller: Caller, language: string, zone: string): Caller {
  if (!isZone(zone)) throw invalid(say`X-TimeZone must be an IANA time zone, such as Europe/Berlin`)
  const local = { ...caller, language, timeZone: spellZone(zone) }
  shareValidity(caller, local)
  return local
}
