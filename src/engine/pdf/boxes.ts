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
      if (fits < 1) return undefined
      // Its lines fit, the space below them does not.
      if (fits >= lines.length) return [linesBox(pages, lines, { ...look, after: 0 }), stack([])]
      return [
        linesBox(pages, lines.slice(0, fits), { ...look, after: 0 }),
        linesBox(pages, lines.slice(fits), { ...look, before: 0 }),
      ]
    },
  }
}

/** Boxes one below the other, cut between two of them or within one. */
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
    cut: (height) => {
      let used = 0
      const at = boxes.findIndex((box) => (used += box.height) > height + ROUNDED)
      const box = boxes[at]
      if (!box) return undefined
      const before = boxes.slice(0, at)
      const within = box.cut?.(height - used + box.height)
      if (within) return [stack([...before, within[0]]), stack([within[1], ...boxes.slice(at + 1)])]
      return at === 0 ? undefined : [stack(before), stack(boxes.slice(at))]
    },
  }
}

/** Sums of heights differ by so much from what they are, in points. */
const ROUNDED = 0.001

/** A box of a width beside others. */
interface BesideBox {
  box: Box
  width: number
}

/** Space between boxes beside each other. */
export const GUTTER = 14

/** Boxes beside each other, from the start of the line; they are cut at one height. */
export function beside(pages: Pages, cells: readonly BesideBox[]): Box {
  return {
    height: Math.max(0, ...cells.map(({ box }) => box.height)),
    draw: ({ x, y, width }) => {
      let used = 0
      for (const { box, width: own } of cells) {
        const at = pages.isRightToLeft ? x + width - used - own : x + used
        box.draw({ x: at, y, width: own })
        used += own + GUTTER
      }
    },
    cut: (height) => {
      const parts = cells.map(({ box, width }) => {
        const halves = box.height <= height + ROUNDED ? [box, stack([])] : box.cut?.(height)
        return halves && { halves, width }
      })
      const known = parts.filter((part) => part !== undefined)
      if (known.length < parts.length) return undefined
      const half = (at: number): Box =>
        beside(
          pages,
          known.map(({ halves, width }) => ({ box: halves[at] ?? stack([]), width })),
        )
      return [half(0), half(1)]
    },
  }
}
