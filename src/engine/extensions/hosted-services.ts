/** Hosted services of extensions: each in a process of its own, as long as the server runs. */
import type { Background } from '../../kernel/background.ts'
import type { HostedServices as Services } from '../../kernel/hosted-services.ts'
import { newId } from '../../kernel/ids.ts'
import { planJitteredDelay } from '../../kernel/retry.ts'
import { MINUTE } from '../../kernel/setting.ts'
import type { SqlRow } from '../../store/sql.ts'
import type { Callers } from '../../access/callers/callers.ts'
import { toUserNameKey } from '../../access/users/user-names.ts'
import { type CallerApi, openCallerApi, openReporter } from './caller-api.ts'
import { type ExtensionJobParts, refuseEngine } from './extension-jobs.ts'
import { ExtensionRun } from './extension-run.ts'
import type { Declared, LoadedExtensions } from './extensions.ts'
import type { ServicePart } from './parts.ts'

interface HostedServicesParts extends Omit<ExtensionJobParts, 'timeoutMs'> {
  callers: Callers
  /** The registry where operators find each service, as `extension-<name>`. */
  registry?: Pick<Services, 'add' | 'remove'>
  /** The wait before a restart after an error; each further wait is longer. */
  retryMs: number
}

const RETRY_MS_MAX = 5 * MINUTE

/** Time without an error after which earlier errors no longer count. */
const STEADY_MS = MINUTE

const LINE_CHARACTERS_MAX = 2000

/** One hosted service: runs until it is stopped, and restarts after an error. */
class HostedServiceLoop implements Background {
  readonly name: string
  readonly #declared: Declared<ServicePart>
  readonly #parts: HostedServicesParts
  readonly #before: Promise<void>
  state: Background['state'] = 'stopped'
  /** True while it waits to restart after an error. */
  isFaulted = false
  lastError: unknown
  runs = 0
  startedAt: Date | undefined
  lastRunAt: Date | undefined
  #ending = new AbortController()
  #done: Promise<void> = Promise.resolve()

  /** `before`: the services that it replaces have ended; it does not run beside them. */
  constructor(
    declared: Declared<ServicePart>,
    parts: HostedServicesParts,
    before: Promise<void> = Promise.resolve(),
  ) {
    this.name = declared.part.Name
    this.#declared = declared
    this.#parts = parts
    this.#before = before
  }

  /** Resolves at once; the service runs from now on. */
  async start(): Promise<void> {
    this.begin()
  }

  /** Begins the service, as `start` does. */
  begin(): void {
    if (this.state !== 'stopped') return
    this.state = 'waiting'
    this.startedAt = new Date()
    this.#ending = new AbortController()
    this.#done = this.#goOn(this.#ending.signal)
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#done
  }

  async #goOn(ending: AbortSignal): Promise<void> {
    await this.#before
    for (let failures = 1; !ending.aborted; failures++) {
      const begunAt = performance.now()
      try {
        this.state = 'running'
        this.isFaulted = false
        await this.#run(ending)
        this.runs++
        this.lastRunAt = new Date()
        break
      } catch (error) {
        if (ending.aborted) break
        this.lastError = error
        this.lastRunAt = new Date()
        this.isFaulted = true
        const reason = error instanceof Error ? error.message : String(error)
        this.#parts.log.warn('a hosted service failed', { service: this.name, reason })
      }
      if (performance.now() - begunAt > STEADY_MS) failures = 1
      this.state = 'waiting'
      const delay = planJitteredDelay(this.#parts.retryMs, failures)
      await waitFor(Math.min(delay, RETRY_MS_MAX), ending)
    }
    this.state = 'stopped'
  }

  async #run(ending: AbortSignal): Promise<void> {
    const { extensions, log } = this.#parts
    const { part, file } = this.#declared
    const api = await this.#openApi()
    const traceId = api?.traceId ?? newId()
    const order = { do: 'serve', folder: extensions.folder, file, name: part.Name } as const
    await using run = new ExtensionRun(order, {
      memoryBytesMax: extensions.limits.memoryBytesMax,
      settings: extensions.settings,
      signal: extensions.signal,
      ending,
      onLog: (text) => {
        log.info('a hosted service says', {
          service: part.Name,
          text: text.slice(0, LINE_CHARACTERS_MAX),
        })
      },
      answer: api ? openCallerApi(api, part.Name, { jobsMax: Infinity }) : refuseEngine,
      reportError: openReporter(api ?? { log, language: 'en', traceId }),
    })
    await run.finish()
  }

  /** The API that answers its calls; undefined without a user. @throws Error for an unknown user */
  async #openApi(): Promise<CallerApi | undefined> {
    const { engine, callers, reader, extensions, log } = this.#parts
    const { RunAs, Company } = this.#declared.part
    if (RunAs === null) return undefined
    const args = { name: toUserNameKey(RunAs), code: Company }
    const place = await engine.store.get<Place>({ sql: PLACE, args, runs: 'inline' })
    if (!place) throw new Error(`There is no user ${RunAs} in a company ${Company ?? ''}`)
    const caller = await callers.loadWithoutSession(place)
    return {
      engine,
      reader,
      extensions,
      log,
      caller,
      language: 'en',
      traceId: newId(),
      get model() {
        return engine.models.get()
      },
    }
  }
}

const PLACE = `SELECT u.Id AS userId, c.Id AS companyId FROM svc_users u, svc_companies c
  WHERE u.UserNameKey = @name AND c.Code = @code COLLATE NOCASE`

interface Place extends SqlRow {
  userId: number
  companyId: number
}

/** Resolves after a while, or when the signal aborts. */
function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  signal.addEventListener('abort', () => resolve(), { once: true })
  if (signal.aborted) resolve()
  return promise.finally(() => clearTimeout(timer))
}

/**
 * The hosted services of all extensions: they start when extensions are loaded, and restart when
 * these are loaded again.
 */
export class HostedServices implements Background {
  readonly name = 'extension services'
  readonly #parts: HostedServicesParts
  #loops: HostedServiceLoop[] = []
  startedAt: Date | undefined
  #unfollow: (() => void) | undefined

  constructor(parts: HostedServicesParts) {
    this.#parts = parts
  }

  /** The loops of all services. */
  list(): readonly HostedServiceLoop[] {
    return this.#loops
  }

  get state(): Background['state'] {
    if (!this.#unfollow) return 'stopped'
    return this.#loops.some(({ state }) => state === 'running') ? 'running' : 'waiting'
  }

  get isFaulted(): boolean {
    return this.#loops.some((each) => each.isFaulted)
  }

  get lastError(): unknown {
    return this.#loops.find(({ lastError }) => lastError !== undefined)?.lastError
  }

  get runs(): number {
    return this.#loops.reduce((sum, { runs }) => sum + runs, 0)
  }

  get lastRunAt(): Date | undefined {
    const times = this.#loops.flatMap(({ lastRunAt }) => lastRunAt?.getTime() ?? [])
    return times.length > 0 ? new Date(Math.max(...times)) : undefined
  }

  async start(): Promise<void> {
    const { extensions } = this.#parts
    this.startedAt = new Date()
    const begin = (loaded: LoadedExtensions): void => this.#replace(loaded)
    this.#unfollow = extensions.follow(begin)
    if (extensions.loaded) begin(extensions.loaded)
  }

  async stop(): Promise<void> {
    this.#unfollow?.()
    this.#unfollow = undefined
    await Promise.all(this.#loops.map((each) => each.stop()))
  }

  /** Replaces at once: callers that wait for extensions ask for services by name right after. */
  #replace({ services }: LoadedExtensions): void {
    const { registry } = this.#parts
    for (const each of this.#loops) registry?.remove(each)
    const ended = Promise.all(this.#loops.map((each) => each.stop())).then(() => {})
    this.#loops = [...services.values()].map(
      (each) => new HostedServiceLoop(each, this.#parts, ended),
    )
    for (const each of this.#loops) {
      registry?.add(each, `extension-${each.name.toLowerCase()}`)
      each.begin()
    }
  }
}
