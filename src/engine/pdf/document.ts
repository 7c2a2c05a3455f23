/**
 * A document to print, as data: sent message by message from the server to the helper that draws
 * it. Every text is ready to read: translated, and formatted for the reader's language and zone.
 * Lengths are millimetres.
 */

/** A sheet of paper. */
export type PaperSize = 'A4' | 'A5' | 'A6' | 'Letter' | 'Legal' | { width: number; height: number }

/** The first message: settings of the whole document. */
export interface PrintHead {
  title: string
  /** BCP 47, of the document's texts: right to left for Arabic, Hebrew and their like. */
  language: string
  page: {
    size: PaperSize
    isLandscape: boolean
    /** Left out: 20 on each side, and what head and foot of the page need. */
    margins?: { top: number; right: number; bottom: number; left: number }
  }
  /** Shown at the top of every page; undefined if the document has its own letterhead, or none. */
  running: { company: string; title: string } | undefined
  /** Shown at the top of the first page only. */
  letterhead: PrintLetterhead | undefined
  /** At the foot of every page; `{Page}` and `{Pages}` are numbers. */
  foot: { left: string; right: string }
  /** Labels beside the sums that are carried from page to page. */
  carried: { forward: string; brought: string }
  /** File of a PNG or JPEG image on the engine's own disk; undefined for none. */
  logo: string | undefined
  /** Files of fonts on the engine's own disk, for glyphs that the embedded fonts lack. */
  fonts: readonly string[]
  /** Instant, ISO 8601 with Z: the file’s date, so that the same input gives the same bytes. */
  createdAt: string
}

/** The head of a letter. */
interface PrintLetterhead {
  /** The sender, one line each: name first. */
  lines: readonly string[]
  hasLogo: boolean
}

/** A figure that is shown on its own. */
export interface PrintFigure {
  label: string
  value: string
  /** The comparison, as a sentence; `trend` colours it, never alone. */
  comparison?: { text: string; trend: 'good' | 'bad' | 'even' }
  /** A line without axes, of its course. */
  sparkline?: readonly (number | null)[]
}

/** A chart, drawn as vectors. */
export interface PrintChart {
  type: 'bar' | 'line' | 'area' | 'pie'
  title: string
  categories: readonly string[]
  /** A pie shows the first one. */
  series: readonly PrintSeries[]
  /** Bars of one axis stand on each other, and so do areas. */
  isStacked: boolean
  /** In `more`, `{Count}` is the number of names that have no room, or of the smallest slices. */
  words: { more: string }
}

/** A series of a chart. */
export interface PrintSeries {
  label: string
  values: readonly (number | null)[]
  /** Its form; a pie has slices. */
  type: 'bar' | 'line' | 'area'
  axis: 'primary' | 'secondary'
  unit: string
  /** Decimal places of its values. */
  decimals: number
}

/** A column of a table. */
export interface PrintColumn {
  label: string
  align: 'start' | 'end' | 'center'
  /** Share of the width; undefined: derived from the first rows. */
  weight?: number
  /** Its running sum is carried over to the next page. */
  isCarried?: boolean
  /** Its cells are not broken at blanks: numbers, days, instants. */
  isWhole?: boolean
}

/** How a cell is emphasised, by its meaning: never by colour alone. */
export type PrintTone = 'plain' | 'good' | 'warning' | 'bad' | 'strong' | 'muted'

/** A row of a table; a group's head spans all columns by its first cell. */
export interface PrintRow {
  kind: 'row' | 'group' | 'subtotal' | 'total'
  cells: readonly string[]
  /** Name of sums; it spans the empty cells before them. */
  label?: string
  tones?: readonly PrintTone[]
  /** Running sums up to this row, formatted; '' where the column is not carried. */
  carry?: readonly string[]
}

/** A symbol that a machine reads. */
export interface PrintBarcode {
  type: 'qr' | 'ean13' | 'ean8' | 'code128'
  text: string
  /** Text below the symbol; '' for none. */
  label: string
  width: number
}

/** A block of the page, of a size that fits one. */
export type PrintBlock =
  | { kind: 'heading'; level: 1 | 2 | 3; text: string }
  | { kind: 'text'; text: string; align?: 'start' | 'end' | 'center'; isStrong?: boolean }
  /** Pairs of label and text, in columns; longer texts wrap. */
  | { kind: 'fields'; columns: 1 | 2 | 3; fields: readonly { label: string; text: string }[] }
  /**
   * The window of an envelope, at its place on the first page whatever precedes it: DIN 5008 form
   * B, or US #10. `sender` is the small line above.
   */
  | { kind: 'address'; window: 'DIN5008' | 'US10'; sender: string; lines: readonly string[] }
  | { kind: 'figures'; figures: readonly PrintFigure[] }
  | { kind: 'chart'; chart: PrintChart }
  | { kind: 'barcode'; barcode: PrintBarcode; align?: 'start' | 'end' | 'center' }
  /** Sums below a table: at the end of the line, the last one strong. */
  | { kind: 'totals'; rows: readonly { label: string; text: string; isStrong?: boolean }[] }
  /** A part that could not be shown, and why; `barcode` is its kind where it is one. */
  | { kind: 'notice'; text: string; barcode?: PrintBarcode['type'] }
  /** Blocks side by side, in twelfths of the width. */
  | { kind: 'columns'; cells: readonly { span: number; blocks: readonly PrintBlock[] }[] }
  | { kind: 'space'; height: number }
  | { kind: 'line' }

/** A message to the helper that draws. The head comes first, the end last. */
export type PrintMessage =
  | { do: 'open'; path: string; head: PrintHead }
  /** Blocks that stay together on one page where they fit one. */
  | { do: 'blocks'; blocks: readonly PrintBlock[] }
  | { do: 'pageBreak' }
  /** A table; its rows follow in portions, its head is repeated on every page. */
  | {
      do: 'table'
      title: string
      columns: readonly PrintColumn[]
      /** Columns at the start that name a row: its heads, repeated beside further blocks. */
      keys?: number
      /** Each group begins on a page of its own. */
      breaksGroups?: boolean
    }
  | { do: 'rows'; rows: readonly PrintRow[] }
  | { do: 'tableEnd'; emptyText: string }
  | { do: 'end' }

/** The helper's reply once the file is complete and on the disk. */
export interface PrintReply {
  pages: number
  bytes: number
  sha256: string
  /** Characters missing from every font, each once, the first 50; the file shows boxes for them. */
  missing: readonly string[]
  /** Parts that could not be drawn, each kind once. */
  undrawn: readonly UndrawnPart[]
}

/** The logo that is left out, or bar codes whose text their kind does not hold. */
export type UndrawnPart = 'logo' | PrintBarcode['type']
