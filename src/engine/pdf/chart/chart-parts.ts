/** The parts of a chart, from back to front, and the paper that collects them. */
import { breakLines, type Line, type TextStyle } from '../lines.ts'

/** A matrix of six numbers, as PDF has it; `y` points down. */
type Matrix = readonly [number, number, number, number, number, number]

/** Lines over a filled shape, which tell it from another of its colour. */
export type Hatch = 'rising' | 'crossed'

/** How a shape is drawn. Colours are six hexadecimal digits after `#`; lengths are points. */
export interface ShapeLook {
  fill?: string
  stroke?: string
  strokeWidth?: number
  dash?: readonly number[]
  hatch?: Hatch
}

export interface Rectangle {
  x: number
  y: number
  width: number
  height: number
}

/** A part of a chart; a text begins where its matrix puts the origin, on its base line. */
export type ChartPart =
  | { kind: 'path'; d: string; matrix: Matrix; look: ShapeLook; box: Rectangle }
  | { kind: 'text'; line: Line; matrix: Matrix; size: number; colour: string }

/** Fonts, language and direction of the document that a chart stands in. */
export interface ChartTools {
  style: (size: number) => TextStyle
  /** BCP 47; English numerals for one that is not. */
  language: string
  isRightToLeft: boolean
}

/** Size of the type in charts, and the distance of lines. */
const TEXT_SIZE = 7.5
export const LINE_HEIGHT = 9.6
const INK = '#33373d'
export const FAINT = '#5f656e'

/** Where a line of text stands: `y` is the middle of its height. Angles are degrees. */
interface TextPlace {
  x: number
  y: number
  anchor?: 'start' | 'middle' | 'end'
  angle?: 0 | -45 | -90
  colour?: string
}

const BACK = { start: 0, middle: 0.5, end: 1 } as const
/** The middle of letters above their base line, as a share of their size. */
const MIDDLE = 0.35

/**
 * Paper of a width that parts are put on as if everything went from left to right; in a document
 * from right to left it is turned around, texts stay readable.
 */
export class ChartPaper {
  readonly width: number
  readonly parts: ChartPart[] = []
  readonly #tools: ChartTools
  /** Lines by width and text: layouts are tried one after another. */
  readonly #lines = new Map<string, Line[]>()

  constructor(width: number, tools: ChartTools) {
    this.width = width
    this.#tools = tools
  }

  get language(): string {
    return this.#tools.language
  }

  /** 1 where the paper goes from left to right, -1 where it is turned around. */
  get turn(): 1 | -1 {
    return this.#tools.isRightToLeft ? -1 : 1
  }

  /** The lines of a text in a width. */
  lines(text: string, width: number): readonly Line[] {
    return this.#lines.getOrInsertComputed(`${width}\n${text}`, () =>
      breakLines(text, Math.max(width, 1), this.#tools.style(TEXT_SIZE)),
    )
  }

  /** The width of a text that is not broken. */
  measure(text: string): number {
    return Math.max(...this.lines(text, Number.MAX_SAFE_INTEGER).map(({ width }) => width))
  }

  shape(d: string, look: ShapeLook, box: Rectangle): void {
    const matrix: Matrix = this.#tools.isRightToLeft
      ? [-1, 0, 0, 1, this.width, 0]
      : [1, 0, 0, 1, 0, 0]
    this.parts.push({ kind: 'path', d, matrix, look, box })
  }

  /** A shape around a point, which is moved with the paper and not turned. */
  shapeAt({ x, y }: { x: number; y: number }, d: string, look: ShapeLook, radius: number): void {
    const matrix: Matrix = [1, 0, 0, 1, this.#turn(x), y]
    const box = { x: -radius, y: -radius, width: 2 * radius, height: 2 * radius }
    this.parts.push({ kind: 'path', d, matrix, look, box })
  }

  rectangle(box: Rectangle, look: ShapeLook): void {
    this.shape(rectanglePath(box), look, box)
  }

  /** A straight line. */
  rule(from: readonly [number, number], to: readonly [number, number], look: ShapeLook): void {
    const [x, y] = [Math.min(from[0], to[0]), Math.min(from[1], to[1])]
    const box = { x, y, width: Math.abs(to[0] - from[0]), height: Math.abs(to[1] - from[1]) }
    this.shape(`M${from.map(spell).join(',')}L${to.map(spell).join(',')}`, look, box)
  }

  text(line: Line, { x, y, anchor = 'start', angle = 0, colour = INK }: TextPlace): void {
    const isTurned = this.#tools.isRightToLeft
    // Upright texts are read from below in either direction.
    const back = isTurned && angle !== -90 ? 1 - BACK[anchor] : BACK[anchor]
    const radians = ((isTurned && angle === -45 ? 45 : angle) * Math.PI) / 180
    const [cos, sin] = [Math.cos(radians), Math.sin(radians)]
    const [along, down] = [-line.width * back, TEXT_SIZE * MIDDLE]
    const e = this.#turn(x) + along * cos - down * sin
    const f = y + along * sin + down * cos
    const matrix: Matrix = [cos, sin, -sin, cos, e, f]
    this.parts.push({ kind: 'text', line, matrix, size: TEXT_SIZE, colour })
  }

  /** Lines one below the other; `y` is the top of the first. */
  paragraph(lines: readonly Line[], { y, ...place }: Omit<TextPlace, 'angle'>): void {
    for (const [at, line] of lines.entries())
      this.text(line, { ...place, y: y + (at + 0.5) * LINE_HEIGHT })
  }

  #turn(x: number): number {
    return this.#tools.isRightToLeft ? this.width - x : x
  }
}

/** A number in a path, to a thousandth of a point. */
export const spell = (value: number): string => String(Math.round(value * 1000) / 1000)

/** The path of a rectangle. */
export const rectanglePath = ({ x, y, width, height }: Rectangle): string =>
  `M${spell(x)},${spell(y)}h${spell(width)}v${spell(height)}h${spell(-width)}Z`

const SHORT_END = '…'
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** A text of so many characters at most; a shortened one ends with `…`. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text
  const kept: string[] = []
  for (const { segment } of characters.segment(text)) {
    if (kept.length >= max)
      return `${kept
        .slice(0, max - 1)
        .join('')
        .trimEnd()}${SHORT_END}`
    kept.push(segment)
  }
  return text
}
