/**
 * Data as text in parts that are read one by one: objects that several of them share stay shared,
 * and a reader gets each object with its properties in the order in which it was made.
 */
import { RE2JS } from 're2js'
import { Message } from '../../kernel/messages.ts'
import { type ModelText, type TextTranslations, TranslatedText } from '../model-text.ts'

/**
 * Tags: the first number of an array, which says how the rest is read. An empty array is undefined;
 * a number from 0 on is the shape of an object, whose values follow.
 */
const TAG = {
  array: -1,
  map: -2,
  set: -3,
  regex: -4,
  /** The number of an object that this part has already. */
  own: -5,
  /** A part, and the number of an object within it. */
  other: -6,
  /** A text of the model, with its base and its translations. */
  text: -7,
  /** A label of the engine, by its template. */
  message: -8,
} as const

/** Place of a written object: its part, and its number there. */
interface Written {
  part: number
  at: number
}

/** Writes objects down; each `root` has a part of its own. */
export class PartWriter {
  readonly parts: string[] = []
  /** The property names of objects, by the number that such an object begins with. */
  readonly shapes: string[][] = []
  readonly #shapeNumbers = new Map<string, number>()
  readonly #roots = new Map<object, number>()
  readonly #written = new Map<object, Written>()
  #part = 0
  #count = 0

  /** The part of a root; undefined for anything else. */
  partOf(value: unknown): number | undefined {
    return typeof value === 'object' && value !== null ? this.#roots.get(value) : undefined
  }

  /** Declares objects that have parts of their own, and writes those, in their order. */
  addRoots(roots: readonly object[]): void {
    for (const root of new Set(roots)) this.#roots.set(root, this.#roots.size)
    for (const root of this.#roots.keys()) {
      this.add(root)
    }
  }

  /** Writes a further part and gives its number. */
  add(value: unknown): number {
    this.#part = this.parts.length
    this.#count = 0
    this.parts.push(JSON.stringify(this.#encode(value)))
    return this.#part
  }

  #encode(value: unknown): unknown {
    if (value === undefined) return []
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number' && Number.isFinite(value)) return value
    if (typeof value !== 'object') throw new Error(`A ${typeof value} cannot be stored`)
    const known = this.#written.get(value)
    if (known) return this.#refer(known)
    const root = this.#roots.get(value)
    if (root !== undefined && root !== this.#part) return this.#refer({ part: root, at: 0 })
    this.#written.set(value, { part: this.#part, at: this.#count++ })
    return this.#encodeObject(value)
  }

  /** Refers only backwards: a part is whole before another one reads what it holds. */
  #refer({ part, at }: Written): unknown {
    if (part > this.#part) throw new Error('A part of the model snapshot refers to a later one')
    return part === this.#part ? [TAG.own, at] : [TAG.other, part, at]
  }

  #encodeObject(value: object): unknown {
    const all = (values: Iterable<unknown>) => Array.from(values, (each) => this.#encode(each))
    if (Array.isArray(value)) return [TAG.array, ...all(value)]
    if (value instanceof Map) return [TAG.map, ...all([...value].flat(1))]
    if (value instanceof Set) return [TAG.set, ...all(value)]
    if (value instanceof TranslatedText) return [TAG.text, ...all([value.base, value.translations])]
    if (value instanceof Message && value.args.length === 0) return [TAG.message, value.template]
    if (value instanceof RE2JS) return [TAG.regex, value.pattern(), value.flags()]
    if (Object.getPrototypeOf(value) !== Object.prototype)
      throw new Error(`A ${value.constructor.name} cannot be stored`)
    return [this.#shapeOf(Object.keys(value)), ...all(Object.values(value))]
  }

  #shapeOf(names: string[]): number {
    const key = names.join('\n')
    let number = this.#shapeNumbers.get(key)
    if (number === undefined) {
      number = this.shapes.push(names) - 1
      this.#shapeNumbers.set(key, number)
    }
    return number
  }
}

/** A part that was read: its value, and its objects by their numbers. */
interface Part {
  value: unknown
  objects: object[]
}

/** Reads consecutive parts, in UTF-8; `ends` has the end of each in bytes. */
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

  /** Returns the value that was written as a part; the same object each time. */
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

  /** Decodes a text, whose number precedes those of its contents. */
  #decodeText([base, translations]: readonly unknown[], objects: object[]): TranslatedText {
    const at = objects.push({}) - 1
    // The text was written from such a text by this build.
    const text = new TranslatedText(
      this.#decode(base, objects) as ModelText,
      this.#decode(translations, objects) as TextTranslations | undefined,
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
