/** The pages of a document: head and foot of each, and how far each is filled. */
import { readFileSync, statSync } from 'node:fs'
import type { PaperSize, PrintHead } from './document.ts'
import type { Faces } from './faces.ts'
import { breakLines, LEADING, type TextStyle } from './lines.ts'
import { BLACK, type Colour, type PdfFile, type PlacedForm, type PlacedImage } from './pdf-file.ts'
import { isWholePicture } from './picture.ts'

/** Points of a millimetre. */
export const MM = 72 / 25.4

const SIZES_MM: Readonly<Record<Extract<PaperSize, string>, readonly [number, number]>> = {
  A4: [210, 297],
  A5: [148, 210],
  A6: [105, 148],
  Letter: [215.9, 279.4],
  Legal: [215.9, 355.6],
}

const MARGIN_MM = 20
export const GREY: Colour = [0.4, 0.42, 0.45]
export const RULE: Colour = [0.78, 0.8, 0.83]
/** Space between blocks. */
export const GAP = 6
const RUNNING_SIZE = 8
const LOGO_BYTES_MAX = 8 * 1024 * 1024

/** A sheet's width and height in points. */
function planSheet({ size, isLandscape }: PrintHead['page']): [number, number] {
  const [width, height] =
    typeof size === 'string' ? SIZES_MM[size] : ([size.width, size.height] as const)
  const bounded = [width, height].map((length) => Math.min(Math.max(length, 20), 2000) * MM)
  const [short = 0, long = 0] = typeof size === 'string' ? bounded.sort((a, b) => a - b) : bounded
  return isLandscape ? [long, short] : [short, long]
}

/** Tells whether a language is written from right to left. */
const isRightToLeft = (language: string): boolean =>
  /^(ar|he|iw|fa|ur|yi|ps|sd|ug|dv|ckb)\b/i.test(language)

interface Area {
  x: number
  y: number
  width: number
}

/** A sheet of paper: its width and height, the width between margins, the end of the text. */
interface Sheet {
  size: readonly [number, number]
  width: number
  bottom: number
}

/** The pages that are being drawn: the last one is open. */
export class Pages {
  readonly file: PdfFile
  readonly faces: Faces
  readonly head: PrintHead
  readonly isRightToLeft: boolean
  readonly left: number
  /** The position at which the next block begins. */
  y = 0
  #sheet: Sheet
  readonly #upright: Sheet
  readonly #turned: Sheet | undefined
  readonly #top: number
  readonly #feet: { form: PlacedForm; sheet: Sheet }[] = []
  readonly #logo: PlacedImage | undefined

  constructor(file: PdfFile, faces: Faces, head: PrintHead) {
    this.file = file
    this.faces = faces
    this.head = head
    this.isRightToLeft = isRightToLeft(head.language)
    const size = planSheet(head.page)
    const side = Math.min(MARGIN_MM, size[0] / MM / 10)
    const margins = head.page.margins ?? {
      top: side + (head.running ? 4 : 0),
      right: side,
      bottom: side + (hasFoot(head) ? 2 : 0),
      left: side,
    }
    this.left = margins.left * MM
    this.#top = margins.top * MM
    const planned = ([width, height]: readonly [number, number]): Sheet => ({
      size: [width, height],
      width: Math.max(width - (margins.left + margins.right) * MM, 20),
      bottom: Math.max(height - margins.bottom * MM, this.#top + 40),
    })
    this.#upright = planned(size)
    // A sheet of a custom size, or one that lies already, is not turned.
    const mayTurn = typeof head.page.size === 'string' && !head.page.isLandscape
    this.#turned = mayTurn ? planned([size[1], size[0]]) : undefined
    this.#sheet = this.#upright
    this.#logo = this.#openLogo()
    this.open()
  }

  /** Points between the margins. */
  get width(): number {
    return this.#sheet.width
  }

  /** Points between the margins of a sheet as the document's are. */
  get uprightWidth(): number {
    return this.#upright.width
  }

  /** Points between the margins of a turned sheet; undefined where sheets are not turned. */
  get turnedWidth(): number | undefined {
    return this.#turned?.width
  }

  /** True while this page is turned, unlike the document. */
  get isTurned(): boolean {
    return this.#sheet === this.#turned
  }

  /** Points that are left on this page. */
  get room(): number {
    return this.#sheet.bottom - this.y
  }

  /** Points of an empty page. */
  get roomMax(): number {
    return this.#sheet.bottom - this.#top
  }

  get isEmpty(): boolean {
    return this.y <= this.#top
  }

  /** A new page, as the document's are, or turned; it replaces one that is still empty. */
  open(isTurned = false): void {
    this.#sheet = (isTurned ? this.#turned : undefined) ?? this.#upright
    this.file.addPage(this.#sheet.size, () => this.file.artifact(() => this.#drawRunning(), true))
    this.y = this.#top
    if (this.file.pages === 1 && this.head.letterhead) this.#drawLetterhead()
  }

  /** Goes to a new page where `height` does not fit on this one. */
  ensure(height: number): void {
    if (height > this.room && !this.isEmpty) this.open(this.isTurned)
  }

  style(size: number, isBold = false): TextStyle {
    const { regular, bold } = this.faces
    return { faces: isBold ? bold : regular, size }
  }

  /** Draws lines that are not broken further; returns their height. */
  label(text: string, area: Area, look: LabelLook): number {
    const { size, isBold = false, colour = BLACK, align = 'start' } = look
    const lines = breakLines(text, area.width, this.style(size, isBold))
    for (const [at, line] of lines.entries()) {
      const x = this.placeLine(line.width, area, align)
      this.file.text(line, [x, area.y + size + at * size * LEADING], size, colour)
    }
    return lines.length * size * LEADING
  }

  /** Returns the position at which a line of a width begins. */
  placeLine(width: number, area: Omit<Area, 'y'>, align: 'start' | 'end' | 'center'): number {
    const free = area.width - width
    if (align === 'center') return area.x + free / 2
    return (align === 'end') === this.isRightToLeft ? area.x : area.x + free
  }

  /** Draws parts known only at the end: the feet, with the number of pages. */
  finish(): void {
    this.file.ensurePage()
    const { left, right } = this.head.foot
    const look = { size: RUNNING_SIZE, colour: GREY }
    for (const [at, { form, sheet }] of this.#feet.entries()) {
      const y = Math.min(sheet.bottom + 12, sheet.size[1] - 22)
      const area = { x: this.left, y, width: sheet.width }
      const width = sheet.width * 0.65
      const x = this.isRightToLeft ? this.left + sheet.width - width : this.left
      const fill = (text: string): string =>
        text.replaceAll('{Page}', String(at + 1)).replaceAll('{Pages}', String(this.#feet.length))
      this.file.drawForm(form, () => {
        this.label(fill(left), { x, y, width }, look)
        this.label(fill(right), area, { ...look, align: 'end' })
      })
    }
  }

  #drawRunning(): void {
    const { running } = this.head
    const area = { x: this.left, y: this.#top - 26, width: this.width }
    // On the first page a letterhead replaces the running head.
    if (running && !(this.file.pages === 1 && this.head.letterhead)) {
      const half = { ...area, width: this.width / 2 - 6 }
      const other = { ...half, x: this.left + this.width / 2 + 6 }
      const [start, end] = this.isRightToLeft ? [other, half] : [half, other]
      const logo = this.#placeLogo(start, 16)
      const move = this.isRightToLeft ? 0 : logo
      const company = { ...start, x: start.x + move, width: start.width - logo }
      this.label(running.company, company, { size: RUNNING_SIZE, isBold: true })
      this.label(running.title, end, { size: RUNNING_SIZE, colour: GREY, align: 'end' })
      const y = this.#top - 10
      this.file.stroke([this.left, y], [this.left + this.width, y], RULE)
    }
    this.#feet.push({ form: this.file.placeForm(), sheet: this.#sheet })
  }

  #drawLetterhead(): void {
    const { lines = [], hasLogo = false } = this.head.letterhead ?? {}
    const area = { x: this.left, y: 12 * MM, width: this.width }
    const logo = { ...area, width: this.width / 2 }
    if (hasLogo) this.file.artifact(() => void this.#placeLogo(logo, 20 * MM))
    this.file.tags.open('P')
    this.file.content(() => {
      for (const [at, line] of lines.entries())
        area.y += this.label(line, area, {
          size: at === 0 ? 11 : 8,
          isBold: at === 0,
          colour: at === 0 ? BLACK : GREY,
          align: 'end',
        })
    })
    this.file.tags.close()
    this.y = Math.max(this.y, area.y + 10, hasLogo ? 34 * MM : 0)
  }

  /** The logo at the start of an area; how much of the width it takes. */
  #placeLogo(area: Area, height: number): number {
    const logo = this.#logo
    if (!logo) return 0
    const scale = Math.min(height / logo.height, (area.width * 0.6) / logo.width)
    const [width, high] = [logo.width * scale, logo.height * scale]
    const x = this.isRightToLeft ? area.x + area.width - width : area.x
    this.file.place(logo, { x, y: area.y + (height - high) / 2 - 4, width, height: high })
    return width + 6
  }

  /** A picture that cannot be read is left out: the document is complete without it. */
  #openLogo(): PlacedImage | undefined {
    const { logo } = this.head
    if (logo === undefined) return undefined
    try {
      const bytes = statSync(logo).size > LOGO_BYTES_MAX ? undefined : readFileSync(logo)
      if (bytes && isWholePicture(bytes)) return this.file.openImage(bytes)
    } catch {
      // The file may have been removed, or be in a form that the package does not read.
    }
    this.file.tellUndrawn('logo')
    return undefined
  }
}

export interface LabelLook {
  size: number
  isBold?: boolean
  colour?: Colour
  align?: 'start' | 'end' | 'center'
}

const hasFoot = ({ foot }: PrintHead): boolean => foot.left !== '' || foot.right !== ''
