/** A PDF file that is written as it is drawn. Lengths are points from the top left of the page. */
import { openPdf, type PdfFont, type PdfParts, type PdfRef } from '../../vendor/pdfkit-parts.ts'
import srgb from './assets/srgb.icc' with { type: 'file' }
import { describeClaims } from './claims.ts'
import type { PrintHead, PrintReply, UndrawnPart } from './document.ts'
import type { Face } from './faces.ts'
import type { Line } from './lines.ts'
import { BOX_WIDTH, type PlacedGlyph, type Run } from './shape.ts'
import { Tags } from './tags.ts'
import { HashedFile } from '../sheets/hashed-file.ts'

/** Red, green and blue, from 0 to 1. */
export type Colour = readonly [number, number, number]

export const BLACK: Colour = [0.1, 0.11, 0.13]

/** Objects, at most, that the package writes at the end: fonts, names, metadata. */
const CLOSING_OBJECTS = 1000

/** Most missing characters that are reported. */
const MISSING_MAX = 50

const round = (value: number): string => String(Math.round(value * 100) / 100)

const spell = (...values: number[]): string => values.map(round).join(' ')

/** A picture in the file; `inks` tells how the colours of a press look on a screen. */
export interface PlacedImage {
  width: number
  height: number
  name: string
  ref: PdfRef
  inks: PdfRef | undefined
}

/**
 * Red, green and blue of four inks, each from 0 to 1, as the language of functions in a PDF: each
 * colour is what its ink and the black one leave of white.
 */
const MIX_INKS = `{ ${'1 exch sub 4 1 roll '.repeat(4)}
  3 index 1 index mul 3 index 2 index mul 3 index 3 index mul 7 3 roll pop pop pop pop }`

/** A drawing made apart from the page, which places it by its name. */
export interface PlacedForm {
  ref: PdfRef
}

const PIECE_BYTES = 256 * 1024

/** Bytes in large pieces: the package writes single lines, which would take most of the memory. */
class ByteQueue {
  #full: Uint8Array[] = []
  readonly #piece = Buffer.alloc(PIECE_BYTES)
  #size = 0

  /** A text is one of bytes, Latin-1. */
  push(data: Uint8Array | string): void {
    if (this.#size + data.length > PIECE_BYTES) this.#close()
    if (data.length > PIECE_BYTES)
      this.#full.push(typeof data === 'string' ? Buffer.from(data, 'latin1') : data)
    else {
      if (typeof data === 'string') this.#piece.write(data, this.#size, 'latin1')
      else this.#piece.set(data, this.#size)
      this.#size += data.length
    }
  }

  /** Takes all that was pushed since the last call, in a few pieces. */
  take(): Uint8Array[] {
    this.#close()
    const pieces = this.#full
    this.#full = []
    return pieces
  }

  #close(): void {
    if (this.#size === 0) return
    this.#full.push(new Uint8Array(this.#piece.subarray(0, this.#size)))
    this.#size = 0
  }
}

/** One file, from its first page to `finish`. */
export class PdfFile {
  /** Of the page that was added last. */
  width = 0
  height = 0
  readonly tags: Tags
  readonly #pdf: PdfParts
  readonly #file: HashedFile
  readonly #fonts = new Map<Face, PdfFont>()
  readonly #shown = new WeakMap<readonly PlacedGlyph[], string>()
  readonly #missing = new Set<string>()
  readonly #undrawn = new Set<UndrawnPart>()
  readonly #pieces = new ByteQueue()
  #form: { fonts: Record<string, PdfRef>; content: string[] } | undefined
  #pages = 0
  /** Draws what each page begins with; set while nothing is on the page that was added last. */
  #begin: (() => void) | undefined

  private constructor(file: HashedFile, head: PrintHead) {
    this.#file = file
    const { title, language } = head
    const about = { title, language, createdAt: new Date(head.createdAt) }
    this.#pdf = openPdf(about, (data) => this.#pieces.push(data))
    this.tags = new Tags(this.#pdf)
  }

  /** @throws when there is a file at `path` already */
  static async create(path: string, head: PrintHead): Promise<PdfFile> {
    return new PdfFile(await HashedFile.create(path), head)
  }

  get pages(): number {
    return this.#pages
  }

  /** Records a part that the document lacks, for the reply. */
  tellUndrawn(part: UndrawnPart): void {
    this.#undrawn.add(part)
  }

  /**
   * Adds a page, which begins with what `begin` draws. Until something else is drawn on it the page
   * is a plan: the next one replaces it, and the end of the document drops it.
   */
  addPage(size: readonly [number, number], begin: () => void): void {
    if (!this.#begin) {
      if (this.#pages > 0) this.tags.endPage()
      this.#pages++
    }
    ;[this.width, this.height] = size
    this.#begin = begin
  }

  /** Opens the first page where nothing was drawn: a document has one. */
  ensurePage(): void {
    if (this.#pages === 1) this.#openPage()
  }

  #openPage(): void {
    const begin = this.#begin
    if (!begin) return
    this.#begin = undefined
    this.#pdf.addPage({ size: [this.width, this.height], margin: 0 })
    this.tags.beginPage()
    begin()
  }

  /** Writes operators unchanged. */
  write(operators: string): void {
    if (this.#form) this.#form.content.push(operators)
    else {
      this.#openPage()
      this.#pdf.addContent(operators)
    }
  }

  /** Draws content of the open element of the structure. */
  content(draw: () => void, tag = 'P'): void {
    this.#openPage()
    this.write(`/${tag} <</MCID ${this.tags.mark()}>> BDC`)
    draw()
    this.write('EMC')
  }

  /** Draws letters that readers take for a text: of turned ones they would not find the words. */
  spelled(text: string, draw: () => void): void {
    this.write(openSpan(text))
    draw()
    this.write('EMC')
  }

  /** Draws things that are not part of the text: lines, backgrounds, heads and feet of pages. */
  artifact(draw: () => void, isPagination = false): void {
    this.write(isPagination ? '/Artifact <</Type /Pagination>> BDC' : '/Artifact BMC')
    draw()
    this.write('EMC')
  }

  fill(box: { x: number; y: number; width: number; height: number }, colour: Colour): void {
    this.write(`${spell(...colour)} rg ${spell(box.x, box.y, box.width, box.height)} re f`)
  }

  stroke(from: readonly [number, number], to: readonly [number, number], colour: Colour): void {
    const line = `${spell(...from)} m ${spell(...to)} l S`
    this.write(`${spell(...colour)} RG 0.5 w ${line}`)
  }

  /** A path as SVG writes it, for an operator that fills or strokes it. */
  path(d: string): void {
    this.#pdf.path(d)
  }

  /** A line of text; `at` is where its base line begins. */
  text(line: Line, at: readonly [number, number], size: number, colour: Colour = BLACK): void {
    if (!this.#form) this.#openPage()
    for (const { run, x } of line.runs) {
      const start = [at[0] + (x * size) / 1000, at[1]] as const
      if (run.face) this.#writeRun(run, start, size, colour)
      else this.#writeBoxes(run, start, size)
    }
  }

  /** Draws a picture of PNG or JPEG; its ratio is kept. @throws for any other format */
  openImage(bytes: Uint8Array): PlacedImage {
    const image = this.#pdf.openImage(bytes)
    image.embed(this.#pdf)
    const { width, height, obj } = image
    const inks = image.colorSpace === 'DeviceCMYK' ? this.#declareInks() : undefined
    return { width, height, name: `I${obj.id}`, ref: obj, inks }
  }

  place(image: PlacedImage, box: { x: number; y: number; width: number; height: number }): void {
    this.#openPage()
    const { xobjects, colorSpaces } = this.#pdf.page
    xobjects[image.name] = image.ref
    if (image.inks) colorSpaces['DefaultCMYK'] = image.inks
    const matrix = spell(box.width, 0, 0, -box.height, box.x, box.y + box.height)
    this.write(`q ${matrix} cm /${image.name} Do Q`)
  }

  /** Reserves a place on this page for content known only at the end; `drawForm` fills it. */
  placeForm(): PlacedForm {
    this.#openPage()
    const ref = this.#pdf.ref({
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [0, 0, this.width, this.height],
    })
    const name = `X${ref.id}`
    this.#pdf.page.xobjects[name] = ref
    this.write(`/${name} Do`)
    return { ref }
  }

  drawForm({ ref }: PlacedForm, draw: () => void): void {
    const form = { fonts: {}, content: [] as string[] }
    this.#form = form
    draw()
    this.#form = undefined
    ref.data['Resources'] = { Font: form.fonts }
    ref.end(form.content.join('\n') || ' ')
  }

  /** Writes the completed pieces to the disk. */
  async flush(): Promise<void> {
    for (const piece of this.#pieces.take()) await this.#file.write(piece)
  }

  /** Completes the file, on the disk too. */
  async finish(): Promise<PrintReply> {
    if (this.#begin) this.#pages--
    else this.tags.endPage()
    this.tags.end()
    const last = await this.#declareColours()
    this.#pdf.appendXML(describeClaims(last.id + CLOSING_OBJECTS))
    this.#pdf.end()
    await this.flush()
    const { size, sha256 } = await this.#file.close()
    const told = { missing: [...this.#missing], undrawn: [...this.#undrawn] }
    return { pages: this.#pages, bytes: size, sha256, ...told }
  }

  /** Closes and removes the file. */
  async abort(): Promise<void> {
    await this.#file.abort()
  }

  /** Declares four inks by the colours of this file: archives take none without a meaning. */
  #declareInks(): PdfRef {
    const unit = [0, 1]
    const mix = this.#pdf.ref({
      FunctionType: 4,
      Domain: [...unit, ...unit, ...unit, ...unit],
      Range: [...unit, ...unit, ...unit],
    })
    mix.end(MIX_INKS)
    const names = ['Cyan', 'Magenta', 'Yellow', 'Black']
    const inks = this.#pdf.ref(['DeviceN', names, 'DeviceRGB', mix])
    inks.end()
    return inks
  }

  /** Declares the colours by a profile inside the file, as archives require. */
  async #declareColours(): Promise<PdfRef> {
    const profile = this.#pdf.ref({ N: 3 })
    profile.end(await Bun.file(srgb).bytes())
    const name = new String('sRGB IEC61966-2.1')
    const intent = this.#pdf.ref({
      Type: 'OutputIntent',
      S: 'GTS_PDFA1',
      Info: name,
      OutputConditionIdentifier: name,
      DestOutputProfile: profile,
    })
    intent.end()
    this.#pdf._root.data['OutputIntents'] = [intent]
    return intent
  }

  #writeRun(run: Run, [x, y]: readonly [number, number], size: number, colour: Colour): void {
    const font = this.#fontOf(run.face as Face)
    const fonts = this.#form?.fonts ?? this.#pdf.page.fonts
    fonts[font.id] ??= font.ref()
    let shown = this.#shown.get(run.glyphs)
    if (shown === undefined) this.#shown.set(run.glyphs, (shown = spellGlyphs(run, font)))
    const raised = shown.replace(/@(-?\d+)@/g, (_, rise: string) =>
      round((Number(rise) * size) / 1000),
    )
    const drawn =
      `${spell(...colour)} rg BT /${font.id} ${round(size)} Tf ` +
      `1 0 0 -1 ${spell(x, y)} Tm ${raised} ET`
    // Readers turn right-to-left text around themselves, glyph by glyph: a text of its own is only
    // for glyphs without a character, or with one that no standard gives a meaning.
    const isBare = run.glyphs.some(
      ({ codePoints }) => codePoints.length === 0 || codePoints.some(isPrivate),
    )
    if (isBare) this.write(withText(run.text, drawn))
    else this.write(isBackwards(run) ? `/ReversedChars BMC ${drawn} EMC` : drawn)
  }

  #writeBoxes(run: Run, [x, y]: readonly [number, number], size: number): void {
    let at = x
    for (const character of isBackwards(run) ? [...run.text].toReversed() : run.text) {
      if (this.#missing.size < MISSING_MAX) this.#missing.add(character)
      const width = (BOX_WIDTH * size) / 1000
      const box = spell(at + width * 0.1, y - size * 0.7, width * 0.8, size * 0.7)
      this.write(withText(character, `${spell(...BLACK)} RG 0.6 w ${box} re S`))
      at += width
    }
  }

  #fontOf(face: Face): PdfFont {
    let font = this.#fonts.get(face)
    if (!font) {
      this.#pdf.registerFont(face.name, face.font)
      font = this.#pdf.font(face.name)._font
      this.#fonts.set(face, font)
    }
    return font
  }
}

/** Tells whether a character is of a range that each font uses for its own signs. */
const isPrivate = (codePoint: number): boolean =>
  codePoint >= 0xe000 && (codePoint <= 0xf8ff || codePoint >= 0xf0000)

/** The drawing, with the text that it represents. */
const withText = (text: string, drawn: string): string => `${openSpan(text)} ${drawn} EMC`

function openSpan(text: string): string {
  const hex = Buffer.from(text, 'utf16le').swap16().toString('hex')
  return `/Span <</ActualText <feff${hex}>>> BDC`
}

/** The characters of a glyph, as they are within the text of its run: that is turned around. */
function spellUnicode({ codePoints }: PlacedGlyph, isReversed: boolean): number[] {
  if (codePoints.length === 0) return [0xfffd]
  return isReversed ? codePoints.toReversed() : [...codePoints]
}

/** Tells whether the glyphs of a run, from left to right, are against the order of reading. */
const isBackwards = ({ level, isMirrored }: Run): boolean => level % 2 === 1 && !isMirrored

/** Operators that show glyphs; `@n@` is a rise in thousandths of the size. */
function spellGlyphs(run: Run, font: PdfFont): string {
  let out = '['
  let rise = 0
  let hex = ''
  const move = (by: number): void => {
    if (Math.abs(by) < 0.5) return
    if (hex) out += `<${hex}>`
    hex = ''
    out += ` ${Math.round(-by)} `
  }
  for (const glyph of run.glyphs) {
    const number = font.subset.includeGlyph(glyph.id)
    font.widths[number] ??= glyph.width
    font.unicode[number] ??= spellUnicode(glyph, isBackwards(run))
    const up = Math.round(glyph.y)
    if (up !== rise) {
      if (hex) out += `<${hex}>`
      hex = ''
      out += `] TJ @${up}@ Ts [`
      rise = up
    }
    move(glyph.x)
    hex += number.toString(16).padStart(4, '0')
    move(glyph.advance - glyph.width - glyph.x)
  }
  if (hex) out += `<${hex}>`
  return rise === 0 ? `${out}] TJ` : `${out}] TJ 0 Ts`
}
