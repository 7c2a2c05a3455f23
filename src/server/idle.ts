/** Idle connections. */
import type { Server } from 'bun'

/** Seconds without a byte after which a connection is closed. */
export const IDLE_SECONDS = 30

/**
 * Does the work of a request that waits for its turn, or takes long: until the end the connection
 * stays open though nothing is sent. Without a server it is the work alone.
 */
export async function holdOpen<T>(
  server: Pick<Server<unknown>, 'timeout'> | null,
  request: Request,
  work: () => Promise<T>,
): Promise<T> {
  server?.timeout(request, 0)
  try {
    return await work()
  } finally {
    server?.timeout(request, IDLE_SECONDS)
  }
}
