/** How wide the columns of a table have to be, as its rows come. */
import { listBreaks, WHOLE_MAX } from './breaks.ts'
import type { PrintColumn, PrintRow, PrintTone } from './document.ts'
import type { FaceList, Faces } from './faces.ts'
import { measureText } from './lines.ts'
import { BOX_WIDTH } from './shape.ts'

/** Widths in thousandths of the size of type. */
export interface ColumnNeed {
  /** The widest piece that is not broken: a number, a word, a day. */
  least: number
  /** The widest cell on one line. */
  natural: number
  /** The head on one line, or as much of it as is worth the room. */
  head: number
}

/** A label of sums, the cells that are empty beside it, and its width. */
export interface LabelNeed {
  isEmpty: readonly boolean[]
  width: number
}

/** Signs before emphasised cells, so that colour alone never carries the meaning. */
const SIGNS: Partial<Record<PrintTone, string>> = { good: '+', warning: '!', bad: '!!' }

/** The text of a cell with the sign of its tone. */
export function textOfCell({ cells, tones }: PrintRow, at: number): string {
  const said = cells[at] ?? ''
  const sign = said === '' ? undefined : SIGNS[tones?.[at] ?? 'plain']
  return sign === undefined ? said : `${sign}\u00a0${said}`
}

/** Tells whether a cell is written in bold. */
export const isBoldCell = ({ kind, tones }: PrintRow, at: number): boolean =>
  kind !== 'row' || tones?.[at] === 'strong'

/** Letters of a text by which its natural width is told: more of them wrap in any case. */
const NATURAL_MAX = 400
/** Thousandths of the size that a head is worth. */
const HEAD_MAX = 9000
/** Letters of a word that is cut where it does not fit: no sheet is wide enough for more. */
const CUT_MIN = 160
/** Different labels of sums that are measured. */
const LABELS_MAX = 100
/** By how much shaping widens a text at most; scripts that join more than others. */
const WIDENED = 1.06
const WIDENED_JOINED = 1.5

/** Widths of the columns of one table. */
export class TableMeasure {
  readonly needs: readonly ColumnNeed[]
  readonly #columns: readonly PrintColumn[]
  readonly #faces: Faces
  readonly #labels = new Map<string, LabelNeed>()

  constructor(columns: readonly PrintColumn[], faces: Faces) {
    this.#columns = columns
    this.#faces = faces
    this.needs = columns.map(() => ({ least: 0, natural: 0, head: 0 }))
    for (const [at, { label }] of columns.entries()) this.#addHead(at, label)
  }

  get labels(): readonly LabelNeed[] {
    return [...this.#labels.values()]
  }

  add(row: PrintRow): void {
    if (row.kind === 'group') return
    for (const at of this.needs.keys()) {
      const text = textOfCell(row, at)
      if (text !== '') this.#addCell(at, text, this.#facesOf(row, at))
    }
    if (row.label !== undefined) this.addLabel(row.label, row.cells)
  }

  addLabel(label: string, cells: readonly string[]): void {
    const isEmpty = this.#columns.map((_, at) => (cells[at] ?? '') === '')
    const key = `${isEmpty.map(Number).join('')} ${label}`
    if (this.#labels.has(key) || this.#labels.size >= LABELS_MAX) return
    this.#labels.set(key, { isEmpty, width: measure(label, this.#faces.bold) })
  }

  #facesOf(row: PrintRow, at: number): FaceList {
    return isBoldCell(row, at) ? this.#faces.bold : this.#faces.regular
  }

  /** A head wraps between its words, unless there is room left: they alone make its column wide. */
  #addHead(at: number, label: string): void {
    const need = this.needs[at]
    if (!need) return
    this.#addPieces(need, label, this.#faces.bold)
    need.natural = need.least
    need.head = Math.min(estimate(label, this.#faces.bold) * WIDENED, HEAD_MAX)
  }

  #addCell(at: number, text: string, faces: FaceList): void {
    const need = this.needs[at]
    if (!need) return
    if (this.#columns[at]?.isWhole && text.length <= WHOLE_MAX) raise(need, text, faces)
    else this.#addPieces(need, text, faces)
    const shown = text.length > NATURAL_MAX ? text.slice(0, NATURAL_MAX) : text
    const lines = shown.includes('\n') ? shown.split('\n') : [shown]
    for (const line of lines)
      need.natural = Math.max(need.natural, need.least, estimate(line, faces) * WIDENED)
  }

  #addPieces(need: ColumnNeed, text: string, faces: FaceList): void {
    let from = 0
    for (const to of listBreaks(text)) {
      if (to - from <= CUT_MIN) raise(need, text.slice(from, to).trimEnd(), faces)
      from = to
    }
  }
}

/** Raises the least width to that of a text, which is shaped where it may be the widest so far. */
function raise(need: ColumnNeed, text: string, faces: FaceList): void {
  const widened = /[\u0590-\uffff]/.test(text) ? WIDENED_JOINED : WIDENED
  if (estimate(text, faces) * widened <= need.least) return
  need.least = Math.max(need.least, measure(text, faces))
}

const measure = (text: string, faces: FaceList): number => measureText(text, { faces, size: 1000 })

const advances = new WeakMap<FaceList, Map<number, number>>()

/** The width of a text that is not shaped. */
function estimate(text: string, faces: FaceList): number {
  const known = advances.getOrInsertComputed(faces, () => new Map<number, number>())
  let sum = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0
    if (code > 0xffff) at++
    let width = known.get(code)
    if (width === undefined) known.set(code, (width = advanceOf(code, faces)))
    sum += width
  }
  return sum
}

function advanceOf(code: number, faces: FaceList): number {
  const font = faces.find(code)?.font
  if (!font) return BOX_WIDTH
  return (font.glyphForCodePoint(code).advanceWidth * 1000) / font.unitsPerEm
}
