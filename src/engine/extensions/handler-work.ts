/** Inside an extension's process: a handler at a file. */
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Cell } from '../sheets/row-page.ts'
import type { Handler } from './authoring.ts'
import type { RpcChannel } from './rpc-channel.ts'
import type { Order } from './rpc-messages.ts'

/** Writes the file that the handler makes of the rows that are sent. */
export async function exportFile(
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
export async function importFile(
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
  let batch: Cell[][] = []
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
