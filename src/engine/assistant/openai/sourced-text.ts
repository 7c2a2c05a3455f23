/**
 * The text of a model before it reaches the caller. A number in it comes from the data: references
 * such as `[[0.Sales.3]]` become values of the answer's tables, and a numeral that does not occur
 * in the question, the arguments or the results is left out, as is every address and link.
 */
import type { TextReference } from '../item.ts'
import { breakLinks, dropAddresses, isAddress, isRestOfLink } from './links.ts'
import { endOfScale, isNumberOpen } from './number-words.ts'
import { findNumerals, type KnownNumbers } from './numerals.ts'

/** The name of a figure over all rows of a table: their number. */
export const COUNT_COLUMN = 'count'

/** A cell, or the count of rows where it has no row. */
export interface SourcePlace {
  table: number
  column: string
  row?: number | undefined
}

/** The sources that a text may refer to. */
export interface TextSources {
  /** The text at a place, with the column's own name; undefined for a place that does not exist. */
  findValue(place: SourcePlace): { column: string; text: string } | undefined
  readonly numbers: KnownNumbers
}

/** A piece of text for the caller. */
export interface SourcedPiece {
  text: string
  references: TextReference[]
}

/** The text in place of a number without a source. */
const NO_SOURCE = '[?]'

/** Most characters of a reference; a longer text is not one. */
const REFERENCE_MAX = 200
/** Characters without a blank that are held back; texts in Chinese have none. */
const HELD_MAX = 256
/** Characters before a cut in which a word of a number is looked for. */
const NUMBER_WORD_MAX = 40
/** Most characters of one word: no word of a language is longer. */
const WORD_MAX = 4096

const REFERENCE = /\[\[([^\][\n]{1,200})\]\]/g
const COUNT = /^(\d{1,4})\.count$/i
const CELL = /^(\d{1,4})\.(.+)\.(\d{1,7})$/
/** Numbers like `1.` at the begin of a line, which order a list and are not figures of the data. */
const LIST_MARKER = /(^|\n)([ \t]*)\d{1,3}[.)](?=[ \t])/g
/** Characters between which a cut could part a numeral, a word of letters or a reference. */
const IS_PART = /[\p{N}\p{Script=Latin}\p{M}\s\u200c\u200d\ud800-\udfff\x21-\x7e’]/u

/** Makes pieces of a text that comes in pieces, cut anywhere. */
export class SourcedText {
  readonly #sources: TextSources
  #held = ''
  #isLineBegun = false
  /** True when a number, a value or an address was left out so far. */
  leftOut = false

  constructor(sources: TextSources) {
    this.#sources = sources
  }

  /** Takes more of the text; returns the part that is certain by now, undefined where none is. */
  push(chunk: string): SourcedPiece | undefined {
    this.#held += toVisible(chunk)
    const end = findCut(this.#held)
    if (end > 0) return this.#take(end)
    if (this.#held.length <= WORD_MAX) return undefined
    this.#held = ''
    this.leftOut = true
    return { text: NO_SOURCE, references: [] }
  }

  /** The rest of the text. */
  end(): SourcedPiece | undefined {
    return this.#held === '' ? undefined : this.#take(this.#held.length)
  }

  #take(end: number): SourcedPiece {
    const given = this.#held.slice(0, end)
    this.#held = this.#held.slice(end)
    const listed = this.#dropMarkers(toVisible(given).replace(JOINED_DIGITS, ''))
    const bare = dropAddresses(listed, NO_SOURCE)
    if (bare !== listed) this.leftOut = true
    const [, line] = /(?:^|(\n))[ \t]*$/.exec(given) ?? [undefined, 'begun']
    if (line !== undefined) this.#isLineBegun = line !== '\n'
    const piece: SourcedPiece = { text: '', references: [] }
    let from = 0
    for (const found of bare.matchAll(REFERENCE)) {
      this.#addText(piece, bare.slice(from, found.index), true)
      this.#addReference(piece, found[1] ?? '')
      from = found.index + found[0].length
    }
    this.#addText(piece, bare.slice(from), false)
    return piece
  }

  /** Ordered lists become plain ones. */
  #dropMarkers(text: string): string {
    return text.replace(LIST_MARKER, (whole, line: string, indent: string, at: number) =>
      at === 0 && line === '' && this.#isLineBegun ? whole : `${line}${indent}-`,
    )
  }

  #addReference(piece: SourcedPiece, inside: string): void {
    const place = readPlace(inside.trim())
    const value = place && this.#sources.findValue(place)
    if (!place || !value) {
      this.leftOut = true
      piece.text += NO_SOURCE
      return
    }
    const text = breakLinks(toVisible(value.text))
    // Two values without a blank between them would be read as one.
    if (endOf(piece) === piece.text.length || isRestOfLink(piece.text, text)) piece.text += ' '
    piece.references.push({
      Start: piece.text.length,
      Length: text.length,
      Table: place.table,
      ...(place.row !== undefined && { Row: place.row }),
      Column: value.column,
    })
    piece.text += text
  }

  /** Figures that touch a value would make another one of it. */
  #addText(piece: SourcedPiece, given: string, isBeforeReference: boolean): void {
    const isAfterReference = endOf(piece) === piece.text.length
    const text = breakLinks(given)
    if (isAfterReference && isAddress(valueAt(piece)) && /^\S/.test(text)) piece.text += ' '
    let from = isAfterReference ? endOfScale(text) : 0
    if (from > 0) {
      this.leftOut = true
      piece.text += NO_SOURCE.padStart(NO_SOURCE.length + Number(/^\s/.test(text)))
    }
    for (const { start, text: numeral } of findNumerals(text)) {
      const end = start + numeral.length
      if (end <= from) continue
      const touches =
        (isAfterReference && IS_GLUE.test(text.slice(0, start))) ||
        (isBeforeReference && IS_GLUE.test(text.slice(end)))
      const isKnown = !touches && this.#sources.numbers.has(numeral)
      if (!isKnown) this.leftOut = true
      piece.text += text.slice(from, start) + (isKnown ? numeral : NO_SOURCE)
      from = end
    }
    piece.text += text.slice(from)
  }
}

const IS_GLUE = /^[.,'’*_~`]*$/

/** The end of the last reference of a piece; -1 where it has none. */
function endOf({ references }: SourcedPiece): number {
  const last = references.at(-1)
  return last ? last.Start + last.Length : -1
}

/** The value of the last reference of a piece. */
function valueAt({ text, references }: SourcedPiece): string {
  const last = references.at(-1)
  return last ? text.slice(last.Start, last.Start + last.Length) : ''
}

function readPlace(text: string): SourcePlace | undefined {
  const [, count] = COUNT.exec(text) ?? []
  if (count !== undefined) return { table: Number(count), column: COUNT_COLUMN }
  const [, table, column, row] = CELL.exec(text) ?? []
  if (table === undefined || column === undefined) return undefined
  return { table: Number(table), column, row: Number(row) }
}

/** Control characters but line breaks and tabs, and invisible signs but joiners. */
const INVISIBLE = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]/gu
const JOINED_DIGITS = /(?<=\p{N})[\u200c\u200d]+|[\u200c\u200d]+(?=\p{N})/gu

/** A text without control characters and invisible signs. */
const toVisible = (text: string): string => text.replace(INVISIBLE, '')

/**
 * The length of a text that is certain whatever comes after it; 0 where none is. It ends before a
 * word, since a numeral, a reference or a list marker may still grow.
 */
function findCut(text: string): number {
  for (let at = text.length - 1; at > 0; at--) {
    if (!isBlank(text[at - 1]) || isBlank(text[at])) continue
    // A numeral may go on after a blank: `1 234`.
    const isNumeral =
      (mayJoin(text[at - 2]) && mayJoin(text[at])) ||
      isNumberOpen(text.slice(Math.max(0, at - NUMBER_WORD_MAX), at))
    if (!isNumeral && !isInReference(text, at)) return at
  }
  if (text.length <= HELD_MAX) return 0
  for (let at = text.length - 1; at > 0; at--)
    if (!IS_PART.test(text[at - 1] ?? '') && !IS_PART.test(text[at] ?? ''))
      if (!isInReference(text, at)) return at
  return 0
}

const isBlank = (character: string | undefined): boolean => /^\s$/.test(character ?? '')
const mayJoin = (sign: string | undefined): boolean => /^[\d\u200c\u200d]$/.test(sign ?? '')

/** True when a reference has begun before a place and may go on there. */
function isInReference(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - REFERENCE_MAX - 4), at)
  const open = before.lastIndexOf('[[')
  return open >= 0 && !/\]\]|\][^\]]|\n/.test(before.slice(open))
}
