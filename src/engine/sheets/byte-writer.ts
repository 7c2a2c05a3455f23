/**
 * Bytes of a piece of a file, composed in one buffer that is used again: several times as fast as
 * composing texts, and without garbage.
 */
const BYTES_MIN = 64 * 1024
/** A UTF-16 unit takes three bytes at most. */
const BYTES_PER_UNIT = 3
const ASCII_END = 0x80

const encoder = new TextEncoder()

/** A buffer that grows to the largest piece and is cleared for each. */
export class ByteWriter {
  #buffer = new Uint8Array(BYTES_MIN)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Bytes written since the last `clear`; valid until the next one. */
  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }

  clear(): this {
    this.#length = 0
    return this
  }

  /** A copy of the bytes written since `length` had this value. */
  since(length: number): Uint8Array {
    return this.#buffer.slice(length, this.#length)
  }

  /** Goes back to where `length` had this value. */
  rewind(length: number): void {
    this.#length = length
  }

  /** Text of ASCII alone: marks, numbers. */
  ascii(text: string): this {
    const { length } = text
    this.#reserve(length)
    const buffer = this.#buffer
    let at = this.#length
    for (let index = 0; index < length; index++) buffer[at++] = text.charCodeAt(index)
    this.#length = at
    return this
  }

  /** Copies bytes from one place to before another. */
  copy(source: Uint8Array, from: number, to: number): this {
    this.#reserve(to - from)
    const buffer = this.#buffer
    let at = this.#length
    for (let index = from; index < to; index++) buffer[at++] = source[index] ?? 0
    this.#length = at
    return this
  }

  /** Copies bytes up to the first that `ends` marks with a 1; returns the place of that one. */
  copyUntil(source: Uint8Array, from: number, ends: Uint8Array): number {
    const { length } = source
    let index = from
    // The end is searched first: room is made for these bytes, not for all that may come.
    while (index < length && ends[source[index] ?? 0] !== 1) index++
    this.copy(source, from, index)
    return index
  }

  /** Adds all the bytes. */
  add(source: Uint8Array): this {
    return this.copy(source, 0, source.length)
  }

  /** Any text, in UTF-8. */
  text(text: string): void {
    const { length } = text
    this.#reserve(length)
    const buffer = this.#buffer
    let at = this.#length
    let index = 0
    for (; index < length; index++) {
      const code = text.charCodeAt(index)
      if (code >= ASCII_END) break
      buffer[at++] = code
    }
    this.#length = at
    if (index < length) this.#encode(text, index)
  }

  #encode(text: string, from: number): void {
    const rest = from === 0 ? text : text.slice(from)
    this.#reserve(rest.length * BYTES_PER_UNIT)
    const { written } = encoder.encodeInto(rest, this.#buffer.subarray(this.#length))
    this.#length += written
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#buffer.length) return
    const larger = new Uint8Array(Math.max(needed, this.#buffer.length * 2))
    larger.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = larger
  }
}

/** Codes of ASCII characters, those of `text` marked with a 1, and controls on request. */
export function markCodes(text: string, withControls = false): Uint8Array {
  const codes = new Uint8Array(ASCII_END)
  for (const character of text) codes[character.charCodeAt(0)] = 1
  if (withControls) codes.fill(1, 0, ' '.charCodeAt(0))
  return codes
}

const BYTES = 256

/** The same table for every byte. */
export function markBytes(text: string): Uint8Array {
  const all = new Uint8Array(BYTES)
  all.set(markCodes(text))
  return all
}
