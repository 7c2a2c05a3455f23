/**
 * The word to systemd that the server is ready, lives, or stops (`sd_notify`): a datagram to the
 * socket that `NOTIFY_SOCKET` names. Bun has no datagrams over Unix sockets, so the C library sends
 * them.
 */
import { dlopen, FFIType, ptr } from 'bun:ffi'
import { Loop } from '../kernel/background.ts'
import type { Log } from '../kernel/log.ts'
import { findVariable } from '../kernel/settings.ts'

const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0x80000
const MSG_NOSIGNAL = 0x4000

/** Looks in the time after which systemd takes the server for hung. */
const LOOKS = 3

/** Speaks to the service manager, where there is one. */
export class ServiceNotifier {
  readonly #send: ((text: string) => void) | undefined
  readonly #watchdogMs: number

  constructor() {
    const path = findVariable('NOTIFY_SOCKET')
    this.#send = path !== undefined && /^[/@]./.test(path) ? openSocket(path) : undefined
    this.#watchdogMs = findWatchdogMs()
  }

  /** Tells a state, such as `READY=1`; lines of several are allowed. */
  tell(state: string): void {
    this.#send?.(state)
  }

  /** Tells that the event loop turns; undefined where nobody asks for it. */
  openWatchdog(log: Log): Loop | undefined {
    if (!this.#send || this.#watchdogMs === 0) return undefined
    return new Loop({
      name: 'Watchdog',
      everyMs: this.#watchdogMs / LOOKS,
      steps: [async () => this.tell('WATCHDOG=1')],
      failure: 'systemd could not be told that the server lives',
      log,
    })
  }
}

/** Milliseconds of `WatchdogSec`; 0 where it is not set, or meant for another process. */
function findWatchdogMs(): number {
  const of = findVariable('WATCHDOG_PID')
  if (of !== undefined && of !== String(process.pid)) return 0
  const microseconds = Number(findVariable('WATCHDOG_USEC') ?? 0)
  return Number.isFinite(microseconds) ? microseconds / 1000 : 0
}

/** Sends datagrams to a socket, `@` before the name of an abstract one. */
function openSocket(path: string): ((text: string) => void) | undefined {
  const library = openLibrary()
  if (!library) return undefined
  const name = Buffer.from(path)
  if (path.startsWith('@')) name[0] = 0
  const address = Buffer.concat([Buffer.from(Uint16Array.of(AF_UNIX).buffer), name])
  const socket = library.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
  return (text) => {
    const data = Buffer.from(text)
    library.sendto(socket, ptr(data), data.length, MSG_NOSIGNAL, ptr(address), address.length)
  }
}

function openLibrary() {
  for (const name of ['libc.so.6', `libc.musl-${MACHINE}.so.1`]) {
    try {
      return dlopen(name, {
        socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
        sendto: {
          args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.ptr, FFIType.u32],
          returns: FFIType.i64,
        },
      }).symbols
    } catch {
      // The other one; a system without both has no systemd.
    }
  }
  return undefined
}

const MACHINE = process.arch === 'x64' ? 'x86_64' : 'aarch64'
