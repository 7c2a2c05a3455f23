/**
 * A large JSON text, parsed in turns of the event loop: `JSON.parse` holds it for tens of
 * milliseconds for a hundred thousand members, and for longer where numerals are to be kept.
 */
import { toExactNumber } from './numerals.ts'
import { Yielder } from './yielder.ts'

/** Steps between two looks at the time: some tenths of a millisecond of work. */
const STEPS_A_LOOK = 256
/** Characters of a text that are read in one step. */
const PIECE_CHARACTERS = 256 * 1024

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const SMALL_U = 0x75

const BLANKS = /[\t\n\r ]*/y
const NUMERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

const WORDS: ReadonlyMap<string, unknown> = new Map([
  ['t', true],
  ['f', false],
  ['n', null],
])

/** A member that an assignment would take for the prototype. */
const OWN = { configurable: true, enumerable: true, writable: true }

/** A parsed text. */
interface ParsedJson {
  value: unknown
  /** Lists and objects around the innermost value. */
  depth: number
}

/** A list or an object that is not closed yet; `name` is of the member that comes. */
type Open = { list: unknown[] } | { members: Record<string, unknown>; name: string | undefined }

/**
 * Parses a text as `parseJsonExactly` does, while others have turns. Members named `__proto__` are
 * dropped, but the outermost object's where `keepsPrototype`: it is a member of its own there, as
 * `JSON.parse` makes it. `onObject` is called with each object when it is whole.
 * @throws SyntaxError
 */
export async function parseJsonInTurns(
  text: string,
  onObject: (whole: object) => void,
  { keepsPrototype = false }: { keepsPrototype?: boolean } = {},
): Promise<ParsedJson> {
  const reader = new Reader(text, onObject, keepsPrototype)
  const yielder = new Yielder()
  while (!reader.read(STEPS_A_LOOK)) {
    const due = yielder.yieldWhenDue()
    if (due) await due
  }
  return { value: reader.value, depth: reader.depth }
}

/** A text, read in steps: a name, a value, or a piece of a long text. */
class Reader {
  readonly #text: string
  readonly #onObject: (whole: object) => void
  readonly #keepsPrototype: boolean
  readonly #open: Open[] = []
  #at = 0
  /** The pieces of a long text that are read. */
  #begun: string | undefined
  /** The outermost value, when it is whole. */
  value: unknown
  depth = 0

  constructor(text: string, onObject: (whole: object) => void, keepsPrototype: boolean) {
    this.#text = text
    this.#onObject = onObject
    this.#keepsPrototype = keepsPrototype
  }

  /** Reads so many steps, or to the end of the text: true there. */
  read(steps: number): boolean {
    for (let left = steps; left > 0; left--) {
      if (this.#begun !== undefined) left -= STEPS_A_LOOK
      const open = this.#open.at(-1)
      if (open && 'members' in open && open.name === undefined) this.#readName(open)
      else if (this.#readValue()) return true
    }
    return false
  }

  /** Reads a value, and all that ends with it: true at the end of the text. */
  #readValue(): boolean {
    const first = this.#begun === undefined ? this.#peek() : '"'
    if (first === '"') {
      const text = this.#readText()
      return text !== undefined && this.#put(text)
    }
    if (first === '{') return this.#enter({ members: {}, name: undefined }, '}')
    if (first === '[') return this.#enter({ list: [] }, ']')
    return this.#put(WORDS.has(first) ? this.#readWord(first) : this.#readNumeral())
  }

  #enter(open: Open, end: string): boolean {
    this.#at++
    this.#open.push(open)
    this.depth = Math.max(this.depth, this.#open.length)
    return this.#peek() === end && this.#put(this.#leave(open))
  }

  /** Leaves a list or an object at its end, which is here. */
  #leave(open: Open): object {
    this.#at++
    this.#open.pop()
    if ('list' in open) return open.list
    this.#onObject(open.members)
    return open.members
  }

  /** Gives a value its place in what is open, and leaves what ends with it. */
  #put(whole: unknown): boolean {
    let value = whole
    for (let open = this.#open.at(-1); open; open = this.#open.at(-1)) {
      if ('list' in open) open.list.push(value)
      else if (open.name !== '__proto__') open.members[open.name ?? ''] = value
      else if (this.#keepsPrototype && this.#open.length === 1)
        Object.defineProperty(open.members, open.name, { ...OWN, value })
      const next = this.#peek()
      if (next === ',') {
        this.#at++
        if ('members' in open) open.name = undefined
        return false
      }
      if (next !== ('list' in open ? ']' : '}')) throw new SyntaxError('No comma and no end')
      value = this.#leave(open)
    }
    this.value = value
    if (this.#peek() !== '') throw new SyntaxError('The text goes on behind its value')
    return true
  }

  #readName(open: { name: string | undefined }): void {
    if (this.#begun === undefined && this.#peek() !== '"')
      throw new SyntaxError('A name is missing')
    const name = this.#readText()
    if (name === undefined) return
    open.name = name
    if (this.#peek() !== ':') throw new SyntaxError('A colon is missing')
    this.#at++
  }

  /** Reads a text, or a piece of it: undefined before its end. */
  #readText(): string | undefined {
    if (this.#begun === undefined) this.#at++
    const start = this.#at
    const most = start + PIECE_CHARACTERS
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code === QUOTE || this.#at >= most) break
      if (Number.isNaN(code)) throw new SyntaxError('A text has no end')
      if (code !== BACKSLASH) this.#at++
      else this.#at += this.#text.charCodeAt(this.#at + 1) === SMALL_U ? 6 : 2
    }
    // It also finds what no text may hold, and copies: a part of the text would keep the whole.
    const piece = JSON.parse(`"${this.#text.slice(start, this.#at)}"`) as string
    const text = this.#begun === undefined ? piece : this.#begun + piece
    const isWhole = this.#text.charCodeAt(this.#at) === QUOTE
    if (isWhole) this.#at++
    this.#begun = isWhole ? undefined : text
    return isWhole ? text : undefined
  }

  #readWord(first: string): unknown {
    const value = WORDS.get(first)
    const word = String(value)
    if (!this.#text.startsWith(word, this.#at)) throw new SyntaxError('There is no such word')
    this.#at += word.length
    return value
  }

  #readNumeral(): unknown {
    NUMERAL.lastIndex = this.#at
    if (!NUMERAL.test(this.#text)) throw new SyntaxError('A value is missing')
    const numeral = this.#text.slice(this.#at, NUMERAL.lastIndex)
    this.#at = NUMERAL.lastIndex
    return toExactNumber(numeral)
  }

  /** The next character that is no blank, where the reading goes on; '' at the end. */
  #peek(): string {
    const code = this.#text.charCodeAt(this.#at)
    if (code <= SPACE) {
      BLANKS.lastIndex = this.#at
      BLANKS.test(this.#text)
      this.#at = BLANKS.lastIndex
    }
    return this.#text[this.#at] ?? ''
  }
}
