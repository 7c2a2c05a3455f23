/** The server that holds the connections, in the parts that requests and hubs use. */
import type { Server } from 'bun'

export interface ConnectionServer extends Pick<
  Server<unknown>,
  'publish' | 'requestIP' | 'timeout'
> {
  /** Turns a handshake into a connection of a hub, which has this `data`; false for any other. */
  upgrade(request: Request, options: { data: object; headers: Record<string, string> }): boolean
}
