/**
 * The hub, by which the server tells of notifications, badges, changes of rows, model and rights.
 * One tab of a user holds the connection and passes on to the others what it is told.
 */
import type { HubConnection } from '@microsoft/signalr'
import { findToken } from './tokens.ts'

/** Names of what is told; `resynced` is this client's own, behind a time without a connection. */
type HubEvent =
  | 'notification'
  | 'unread'
  | 'badges'
  | 'objectChanged'
  | 'presence'
  | 'commentsChanged'
  | 'modelChanged'
  | 'rightsChanged'
  | 'viewsChanged'
  | 'progress'
  | 'resynced'

/** Messages between the tabs of a user. */
type TabMessage =
  | { do: 'tell'; event: HubEvent; payload: unknown }
  | { do: 'invoke'; method: string; args: unknown[] }

const EVENTS: readonly HubEvent[] = [
  'notification',
  'unread',
  'badges',
  'objectChanged',
  'presence',
  'commentsChanged',
  'modelChanged',
  'rightsChanged',
  'viewsChanged',
  'progress',
]

const ADDRESS = '/api/v1/hubs/notifications'
const FIRST_MS = 1500
const WAIT_MIN_MS = 1000
const WAIT_MAX_MS = 30_000

const listeners = new Map<HubEvent, Set<(payload: unknown) => void>>()

/** A call that holds until it is ended, by all who made it: parts of this tab, and other tabs. */
interface StandingCall {
  method: string
  args: unknown[]
  holders: number
}

/** Calls that hold; they are made again behind a time without a connection. */
const standing = new Map<string, StandingCall>()

let channel: BroadcastChannel | undefined
let connection: HubConnection | undefined

/** Calls `listener` for each event of that name; returns what ends it. */
export function onHub(event: HubEvent, listener: (payload: unknown) => void): () => void {
  const known = listeners.get(event) ?? new Set()
  listeners.set(event, known.add(listener))
  return () => known.delete(listener)
}

function tell(event: HubEvent, payload: unknown): void {
  for (const listener of listeners.get(event) ?? []) listener(payload)
}

/** Calls what holds until `end`, such as `Subscribe` until `Unsubscribe`; returns what ends it. */
export function holdHub(method: string, end: string, ...args: unknown[]): () => void {
  invoke(method, args)
  return () => invoke(end, args)
}

/** Pairs of what holds and what ends it. */
const ENDS: Readonly<Record<string, string>> = { Unsubscribe: 'Subscribe', Close: 'Open' }

function invoke(method: string, args: unknown[]): void {
  if (!note(method, args)) return
  if (connection) void send(method, args)
  else channel?.postMessage({ do: 'invoke', method, args } satisfies TabMessage)
}

/** Counts who holds a call; true for the first who begins it and the last who ends it. */
function note(method: string, args: unknown[]): boolean {
  const begun = ENDS[method]
  const key = JSON.stringify([begun ?? method, ...args])
  const known = standing.get(key)
  const holders = (known?.holders ?? 0) + (begun === undefined ? 1 : -1)
  if (holders > 0) standing.set(key, { method: begun ?? method, args, holders })
  else standing.delete(key)
  return begun === undefined ? holders === 1 : holders === 0
}

/** A refusal of the hub, as of an object that the caller may not see, has the place without it. */
async function send(method: string, args: unknown[]): Promise<void> {
  if (connection?.state !== 'Connected') return
  await connection.invoke(method, ...args).catch(() => undefined)
}

async function sendStanding(): Promise<void> {
  for (const { method, args } of standing.values()) await send(method, args)
}

/** Connects for a user until it is stopped; `identity` names user and company. */
export function startHub(identity: string): () => void {
  const name = `appengine-hub-${identity}`
  const stop = new AbortController()
  channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    if (data.do === 'tell') hear(data.event, data.payload)
    else if (connection && note(data.method, data.args)) void send(data.method, data.args)
  }
  const hold = (): Promise<void> => connect(stop.signal)
  // Without https the browser has no locks: each tab connects by itself.
  const held =
    'locks' in navigator ? navigator.locks.request(name, { signal: stop.signal }, hold) : hold()
  // The lock is given up by the stop itself.
  held.catch(() => undefined)
  return () => {
    stop.abort()
    channel?.close()
    channel = undefined
    standing.clear()
  }
}

/** Another tab was told something; one that has just connected does not know what is held here. */
function hear(event: HubEvent, payload: unknown): void {
  if (event === 'resynced' && payload === true)
    for (const { method, args } of standing.values())
      channel?.postMessage({ do: 'invoke', method, args } satisfies TabMessage)
  tell(event, payload)
}

/** Holds the connection until `signal`; tries for as long as it takes. */
async function connect(signal: AbortSignal): Promise<void> {
  // The place comes first: what it shows is as of now anyhow.
  await pause(FIRST_MS, signal)
  const { HubConnectionBuilder, HttpTransportType, LogLevel } = await import('@microsoft/signalr')
  const made = new HubConnectionBuilder()
    .withUrl(ADDRESS, {
      transport: HttpTransportType.WebSockets,
      skipNegotiation: true,
      accessTokenFactory: async () => (await findToken()) ?? '',
    })
    .withAutomaticReconnect({
      nextRetryDelayInMilliseconds: ({ previousRetryCount }) => planWait(previousRetryCount),
    })
    .configureLogging(LogLevel.None)
    .build()
  for (const event of EVENTS)
    made.on(event, (payload: unknown) => {
      tell(event, payload)
      channel?.postMessage({ do: 'tell', event, payload } satisfies TabMessage)
    })
  made.onreconnected(() => resync(false))
  connection = made
  for (let tries = 0; !signal.aborted && !(await starts(made)); tries++)
    await pause(planWait(tries), signal)
  if (!signal.aborted) await resync(true)
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve())
  })
  connection = undefined
  await made.stop()
}

/** Has each part load what it missed; a tab that has just connected learns what others hold. */
async function resync(isNew: boolean): Promise<void> {
  await sendStanding()
  tell('resynced', undefined)
  channel?.postMessage({ do: 'tell', event: 'resynced', payload: isNew } satisfies TabMessage)
}

const starts = (made: HubConnection): Promise<boolean> =>
  made.start().then(
    () => true,
    () => false,
  )

const planWait = (tries: number): number =>
  Math.min(WAIT_MAX_MS, WAIT_MIN_MS * 2 ** Math.min(tries, 5))

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
