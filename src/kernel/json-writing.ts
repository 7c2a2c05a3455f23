/**
 * The text of a large JSON value, written in turns of the event loop: `JSON.stringify` holds it for
 * tens of milliseconds where a value has a hundred thousand numerals that are kept as they came.
 */
import { LongNumeral } from './numerals.ts'
import { Yielder } from './yielder.ts'

/** Steps between two looks at the time. */
const STEPS_A_LOOK = 256
/** Characters that are given on together, and of a text that are written in one step. */
const PIECE_CHARACTERS = 64 * 1024

const HIGH_SURROGATE_FIRST = 0xd800
const HIGH_SURROGATE_LAST = 0xdbff

/** A list or an object that is not written to its end; `names` are those of the object. */
interface Open {
  readonly names: readonly string[] | undefined
  readonly values: Readonly<Record<string | number, unknown>>
  readonly length: number
  at: number
}

/**
 * Writes a parsed JSON value as `JSON.stringify` does, while others have turns: `onText` gets the
 * pieces of the text in their order.
 */
export async function writeJsonInTurns(
  value: unknown,
  onText: (piece: string) => void,
): Promise<void> {
  const writer = new Writer(value, onText)
  const yielder = new Yielder()
  while (!writer.write(STEPS_A_LOOK)) {
    const due = yielder.yieldWhenDue()
    if (due) await due
  }
}

/**
 * Returns false for a parsed JSON value whose text has more characters, true for one that has about
 * so many at most: numbers count as one. It takes no longer for a longer one.
 */
export const isBrief = (value: unknown, charactersMax: number): boolean =>
  countDown(value, charactersMax) >= 0

/** The characters that are left of so many behind a value; negative where it has more. */
function countDown(value: unknown, characters: number): number {
  if (typeof value === 'string') return characters - value.length - 2
  if (typeof value !== 'object' || value === null) return characters - 1
  if (value instanceof LongNumeral) return characters - value.text.length
  // A bracket and, of the first value, the comma that it does not have.
  let left = characters - 1
  if (Array.isArray(value)) {
    for (const item of value) if (left >= 0) left = countDown(item, left - 1)
    return left
  }
  for (const name of Object.keys(value)) {
    left = countDown((value as Open['values'])[name], left - name.length - 4)
    if (left < 0) break
  }
  return left
}

/** A value, written in steps: the start of a list or an object, a value in it, or a piece. */
class Writer {
  readonly #onText: (piece: string) => void
  readonly #open: Open[] = []
  /** Text since the last piece. */
  #text = ''
  /** A text of which the first `#from` characters are written. */
  #long: string | undefined
  #from = 0

  constructor(value: unknown, onText: (piece: string) => void) {
    this.#onText = onText
    this.#begin(value)
  }

  /** Writes so many steps, or to the end of the value: true there. */
  write(steps: number): boolean {
    for (let left = steps; left > 0; left--) {
      if (this.#long !== undefined) {
        this.#writePiece(this.#long)
        left -= STEPS_A_LOOK
      } else if (!this.#step()) {
        this.#onText(this.#text)
        return true
      }
      if (this.#text.length < PIECE_CHARACTERS) continue
      this.#onText(this.#text)
      this.#text = ''
    }
    return false
  }

  /** Writes the next value of what is open; false behind the end. */
  #step(): boolean {
    const open = this.#open.at(-1)
    if (!open) return false
    const { names, values, length, at } = open
    if (at === length) {
      this.#text += names ? '}' : ']'
      this.#open.pop()
      return true
    }
    if (at > 0) this.#text += ','
    open.at++
    const name = names?.[at]
    if (name !== undefined) this.#text += `${JSON.stringify(name)}:`
    this.#begin(values[name ?? at])
    return true
  }

  #begin(value: unknown): void {
    if (typeof value === 'string' && value.length > PIECE_CHARACTERS) {
      this.#text += '"'
      this.#long = value
      this.#from = 0
    } else if (value instanceof LongNumeral) this.#text += value.text
    else if (typeof value !== 'object' || value === null) this.#text += JSON.stringify(value)
    else if (Array.isArray(value)) this.#enter('[', { names: undefined, values: value })
    else this.#enter('{', { names: Object.keys(value), values: value as Open['values'] })
  }

  #enter(start: string, { names, values }: Pick<Open, 'names'> & { values: object }): void {
    this.#text += start
    const length = names?.length ?? (values as readonly unknown[]).length
    this.#open.push({ names, values: values as Open['values'], length, at: 0 })
  }

  /** Writes a piece of a long text; none ends within a character. */
  #writePiece(long: string): void {
    let end = Math.min(this.#from + PIECE_CHARACTERS, long.length)
    const last = long.charCodeAt(end - 1)
    if (last >= HIGH_SURROGATE_FIRST && last <= HIGH_SURROGATE_LAST && end < long.length) end++
    this.#text += JSON.stringify(long.slice(this.#from, end)).slice(1, -1)
    this.#from = end
    if (end < long.length) return
    this.#text += '"'
    this.#long = undefined
  }
}
