/**
 * The places at which a text may be broken: those of Unicode (UAX 14), but within no word, number,
 * or number with its unit.
 */
import LineBreaker from 'linebreak'

/** Longest word, in UTF-16 units, that is never broken where it fits a line. */
export const WHOLE_MAX = 40

/** Letters of a number with blanks in it, or with its unit, at most: a longer one is a list. */
const LONG = 24

const BLANK = /[\t \u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]/

/** Scripts that are written without blanks between words, and characters made to be broken at. */
const FREE =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\u00ad\u200b\u2e80-\u303f\uff00-\uffef]/u

/** Ends of a text in which a number, or a sign of money, goes with what follows. */
const NUMBER_END = /\p{Nd}[)\]]?$/u
const MONEY_END = /(?:\p{Sc}|(?:^|\P{L})([A-Z]{3}))$/u
const NUMBER_START = /^[-+\u2212(]*\p{Nd}/u
const UNIT_START = /^(?:[%\u2030\u066a\u00b0\p{Sc}]|([A-Z]{3})(?!\p{L}))/u

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Ends of the unbroken pieces of a text, each with the blanks after it; the last is its end. */
export function* listBreaks(text: string): Generator<number> {
  // Most texts of tables are one word.
  if (text.length <= WHOLE_MAX && !BLANK.test(text) && !FREE.test(text)) {
    if (text !== '') yield text.length
    return
  }
  const words = new Words(text)
  let from = 0
  let hasUnit = false
  for (const at of listAllBreaks(text)) {
    if (at === text.length) break
    const isBlank = BLANK.test(text.charAt(at - 1))
    const isUnit: boolean = isBlank && !hasUnit && isBeforeUnit(text, at)
    const isGlued: boolean =
      (isUnit || (isBlank && isInNumber(text, at))) && words.endOf(at) - from <= LONG
    hasUnit = isGlued && isUnit
    if (isGlued || (!isBlank && !words.isBrokenAt(at))) continue
    yield at
    from = at
  }
  if (text !== '') yield text.length
}

/** Ends of the parts into which Unicode allows to break a text; the last is its end. */
export const listWordBreaks = (text: string): Iterable<number> => listAllBreaks(text)

function* listAllBreaks(text: string): Generator<number> {
  const breaker = new LineBreaker(text)
  let last = 0
  for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) {
    if (next.position > last) yield next.position
    last = next.position
  }
  if (last < text.length) yield text.length
}

/** Tells whether the blank before `at` stands within a number, as in `+49 30 12345`. */
const isInNumber = (text: string, at: number): boolean =>
  NUMBER_START.test(text.slice(at, at + 4)) &&
  NUMBER_END.test(text.slice(Math.max(0, at - 4), at - 1))

/** Tells whether the blanks before `at` stand between a number and its unit. */
function isBeforeUnit(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 8), at).trimEnd()
  const after = text.slice(at, at + 4)
  const unit = NUMBER_END.test(before) && UNIT_START.exec(after)
  if (unit) return unit[1] === undefined || CURRENCIES.has(unit[1])
  const money = NUMBER_START.test(after) && MONEY_END.exec(before)
  if (money) return money[1] === undefined || CURRENCIES.has(money[1])
  return false
}

/** The words of a text, asked for in its order. */
class Words {
  readonly #text: string
  #from = 0
  #to = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Tells whether the word around `at` is broken there: a long one, or one of such a script. */
  isBrokenAt(at: number): boolean {
    const text = this.#text
    if (FREE.test(text.slice(at - 1, at + 1))) return true
    return this.endOf(at) - this.#from > WHOLE_MAX
  }

  /** The end of the word around, or behind, `at`. */
  endOf(at: number): number {
    if (at < this.#to) return this.#to
    const text = this.#text
    this.#from = at
    while (this.#from > 0 && !BLANK.test(text.charAt(this.#from - 1))) this.#from--
    this.#to = at
    while (this.#to < text.length && !BLANK.test(text.charAt(this.#to))) this.#to++
    return this.#to
  }
}
