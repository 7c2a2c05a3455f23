/** Boxes: how high each is at a width, how it is drawn, where it may be cut. */
import type { PrintBlock } from './document.ts'
import { breakLines, LEADING, type Line } from './lines.ts'
import type { LabelLook, Pages } from './pages.ts'
import { BLACK } from './pdf-file.ts'
import type { TagType } from './tags.ts'

/** The place where a box is drawn. */
export interface BoxPlace {
  x: number
  y: number
  width: number
}

/** A part of a page with a known height. */
export interface Box {
  height: number
  draw(place: BoxPlace): void
  /** The part that fits into a height, and the rest; undefined if it cannot be cut there. */
  cut?(height: number): [Box, Box] | undefined
}

/** Makes a box of one kind of block. */
export type MakeBox<K extends PrintBlock['kind']> = (
  pages: Pages,
  block: Extract<PrintBlock, { kind: K }>,
  width: number,
) => Box

/** Lines of a text as a box. */
interface TextLook extends LabelLook {
  tag: TagType
  before?: number
  after?: number
}

/** A text, cut between lines. */
export function textBox(pages: Pages, text: string, width: number, look: TextLook): Box {
  return linesBox(pages, breakLines(text, width, pages.style(look.size, look.isBold)), look)
}

function linesBox(pages: Pages, lines: readonly Line[], look: TextLook): Box {
  const { size, before = 0, after = 0, colour = BLACK, align = 'start' } = look
  const step = size * LEADING
  return {
    height: before + lines.length * step + after,
    draw: ({ x, y, width }) => {
      pages.file.tags.open(look.tag)
      pages.file.content(() => {
        for (const [at, line] of lines.entries()) {
          const start = pages.placeLine(line.width, { x, width }, align)
          pages.file.text(line, [start, y + before + size + at * step], size, colour)
        }
      })
      pages.file.tags.close()
    },
    cut: (height) => {
      const fits = Math.floor((height - before) / step)
      if (fits < 1 || fits >= lines.length) return undefined
      return [
        linesBox(pages, lines.slice(0, fits), { ...look, after: 0 }),
        linesBox(pages, lines.slice(fits), { ...look, before: 0 }),
      ]
    },
  }
}

/** Boxes one below the other. */
export function stack(boxes: readonly Box[]): Box {
  return {
    height: boxes.reduce((sum, { height }) => sum + height, 0),
    draw: (place) => {
      let { y } = place
      for (const box of boxes) {
        box.draw({ ...place, y })
        y += box.height
      }
    },
  }
}
