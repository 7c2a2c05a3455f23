/** Limits on clients of hubs. */
import { bytes, integer, MB } from '../../kernel/setting.ts'
import type { Settings } from '../../kernel/settings.ts'

export const HUBS = {
  maxConnections: integer(
    'Svc:Hubs:MaxConnections',
    'Hub connections that may be open',
    20_000,
    [1, 1e6],
  ),
  userConnections: integer(
    'Svc:Hubs:UserConnections',
    'Hub connections that a user may have open',
    50,
    [1, 1e6],
  ),
  userStreams: integer(
    'Svc:Hubs:UserStreams',
    'Streams that a user may have running at once, over all hub connections',
    16,
    [1, 1e6],
  ),
  maxMessageBytes: bytes(
    'Svc:Hubs:MaxMessageBytes',
    'Size of a message that a hub takes',
    64 * 1024,
    [1024, MB],
  ),
  messagesPerSecond: integer(
    'Svc:Hubs:MessagesPerSecond',
    'Messages that a hub takes of a connection in a second, on average over some seconds',
    50,
    [1, 10_000],
  ),
  bytesPerSecond: bytes(
    'Svc:Hubs:BytesPerSecond',
    'Bytes that a hub takes of a connection in a second, on average over some seconds',
    256 * 1024,
    [1024, 100 * MB],
  ),
}

/** Limits on one connection. */
export interface HubLimits {
  readonly messageBytesMax: number
  readonly messagesPerSecond: number
  readonly bytesPerSecond: number
}

/** The limits of a connection by the app's settings. */
export const readHubLimits = (settings: Settings): HubLimits => ({
  messageBytesMax: settings.get(HUBS.maxMessageBytes),
  messagesPerSecond: settings.get(HUBS.messagesPerSecond),
  bytesPerSecond: settings.get(HUBS.bytesPerSecond),
})
