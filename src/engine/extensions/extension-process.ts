/** The process of an extension: all that its code ever runs in. */
import type { HelperPort } from '../process/helper-port.ts'
import type { Row, ScriptContext, TableRequest, TableResult } from './authoring.ts'
import { collectParts, listParts } from './collect-parts.ts'
import type { CollectedParts } from './collect-parts.ts'
import { placeFault } from './fault-place.ts'
import { exportFile, importFile } from './handler-work.ts'
import { RpcChannel, RefusedCall } from './rpc-channel.ts'
import type { Order } from './rpc-messages.ts'

/** Does what the first message orders and tells how it went. */
export async function runExtension(port: HelperPort): Promise<void> {
  const channel = new RpcChannel(port)
  const order = await channel.order()
  sendConsoleTo(channel)
  try {
    await Promise.race([carryOut(channel, order), watchForLost()])
  } catch (error) {
    await channel.report({
      fault: placeFault(error, order.folder, order.file),
      told: reportToCaller(error),
      call: error instanceof RefusedCall ? error.call : null,
    })
  }
}

/** Rejects with an error that nobody waits for: in a timer, or of a promise left alone. */
function watchForLost(): Promise<never> {
  return new Promise((_, reject) => {
    for (const event of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(event, (error: unknown) => reject(error))
  })
}

async function carryOut(channel: RpcChannel, order: Order): Promise<void> {
  const parts = await collectParts(order.file)
  if (order.do === 'describe') return channel.report({ parts: listParts(parts) })
  if (order.do === 'run') return runScript(channel, parts, order)
  const { handler } = requirePart(parts.handlers, order.name)
  if (order.do === 'export') await exportFile(channel, handler, order)
  else await importFile(channel, handler, order)
  await channel.report({ result: 'null' })
}

async function runScript(
  channel: RpcChannel,
  { scripts }: CollectedParts,
  { name, parameters }: Extract<Order, { do: 'run' }>,
): Promise<void> {
  const { script } = requirePart(scripts, name)
  const result: unknown = await script.run({
    Parameters: parameters,
    log: (...values) => channel.log(values),
    query: openQuery(channel),
    submit: (request) => channel.call('submit', request),
    signal: channel.signal,
  })
  await channel.report({ result: JSON.stringify(result ?? null) ?? 'null' })
}

function openQuery(channel: RpcChannel): ScriptContext['query'] {
  function query<R extends Row>(sql: string, parameters?: object): Promise<R[]>
  function query(request: TableRequest): Promise<TableResult>
  function query(what: string | TableRequest, parameters: object = {}): Promise<unknown> {
    return typeof what === 'string'
      ? channel.call('sql', { sql: what, parameters })
      : channel.call('table', what)
  }
  return query
}

/** A file may have been changed since its parts were told. */
function requirePart<T>(parts: ReadonlyMap<string, T>, name: string): T {
  const part = parts.get(name.toLowerCase())
  if (!part) throw new Error(`${name} is not declared any more`)
  return part
}

/** The message of a plain Error is its author's sentence; others tell of the machine. */
function reportToCaller(error: unknown): string | null {
  const isPlain =
    error instanceof Error && Object.getPrototypeOf(error) === Error.prototype && !('code' in error)
  return isPlain ? error.message.slice(0, TOLD_CHARACTERS_MAX) : null
}

const TOLD_CHARACTERS_MAX = 500

/** What is printed goes where the author looks for it. */
function sendConsoleTo(channel: RpcChannel): void {
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const)
    console[name] = (...values: unknown[]) => channel.log(values)
}
