/** The inside of the helper that draws documents, one after the other. */
import { makeBox } from './blocks.ts'
import type { Box } from './boxes.ts'
import type { PrintBlock, PrintHead, PrintMessage, PrintReply } from './document.ts'
import { loadFaces } from './faces.ts'
import { loadTools } from './figure-tools.ts'
import { Pages } from './pages.ts'
import { PdfFile } from './pdf-file.ts'
import { TableDrawing } from './table.ts'
import type { HelperPort } from '../process/helper-port.ts'

/** Pages between collections of garbage. */
const COLLECTED_PAGES = 50

/** Pages of one file at most. */
const PAGES_MAX = 20_000

/** Why a document cannot be drawn: its data are at fault, not the helper. */
export class Undrawable extends Error {
  override readonly name = 'Undrawable'
  readonly fault: DrawFault

  constructor(fault: DrawFault) {
    super('Too many pages')
    this.fault = fault
  }
}

/** The fault of a document: more pages than a file may have. */
export interface DrawFault {
  pagesMax: number
}

/**
 * The helper's reply to the end of a document, or earlier when it cannot be drawn; before it how
 * many pages there are, now and then.
 */
export type DrawReply = { pages: number } | { done: PrintReply } | { fault: DrawFault }

/** Pages between two reports of them. */
const TOLD_PAGES = 10

/** Tells the parent how many pages are drawn. */
function tellPages(port: HelperPort): (pages: number) => Promise<void> {
  let told = 0
  return async (pages) => {
    if (pages < told + TOLD_PAGES) return
    told = pages
    await port.send({ pages } satisfies DrawReply)
  }
}

/** Draws the documents that are sent, each from its head to its end. */
export async function drawForParent(port: HelperPort): Promise<void> {
  let drawing: Drawing | undefined
  for await (const given of port.messages()) {
    // The process that started this one is the same build.
    const message = given as PrintMessage
    try {
      if (message.do === 'open')
        drawing = await Drawing.open(message.path, message.head, tellPages(port))
      else if (message.do === 'end') {
        if (drawing) await port.send({ done: await drawing.finish() } satisfies DrawReply)
        drawing = undefined
      } else await drawing?.take(message)
    } catch (error) {
      await drawing?.abort()
      drawing = undefined
      if (!(error instanceof Undrawable)) throw error
      await port.send({ fault: error.fault } satisfies DrawReply)
    }
  }
}

/** Share of an empty page up to which texts wait for the table that may follow them. */
const OPENING_MAX = 1 / 4

/** The document that is being drawn. */
class Drawing {
  readonly #path: string
  readonly #file: PdfFile
  readonly #pages: Pages
  readonly #onPages: (pages: number) => Promise<void>
  /** Headings, and the texts that an empty page begins with: they go with what follows. */
  #waiting: PrintBlock[] = []
  #table: TableDrawing | undefined
  #collectAt = COLLECTED_PAGES

  private constructor(
    path: string,
    { file, pages }: { file: PdfFile; pages: Pages },
    onPages: (pages: number) => Promise<void>,
  ) {
    this.#path = path
    this.#file = file
    this.#pages = pages
    this.#onPages = onPages
  }

  static async open(
    path: string,
    head: PrintHead,
    onPages: (pages: number) => Promise<void>,
  ): Promise<Drawing> {
    const faces = await loadFaces(head.fonts)
    const file = await PdfFile.create(path, head)
    return new Drawing(path, { file, pages: new Pages(file, faces, head) }, onPages)
  }

  async take(message: Exclude<PrintMessage, { do: 'open' | 'end' }>): Promise<void> {
    if (message.do === 'blocks') {
      await loadTools(message.blocks)
      this.#drawBlocks(message.blocks)
    } else if (message.do === 'pageBreak') {
      this.#settle()
      if (!this.#pages.isEmpty) this.#pages.open()
    } else if (message.do === 'table') this.#table = this.#openTable(message)
    else if (message.do === 'rows') this.#table?.add(message.rows)
    else {
      await this.#table?.end(message.emptyText)
      this.#table = undefined
    }
    await this.#afterPage()
  }

  async finish(): Promise<PrintReply> {
    this.#settle()
    this.#pages.finish()
    return this.#file.finish()
  }

  async abort(): Promise<void> {
    this.#table?.close()
    await this.#file.abort()
  }

  async #afterPage(): Promise<void> {
    if (this.#file.pages > PAGES_MAX) throw new Undrawable({ pagesMax: PAGES_MAX })
    await this.#file.flush()
    this.#collectGarbage()
    await this.#onPages(this.#file.pages)
  }

  /** With much memory the runtime would collect late, and a helper is to stay small. */
  #collectGarbage(): void {
    if (this.#file.pages < this.#collectAt) return
    Bun.gc(true)
    this.#collectAt = this.#file.pages + COLLECTED_PAGES
  }

  #openTable(message: Extract<PrintMessage, { do: 'table' }>): TableDrawing {
    const blocks = this.#waiting
    this.#waiting = []
    return new TableDrawing(message, {
      pages: this.#pages,
      before: () => makeAll(this.#pages, blocks),
      path: `${this.#path}.rows`,
      onPage: () => this.#afterPage(),
    })
  }

  #drawBlocks(given: readonly PrintBlock[]): void {
    // Blocks are made for the width of a page that is not turned.
    if (this.#pages.isTurned) this.#pages.open()
    const blocks = [...this.#waiting, ...given]
    const boxes = makeAll(this.#pages, blocks)
    const height = boxes.reduce((sum, box) => sum + box.height, 0)
    const isOpening =
      this.#pages.isEmpty &&
      blocks.every(({ kind }) => kind === 'heading' || kind === 'text') &&
      height < this.#pages.roomMax * OPENING_MAX
    const last = isOpening ? -1 : blocks.findLastIndex(({ kind }) => kind !== 'heading')
    this.#waiting = blocks.slice(last + 1)
    placeBoxes(this.#pages, boxes.slice(0, last + 1))
  }

  /** Draws what waits for something to follow, where nothing does. */
  #settle(): void {
    if (this.#waiting.length === 0) return
    if (this.#pages.isTurned) this.#pages.open()
    placeBoxes(this.#pages, makeAll(this.#pages, this.#waiting))
    this.#waiting = []
  }
}

const makeAll = (pages: Pages, blocks: readonly PrintBlock[]): Box[] =>
  blocks.map((block) => makeBox(pages, block, pages.width))

/** Height of a box that can be cut which a page has at least. */
const BEGUN_MIN = 40

/** Draws boxes on one page where they fit one, else one after the other. */
function placeBoxes(pages: Pages, boxes: readonly Box[]): void {
  const height = boxes.reduce((sum, box) => sum + box.height, 0)
  if (height <= pages.roomMax) pages.ensure(height)
  for (const [at, box] of boxes.entries()) {
    const next = boxes[at + 1]
    if (next && height > pages.roomMax) pages.ensure(leastOf(box) + Math.min(next.height, 40))
    placeBox(pages, box)
  }
}

/** The height that a box takes of its page: of one that can be cut, of its beginning. */
const leastOf = (box: Box): number => (box.cut ? Math.min(box.height, BEGUN_MIN) : box.height)

function placeBox(pages: Pages, box: Box): void {
  let rest: Box | undefined = box
  while (rest) {
    let part: Box = rest
    rest = undefined
    if (part.height > pages.room) {
      const cut = part.height > pages.roomMax ? part.cut?.(pages.room) : undefined
      if (cut) [part, rest] = cut
      else pages.ensure(part.height)
      const again = cut ? undefined : part.height > pages.room && part.cut?.(pages.room)
      if (again) [part, rest] = again
    }
    part.draw({ x: pages.left, y: pages.y, width: pages.width })
    pages.y += part.height
    if (rest) pages.open()
  }
}
