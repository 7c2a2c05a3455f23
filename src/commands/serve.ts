/** `appengine serve`: from the data folder to a server that answers, and back. */
import { resolve } from 'node:path'
import { type Background, Loop, startBackground } from '../kernel/background.ts'
import { sleep } from '../kernel/clock.ts'
import { DRAIN_MS } from '../kernel/limits.ts'
import { SettingError } from '../kernel/settings.ts'
import { boundHeap } from '../store/connection/heap-bound.ts'
import { warnOfLostZones } from '../access/stored-zones.ts'
import { openCompiler } from '../engine/process/compile-helper.ts'
import { HTTP } from '../server/floor.ts'
import { takeWhatArrived } from '../server/listening/listeners.ts'
import { openContext, type OpenContext } from '../server/open-context.ts'
import { configure, createApp, listen as listenAt, startServices } from '../app.ts'
import { type Arguments, UsageError } from './arguments.ts'
import { explain, type HeldFolder, holdDataFolder } from './data-folder.ts'
import { isUntouched, saveFirstUser } from './first-start.ts'
import { openMemoryReturn } from './memory-return.ts'
import { CommandFailure, EXIT, printLine } from './output.ts'
import { withServerLog } from './server-log.ts'
import { ServiceNotifier } from './service-notifier.ts'

const DEFAULT_PORT = '8080'
const DEFAULT_HOST = '127.0.0.1'

/** The port of the client. */
export const DEFAULT_CLIENT_PORT = '8081'

/** Serves until SIGTERM or SIGINT; then finishes requests in flight and closes the stores. */
export async function runServe(args: Arguments): Promise<number> {
  const options = readOptions(args)
  const signal = receiveSignal()
  const told = options.clientPort === undefined ? args : trustClient(args)
  await using held = await holdDataFolder(told, options.environment)
  const folder = withServerLog(held)
  const context = await openContext({ ...folder, compiler: openCompiler() }).catch(explain)
  // From here on others ask for what runs: a start may check and move whole files.
  boundHeap()
  try {
    await serve(context, options, { folder, signal })
  } finally {
    await context.close()
    folder.log.flush()
  }
  return EXIT.done
}

/** The client passes on the address of its browser: it is trusted where nothing else is said. */
function trustClient(args: Arguments): Arguments {
  const settings = configure({ dataFolder: resolve(args.dataFolder), flags: args.settings })
  const isSaid = settings.get(HTTP.trustedProxies).length > 0
  return isSaid ? args : args.withSetting(HTTP.trustedProxies.name, '127.0.0.1,::1')
}

interface ServeOptions {
  host: string
  port: number
  /** True when a host or a port was named: beside a Unix socket only then. */
  isPortAsked: boolean
  demo: boolean
  /** The folder that is watched; '' for the demo's own files. */
  watched: string | undefined
  environment: 'Development' | undefined
  /** The port of the client beside; undefined without one. */
  clientPort: number | undefined
}

/** The port of a flag. @throws UsageError where it is none */
export function readPort(args: Arguments, flag: string, byDefault: string): number {
  const port = args.find(flag) ?? byDefault
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--${flag} takes a number from 0 to 65535`)
  return Number(port)
}

function readOptions(args: Arguments): ServeOptions {
  const port = readPort(args, 'port', DEFAULT_PORT)
  const demo = args.has('demo')
  const watches = args.has('watch')
  if (args.has('model') && !watches) throw new UsageError('--model goes with --watch')
  return {
    host: args.find('host') ?? DEFAULT_HOST,
    port,
    isPortAsked: args.has('port') || args.has('host'),
    demo,
    watched: watches ? (demo ? (args.find('model') ?? '') : args.require('model')) : undefined,
    environment: demo || watches ? 'Development' : undefined,
    clientPort: args.has('client') ? readPort(args, 'client', DEFAULT_CLIENT_PORT) : undefined,
  }
}

/** Time that the first requests have before unattended work begins: expiry, mails, jobs; in ms. */
const FIRST_MS = 200

async function serve(
  context: OpenContext,
  options: ServeOptions,
  { folder, signal }: { folder: HeldFolder; signal: Promise<void> },
): Promise<void> {
  const welcome = await prepare(context, options)
  const watching = await openWatching(context, options)
  // Jobs are taken from the start on: what does them is known before.
  const app = createApp(context)
  const notifier = new ServiceNotifier()
  const watchdog = notifier.openWatchdog(folder.log)
  await using _background = await startServices(context, {
    before: [
      ...watching,
      ...(watchdog ? [watchdog] : []),
      openLockWatch(folder),
      openMemoryReturn(folder),
    ],
    firstMs: FIRST_MS,
  })
  const { address, unix } = await listen(context, app, options)
  notifier.tell('READY=1\nSTATUS=Serving')
  if (address !== undefined) context.links.listenOn(address)
  for (const each of [address, unix]) if (each !== undefined) printLine(`listening on ${each}`)
  for (const line of welcome(address ?? '')) printLine(line)
  await using _client = await startClient(context, options, address)
  await using _watch = await watchExtensions(context, options)
  await using _later = await startBackground([openAfterStart(context)], FIRST_MS)
  // A watch that cannot be made ends the server; one that works lets it run until the signal.
  const ended = context.watching.then(() => signal)
  await Promise.race([signal, ended])
  notifier.tell('STOPPING=1')
  await drain(context)
}

/**
 * Once, when the server answers; extensions again after a fault, until they are loaded. What asks
 * for them before has them loaded.
 */
const openAfterStart = ({ extensions, store, log }: OpenContext): Background =>
  new Loop({
    name: 'What follows a start',
    first: [() => warnOfLostZones(store, log)],
    steps: [async () => void (await extensions.load())],
    stopMs: 1,
    failure: 'extensions cannot be loaded, or stored zones cannot be read',
    log,
  })

async function startClient(
  { log }: OpenContext,
  { host, clientPort: port }: ServeOptions,
  address: string | undefined,
): Promise<AsyncDisposable | undefined> {
  if (port === undefined || address === undefined) return undefined
  const { openClient } = await import('./client-beside.ts')
  const onAddress = (at: string): void => printLine(`client on ${at}`)
  const api = address.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, '//127.0.0.1')
  return startBackground([openClient({ host, port, api, log, onAddress })])
}

async function watchExtensions(
  context: OpenContext,
  { watched }: ServeOptions,
): Promise<AsyncDisposable | undefined> {
  if (watched === undefined) return undefined
  return startBackground([(await import('./watch.ts')).watchExtensions(context)])
}

const LOCK_MS = 1000

/** Locks the folder again where its lock was removed. */
const openLockWatch = ({ keepLock, log }: HeldFolder): Background =>
  new Loop({
    name: 'Data folder lock',
    everyMs: LOCK_MS,
    waitsFirst: true,
    steps: [async () => keepLock()],
    failure: 'the lock of the data folder was removed, and another process has it',
    log,
  })

type Welcome = (address: string) => string[]

/** Fills an empty data folder; resolves to the welcome to print once the server answers. */
async function prepare(context: OpenContext, { demo }: ServeOptions): Promise<Welcome> {
  if (demo) {
    const { prepareDemo } = await import('./demo.ts')
    const lines = await prepareDemo(context)
    return (address) => [...lines, `Swagger UI: ${address}/swagger`]
  }
  if (!(await isUntouched(context.store))) return () => []
  const { userName, password } = await saveFirstUser(context)
  return () => [
    `The data folder was empty. User ${userName} has the role System.`,
    `One-time password, shown only once; change it at the first sign-in: ${password}`,
  ]
}

async function openWatching(
  context: OpenContext,
  { watched }: ServeOptions,
): Promise<Background[]> {
  if (watched === undefined) return []
  if (watched !== '') return [(await import('./watch.ts')).watchFolder(context, watched)]
  await (await import('./demo.ts')).redeployDemo(context)
  return []
}

/**
 * No new connections; requests and calls of hubs that are in flight may finish, but not for ever.
 * The server does not stop by itself while a hub is connected.
 */
async function drain({ listeners, hubs }: OpenContext): Promise<void> {
  await takeWhatArrived()
  await Promise.race([Promise.all([hubs.close(DRAIN_MS), listeners.stop()]), sleep(DRAIN_MS)])
  await listeners.stop(true)
}

/** Windows has no SIGTERM: Ctrl-Break and Ctrl-C end a program there. */
const SIGNALS = ['SIGTERM', 'SIGINT', ...(process.platform === 'win32' ? ['SIGBREAK'] : [])]

/**
 * Resolves at the first SIGTERM or SIGINT. From then on neither is handled, so that a second one
 * ends the process at once, as the system does.
 */
export function receiveSignal(): Promise<void> {
  return new Promise((resolve) => {
    const receive = (): void => {
      for (const signal of SIGNALS) process.off(signal, receive)
      resolve()
    }
    for (const signal of SIGNALS) process.on(signal, receive)
  })
}

/** Where the server listens, in its own words. */
interface Listening {
  /** `http://host:port` and the base path, with the port that was picked for 0. */
  address: string | undefined
  /** `unix:/run/appengine.sock`, where there is one. */
  unix: string | undefined
}

/** Starts to listen. Throws when an address is taken: two servers never share one. */
async function listen(
  context: OpenContext,
  app: ReturnType<typeof createApp>,
  { host, port, isPortAsked }: ServeOptions,
): Promise<Listening> {
  const { listeners, log, settings } = context
  process.on('unhandledRejection', (reason) => log.error('unhandled rejection', reason))
  process.on('uncaughtException', (error) => log.error('uncaught exception', error))
  const asked = listeners.unix === undefined || isPortAsked ? { host, port } : undefined
  const picked = await listenAt(context, app, asked).catch((error: unknown) => {
    if (error instanceof SettingError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    const where = asked ? `${host}:${port}` : listeners.unix
    throw new CommandFailure(`Cannot listen on ${where}: ${reason}`)
  })
  const unix = listeners.unix === undefined ? undefined : `unix:${listeners.unix}`
  if (picked === undefined) return { address: undefined, unix }
  const shownHost = host.includes(':') ? `[${host}]` : host
  const basePath = settings.get(HTTP.basePath)
  return { address: `${listeners.scheme}://${shownHost}:${picked}${basePath}`, unix }
}
