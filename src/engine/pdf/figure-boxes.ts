/** Boxes of graphics: figures with their course, charts, bar codes. */
import { type Box, type BoxPlace, type MakeBox, stack, textBox } from './boxes.ts'
import { lightnessOf, readColour } from './chart/chart-colours.ts'
import type { ChartPart, Hatch, Rectangle } from './chart/chart-parts.ts'
import { NumberTexts } from './chart/number-texts.ts'
import type { PrintBarcode, PrintFigure } from './document.ts'
import { findBarcodes, findCharts } from './figure-tools.ts'
import { breakLines } from './lines.ts'
import { GAP, GREY, MM, type Pages, RULE } from './pages.ts'
import type { Colour, PdfFile } from './pdf-file.ts'

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
  if (sparkline?.some((value) => value !== null)) boxes.push(sparkBox(pages, label, sparkline))
  return stack(boxes)
}

/** The course of a figure, in the direction in which its document is read. */
function sparkBox(pages: Pages, label: string, values: readonly (number | null)[]): Box {
  const known = values.filter((value) => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const numbers = new NumberTexts(pages.head.language)
  return {
    height: SPARK_HEIGHT + 4,
    draw: ({ x, y, width }) => {
      const step = width / Math.max(1, values.length - 1)
      const scale = high === low ? 0 : SPARK_HEIGHT / (high - low)
      let path = ''
      let dots = ''
      for (const [at, value] of values.entries()) {
        if (value === null) continue
        const left = pages.isRightToLeft ? x + width - at * step : x + at * step
        const top = y + 2 + (high === low ? SPARK_HEIGHT / 2 : (high - value) * scale)
        const place = `${left.toFixed(2)} ${top.toFixed(2)}`
        const isOn = (values[at - 1] ?? null) !== null
        path += `${place} ${isOn ? 'l' : 'm'} `
        // A line of no length with round ends is a dot.
        if (!isOn && (values[at + 1] ?? null) === null) dots += `${place} m ${place} l `
      }
      const alt = `${label}: ${known.map((value) => numbers.count(value)).join(', ')}`.slice(
        0,
        1000,
      )
      const ink = `${ACCENT.join(' ')} RG 1 j`
      const drawn = `${ink} 1.2 w ${path}S${dots === '' ? '' : ` q 1 J 3 w ${dots}S Q`}`
      drawFigure(pages, alt, () => pages.file.write(drawn))
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

/** A chart with its title above. */
export const chart: MakeBox<'chart'> = (pages, { chart: drawn }, width) => {
  const title = textBox(pages, drawn.title, width, { tag: 'P', size: 9.5, isBold: true, after: 3 })
  const { describeChart, planChart } = findCharts()
  const { language } = pages.head
  const heightMax = pages.roomMax - title.height - 2 * GAP
  const { isRightToLeft } = pages
  const tools = { style: (size: number) => pages.style(size), language, isRightToLeft }
  const { height, parts } = planChart(drawn, { width, heightMax }, tools)
  const body: Box = {
    height: height + GAP,
    draw: (place) =>
      drawFigure(pages, describeChart(drawn, language), () => drawParts(pages, parts, place)),
  }
  return stack([title, body])
}

function drawParts(pages: Pages, parts: readonly ChartPart[], { x, y }: BoxPlace): void {
  const { file } = pages
  for (const part of parts) {
    const [a, b, c, d, e, f] = part.matrix
    const matrix = [a, b, c, d, e + x, f + y].map((each) => each.toFixed(4)).join(' ')
    file.write(`q ${matrix} cm`)
    if (part.kind === 'path') drawPath(file, part)
    else {
      const { line, size, colour } = part
      const write = (): void => file.text(line, [0, 0], size, colourOf(colour))
      if (b === 0) write()
      else file.spelled(line.text, write)
    }
    file.write('Q')
  }
}

function drawPath(file: PdfFile, { d, look, box }: Extract<ChartPart, { kind: 'path' }>): void {
  const { fill, stroke, strokeWidth = 1, dash = [], hatch } = look
  if (fill !== undefined) {
    file.write(`${colourOf(fill).join(' ')} rg`)
    file.path(d)
    file.write('f')
  }
  if (hatch !== undefined) {
    file.write('q')
    file.path(d)
    const ink = lightnessOf(fill ?? '#ffffff') > 55 ? '0 0 0' : '1 1 1'
    file.write(`W n ${ink} RG 0.7 w ${hatchLines(box, hatch)} S Q`)
  }
  if (stroke === undefined) return
  file.write(`${colourOf(stroke).join(' ')} RG ${strokeWidth} w 1 j [${dash.join(' ')}] 0 d`)
  file.path(d)
  file.write('S')
}

const HATCH_DISTANCE = 4

/** Slanted lines over a box, in one direction or in both. */
function hatchLines({ x, y, width, height }: Rectangle, hatch: Hatch): string {
  const lines: number[][] = []
  for (let at = x - height; at < x + width; at += HATCH_DISTANCE) {
    lines.push([at, y + height, at + height, y])
    if (hatch === 'crossed') lines.push([at, y, at + height, y + height])
  }
  const write = (value: number | undefined): string => (value ?? 0).toFixed(2)
  return lines
    .map(([x1, y1, x2, y2]) => `${write(x1)} ${write(y1)} m ${write(x2)} ${write(y2)} l`)
    .join(' ')
}

function colourOf(colour: string): Colour {
  const [red, green, blue] = readColour(colour).map(
    (part) => Math.round((part / 255) * 1000) / 1000,
  )
  return [red ?? 0, green ?? 0, blue ?? 0]
}
