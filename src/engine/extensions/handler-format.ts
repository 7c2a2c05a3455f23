/** The handlers of extensions as formats of files, like those that come with the engine. */
import type { Log } from '../../kernel/log.ts'
import type { Column } from './authoring.ts'
import { explainRun, ExtensionRun, type Outcome } from './extension-run.ts'
import type { Declared, Extensions } from './extensions.ts'
import type { HandlerPart } from './parts.ts'
import type { Order } from './rpc-messages.ts'
import type { ExportFormat, ImportFormat, RowSink, SheetPlan, SheetRow } from '../sheets/format.ts'
import type { RowPage, SheetCell } from '../sheets/row-page.ts'

/** A handler with the request for it. */
export interface HandlerUse {
  extensions: Extensions
  /** The user whose turn it takes. */
  userId: number
  handler: Declared<HandlerPart>
  /** One of the handler's Formats. */
  format: string
  parameters: Record<string, unknown>
  log: Log
  traceId: string
}

/** The handler as a format that a table is written in; its process writes the file. */
export function toExportFormat(use: HandlerUse): ExportFormat {
  const { Name, ContentType, Extension } = use.handler.part
  return {
    name: `${Name}:${use.format}`.toLowerCase(),
    contentType: ContentType,
    extension: Extension,
    open: async (sheet, path) => new HandlerSink(use, sheet, path),
  }
}

/** The handler as a format that a table is read from; its process reads the file. */
export function toImportFormat(use: HandlerUse): ImportFormat {
  const { Name, Extension } = use.handler.part
  return {
    name: `${Name}:${use.format}`.toLowerCase(),
    extensions: [Extension],
    read: (path, { signal }) => readRows(use, path, signal),
  }
}

function startRun(use: HandlerUse, order: Order, signal?: AbortSignal): ExtensionRun {
  const { limits, settings, signal: closing } = use.extensions
  return new ExtensionRun(order, {
    ...limits,
    settings,
    signal: signal ? AbortSignal.any([signal, closing]) : closing,
  })
}

const orderOf = ({ extensions, handler, format, parameters }: HandlerUse, path: string) => ({
  folder: extensions.folder,
  file: handler.file,
  name: handler.part.Name,
  format,
  parameters,
  path,
})

const explain = ({ extensions, handler, log, traceId }: HandlerUse, error: unknown) =>
  explainRun(error, handler.part.Name, { log, limits: extensions.limits, traceId })

/** Rows on their way to the process that writes them. */
class HandlerSink implements RowSink {
  readonly #use: HandlerUse
  readonly #path: string
  readonly #run: ExtensionRun
  readonly #done: Promise<Outcome>

  constructor(use: HandlerUse, sheet: SheetPlan, path: string) {
    this.#use = use
    this.#path = path
    const columns = sheet.columns.map(toColumn)
    this.#run = startRun(use, { do: 'export', title: sheet.title, columns, ...orderOf(use, path) })
    this.#done = this.#run.finish()
    this.#done.catch(() => {})
  }

  async write({ rows }: RowPage): Promise<void> {
    // A failure of the process shows by its end, which the channel may notice first.
    await this.#run.send({ rows }).catch(() => this.#requireDone())
  }

  async close(): Promise<{ size: number; sha256: string }> {
    await this.#run.send({ rows: null }).catch(() => {})
    await this.#requireDone()
    await this.#run[Symbol.asyncDispose]()
    return hashFile(this.#path)
  }

  async abort(): Promise<void> {
    await this.#run[Symbol.asyncDispose]()
    await Bun.file(this.#path)
      .delete()
      .catch(() => {})
  }

  async #requireDone(): Promise<void> {
    await this.#done.catch((error: unknown) => {
      throw explain(this.#use, error)
    })
  }
}

const toColumn = ({ name, label, type, scale }: SheetPlan['columns'][number]): Column => ({
  Name: name,
  Label: label,
  Type: type,
  ...(scale !== undefined && { Scale: scale }),
})

async function hashFile(path: string): Promise<{ size: number; sha256: string }> {
  const hash = new Bun.CryptoHasher('sha256')
  const file = Bun.file(path)
  for await (const piece of file.stream()) hash.update(piece)
  return { size: file.size, sha256: hash.digest('hex') }
}

async function* readRows(
  use: HandlerUse,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<SheetRow[]> {
  using _turn = await holdTurn(use)
  await using run = startRun(use, { do: 'import', ...orderOf(use, path) }, signal)
  let line = 0
  try {
    for await (const batch of run.rows()) {
      const rows = batch.map((cells) => ({ line: ++line, cells: cells.map(toText) }))
      // The head comes alone.
      const begun = line === rows.length ? 1 : 0
      if (begun > 0) yield rows.slice(0, 1)
      if (rows.length > begun) yield rows.slice(begun)
    }
  } catch (error) {
    throw explain(use, error)
  }
}

/** A turn that is held until it is disposed of. @throws unavailable when too many wait */
async function holdTurn({ extensions, userId }: HandlerUse): Promise<Disposable> {
  const begun = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const held = extensions.semaphore.run(() => {
    begun.resolve()
    return over.promise
  }, String(userId))
  await Promise.race([begun.promise, held])
  return { [Symbol.dispose]: () => over.resolve() }
}

const toText = (cell: SheetCell): string | null => (cell === null ? null : String(cell))
