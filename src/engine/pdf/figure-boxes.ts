/** Boxes of graphics: figures with their course, charts, bar codes. */
import { type Box, type BoxPlace, type MakeBox, stack, textBox } from './boxes.ts'
import type { ChartPart } from './chart.ts'
import type { PrintBarcode, PrintFigure } from './document.ts'
import { findBarcodes, findCharts } from './figure-tools.ts'
import { breakLines } from './lines.ts'
import { GAP, GREY, MM, type Pages, RULE } from './pages.ts'
import type { Colour } from './pdf-file.ts'

const GUTTER = 14
const SPARK_HEIGHT = 18
const GOOD: Colour = [0.05, 0.45, 0.25]
const BAD: Colour = [0.7, 0.13, 0.1]
const ACCENT: Colour = [0, 0.447, 0.698]

/**
 * Draws a picture as one figure of the document, with a text for readers who cannot see it. One
 * that says nothing in words shows nothing either: readers pass over it.
 */
function drawFigure(pages: Pages, alt: string, draw: () => void): void {
  if (alt.trim() === '') return pages.file.artifact(draw)
  pages.file.tags.open('Figure', { Alt: new String(alt) })
  pages.file.content(draw, 'Figure')
  pages.file.tags.close()
}

/** Figures beside each other, so many as the width has room for. */
export const figures: MakeBox<'figures'> = (pages, { figures: list }, width) => {
  const columns = Math.max(1, Math.min(list.length, Math.floor((width + GUTTER) / 100), 4))
  const own = (width - GUTTER * (columns - 1)) / columns
  const rows: Box[] = []
  for (let at = 0; at < list.length; at += columns)
    rows.push(figureRow(pages, list.slice(at, at + columns), own))
  const all = stack(rows)
  return { ...all, height: all.height + GAP }
}

function figureRow(pages: Pages, list: readonly PrintFigure[], own: number): Box {
  const tiles = list.map((figure) => figureTile(pages, figure, own))
  const height = Math.max(...tiles.map((tile) => tile.height)) + 8
  return {
    height,
    draw: ({ x, y, width }) => {
      for (const [at, tile] of tiles.entries()) {
        const move = at * (own + GUTTER)
        const left = pages.isRightToLeft ? x + width - move - own : x + move
        pages.file.artifact(() => pages.file.stroke([left, y], [left + own, y], RULE))
        tile.draw({ x: left, y: y + 4, width: own })
      }
    },
  }
}

function figureTile(pages: Pages, figure: PrintFigure, width: number): Box {
  const { label, value, comparison, sparkline } = figure
  const boxes = [
    textBox(pages, label, width, { tag: 'P', size: 8, colour: GREY }),
    textBox(pages, value, width, { tag: 'P', size: 17, isBold: true }),
  ]
  if (comparison) {
    const { text, trend } = comparison
    const colour = trend === 'good' ? GOOD : trend === 'bad' ? BAD : GREY
    boxes.push(textBox(pages, text, width, { tag: 'P', size: 8, colour }))
  }
  if (sparkline && sparkline.length > 1) boxes.push(sparkBox(pages, label, sparkline))
  return stack(boxes)
}

function sparkBox(pages: Pages, label: string, values: readonly (number | null)[]): Box {
  const known = values.filter((value) => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  return {
    height: SPARK_HEIGHT + 4,
    draw: ({ x, y, width }) => {
      if (known.length < 2) return
      const step = width / (values.length - 1)
      const scale = high === low ? 0 : SPARK_HEIGHT / (high - low)
      let path = ''
      let isOn = false
      for (const [at, value] of values.entries()) {
        if (value === null) isOn = false
        else {
          const top = y + 2 + (high === low ? SPARK_HEIGHT / 2 : (high - value) * scale)
          path += `${(x + at * step).toFixed(2)} ${top.toFixed(2)} ${isOn ? 'l' : 'm'} `
          isOn = true
        }
      }
      const alt = `${label}: ${known.join(', ')}`.slice(0, 1000)
      drawFigure(pages, alt, () => pages.file.write(`${ACCENT.join(' ')} RG 1.2 w 1 j ${path}S`))
    },
  }
}

/** A bar code with its label; a text that it cannot hold is shown as it is. */
export const barcode: MakeBox<'barcode'> = (pages, { barcode: code, align = 'start' }, width) => {
  const shape = findShape(code)
  if (!shape) {
    pages.file.tellUndrawn(code.type)
    return textBox(pages, code.text, width, { tag: 'P', size: 9.5, after: GAP })
  }
  const whole = Math.min(Math.max(code.width, 5) * MM, width)
  const unit = whole / (shape.columns + 2 * shape.quiet)
  const high = shape.rows > 1 ? shape.rows * unit : Math.min(whole * 0.4, 23 * MM)
  const pad = shape.rows > 1 ? shape.quiet * unit : 4
  const label = code.label === '' ? [] : breakLines(code.label, whole, pages.style(8))
  return {
    height: high + 2 * pad + label.length * 10.5 + GAP,
    draw: ({ x, y, width: room }) => {
      const left = pages.placeLine(whole, { x, width: room }, align)
      const tall = shape.rows > 1 ? unit : high
      const bars = shape.dark.map(([column, row, wide, rows]) => {
        const place = [left + (shape.quiet + column) * unit, y + pad + row * tall]
        return [...place, wide * unit, rows * tall].map((part) => part.toFixed(3)).join(' ')
      })
      drawFigure(pages, code.text, () => pages.file.write(`0 0 0 rg ${bars.join(' re ')} re f`))
      if (label.length === 0) return
      pages.file.tags.open('P')
      pages.file.content(() => {
        for (const [at, line] of label.entries()) {
          const start = left + (whole - line.width) / 2
          pages.file.text(line, [start, y + high + 2 * pad + 8 + at * 10.5], 8)
        }
      })
      pages.file.tags.close()
    },
  }
}

function findShape(code: PrintBarcode) {
  const { planBarcode } = findBarcodes()
  try {
    return planBarcode(code)
  } catch {
    // The package throws for a text that the symbol cannot hold: the text is printed instead.
    return undefined
  }
}

const CHART_HEIGHT_MAX = 75 * MM

/** A chart with its title above. */
export const chart: MakeBox<'chart'> = (pages, { chart: drawn }, width) => {
  const title = textBox(pages, drawn.title, width, { tag: 'P', size: 9.5, isBold: true, after: 3 })
  const height = Math.min(Math.max(width * 0.5, 110), CHART_HEIGHT_MAX)
  const { describeChart, planChart } = findCharts()
  const body: Box = {
    height: height + GAP,
    draw: (place) => {
      const parts = planChart(drawn, { width, height }, pages.head.language)
      drawFigure(pages, describeChart(drawn), () => drawParts(pages, parts, place))
    },
  }
  return stack([title, body])
}

function drawParts(pages: Pages, parts: readonly ChartPart[], { x, y }: BoxPlace): void {
  const { file } = pages
  for (const part of parts) {
    const [a, b, c, d, e, f] = part.matrix
    const matrix = [a, b, c, d, e + x, f + y].map((each) => each.toFixed(4)).join(' ')
    file.write(`q ${matrix} cm`)
    if (part.kind === 'path') {
      if (part.fill) file.write(`${colourOf(part.fill).join(' ')} rg`)
      if (part.stroke) file.write(`${colourOf(part.stroke).join(' ')} RG ${part.strokeWidth} w`)
      file.path(part.d)
      file.write(part.fill && part.stroke ? 'B' : part.fill ? 'f' : 'S')
    } else {
      const [line] = breakLines(part.text, Number.MAX_SAFE_INTEGER, pages.style(part.size))
      const back = part.anchor === 'start' ? 0 : part.anchor === 'end' ? 1 : 0.5
      const drop = part.isCentral ? part.size * 0.35 : 0
      if (line) {
        const at = [part.x - line.width * back, part.y + drop] as const
        file.text(line, at, part.size, colourOf(part.color))
      }
    }
    file.write('Q')
  }
}

function colourOf(color: string): Colour {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
    (at) => Math.round((Number.parseInt(color.slice(at, at + 2), 16) / 255) * 1000) / 1000,
  )
  return [red, green, blue]
}
