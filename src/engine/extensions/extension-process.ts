/** The process of an extension: all that its code ever runs in. */
import type { HelperPort } from '../process/helper-port.ts'
import type { Row, ScriptContext, TableRequest, TableResult } from './authoring.ts'
import { collectParts, listParts } from './collect-parts.ts'
import type { CollectedParts } from './collect-parts.ts'
import { placeFault } from './fault-place.ts'
import { exportFile, importFile } from './handler-work.ts'
import { Line, RefusedCall } from './line.ts'
import type { Order } from './wire.ts'

/** Does what the first message orders and tells how it went. */
export async function runExtension(port: HelperPort): Promise<void> {
  const line = new Line(port)
  const order = await line.order()
  sendConsoleTo(line)
  try {
    await Promise.race([carryOut(line, order), watchForLost()])
  } catch (error) {
    await line.report({
      fault: placeFault(error, order.folder, order.file),
      told: tellCaller(error),
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

async function carryOut(line: Line, order: Order): Promise<void> {
  const parts = await collectParts(order.file)
  if (order.do === 'describe') return line.report({ parts: listParts(parts) })
  if (order.do === 'run') return runScript(line, parts, order)
  const { handler } = requirePart(parts.handlers, order.name)
  if (order.do === 'export') await exportFile(line, handler, order)
  else await importFile(line, handler, order)
  await line.report({ result: 'null' })
}

async function runScript(
  line: Line,
  { scripts }: CollectedParts,
  { name, parameters }: Extract<Order, { do: 'run' }>,
): Promise<void> {
  const { script } = requirePart(scripts, name)
  const result: unknown = await script.run({
    Parameters: parameters,
    log: (...values) => line.log(values),
    query: openQuery(line),
    submit: (request) => line.call('submit', request),
    signal: line.signal,
  })
  await line.report({ result: JSON.stringify(result ?? null) ?? 'null' })
}

function openQuery(line: Line): ScriptContext['query'] {
  function query<R extends Row>(sql: string, parameters?: object): Promise<R[]>
  function query(request: TableRequest): Promise<TableResult>
  function query(what: string | TableRequest, parameters: object = {}): Promise<unknown> {
    return typeof what === 'string'
      ? line.call('sql', { sql: what, parameters })
      : line.call('table', what)
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
function tellCaller(error: unknown): string | null {
  const isPlain =
    error instanceof Error && Object.getPrototypeOf(error) === Error.prototype && !('code' in error)
  return isPlain ? error.message.slice(0, TOLD_CHARACTERS_MAX) : null
}

const TOLD_CHARACTERS_MAX = 500

/** What is printed goes where the author looks for it. */
function sendConsoleTo(line: Line): void {
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const)
    console[name] = (...values: unknown[]) => line.log(values)
}
