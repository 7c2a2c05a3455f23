/** The hints of a view for clients: each names fields that the view serves, of a kind that fits. */
import { findChild, placeOf, readText, readWords } from './attributes.ts'
import type { Compilation } from './compilation.ts'
import { requireFields } from './lookup.ts'
import type { Field } from '../compiled/field.ts'
import type { ViewHints } from '../compiled/view-hints.ts'
import type { View } from '../compiled/view.ts'
import { FIELD_KINDS } from '../fields/kinds.ts'
import type { Element } from '../parse/element.ts'
import { isOnSurface } from '../view-index.ts'

/** A kind of field that a hint takes, in the words of its fault. */
interface Fit {
  fits: (field: Field) => boolean
  words: string
}

const isChoice = ({ options, references, lookup }: Field): boolean =>
  options.length > 0 || references !== undefined || lookup !== undefined

/** A field with one value that a line of text shows. */
const ANY: Fit = {
  fits: ({ type, multiple }) => FIELD_KINDS[type].structure === undefined && !multiple,
  words: 'a field with one value, and no file or document',
}

const GROUP: Fit = {
  fits: (field) => ANY.fits(field) && (isChoice(field) || FIELD_KINDS[field.type].isFlag),
  words: 'a field with options, a reference or a Boolean',
}

const ORDER: Fit = {
  fits: (field) => ANY.fits(field) && FIELD_KINDS[field.type].isOrdered,
  words: 'a field whose values have an order',
}

const DATED: Fit = {
  fits: (field) => FIELD_KINDS[field.type].isDated && !field.multiple,
  words: 'a Date or a DateTime',
}

const TONE: Fit = {
  fits: (field) => ANY.fits(field) && field.options.length > 0,
  words: 'a field with options',
}

const IMAGE: Fit = {
  fits: ({ type }) => FIELD_KINDS[type].structure === 'files',
  words: 'a File',
}

/** Compiles the hints that a view has. */
export function compileHints(c: Compilation, element: Element, view: View): ViewHints {
  const hints: ViewHints = {}
  const readerOf = (name: string): HintReader | undefined => {
    const child = findChild(element, name)
    return child && new HintReader(c, child, view)
  }
  const board = readerOf('Board')
  if (board)
    hints.board = {
      groupBy: board.required('GroupBy', GROUP),
      title: board.required('Title', ANY),
      order: board.optional('Order', ORDER),
    }
  const calendar = readerOf('Calendar')
  if (calendar)
    hints.calendar = {
      from: calendar.required('From', DATED),
      to: calendar.optional('To', DATED),
      title: calendar.required('Title', ANY),
      tone: calendar.optional('Tone', TONE),
    }
  const gallery = readerOf('Gallery')
  if (gallery)
    hints.gallery = {
      image: gallery.required('Image', IMAGE),
      title: gallery.required('Title', ANY),
    }
  const header = readerOf('Header')
  if (header) hints.header = header.list('Fields', ANY)
  return hints
}

/** The attributes of one hint, as names of fields in their own spelling. */
class HintReader {
  readonly #c: Compilation
  readonly #element: Element
  readonly #view: View

  constructor(c: Compilation, element: Element, view: View) {
    this.#c = c
    this.#element = element
    this.#view = view
  }

  /** The schema sees to it that it is there. */
  required(attribute: string, fit: Fit): string {
    return this.optional(attribute, fit) ?? ''
  }

  optional(attribute: string, fit: Fit): string | undefined {
    const name = readText(this.#element, attribute)
    return name === undefined ? undefined : this.#find(attribute, name, fit)
  }

  list(attribute: string, fit: Fit): string[] {
    const names = readWords(this.#element, attribute)
    return names.map((name) => this.#find(attribute, name, fit))
  }

  #find(attribute: string, name: string, { fits, words }: Fit): string {
    const field = this.#view.fieldByName.get(name.toLowerCase())
    if (!field) {
      requireFields(this.#c, this.#element, this.#view, attribute, [name])
      return name
    }
    const place = placeOf(this.#element, attribute)
    const { name: hint } = this.#element
    if (!isOnSurface(this.#view, field))
      this.#c.faults.add(place, `${field.name} is not served (In="None"): no ${hint} may show it`)
    else if (!fits(field))
      this.#c.faults.add(
        place,
        `${attribute} of ${hint} takes ${words}, which ${field.name} is not`,
      )
    return field.name
  }
}
