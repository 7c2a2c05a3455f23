/**
 * The structure of a document, for screen readers: written as it comes, so that a long table takes
 * no memory. Open elements alone are held.
 */
import type { PdfParts, PdfRef } from '../../vendor/pdfkit-parts.ts'

/** Kinds of elements (ISO 32000-1, 14.8.4). */
export type TagType =
  | 'Document'
  | 'H1'
  | 'H2'
  | 'H3'
  | 'P'
  | 'Table'
  | 'Caption'
  | 'THead'
  | 'TBody'
  | 'TR'
  | 'TH'
  | 'TD'
  | 'Figure'
  | 'Div'
  | 'Sect'

/** An element that is not written yet. */
export interface OpenTag {
  readonly ref: PdfRef
  readonly kids: unknown[]
}

/** The tree of elements of one document. */
export class Tags {
  readonly #pdf: PdfParts
  readonly #root: PdfRef
  readonly #open: OpenTag[] = []
  /** The element that each piece of content belongs to, by page. */
  readonly #parents: (number | PdfRef)[] = []
  #content: PdfRef[] = []
  #pages = 0
  /** Levels of the headings that lead to the last one, as their authors gave them. */
  #headings: number[] = []

  constructor(pdf: PdfParts) {
    this.#pdf = pdf
    this.#root = pdf.ref({ Type: 'StructTreeRoot' })
    // The package ends both with the document.
    const mark = pdf.ref({ Marked: true })
    Object.assign(pdf._root.data, { StructTreeRoot: this.#root, MarkInfo: mark })
    this.open('Document')
  }

  /** Opens an element within the one that is open. */
  open(type: TagType, attributes: Record<string, unknown> = {}): void {
    const parent = this.#open.at(-1)
    const ref = this.#pdf.ref({ S: this.#nest(type), P: parent?.ref ?? this.#root, ...attributes })
    parent?.kids.push(ref)
    this.#open.push({ ref, kids: [] })
  }

  /**
   * The heading's level below those before it. Authors choose levels by their look: the tree has
   * none that is missing, so that a reader can go from heading to heading.
   */
  #nest(type: TagType): TagType {
    const level = Number(/^H([1-3])$/.exec(type)?.[1])
    if (!level) return type
    this.#headings = [...this.#headings.filter((above) => above < level), level]
    return `H${this.#headings.length as 1 | 2 | 3}`
  }

  /** Closes and writes the element that was opened last. */
  close(): void {
    const tag = this.#open.pop()
    if (!tag) throw new Error('No element is open')
    const { ref, kids } = tag
    ref.data['K'] = kids
    ref.end()
    delete ref.data['K']
  }

  /** Sets the element aside that was opened last; `resume` opens it again, on a later page too. */
  suspend(): OpenTag {
    const tag = this.#open.pop()
    if (!tag) throw new Error('No element is open')
    return tag
  }

  resume(tag: OpenTag): void {
    this.#open.push(tag)
  }

  /** The number of a new piece of content of the open element. */
  mark(): number {
    const tag = this.#open.at(-1)
    if (!tag) throw new Error('No element is open')
    const number = this.#content.push(tag.ref) - 1
    tag.kids.push({ Type: 'MCR', Pg: this.#pdf.page.dictionary, MCID: number })
    return number
  }

  /** To be called when a page begins. */
  beginPage(): void {
    Object.assign(this.#pdf.page.dictionary.data, { StructParents: this.#pages++, Tabs: 'S' })
  }

  /** To be called when a page is complete. */
  endPage(): void {
    const parents = this.#pdf.ref(this.#content)
    parents.end()
    // The content is written: keeping it would hold it in memory.
    this.#content.length = 0
    this.#content = []
    this.#parents.push(this.#pages - 1, parents)
  }

  /** Writes the rest of the structure. */
  end(): void {
    const kids = this.#open[0]?.ref
    while (this.#open.length > 0) this.close()
    const tree = this.#pdf.ref({ Nums: this.#parents })
    tree.end()
    Object.assign(this.#root.data, {
      K: [kids],
      ParentTree: tree,
      ParentTreeNextKey: this.#pages,
    })
  }
}
