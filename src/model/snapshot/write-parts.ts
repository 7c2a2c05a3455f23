/**
 * Data as text in parts that are read one by one: objects that several of them share stay shared,
 * and a reader gets each object with its properties in the order in which it was made.
 */
import { RE2JS } from 're2js'
import { Message } from '../../kernel/messages.ts'
import { TranslatedText } from '../model-text.ts'
import { TAG } from './tags.ts'

/** Where an object is written: its part, and its number there. */
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

  /** Says which objects are to have parts of their own, and writes those, in their order. */
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

  /** Only backwards: then a part is whole before another one asks for what is within it. */
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
