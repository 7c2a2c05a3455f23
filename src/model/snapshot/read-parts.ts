/** Reads what `PartWriter` wrote, each part when it is first asked for. */
import { RE2JS } from 're2js'
import { Message } from '../../kernel/messages.ts'
import { TranslatedText, type ModelText, type Translations } from '../model-text.ts'
import { TAG } from './tags.ts'

/** A part that was read: its value, and its objects by their numbers. */
interface Part {
  value: unknown
  objects: object[]
}

/** Parts that lie behind each other, as UTF-8; `ends` tells in bytes where each of them ends. */
export class PartReader {
  readonly #bytes: Buffer
  readonly #shapes: readonly (readonly string[])[]
  readonly #ends: readonly number[]
  readonly #read: (Part | undefined)[] = []

  constructor(bytes: Buffer, shapes: readonly (readonly string[])[], ends: readonly number[]) {
    this.#bytes = bytes
    this.#shapes = shapes
    this.#ends = ends
  }

  /** What was written as a part; the same object each time. */
  read(part: number): unknown {
    return this.#find(part).value
  }

  #find(number: number): Part {
    let part = this.#read[number]
    if (!part) {
      const from = number === 0 ? 0 : this.#ends[number - 1]
      const written: unknown = JSON.parse(this.#bytes.toString('utf8', from, this.#ends[number]))
      part = { value: undefined, objects: [] }
      this.#read[number] = part
      part.value = Object.freeze(this.#decode(written, part.objects))
    }
    return part
  }

  #decode(written: unknown, objects: object[]): unknown {
    if (!Array.isArray(written)) return written
    const [tag, ...rest]: unknown[] = written
    if (tag === undefined) return undefined
    if (tag === TAG.own) return objects[Number(rest[0])]
    if (tag === TAG.other) return this.#find(Number(rest[0])).objects[Number(rest[1])]
    if (tag === TAG.regex) return keep(objects, RE2JS.compile(String(rest[0]), Number(rest[1])))
    if (tag === TAG.message) return keep(objects, new Message(String(rest[0])))
    if (tag === TAG.text) return this.#decodeText(rest, objects)
    if (tag === TAG.array) return this.#decodeArray(rest, keep(objects, []), objects)
    if (tag === TAG.set) {
      const set = keep(objects, new Set())
      for (const each of rest) set.add(this.#decode(each, objects))
      return set
    }
    if (tag === TAG.map) {
      const map = keep(objects, new Map())
      for (let at = 0; at < rest.length; at += 2) {
        map.set(this.#decode(rest[at], objects), this.#decode(rest[at + 1], objects))
      }
      return map
    }
    return this.#decodeObject(Number(tag), rest, objects)
  }

  /** Its number was given before those of what it holds. */
  #decodeText([base, translations]: readonly unknown[], objects: object[]): TranslatedText {
    const at = objects.push({}) - 1
    // It was written from such a text by this build.
    const text = new TranslatedText(
      this.#decode(base, objects) as ModelText,
      this.#decode(translations, objects) as Translations | undefined,
    )
    objects[at] = text
    return text
  }

  #decodeArray(rest: readonly unknown[], array: unknown[], objects: object[]): unknown[] {
    for (const each of rest) array.push(this.#decode(each, objects))
    return array
  }

  #decodeObject(shape: number, rest: readonly unknown[], objects: object[]): object {
    const object: Record<string, unknown> = {}
    objects.push(object)
    const names = this.#shapes[shape] ?? []
    names.forEach((name, at) => (object[name] = this.#decode(rest[at], objects)))
    return object
  }
}

function keep<T extends object>(objects: object[], object: T): T {
  objects.push(object)
  return object
}

/** A map whose values are parts, which are read when they are asked for. */
export class PartMap<V> implements ReadonlyMap<string, V> {
  readonly #parts: ReadonlyMap<string, number>
  readonly #read: (part: number) => V

  constructor(parts: ReadonlyMap<string, number>, read: (part: number) => V) {
    this.#parts = parts
    this.#read = read
  }

  get size(): number {
    return this.#parts.size
  }

  has(key: string): boolean {
    return this.#parts.has(key)
  }

  get(key: string): V | undefined {
    const part = this.#parts.get(key)
    return part === undefined ? undefined : this.#read(part)
  }

  keys(): MapIterator<string> {
    return this.#parts.keys()
  }

  values(): MapIterator<V> {
    return this.#parts.values().map(this.#read)
  }

  entries(): MapIterator<[string, V]> {
    return this.#parts.entries().map(([key, part]): [string, V] => [key, this.#read(part)])
  }

  [Symbol.iterator](): MapIterator<[string, V]> {
    return this.entries()
  }

  forEach(each: (value: V, key: string, map: ReadonlyMap<string, V>) => void): void {
    for (const [key, value] of this) each(value, key, this)
  }
}
