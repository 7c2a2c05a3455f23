/** The app on a network address. */
import type { Log } from '../kernel/log.ts'
import type { createApp } from '../app.ts'
import { CommandFailure } from './output.ts'

export interface Listening {
  /** `http://host:port` and the base path, with the port that was picked for 0. */
  address: string
  /**
   * Takes no more connections; resolves when what is in flight is answered, or ended by `force`.
   */
  stop(force?: boolean): Promise<void>
}

/**
 * Above every limit of our own, which are counted per route: what Bun refuses by itself is answered
 * without the envelope.
 */
const BODY_BYTES_MAX = 1.5 * 1024 ** 3

/** Seconds without a byte after which a connection is closed. */
const IDLE_SECONDS = 30

/**
 * Starts the server. Throws when the address is taken. `reusePort` off: two servers never share
 * one.
 */
export function listen(
  app: ReturnType<typeof createApp>,
  { host, port, basePath, log }: { host: string; port: number; basePath: string; log: Log },
): Listening {
  process.on('unhandledRejection', (reason) => log.error('unhandled rejection', reason))
  process.on('uncaughtException', (error) => log.error('uncaught exception', error))
  try {
    app.listen({
      hostname: host,
      port,
      reusePort: false,
      development: false,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: BODY_BYTES_MAX,
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailure(`Cannot listen on ${host}:${port}: ${reason}`)
  }
  const server = app.server
  if (!server) throw new Error('The app has no server after it was started')
  const shownHost = host.includes(':') ? `[${host}]` : host
  return {
    address: `http://${shownHost}:${server.port}${basePath}`,
    stop: async (force = false) => server.stop(force),
  }
}
