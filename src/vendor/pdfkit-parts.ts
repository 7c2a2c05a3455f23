/**
 * The parts of a pdfkit document that its face does not show: objects of the file by themselves,
 * glyphs by their numbers, what is drawn as plain operators. Layout and tags are ours; objects,
 * cross references, subsets of fonts and images are the package's.
 * Goes when pdfkit's face has references, glyphs and structure that is written as it comes.
 */
import PDFDocument from 'pdfkit'

/** An object of the file; `end` writes it, after which it is only referred to. */
export interface PdfRef {
  readonly id: number
  readonly data: Record<string, unknown>
  end(content?: string | Uint8Array): void
}

/** A font of this document: what it is written with grows as glyphs are included. */
export interface PdfFont {
  readonly id: string
  readonly subset: { includeGlyph(glyph: number): number }
  readonly scale: number
  readonly widths: number[]
  readonly unicode: number[][]
  ref(): PdfRef
}

/** An image that was opened; `embed` writes it into the document. */
export interface PdfImage {
  readonly width: number
  readonly height: number
  /** The colours of a JPEG; undefined for a PNG. */
  readonly colorSpace?: string
  readonly obj: PdfRef
  embed(document: PdfParts): void
}

/** A document as its inside is. */
export interface PdfParts {
  readonly page: {
    readonly dictionary: PdfRef
    readonly fonts: Record<string, PdfRef>
    readonly xobjects: Record<string, PdfRef>
    readonly colorSpaces: Record<string, PdfRef>
  }
  readonly _root: PdfRef
  ref(data?: Record<string, unknown> | readonly unknown[]): PdfRef
  addPage(options: { size: [number, number]; margin: number }): void
  addContent(operators: string): void
  path(d: string): void
  registerFont(name: string, font: object): void
  font(name: string): { readonly _font: PdfFont }
  openImage(bytes: Uint8Array): PdfImage
  /** Adds descriptions to the file's metadata, in RDF. */
  appendXML(rdf: string): void
  /** Writes what is left: all of it was taken when this returns. */
  end(): void
}

/** The package's own output: lines, each with a break after it, and bytes. */
interface PdfOutput {
  _offset: number
  _write(data: string | Uint8Array): void
  push(end: null): boolean
  /** The next bytes so far, a line at a time; null once all are taken. */
  read(): Uint8Array | null
}

/** The metadata of a PDF file. */
export interface PdfAbout {
  title: string
  language: string
  createdAt: Date
}

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Most characters of a title: strings of archived files are bounded. */
const TITLE_MAX = 1000

/** The package writes titles into XML as they are: there this one is escaped. */
function planTitle(title: string): object {
  const plain = title
    .slice(0, TITLE_MAX)
    .replace(/[\u0000-\u001f\u007f\ufffe\uffff]/g, ' ')
    .toWellFormed()
  return Object.assign(new String(plain), {
    toString: () => plain.replace(/[&<>]/g, (sign) => XML[sign] ?? sign),
  })
}

/**
 * A document without pages and without fonts. `take` gets its bytes and lines at once: the
 * package's stream keeps each for a later turn, which takes more memory than the file has bytes.
 * A line is a text of bytes (Latin-1), its break included.
 */
export function openPdf(
  { title, language, createdAt }: PdfAbout,
  take: (data: Uint8Array | string) => void,
): PdfParts {
  const info = { Title: planTitle(title), CreationDate: createdAt, ModDate: createdAt }
  const options = {
    pdfVersion: '1.7' as const,
    autoFirstPage: false,
    displayTitle: true,
    lang: language,
    // No standard font: those are not in the executable.
    font: '',
    info: { ...info, Producer: 'Application Engine', Creator: 'Application Engine' },
  }
  // The declared type has no title that is an object, and nothing of the document's inside.
  const document: unknown = new PDFDocument(options as unknown as PDFKit.PDFDocumentOptions)
  const output = document as PdfOutput
  for (let line = output.read(); line; line = output.read()) take(line)
  output._write = (data) => {
    const taken = typeof data === 'string' ? `${data}\n` : data
    output._offset += taken.length
    take(taken)
  }
  output.push = () => true
  return document as PdfParts
}
