/** Profiles of a table's values: each row is read, so that a type is found and not guessed. */
import {
  BrokenText,
  LargeCell,
  SourceBytes,
  type SourceCell,
  type SourceFile,
} from '../../store/file/source-file.ts'
import { type ColumnProfile, describeCell, planRead } from './column-profile.ts'
import { familyOf, needsProof, planReadings, type ReadingName, scaleOf } from './families.ts'
import { keepApart, type MergedRules } from './keep-apart.ts'
import { planBytes } from './plan-bytes.ts'
import { decimalOf, measureNumber, placesFor, READINGS, type SourceReading } from './readings.ts'
import { orderOf, type SourceColumn, type SourceTable } from './source-schema.ts'
import { DECIMAL_DIGITS_MAX, DECIMAL_SCALE_DEFAULT } from '../fields/decimal.ts'

export interface TableProfile {
  table: SourceTable
  rows: number
  columns: readonly ColumnProfile[]
  merged: MergedRules
}

/** Reads all rows of a table, which has an order. @throws SourceError */
export async function profileTable(source: SourceFile, table: SourceTable): Promise<TableProfile> {
  let rows = 0
  const sized = (read: { name: string }, at: number) => {
    const column = table.columns[at]
    const isSized = column !== undefined && familyOf(column) === 'bytes' && !isTold(table, column)
    return { ...read, isSized }
  }
  const read = planRead(table, orderOf(table) ?? [], table.columns)
  const columns = table.columns.map((column) => new ColumnTally(column, isTold(table, column)))
  for await (const page of source.pages({ ...read, columns: read.columns.map(sized) })) {
    rows += page.length
    for (const { cells } of page) columns.forEach((tally, at) => tally.add(cells[at] ?? null))
  }
  const profiles: ColumnProfile[] = []
  for (const tally of columns) {
    const profile = tally.finish()
    if (tally.isBytes) profile.reading = await planBytes(source, table, profile)
    profiles.push(profile)
  }
  const merged = await keepApart(source, table, { rows, columns: profiles })
  return { table, rows, columns: profiles, merged }
}

/** Bytes that rows go by are taken, whatever they are. */
const isTold = ({ keys, references }: SourceTable, { name }: SourceColumn): boolean =>
  [...keys, ...references.flatMap(({ columns }) => columns)].some(
    (each) => each.toLowerCase() === name.toLowerCase(),
  )

interface Candidate {
  name: ReadingName
  /** Undefined for a Decimal, whose places are known at the end. */
  reading: SourceReading | undefined
  misfits: number
  example: string
  isRewritten: boolean
}

class ColumnTally {
  readonly #column: SourceColumn
  readonly #candidates: readonly Candidate[]
  readonly #isTold: boolean
  #nulls = 0
  #values = 0
  #blank = 0
  #empty = 0
  #longest = 0
  #whole = 0
  #places = 0
  #blobs = 0
  #blobBytes = 0

  constructor(column: SourceColumn, isTold: boolean) {
    this.#column = column
    this.#isTold = isTold
    const names: readonly ReadingName[] =
      isTold && familyOf(column) === 'bytes' ? ['guid', 'text'] : planReadings(column)
    this.#candidates = names.map((name) => ({
      name,
      reading: name === 'decimal' ? undefined : READINGS[name],
      misfits: 0,
      example: '',
      // What a Decimal rounds is known at the end.
      isRewritten: name === 'decimal',
    }))
  }

  add(cell: SourceCell): void {
    if (cell === null || cell instanceof LargeCell) {
      this.#nulls++
      return
    }
    this.#values++
    if (typeof cell === 'string') this.#measureText(cell)
    if (cell instanceof BrokenText) this.#measureText(cell.text)
    if (cell instanceof Uint8Array || cell instanceof SourceBytes) {
      const size = cell instanceof SourceBytes ? cell.size : cell.length
      this.#blobs++
      this.#blobBytes += size
      if (size === 0) this.#countBlank('')
      else if (cell instanceof Uint8Array) this.#countBlank(String(READINGS.text.read(cell)?.value))
      this.#longest = Math.max(this.#longest, size * 2)
    }
    for (const candidate of this.#candidates) this.#try(candidate, cell)
  }

  finish(): ColumnProfile {
    const chosen = this.#candidates.find((candidate) => this.#fits(candidate))
    const first = this.#candidates.find(
      ({ name, misfits }) => misfits > 0 && !needsProof(this.#column, name),
    )
    const scale = chosen?.name === 'decimal' ? this.#findScale() : undefined
    const reading = scale === undefined ? chosen?.reading : decimalOf(scale)
    const isOwn = first !== undefined && chosen !== first && chosen?.name === 'text'
    return {
      column: this.#column,
      reading: reading ?? READINGS.text,
      scale,
      nulls: this.#nulls,
      misfits: isOwn
        ? { name: this.#column.declared, rows: first.misfits, example: first.example }
        : undefined,
      blank: this.#blank,
      empty: this.#empty,
      longest: this.#longest,
      blobs: this.#blobs,
      blobBytes: this.#blobBytes,
      isRewritten: chosen?.isRewritten ?? true,
      apart: undefined,
    }
  }

  /** True for a column of bytes alone that no row goes by. */
  get isBytes(): boolean {
    if (this.#isTold || this.#blobs < this.#values) return false
    const family = familyOf(this.#column)
    return family === 'bytes' || (family === 'none' && this.#blobs > 0)
  }

  #fits({ name, misfits }: Candidate): boolean {
    if (misfits > 0) return false
    return this.#values > 0 || !needsProof(this.#column, name)
  }

  /** Tries a candidate that is already refuted too, to count the rows against it. */
  #try(candidate: Candidate, cell: Exclude<SourceCell, null>): void {
    const { reading } = candidate
    const read = reading?.read(cell)
    if (read?.change ?? read?.loss) candidate.isRewritten = true
    if (reading === undefined ? this.#isNumber(cell) : read !== undefined) return
    candidate.misfits++
    if (candidate.misfits === 1) candidate.example = describeCell(cell)
  }

  #isNumber(cell: Exclude<SourceCell, null>): boolean {
    if (typeof cell === 'string' && cell.trim() === '') return true
    const size = measureNumber(cell)
    if (size === undefined || size.whole > DECIMAL_DIGITS_MAX) return false
    this.#whole = Math.max(this.#whole, size.whole)
    this.#places = Math.max(this.#places, size.places)
    return true
  }

  /** Finds the scale: that of the values, at most what a number of their size can hold. */
  #findScale(): number {
    const declared = scaleOf(this.#column.declared)
    const most = placesFor(this.#whole)
    return Math.min(Math.max(this.#places, declared ?? DECIMAL_SCALE_DEFAULT), most)
  }

  /** Counts a text without a character that is seen, or without any that a text can hold. */
  #countBlank(text: string): void {
    const clean = text.replaceAll('\0', '')
    if (clean === '') this.#empty++
    if (clean.trim() === '') this.#blank++
  }

  #measureText(text: string): void {
    this.#countBlank(text)
    if (text.length <= this.#longest) return
    let length = 0
    for (const _ of text) length++
    this.#longest = Math.max(this.#longest, length)
  }
}
