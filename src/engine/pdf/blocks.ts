/** Boxes for each kind of block. */
import { beside, type Box, GUTTER, type MakeBox, stack, textBox } from './boxes.ts'
import type { PrintBlock } from './document.ts'
import { barcode, chart, figures } from './figure-boxes.ts'
import { breakLines, LEADING, type Line, measureText } from './lines.ts'
import { GAP, GREY, MM, type Pages, RULE } from './pages.ts'
import { BLACK, type Colour } from './pdf-file.ts'

const TEXT_SIZE = 9.5
const HEADINGS = { 1: 17, 2: 12.5, 3: 10.5 } as const

const heading: MakeBox<'heading'> = (pages, { level, text }, width) =>
  textBox(pages, text, width, {
    tag: `H${level}`,
    size: HEADINGS[level],
    isBold: true,
    before: level === 1 ? 4 : 8,
    after: 4,
  })

const text: MakeBox<'text'> = (pages, { text: said, align, isStrong }, width) =>
  textBox(pages, said, width, {
    tag: 'P',
    size: TEXT_SIZE,
    isBold: isStrong === true,
    after: GAP,
    ...(align && { align }),
  })

const fields: MakeBox<'fields'> = (pages, { columns, fields: list }, width) => {
  const own = (width - GUTTER * (columns - 1)) / columns
  const rows: Box[] = []
  for (let at = 0; at < list.length; at += columns) {
    const cells = list.slice(at, at + columns).map((field) => {
      const label = { tag: 'P', size: 7.5, colour: GREY } as const
      const value = { tag: 'P', size: TEXT_SIZE, after: 5 } as const
      const [name, said] = [
        textBox(pages, field.label, own, label),
        textBox(pages, field.text, own, value),
      ]
      return { box: labelled(name, said), width: own }
    })
    rows.push(beside(pages, cells))
  }
  return stack(rows)
}

/** A text below its label, which stays with its first lines. */
const labelled = (label: Box, text: Box): Box => ({
  ...stack([label, text]),
  cut: (height) => {
    const halves = text.cut?.(height - label.height)
    return halves && [stack([label, halves[0]]), halves[1]]
  },
})

/** Windows of envelopes, in millimetres from the top left of the sheet. */
const WINDOWS = {
  // DIN 5008 form B: 45 from the top, 20 from the left, 85 × 45; 5 more before the text.
  DIN5008: { x: 25, width: 75, senderY: 58.5, linesY: 62.7, bottom: 90, lines: 6 },
  // #10 of US paper, folded in three: 0.875 inches from the left, 2.06 from the top.
  US10: { x: 24.2, width: 108, senderY: 48.5, linesY: 53, bottom: 81, lines: 6 },
} as const

const ADDRESS_STEP_MM = 4.5
const SENDER_SIZE = 6.5

/** Smallest type that people and sorting machines can read. */
const ADDRESS_SIZE_MIN = 5

const address: MakeBox<'address'> = (pages, block) => {
  const window = WINDOWS[block.window]
  const isFirst = pages.file.pages === 1
  const drop = isFirst ? 0 : pages.y - window.senderY * MM
  const width = window.width * MM
  const x = isFirst ? window.x * MM : pages.left
  const setLines = (size: number) =>
    block.lines.flatMap((line) => breakLines(line, width, pages.style(size)))
  // Lines beyond the window's room are set smaller; the rest continues below it.
  const wanted = setLines(10).length
  const size = Math.max(Math.min(10, (10 * window.lines) / wanted), ADDRESS_SIZE_MIN)
  const step = (ADDRESS_STEP_MM * MM * size) / 10
  const lines = setLines(size)
  const end = window.linesY * MM + lines.length * step + drop
  const bottom = Math.max(window.bottom * MM + drop, end) + (isFirst ? 24 : 6)
  return {
    height: Math.max(0, bottom - pages.y),
    draw: () => {
      const { file } = pages
      const write = (line: Line, y: number, type: number, colour: Colour): void => {
        const start = pages.placeLine(line.width, { x, width }, 'start')
        file.text(line, [start, y + type], type, colour)
      }
      file.tags.open('P')
      file.content(() => {
        const sender = breakLines(block.sender, width, pages.style(SENDER_SIZE))
        const above = (sender.length - 1) * SENDER_SIZE * LEADING
        for (const [at, line] of sender.entries()) {
          const y = window.senderY * MM + drop - above + at * SENDER_SIZE * LEADING
          write(line, y, SENDER_SIZE, GREY)
        }
        for (const [at, line] of lines.entries())
          write(line, window.linesY * MM + drop + at * step, size, BLACK)
      })
      file.tags.close()
    },
  }
}

const totals: MakeBox<'totals'> = (pages, { rows }, width) => {
  const sizes = rows.map(({ isStrong = false }) => (isStrong ? 10.5 : TEXT_SIZE))
  const widest = (of: (row: (typeof rows)[number]) => string): number =>
    Math.max(
      ...rows.map((row, at) =>
        measureText(of(row), pages.style(sizes[at] ?? TEXT_SIZE, row.isStrong)),
      ),
    ) + 1
  // Sums are not broken: they take of the labels, which break between words.
  const sums = Math.min(
    widest((row) => row.text),
    width * 0.7,
  )
  const labels = widest((row) => row.label)
  const own = Math.min(width, Math.max(90 * MM, sums + GUTTER + labels))
  const lines = rows.map(({ label, text: sum, isStrong = false }, at): Box => {
    const size = sizes[at] ?? TEXT_SIZE
    const look = { tag: 'P', size, isBold: isStrong, before: isStrong ? 4 : 1 } as const
    const cells = [
      { box: textBox(pages, label, own - sums - GUTTER, look), width: own - sums - GUTTER },
      { box: textBox(pages, sum, sums, { ...look, align: 'end' }), width: sums },
    ]
    const row = beside(pages, cells)
    if (!isStrong) return row
    return {
      height: row.height + 3,
      draw: (place) => {
        pages.file.artifact(() =>
          pages.file.stroke([place.x, place.y + 1], [place.x + place.width, place.y + 1], BLACK),
        )
        row.draw(place)
      },
    }
  })
  const all = stack(lines)
  return {
    height: all.height + GAP,
    draw: ({ x, y, width: whole }) =>
      all.draw({ x: pages.isRightToLeft ? x : x + whole - own, y: y + 2, width: own }),
  }
}

const NOTICE: Colour = [0.62, 0.33, 0]

const notice: MakeBox<'notice'> = (pages, { text: said, barcode: kind }, width) => {
  if (kind) pages.file.tellUndrawn(kind)
  const inner = textBox(pages, said, width - 12, { tag: 'P', size: TEXT_SIZE, colour: NOTICE })
  return {
    height: inner.height + 8 + GAP,
    draw: ({ x, y, width: whole }) => {
      const bar = pages.isRightToLeft ? x + whole - 2 : x
      pages.file.artifact(() =>
        pages.file.fill({ x: bar, y, width: 2, height: inner.height + 8 }, NOTICE),
      )
      inner.draw({ x: pages.isRightToLeft ? x : x + 12, y: y + 4, width: whole - 12 })
    },
  }
}

const columns: MakeBox<'columns'> = (pages, { cells }, width) => {
  const gutters = GUTTER * Math.max(0, cells.length - 1)
  const whole = cells.reduce((sum, { span }) => sum + Math.max(span, 1), 0)
  const unit = (width - gutters) / Math.max(12, whole)
  return beside(
    pages,
    cells.map(({ span, blocks }) => {
      const own = unit * Math.max(span, 1)
      return { box: stack(blocks.map((block) => makeBox(pages, block, own))), width: own }
    }),
  )
}

const space: MakeBox<'space'> = (pages, { height }) => ({
  height: Math.min(Math.max(height, 0) * MM, pages.roomMax),
  draw: () => {},
})

const line: MakeBox<'line'> = (pages) => ({
  height: 9,
  draw: ({ x, y, width }) =>
    pages.file.artifact(() => pages.file.stroke([x, y + 4], [x + width, y + 4], RULE)),
})

const MAKERS: { [K in PrintBlock['kind']]: MakeBox<K> } = {
  heading,
  text,
  fields,
  address,
  totals,
  notice,
  columns,
  space,
  line,
  figures,
  chart,
  barcode,
}

/** A block as a box of a width. */
export function makeBox<K extends PrintBlock['kind']>(
  pages: Pages,
  block: Extract<PrintBlock, { kind: K }>,
  width: number,
): Box {
  return (MAKERS[block.kind as K] as MakeBox<K>)(pages, block, width)
}
