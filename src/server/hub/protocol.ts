/**
 * The SignalR hub protocol in its JSON encoding, version 1, as texts in and out: nothing here knows
 * of sockets. A record is a JSON object that the character 0x1E ends.
 */
import { Failure } from '../../kernel/failure.ts'
import { holdsMoreValues } from '../../kernel/json-values.ts'
import { type Message, say } from '../../kernel/messages.ts'
import { parseJsonExactly } from '../../kernel/numerals.ts'
import { cleanJson } from '../body.ts'

/** Ends each record. */
export const RECORD_END = '\x1e'

const PROTOCOL = 'json'
const VERSION = 1

/** Most values of a method's arguments: checking more would take too long. */
const VALUES_MAX = 10_000

/** Letters of an invocation's id; clients count their invocations. */
const ID_CHARACTERS_MAX = 100

const KIND = {
  invocation: 1,
  streamItem: 2,
  completion: 3,
  streamInvocation: 4,
  cancelInvocation: 5,
  ping: 6,
  close: 7,
} as const

/** A call of a method. The result of one without an id is not waited for. */
export interface Invocation {
  readonly kind: 'invocation' | 'stream'
  readonly id: string | undefined
  readonly target: string
  readonly args: readonly unknown[]
  /** True when the client wants to stream arguments, too. */
  readonly streamsArguments: boolean
}

/** A message of a client after the handshake. */
type ClientMessage =
  | Invocation
  | { readonly kind: 'cancel'; readonly id: string }
  | { readonly kind: 'ping' | 'close' | 'ignored' }

/** A text that does not follow the protocol; its message is for the author of the client. */
export class ProtocolError extends Error {
  readonly text: Message

  constructor(text: Message) {
    super(String(text))
    this.text = text
  }
}

/**
 * Splits text into whole records and the begun one behind them.
 * @throws ProtocolError when a record is longer than `charactersMax`
 */
export function splitRecords(
  text: string,
  charactersMax: number,
): { records: string[]; rest: string } {
  const records = text.split(RECORD_END)
  const rest = records.pop() ?? ''
  if (rest.length > charactersMax || records.some(({ length }) => length > charactersMax))
    throw new ProtocolError(say`The message is too long`)
  return { records, rest }
}

/**
 * Finds the fault of the record that begins a connection; undefined for one that asks for this
 * protocol. @throws ProtocolError for text that is not a handshake at all
 */
export function findHandshakeFault(record: string): Message | undefined {
  const { protocol, version } = parseObject(record)
  if (typeof protocol !== 'string' || typeof version !== 'number')
    throw new ProtocolError(say`The handshake must have a protocol and a version`)
  if (protocol.toLowerCase() !== PROTOCOL)
    return say`The protocol '${protocol.slice(0, 40)}' is not supported.`
  if (version !== VERSION)
    return say`The server does not support version ${version} of the 'json' protocol.`
  return undefined
}

/**
 * Parses a record after the handshake. Messages of the other direction and of later versions of the
 * protocol are ignored, and so are headers.
 * @throws ProtocolError for a record that is not a message
 */
export function parseMessage(record: string): ClientMessage {
  const message = parseObject(record)
  switch (message['type']) {
    case KIND.invocation:
      return { kind: 'invocation', ...readCall(message, readOptionalId(message)) }
    case KIND.streamInvocation:
      return { kind: 'stream', ...readCall(message, readId(message)) }
    case KIND.cancelInvocation:
      return { kind: 'cancel', id: readId(message) }
    case KIND.ping:
      return { kind: 'ping' }
    case KIND.close:
      return { kind: 'close' }
    default:
      if (typeof message['type'] !== 'number')
        throw new ProtocolError(say`The message must have a type`)
      return { kind: 'ignored' }
  }
}

function parseObject(record: string): Record<string, unknown> {
  if (holdsMoreValues(record, VALUES_MAX))
    throw new ProtocolError(say`The message has too many values`)
  let value: unknown
  try {
    value = parseJsonExactly(record)
    if (typeof value === 'object' && value !== null) cleanJson(value)
  } catch (error) {
    throw new ProtocolError(error instanceof Failure ? error.text : say`The message must be JSON`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ProtocolError(say`The message must be a JSON object`)
  return value as Record<string, unknown>
}

function readCall(
  { target, arguments: args, streamIds }: Record<string, unknown>,
  id: string | undefined,
): Omit<Invocation, 'kind'> {
  if (typeof target !== 'string') throw new ProtocolError(say`target must be a text`)
  if (!Array.isArray(args)) throw new ProtocolError(say`arguments must be a list`)
  return { id, target, args, streamsArguments: Array.isArray(streamIds) && streamIds.length > 0 }
}

const readOptionalId = (message: Record<string, unknown>): string | undefined =>
  (message['invocationId'] ?? undefined) === undefined ? undefined : readId(message)

function readId({ invocationId }: Record<string, unknown>): string {
  if (typeof invocationId !== 'string' || invocationId.length > ID_CHARACTERS_MAX)
    throw new ProtocolError(
      say`invocationId must be a text of at most ${ID_CHARACTERS_MAX} characters`,
    )
  return invocationId
}

const write = (message: object): string => JSON.stringify(message) + RECORD_END

/** The answer to a handshake that holds. */
export const HANDSHAKE_DONE = write({})

/** The answer to one that does not. */
export const writeHandshakeFault = (error: string): string => write({ error })

/** Record that keeps a silent connection open. */
export const PING = write({ type: KIND.ping })

/** Writes a call of the client's, without an answer. */
export const writeEvent = (target: string, args: readonly unknown[]): string =>
  write({ type: KIND.invocation, target, arguments: args })

/** One item of a stream. */
export const writeItem = (invocationId: string, item: unknown): string =>
  write({ type: KIND.streamItem, invocationId, item: item ?? null })

/** Writes the result of an invocation, or of the end of a stream; undefined for none. */
export const writeResult = (invocationId: string, result: unknown): string =>
  write({ type: KIND.completion, invocationId, result })

/** Writes the failure of an invocation or a stream. */
export const writeError = (invocationId: string, error: string): string =>
  write({ type: KIND.completion, invocationId, error })

/** The last record of a connection: why it ends, and whether the client may come back by itself. */
export const writeClose = (close: { error?: string; allowReconnect?: boolean }): string =>
  write({ type: KIND.close, ...close })
