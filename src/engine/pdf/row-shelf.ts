/** Rows of a table, put aside until all are known: the first in memory, more on the disk. */
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import type { PrintRow } from './document.ts'

/** Letters of rows that are kept in memory, and that one portion on the disk has at least. */
const KEPT_MAX = 1_000_000

/** Bytes before a portion, which hold its length. */
const LENGTH_BYTES = 8

/** Rows that are read once, in their order, after the last was added. */
export class RowShelf {
  readonly #path: string
  #kept: PrintRow[] = []
  #letters = 0
  #file: number | undefined
  rows = 0

  /** `path`: where its file may be, which has no name from the time that it is there. */
  constructor(path: string) {
    this.#path = path
  }

  add(rows: readonly PrintRow[]): void {
    for (const row of rows) {
      this.#kept.push(row)
      this.#letters += row.cells.reduce((sum, cell) => sum + cell.length + 8, 16)
      this.rows++
    }
    if (this.#letters > KEPT_MAX) this.#putAside()
  }

  *read(): Generator<PrintRow> {
    if (this.#file !== undefined) yield* this.#readFile(this.#file)
    yield* this.#kept
    this.#kept = []
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #putAside(): void {
    this.#file ??= this.#open()
    const text = Buffer.from(JSON.stringify(this.#kept))
    const head = Buffer.alloc(LENGTH_BYTES)
    head.writeBigUInt64LE(BigInt(text.length))
    for (const part of [head, text])
      for (let at = 0; at < part.length;) at += writeSync(this.#file, part, at)
    this.#kept = []
    this.#letters = 0
  }

  /** Nothing stays of a file without a name, however its process ends. */
  #open(): number {
    const file = openSync(this.#path, 'wx+', 0o600)
    rmSync(this.#path)
    return file
  }

  *#readFile(file: number): Generator<PrintRow> {
    const head = Buffer.alloc(LENGTH_BYTES)
    for (let at = 0; readFully(file, head, at) === LENGTH_BYTES;) {
      const text = Buffer.alloc(Number(head.readBigUInt64LE()))
      at += LENGTH_BYTES
      if (readFully(file, text, at) < text.length) throw new Error('Rows put aside are cut short')
      at += text.length
      yield* JSON.parse(text.toString()) as PrintRow[]
    }
  }
}

/** Bytes that were read from a place of a file: fewer than wanted at its end alone. */
function readFully(file: number, into: Buffer, from: number): number {
  let done = 0
  while (done < into.length) {
    const read = readSync(file, into, done, into.length - done, from + done)
    if (read === 0) break
    done += read
  }
  return done
}
