/** One request from its arrival to its answer: what holds for every route, known or not. */
import { newAccount, onAccount, toKnownOutcome } from '../kernel/charged.ts'
import { explainWrite } from '../kernel/disk-failure.ts'
import type { ReadBy } from '../kernel/read-notes.ts'
import { openSpan } from '../kernel/tracing.ts'
import { SQL } from '../store/floor.ts'
import { isReplaced, mayBeReplaced, modelChanged, PLANS_MAX } from '../model/current.ts'
import { findChangedViews } from '../access/rights/changed-views.ts'
import { LANGUAGE } from '../access/users/spoken-language.ts'
import { isOfNetworks, type Network, parseNetworks } from '../engine/outbound/inner-address.ts'
import { dropBody, leavesBody, putHeaders } from './answer-headers.ts'
import { CallReader } from './call-reader.ts'
import { chooseCoding, encodeAnswer, encodeText } from './content-coding.ts'
import type { AppContext } from './context.ts'
import { Cors, findPing, HUBS_PATH } from './cors.ts'
import { Door } from './door.ts'
import { EXPOSE_ERRORS, HTTP, LOG_REQUESTS, METRICS } from './floor.ts'
import { findClientAddress, pathSearchFrom, requireHost, withAddress } from './host.ts'
import { admitToHub } from './hub/false-tokens.ts'
import { type Attempt, Replay } from './idempotency.ts'
import { chooseLanguage } from './language.ts'
import { UNIX_PEER } from './listening/listeners.ts'
import { findHsts } from './listening/settings.ts'
import { refuse } from './refusal.ts'
import { replayed } from './reply.ts'
import { logRequest } from './request-log.ts'
import { traceRequest } from './request-spans.ts'
import { type DirectMatch, RouteTable, type ServedRoute } from './route-table.ts'
import {
  admit,
  admitAgain,
  type Finders,
  isFault,
  languageOf,
  openRequest,
  planAnew,
  type RequestFacts,
  requireFacts,
} from './session.ts'
import { Stages, timeStore } from './stages.ts'
import { isWatcher } from './watchers.ts'

/** The reader of a request, for the log of reads. */
const toReadBy = ({ caller, traceId, path, parsed, received }: RequestFacts): ReadBy => ({
  userId: caller?.userId,
  impersonatorId: caller?.impersonatorId,
  companyId: caller?.companyId,
  traceId,
  place: path,
  get request() {
    const at = received.url.indexOf('?')
    return parsed ?? (at < 0 ? undefined : received.url.slice(at))
  },
})

/** Elysia's own handler; its types do not say that it answers. */
type Handle = (request: Request) => unknown
type Answer = Response | Promise<Response>

/** The hooks of the root app. */
export class RequestPipeline {
  /** Opens calls, for the routes of the app. */
  readonly reader: CallReader
  readonly #context: AppContext
  readonly #cors: Cors
  readonly #logsRequests: boolean
  readonly #timesStages: boolean
  readonly #proxies: readonly Network[]
  readonly #watchers: readonly Network[]
  readonly #isCompressing: boolean
  readonly #hsts: string | undefined
  readonly #searchFrom: number
  readonly #door: Door
  readonly #routes: RouteTable
  readonly #finders: Finders = {
    findAddress: (received) => this.#findAddress(received),
    findLanguage: (request) => this.#findLanguage(request),
    isWatcher: (received) => this.#isWatcher(received),
    isReplaced: (planned) => isReplaced(this.#context, planned),
    toModelChanged: ({ caller, planned }, cause) => {
      const now = this.#context.models.get()
      return modelChanged(cause, caller && planned ? findChangedViews(caller, planned, now) : [])
    },
    findServer: () => (this.#context.listeners.isOpen ? this.#context.listeners : null),
    isCompressing: () => this.#isCompressing,
    findEased: (method, path) => this.#routes.findEased(method, path),
    takesQueryToken: (path) => this.#routes.takesQueryToken(path),
  }

  constructor(context: AppContext, routes: readonly ServedRoute[]) {
    this.#context = context
    this.reader = new CallReader(context, (this.#routes = new RouteTable(routes)))
    this.#cors = new Cors(
      context.settings.get(HTTP.origins),
      context.settings.get(HTTP.basePath) + HUBS_PATH,
    )
    this.#logsRequests = context.settings.get(LOG_REQUESTS) && context.log.writes('info')
    this.#timesStages = context.settings.get(HTTP.serverTiming)
    if (this.#timesStages) for (const store of [context.store, context.state]) timeStore(store)
    this.#proxies = parseNetworks(context.settings.get(HTTP.trustedProxies))
    this.#watchers = parseNetworks(context.settings.get(METRICS.allow))
    this.#isCompressing = context.settings.get(HTTP.compression)
    this.#hsts = findHsts(context.settings)
    this.#searchFrom = pathSearchFrom(context.listeners.isTls)
    this.#door = new Door(context.settings.get(SQL.writerMaxWait))
  }

  /**
   * Wraps the app's handler: trace id, preflight, token, then the route; then the headers that
   * every answer has, and the log. Elysia's own `onRequest` would miss what it does not throw.
   */
  answer(handle: Handle, received: Request): Answer {
    const request = withAddress(received, this.#searchFrom)
    const facts = openRequest(request, received, this.#finders)
    this.#context.requests.open++
    try {
      const answer = this.#timesStages
        ? (facts.stages = new Stages()).run(() => this.#admitAndHandle(handle, request, facts))
        : this.#admitAndHandle(handle, request, facts)
      return answer instanceof Promise || this.#mayPlanAgain(facts)
        ? this.#complete(handle, request, facts, answer)
        : this.#finish(request, facts, answer)
    } catch (thrown) {
      const refusal = this.#toRefusal(request, facts, thrown)
      if (!(refusal instanceof Promise)) return this.#finish(request, facts, refusal)
      return refusal.then((response) => this.#finish(request, facts, response))
    }
  }

  /** Waits for the answer; gives another one in its place where it is to be planned again. */
  async #complete(
    handle: Handle,
    request: Request,
    facts: RequestFacts,
    answer: Answer,
  ): Promise<Response> {
    let response: Response
    try {
      response = await answer
      if (this.#mayPlanAgain(facts)) {
        await dropBody(response)
        response = await this.#answerAgain(handle, request, facts)
      }
    } catch (thrown) {
      response = await this.#toRefusal(request, facts, thrown)
    }
    return this.#finish(request, facts, response)
  }

  /** Answers a request without Elysia's handler, in the same steps. */
  async #answerDirect(
    { route: declared, direct, params }: DirectMatch,
    request: Request,
    facts: RequestFacts,
  ): Promise<Response> {
    try {
      const call = this.reader.open(declared.gate, { request, params })
      await this.reader.read(declared, call)
      return await direct.answer(call, facts.fits)
    } catch (thrown) {
      return this.refuse(request, thrown)
    }
  }

  /**
   * Returns the answer for a thrown value: an error, or an answer given before; a placeholder where
   * the request is to be planned again.
   */
  refuse(request: Request, thrown: unknown): Answer {
    const facts = requireFacts(request)
    if (!this.#mayPlanAgain(facts)) return this.#toRefusal(request, facts, thrown)
    facts.again = 'due'
    return new Response(null, { status: 503 })
  }

  #toRefusal(request: Request, facts: RequestFacts, given: unknown): Answer {
    if (given instanceof Replay) return replayed(given.status, given.body)
    const { attempt, isSafe, charged } = facts
    const refusal = this.#isOutdated(facts, given)
      ? this.#finders.toModelChanged(facts, given)
      : given
    const thrown = isSafe ? refusal : toKnownOutcome(charged, refusal)
    const response = this.#refuse(request, facts, thrown)
    return attempt ? this.#remember(attempt, response) : response
  }

  #refuse({ method }: Request, facts: RequestFacts, thrown: unknown): Response {
    const { path, traceId } = facts
    const { log, settings } = this.#context
    const parts = { log, exposeErrors: settings.get(EXPOSE_ERRORS), routes: this.#routes }
    return refuse(parts, { method, path, traceId, language: languageOf({ facts }) }, thrown)
  }

  /** A refusal that cannot be remembered is still one: the key may run again. */
  async #remember(attempt: Attempt, response: Response): Promise<Response> {
    try {
      await attempt.saveRefusal(response)
    } catch (cause) {
      this.#context.log.error('a response could not be stored for its Idempotency-Key', cause)
    }
    return response
  }

  /**
   * Returns true when a request may be planned again and what it read may be of another model than
   * it was planned with, or failed for that: its result is held back then.
   */
  #mayPlanAgain(facts: RequestFacts): boolean {
    if (facts.again !== undefined) return facts.again === 'due'
    if (!facts.isSafe || facts.planned === undefined) return false
    return mayBeReplaced(this.#context, facts.planned)
  }

  /** A fault of the engine's that may be none: it met another model than it was planned with. */
  #isOutdated({ planned }: RequestFacts, thrown: unknown): boolean {
    return isFault(thrown) && planned !== undefined && mayBeReplaced(this.#context, planned)
  }

  /** Answers again, with the model, the rights and the gate of now, until these hold at the end. */
  async #answerAgain(handle: Handle, request: Request, facts: RequestFacts): Promise<Response> {
    facts.again = 'begun'
    for (let plans = 2; plans <= PLANS_MAX; plans++) {
      await this.#context.store.migrated()
      facts.isLanguageNamed = false
      const response = await planAnew({ facts }, () => this.#run(handle, request, facts))
      const { planned } = facts
      if (planned === undefined || !mayBeReplaced(this.#context, planned)) return response
      await dropBody(response)
    }
    return this.#toRefusal(request, facts, this.#finders.toModelChanged(facts))
  }

  #admitAndHandle(handle: Handle, request: Request, facts: RequestFacts): Answer {
    requireHost(request)
    const early =
      this.#cors.findPreflight(request, facts.path) ?? findPing(request.method, facts.path)
    if (early) return early
    // Hubs count their calls by themselves: a connection is not a request that ends.
    const isHub = this.#routes.takesQueryToken(facts.path)
    const admitted = isHub
      ? admitToHub(this.#context, request)
      : admit(this.#context.callers, request)
    const go = (): Answer =>
      isHub ? this.#handle(handle, request, facts) : this.#enterAndHandle(handle, request, facts)
    return admitted ? admitted.then(go) : go()
  }

  /** Lets a known caller in by the door; the work for them is on their account. */
  #enterAndHandle(handle: Handle, request: Request, facts: RequestFacts): Answer {
    const { caller } = facts
    const account = newAccount(caller?.impersonatorId ?? caller?.userId, facts.traceId)
    openSpan(account, facts.traceId)
    if (caller) account.reads = this.#context.reads.open(() => toReadBy(facts))
    const run = (): Answer => {
      if (caller) facts.account = account
      facts.charged = account
      return onAccount(account, () => this.#handle(handle, request, facts))
    }
    const waiting = caller && this.#door.enter(account, facts.received)
    return waiting
      ? waiting.then(async () => {
          facts.account = account
          // While it waited, its caller may have lost their admission.
          await admitAgain({ facts })
          return run()
        })
      : run()
  }

  #handle(handle: Handle, request: Request, facts: RequestFacts): Answer {
    facts.stages?.end('admit')
    return this.#run(handle, request, facts)
  }

  #run(handle: Handle, request: Request, facts: RequestFacts): Answer {
    const match = this.#routes.findDirect(request.method, facts.path)
    return match ? this.#answerDirect(match, request, facts) : (handle(request) as Answer)
  }

  #finish(request: Request, facts: RequestFacts, given: Response): Answer {
    const response = this.#logReads(request, facts, given)
    const { headers, status } = response
    facts.attempt?.end()
    facts.body?.[Symbol.dispose]()
    if (facts.account) this.#door.leave(facts.account)
    const headed = facts.headed?.response === response ? facts.headed : undefined
    if (!headed) putHeaders(facts, headers)
    if (this.#hsts !== undefined) headers.set('Strict-Transport-Security', this.#hsts)
    if (status >= 400 && leavesBody(request, status)) headers.set('Connection', 'close')
    this.#cors.apply(request, facts.path, headers)
    if (facts.stages) {
      facts.stages.end('answer')
      headers.set('Server-Timing', facts.stages.print())
    }
    const milliseconds = performance.now() - facts.startedAt
    this.#count(request, facts, { status, milliseconds })
    if (this.#logsRequests)
      logRequest(this.#context.log, this.#context.clock, {
        method: request.method,
        facts,
        status,
        bytes: headers.get('content-length'),
        milliseconds,
      })
    if (!this.#isCompressing) return response
    const coding = chooseCoding(request.headers.get('accept-encoding'))
    if (headed) return coding ? encodeText(facts.path, headed, coding) : response
    return encodeAnswer(facts.path, response, coding)
  }

  /** Has it written down what an answer shows; one that cannot be logged is not given. */
  #logReads(request: Request, facts: RequestFacts, response: Response): Response {
    const reads = facts.charged?.reads
    if (!reads) return response
    try {
      reads.settle(response.status >= 400)
      return response
    } catch (error) {
      void dropBody(response)
      return this.#refuse(request, facts, toKnownOutcome(facts.charged, explainWrite(error)))
    }
  }

  #count(
    { method }: Request,
    facts: RequestFacts,
    answer: { status: number; milliseconds: number },
  ): void {
    const { requests } = this.#context
    const { route, path } = facts
    requests.open--
    const found = route ?? this.#routes.match(method, path)
    requests.note(found, method, answer)
    traceRequest(facts, found, method, answer)
  }

  #isWatcher(received: Request): boolean {
    const peer = this.#context.listeners.findPeer(received)
    return isWatcher(
      { peer, address: this.#findAddress(received) },
      received.headers,
      this.#watchers,
    )
  }

  #findAddress(request: Request): string | undefined {
    const peer = this.#context.listeners.findPeer(request)
    return findClientAddress(peer, request.headers.get('x-forwarded-for'), this.#isProxy)
  }

  readonly #isProxy = (address: string): boolean =>
    address === UNIX_PEER || isOfNetworks(address, this.#proxies)

  #findLanguage(request: Request): string {
    const { models, settings } = this.#context
    const header = request.headers.get('accept-language')
    return chooseLanguage(models.get(), settings.get(LANGUAGE), header)
  }
}
