/** Paragraphs as lines of a width. */
import { listBreaks, listWordBreaks } from './breaks.ts'
import type { FaceList } from './faces.ts'
import { findLevels, type PlacedRun, placeRuns, type Run, shapeRuns } from './shape.ts'

/** Fonts and size of a text. */
export interface TextStyle {
  faces: FaceList
  /** Points. */
  size: number
}

/** A line: its runs in the order in which they are drawn. Its width is points. */
export interface Line {
  runs: readonly PlacedRun[]
  width: number
  text: string
}

/** Distance from line to line, as a factor of the type's size. */
export const LEADING = 1.32

/** A piece that is not broken, with the blanks after it. */
interface Piece {
  text: string
  start: number
  runs: readonly Run[]
  width: number
  /** Without the blanks at its end. */
  inked: number
}

const thousandths = (runs: readonly Run[]): number =>
  runs.reduce((sum, { width }) => sum + width, 0)

/** The lines of a text, at least one. Lengths are points. */
export function breakLines(text: string, width: number, style: TextStyle): Line[] {
  const room = (width * 1000) / style.size
  const paragraphs = readable(text).split('\n')
  return paragraphs.flatMap((paragraph) => breakParagraph(paragraph, room + 0.01, style))
}

/** The width of a text that is not broken, in points. */
export function measureText(text: string, style: TextStyle): number {
  return Math.max(...breakLines(text, Number.MAX_SAFE_INTEGER, style).map((line) => line.width))
}

/** Removes from a text whatever is not a character of a text. */
const readable = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085\v\f]/g, '\n')
    .replace(/\t/g, '    ')
    .replace(/[\u0000-\u0009\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '')

function breakParagraph(text: string, room: number, style: TextStyle): Line[] {
  const levels = findLevels(text)
  const lines: Line[] = []
  let pieces: Piece[] = []
  let used = 0
  const close = (): void => {
    lines.push(toLine(pieces, style))
    pieces = []
    used = 0
  }
  for (const piece of listPieces(text, style, levels)) {
    if (pieces.length > 0 && used + piece.inked > room) close()
    for (const part of piece.inked > room ? splitPiece(piece, room, style, levels) : [piece]) {
      if (pieces.length > 0 && used + part.inked > room) close()
      pieces.push(part)
      used += part.width
    }
  }
  if (pieces.length > 0 || lines.length === 0) close()
  return lines
}

function* listPieces(
  text: string,
  style: TextStyle,
  levels: Uint8Array | undefined,
): Generator<Piece> {
  let from = 0
  for (const to of listBreaks(text)) {
    yield* toPieces(text.slice(from, to), from, style, levels)
    from = to
  }
}

/** Most characters shaped at once: each takes much memory and time. */
const SHAPED_MAX = 1000
const LOW_SURROGATE = /^[\udc00-\udfff]/

/** Yields one piece, or several of a text that is longer than any line. */
function* toPieces(
  text: string,
  start: number,
  style: TextStyle,
  levels: Uint8Array | undefined,
): Generator<Piece> {
  for (let at = 0; at < text.length;) {
    const end = at + SHAPED_MAX
    const next = LOW_SURROGATE.test(text.charAt(end)) ? end + 1 : end
    yield toPiece(text.slice(at, next), start + at, style, levels)
    at = next
  }
}

function toPiece(
  text: string,
  start: number,
  style: TextStyle,
  levels: Uint8Array | undefined,
): Piece {
  const inkedText = text.trimEnd()
  const inkedRuns = shapeRuns(inkedText, style.faces, levels, start)
  const blank = text.slice(inkedText.length)
  const blankRuns =
    blank === '' ? [] : shapeRuns(blank, style.faces, levels, start + inkedText.length)
  const inked = thousandths(inkedRuns)
  const runs = [...inkedRuns, ...blankRuns]
  return { text, start, runs, width: inked + thousandths(blankRuns), inked }
}

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** A piece that is wider than a line: broken within its word, and else cut between characters. */
function* splitPiece(
  piece: Piece,
  room: number,
  style: TextStyle,
  levels: Uint8Array | undefined,
): Generator<Piece> {
  let from = 0
  for (const to of listWordBreaks(piece.text)) {
    const part = toPiece(piece.text.slice(from, to), piece.start + from, style, levels)
    if (part.inked > room) yield* cutPiece(part, room, style, levels)
    else yield part
    from = to
  }
}

/** A piece that is wider than a line, cut between characters. */
function cutPiece(
  piece: Piece,
  room: number,
  style: TextStyle,
  levels: Uint8Array | undefined,
): Piece[] {
  const parts: Piece[] = []
  let text = ''
  let start = piece.start
  let used = 0
  const close = (): void => {
    if (text !== '') parts.push(toPiece(text, start, style, levels))
    start += text.length
    text = ''
    used = 0
  }
  for (const { segment } of characters.segment(piece.text)) {
    // A blank that does not break is in the midst of a line: it takes its room.
    const { width } = toPiece(segment, start + text.length, style, levels)
    if (used + width > room) close()
    text += segment
    used += width
  }
  close()
  return parts
}

function toLine(pieces: readonly Piece[], style: TextStyle): Line {
  const text = pieces.map((piece) => piece.text).join('')
  const runs = pieces.flatMap((piece) => piece.runs)
  // Blanks at the end of a line take no room.
  while (runs.length > 0 && runs.at(-1)?.text.trim() === '') runs.pop()
  const width = (thousandths(runs) * style.size) / 1000
  return { runs: placeRuns(runs), width, text: text.trimEnd() }
}
