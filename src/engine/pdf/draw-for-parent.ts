/** The inside of the helper that draws documents, one after the other. */
import { makeBox } from './blocks.ts'
import type { Box } from './boxes.ts'
import type { PrintBlock, PrintHead, PrintMessage, PrintReply } from './document.ts'
import { loadFaces } from './faces.ts'
import { loadTools } from './figure-tools.ts'
import { Pages, planSheet } from './pages.ts'
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

/** The helper's reply to the end of a document, or earlier when it cannot be drawn. */
export type DrawReply = { done: PrintReply } | { fault: DrawFault }

/** Draws the documents that are sent, each from its head to its end. */
export async function drawForParent(port: HelperPort): Promise<void> {
  let drawing: Drawing | undefined
  for await (const given of port.messages()) {
    // The process that started this one is the same build.
    const message = given as PrintMessage
    try {
      if (message.do === 'open') drawing = await Drawing.open(message.path, message.head)
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

/** The document that is being drawn. */
class Drawing {
  readonly #file: PdfFile
  readonly #pages: Pages
  /** Headings wait for the block that follows. */
  #headings: Box[] = []
  #table: TableDrawing | undefined
  #collectAt = COLLECTED_PAGES

  private constructor(file: PdfFile, pages: Pages) {
    this.#file = file
    this.#pages = pages
  }

  static async open(path: string, head: PrintHead): Promise<Drawing> {
    const faces = await loadFaces(head.fonts)
    const file = await PdfFile.create(path, head, planSheet(head.page))
    return new Drawing(file, new Pages(file, faces, head))
  }

  async take(message: Exclude<PrintMessage, { do: 'open' | 'end' }>): Promise<void> {
    if (message.do === 'blocks') {
      await loadTools(message.blocks)
      this.#drawBlocks(message.blocks)
    } else if (message.do === 'pageBreak') {
      this.#settleHeadings()
      if (!this.#pages.isEmpty) this.#pages.open()
    } else if (message.do === 'table') {
      const before = this.#headings
      this.#headings = []
      this.#table = new TableDrawing(this.#pages, message, before)
    } else if (message.do === 'rows') this.#table?.add(message.rows)
    else {
      this.#table?.end(message.emptyText)
      this.#table = undefined
    }
    if (this.#file.pages > PAGES_MAX) throw new Undrawable({ pagesMax: PAGES_MAX })
    await this.#file.flush()
    this.#collectGarbage()
  }

  /** With much memory the runtime would collect late, and a helper is to stay small. */
  #collectGarbage(): void {
    if (this.#file.pages < this.#collectAt) return
    Bun.gc(true)
    this.#collectAt = this.#file.pages + COLLECTED_PAGES
  }

  async finish(): Promise<PrintReply> {
    this.#settleHeadings()
    this.#pages.finish()
    return this.#file.finish()
  }

  async abort(): Promise<void> {
    await this.#file.abort()
  }

  #drawBlocks(blocks: readonly PrintBlock[]): void {
    const { width } = this.#pages
    const last = blocks.findLastIndex(({ kind }) => kind !== 'heading')
    const boxes = [
      ...this.#headings,
      ...blocks.slice(0, last + 1).map((block) => makeBox(this.#pages, block, width)),
    ]
    if (last < 0) this.#headings.push(...makeAll(this.#pages, blocks))
    else {
      this.#headings = makeAll(this.#pages, blocks.slice(last + 1))
      placeBoxes(this.#pages, boxes)
    }
  }

  /** Headings at the end, without a block after them. */
  #settleHeadings(): void {
    placeBoxes(this.#pages, this.#headings)
    this.#headings = []
  }
}

const makeAll = (pages: Pages, blocks: readonly PrintBlock[]): Box[] =>
  blocks.map((block) => makeBox(pages, block, pages.width))

/** Draws boxes on one page where they fit one, else one after the other. */
function placeBoxes(pages: Pages, boxes: readonly Box[]): void {
  const height = boxes.reduce((sum, box) => sum + box.height, 0)
  if (height <= pages.roomMax) pages.ensure(height)
  for (const [at, box] of boxes.entries()) {
    const next = boxes[at + 1]
    if (next && height > pages.roomMax) pages.ensure(box.height + Math.min(next.height, 40))
    placeBox(pages, box)
  }
}

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
