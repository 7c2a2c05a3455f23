/** The whole application in this process, on a fresh copy of a prepared data folder. */
import { join } from 'node:path'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import { createLog } from '../../src/kernel/log.ts'
import { LOG_LEVEL } from '../../src/kernel/part.ts'
import type { Store } from '../../src/store/store.ts'
import type { Compiler } from '../../src/model/compile/compile-scripts.ts'
import { openContext, type OpenContext } from '../../src/server/open-context.ts'
import { configure, createApp } from '../../src/app.ts'
import { temporaryFolder } from './executable.ts'
import {
  copyTemplate,
  type FilledApplication,
  findTemplate,
  type TestApplication,
} from './template.ts'

export interface AppOptions {
  /**
   * The application and its users; the demo by default. Keep it at module level: it is the key.
   */
  application?: TestApplication | FilledApplication
  /** By name, as on the command line: `{'Svc:Sql:WriteTimeout': '1s'}`. */
  settings?: Readonly<Record<string, string>>
  clock?: Clock
  /** The compiler of models; this process by default. */
  compiler?: Compiler
}

export interface CallOptions {
  /** Name of a user who is signed in already; nobody when left out. */
  as?: string
  /** POST when there is a body, else GET. */
  method?: string
  /** Sent as JSON; a string goes as it is. */
  body?: unknown
  headers?: Readonly<Record<string, string>>
}

/** An answer with its body read; `body` is undefined when it is no JSON. */
export interface Answer<T> {
  status: number
  headers: Headers
  text: string
  body: T
}

/** A running application. `await using` closes it and removes its folder. */
export interface TestApp extends AsyncDisposable {
  readonly context: OpenContext
  readonly folder: string
  readonly store: Store
  readonly state: Store
  /** Access tokens by user name; the demo has root, ana, bo, cy and dee. */
  readonly tokens: Readonly<Record<string, string>>
  /** The log so far, a line an entry. */
  readonly log: readonly string[]
  handle(request: Request): Promise<Response>
  /** A request by path; the type argument is the body that the caller expects. */
  fetch<T = unknown>(path: string, options?: CallOptions): Promise<Answer<T>>
}

/** Starts an application of its own for one test. */
export async function startApp(options: AppOptions = {}): Promise<TestApp> {
  const template = await findTemplate(options.application ?? 'demo')
  const home = temporaryFolder()
  const folder = join(home.path, 'data')
  copyTemplate(template, folder)
  const clock = options.clock ?? systemClock
  const lines: string[] = []
  const flags = {
    'Svc:Sql:Lanes': '1',
    'Svc:Http:ServerTiming': 'false',
    // On a busy machine a short report would go on as a job.
    'Svc:PrintedReports:JobAfter': '1h',
    ...options.settings,
  }
  const settings = configure({ dataFolder: folder, env: {}, flags, environment: 'Development' })
  const write = (text: string) => lines.push(...text.trimEnd().split('\n'))
  const log = createLog(clock, write, settings.get(LOG_LEVEL))
  const context = await openContext({
    folder,
    settings,
    clock,
    log,
    ...(options.compiler && { compiler: options.compiler }),
  })
  await context.watching
  const app = createApp(context)
  const handle = async (request: Request): Promise<Response> => app.handle(request)
  return {
    context,
    folder,
    store: context.store,
    state: context.state,
    tokens: template.tokens,
    log: lines,
    handle,
    fetch: async <T>(path: string, call: CallOptions = {}) =>
      readAnswer<T>(await handle(toRequest(path, call, template.tokens))),
    [Symbol.asyncDispose]: async () => {
      log.flush()
      await context.close()
      home[Symbol.dispose]()
    },
  }
}

function toRequest(
  path: string,
  { as, method, body, headers }: CallOptions,
  tokens: Readonly<Record<string, string>>,
): Request {
  const token = as === undefined ? undefined : tokens[as]
  if (as !== undefined && token === undefined) throw new Error(`Nobody is called ${as}`)
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Request(`http://localhost${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: text }),
  })
}

async function readAnswer<T>(response: Response): Promise<Answer<T>> {
  const text = await response.text()
  const isJson = /^application\/json(?:;|$)/.test(response.headers.get('Content-Type') ?? '')
  const body = (isJson && text !== '' ? JSON.parse(text) : undefined) as T
  return { status: response.status, headers: response.headers, text, body }
}
