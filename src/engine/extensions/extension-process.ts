/** The process of an extension: all that its code ever runs in. */
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'
import type {
  Faults,
  Handler,
  ParametersOf,
  Row,
  ScriptContext,
  TableRequest,
  TableResult,
} from './authoring.ts'
import { type CollectedParts, collectParts, listParts } from './collect-parts.ts'
import type { ExtensionFault } from './parts.ts'
import { RefusedCall, RpcChannel } from './rpc-channel.ts'
import type { FirstMessage, Order } from './rpc-messages.ts'
import type { HelperPort } from '../process/helper-port.ts'
import type { SheetCell } from '../sheets/row-page.ts'

/** Carries out the order of the first message and reports the outcome. */
export async function runExtension(port: HelperPort): Promise<void> {
  const channel = new RpcChannel(port)
  const order = await channel.order()
  sendConsoleTo(channel)
  try {
    await Promise.race([carryOut(channel, order), watchForLost()])
  } catch (error) {
    await channel.report({
      fault: placeFault(error, order.folder, order.file),
      callerMessage: reportToCaller(error),
      call: error instanceof RefusedCall ? error.call : null,
    })
  }
}

/** Rejects with an error that no code awaits: in a timer, or of a promise left alone. */
function watchForLost(): Promise<never> {
  return new Promise((_, reject) => {
    for (const event of ['uncaughtException', 'unhandledRejection'] as const)
      process.on(event, (error: unknown) => reject(error))
  })
}

async function carryOut(channel: RpcChannel, order: FirstMessage): Promise<void> {
  const parts = await collectParts(order.file, order.settings)
  if (order.do === 'describe') return channel.report({ parts: listParts(parts) })
  if (order.do === 'run') return runScript(channel, parts, order)
  if (order.do === 'job') return runJob(channel, parts, order)
  if (order.do === 'validate') return runValidation(channel, parts, order)
  if (order.do === 'serve') return runService(channel, parts, order)
  if (order.do === 'on') return runListener(channel, parts, order)
  if (order.do === 'report') return runReport(channel, parts, order)
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
  await reportResult(channel, await script.run(openContext(channel, parameters)))
}

async function runJob(
  channel: RpcChannel,
  { jobs }: CollectedParts,
  { name, parameters, jobId, attempt }: Extract<Order, { do: 'job' }>,
): Promise<void> {
  const { job } = requirePart(jobs, name)
  const result: unknown = await job.run({
    ...openContext(channel, parameters),
    JobId: jobId,
    Attempt: attempt,
    progress: (done, total = null, message) => channel.progress(done, total, message ?? null),
  })
  await reportResult(channel, result)
}

const reportResult = (channel: RpcChannel, result: unknown): Promise<void> =>
  channel.report({ result: JSON.stringify(result ?? null) ?? 'null' })

const openContext = (
  channel: RpcChannel,
  parameters: Readonly<Record<string, unknown>>,
): ScriptContext => ({
  Parameters: parameters as ParametersOf<readonly []>,
  log: (...values) => channel.log(values),
  query: openQuery(channel),
  submit: (request) => channel.call('submit', request),
  enqueue: (name, given, options) =>
    channel.call('enqueue', { name, parameters: given ?? {}, ...options }),
  signal: channel.signal,
})

async function runListener(
  channel: RpcChannel,
  { listeners }: CollectedParts,
  { name, events }: Extract<Order, { do: 'on' }>,
): Promise<void> {
  const { part, listener } = requirePart(listeners, name)
  const { Parameters: _, ...context } = openContext(channel, {})
  for (const event of events) await listener.run({ ...context, ...event, Event: part.Event })
  await reportResult(channel, null)
}

const LOG_MS = 60_000

async function runService(
  channel: RpcChannel,
  { services }: CollectedParts,
  { name }: Extract<Order, { do: 'serve' }>,
): Promise<void> {
  const { service } = requirePart(services, name)
  const { Parameters: _, ...context } = openContext(channel, {})
  setInterval(() => channel.renewLog(), LOG_MS).unref()
  await service.run(context)
  await reportResult(channel, null)
}

/** Checks records; one outcome for each: faults by field, or nothing. */
async function runValidation(
  channel: RpcChannel,
  { validations }: CollectedParts,
  { name, object, records }: Extract<Order, { do: 'validate' }>,
): Promise<void> {
  const { validation } = requirePart(validations, name)
  const { log, query, signal } = openContext(channel, {})
  const outcomes: Faults[] = []
  for (const { isNew: IsNew, values: Values, old: Old } of records) {
    const context = { Object: object, IsNew, Values, Old, log, query, signal }
    outcomes.push((await catchSaid(() => validation.run(context))) ?? null)
  }
  await reportResult(channel, outcomes)
}

/** Runs a check; a fault that its code throws counts for the whole record. */
async function catchSaid(run: () => Faults | Promise<Faults>): Promise<Faults> {
  try {
    return await run()
  } catch (error) {
    const message = reportToCaller(error)
    if (message === null || message === '') throw error
    return { '': message }
  }
}

/** Rows as they are; a file by its bytes in base64. */
async function runReport(
  channel: RpcChannel,
  { reports }: CollectedParts,
  { name, parameters, format }: Extract<Order, { do: 'report' }>,
): Promise<void> {
  const { part, report } = requirePart(reports, name)
  const result = await report.run({
    Parameters: parameters,
    Format: part.Formats.find((each) => each === format) ?? 'json',
    log: (...values) => channel.log(values),
    query: openQuery(channel),
    signal: channel.signal,
  })
  const isFile = typeof result === 'object' && result !== null && 'Body' in result
  const given = isFile
    ? { ...result, Body: Buffer.from(result.Body as string).toString('base64') }
    : result
  await reportResult(channel, given)
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

/** A file may have been changed since its parts were listed. */
function requirePart<T>(parts: ReadonlyMap<string, T>, name: string): T {
  const part = parts.get(name.toLowerCase())
  if (!part) throw new Error(`${name} is not declared any more: the file was changed meanwhile`)
  return part
}

/** The message of a plain Error is its author's sentence; others tell of the machine. */
function reportToCaller(error: unknown): string | null {
  const isPlain =
    error instanceof Error && Object.getPrototypeOf(error) === Error.prototype && !('code' in error)
  return isPlain ? error.message.slice(0, CALLER_MESSAGE_CHARACTERS_MAX) : null
}

const CALLER_MESSAGE_CHARACTERS_MAX = 500

/** Sends printed lines to the log, where the author looks for them. */
function sendConsoleTo(channel: RpcChannel): void {
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const)
    console[name] = (...values: unknown[]) => channel.log(values)
}

const MESSAGE_CHARACTERS_MAX = 2000

/** The fault that an error is, of whatever kind; `file` is to blame where the error names none. */
function placeFault(error: unknown, folder: string, file: string): ExtensionFault {
  const message = messageOf(error)
  const place = placeOfParser(error) ??
    placeOfStack(error, folder) ??
    placeOfName(message, file) ?? { file }
  return {
    File: nameFile(place.file, folder),
    Line: place.line ?? null,
    Message: message.replaceAll(folder + sep, '').slice(0, MESSAGE_CHARACTERS_MAX),
  }
}

/** The name of a file within the folder, or '' for one outside of it. */
function nameFile(file: string, folder: string): string {
  const name = relative(folder, file)
  return name.startsWith('..') || isAbsolute(name) ? '' : name.split(sep).join('/')
}

interface Place {
  file: string
  line?: number | undefined
}

const messageOf = (error: unknown): string => {
  const first = firstOf(error)
  return first instanceof Error || hasMessage(first) ? String(first.message) : String(first)
}

const hasMessage = (value: unknown): value is { message: unknown } =>
  typeof value === 'object' && value !== null && 'message' in value

/** The first of several errors of one file, which come as one. */
const firstOf = (error: unknown): unknown =>
  error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error

/** Bun's own errors of parsing tell their place. */
function placeOfParser(error: unknown): Place | undefined {
  const first = firstOf(error)
  if (typeof first !== 'object' || first === null) return undefined
  const position: unknown = Reflect.get(first, 'position')
  if (typeof position !== 'object' || position === null) return undefined
  const file: unknown = Reflect.get(position, 'file')
  const line: unknown = Reflect.get(position, 'line')
  return typeof file === 'string' && typeof line === 'number' ? { file, line } : undefined
}

/** The innermost frame within the folder. */
function placeOfStack(error: unknown, folder: string): Place | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  for (const [, file, line] of stack.matchAll(/^\s+at (?:.*\()?(.+?):(\d+)(?::\d+)?\)?$/gm)) {
    if (file?.startsWith(folder + sep)) return { file, line: Number(line) }
  }
  return undefined
}

/** The first line with the text that the message quotes: a missing package or name. */
function placeOfName(message: string, file: string): Place | undefined {
  const names = [...message.matchAll(/'([^']+)'/g)].map(([, name]) => name ?? '')
  const name = names.find((each) => !each.startsWith('/'))
  if (name === undefined || !existsSync(file)) return undefined
  const at = readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((text) => text.includes(name))
  return at < 0 ? undefined : { file, line: at + 1 }
}

/** Writes the file that the handler makes of the rows that are sent. */
async function exportFile(
  line: RpcChannel,
  handler: Handler,
  order: Extract<Order, { do: 'export' }>,
): Promise<void> {
  const pieces = handler.export?.({
    Format: order.format,
    Title: order.title,
    Columns: order.columns,
    Parameters: order.parameters,
    rows: line.rows(),
    signal: line.signal,
  })
  if (!pieces) throw new Error(`${order.name} has no export any more`)
  await using file = await open(order.path, 'wx', 0o600)
  for await (const piece of pieces)
    await file.writeFile(typeof piece === 'string' ? Buffer.from(piece) : piece)
  if (!line.isDrained) throw new Error(`${order.name}: export is to read every row`)
  await file.sync()
}

/** Rows that go over the line at once. */
const BATCH_ROWS = 500

/** Sends the rows that the handler finds in the file. */
async function importFile(
  line: RpcChannel,
  handler: Handler,
  order: Extract<Order, { do: 'import' }>,
): Promise<void> {
  const stream = createReadStream(order.path)
  const rows = handler.import?.({
    Format: order.format,
    Parameters: order.parameters,
    bytes: readBytes(stream),
    lines: readLines(stream),
    signal: line.signal,
  })
  if (!rows) throw new Error(`${order.name} has no import any more`)
  let batch: SheetCell[][] = []
  for await (const row of rows) {
    batch.push([...row])
    if (batch.length < BATCH_ROWS) continue
    await line.report({ rows: batch })
    batch = []
  }
  if (batch.length > 0) await line.report({ rows: batch })
}

async function* readBytes(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* stream
}

async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r?\n/)
    rest = lines.pop() ?? ''
    yield* lines
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
