/**
 * Text of a condition: `Status eq new and (Total gt 1000 or Note contains "and or")`. `and` binds
 * closer than `or`. A value ends at the next `and` or `or` that a comparison follows, or at the
 * parenthesis that closes its group; within quotes it is taken verbatim.
 */
import type { FieldComparison, FieldCondition } from '../compiled/field-condition.ts'
import { type Operator, OPERATOR_NAMES, OPERATORS } from '../operators.ts'

const isOperator = (word: string | undefined): word is Operator =>
  word !== undefined && Object.hasOwn(OPERATORS, word)

const COMPARISON = /\s*([A-Za-z]\w*)(?:\s+(\w+))?/y
const OPENING = /\s*\(/y
const CLOSING = /\s*\)/y
const JOINER = /(?:\s+|(?<=\)))(and|or)(?=[\s(])/y
const END = /\s*$/y
const QUOTED = /\s+(?:"([^"]*)"|'([^']*)')(?=\s*(?:\)|$)|\s+(?:and|or)[\s(])/y

/** A fault of a condition's text; its message says what to write. */
export class ConditionFault extends Error {}

/**
 * Reads a condition. `isField` tests names of fields: a joiner followed by neither a field nor an
 * operator belongs to the value, as in `Clause eq terms and conditions`.
 * @throws ConditionFault
 */
export function readCondition(text: string, isField: (name: string) => boolean): FieldCondition {
  const reader = new ConditionReader(text, isField)
  return reader.readWhole()
}

class ConditionReader {
  #at = 0
  #depth = 0

  constructor(
    readonly text: string,
    readonly isField: (name: string) => boolean,
  ) {}

  readWhole(): FieldCondition {
    const condition = this.#readJoined('or')
    if (this.#take(CLOSING)) throw new ConditionFault('a parenthesis is closed that was not opened')
    if (!this.#take(END)) throw new ConditionFault('expected and, or, or the end')
    return condition
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const match = this.#look(pattern)
    if (match) this.#at += match[0].length
    return match
  }

  #look(pattern: RegExp, at = this.#at): RegExpExecArray | undefined {
    pattern.lastIndex = at
    return pattern.exec(this.text) ?? undefined
  }

  /** Reads parts joined by one word; parts of `or` are joined by `and`. */
  #readJoined(logic: 'and' | 'or'): FieldCondition {
    const read = (): FieldCondition => (logic === 'or' ? this.#readJoined('and') : this.#readPart())
    const conditions = [read()]
    while (this.#look(JOINER)?.[1] === logic) {
      this.#take(JOINER)
      conditions.push(read())
    }
    const [only] = conditions
    return only && conditions.length === 1 ? only : { logic, conditions }
  }

  #readPart(): FieldCondition {
    if (!this.#take(OPENING)) return this.#readComparison()
    this.#depth++
    const condition = this.#readJoined('or')
    if (!this.#take(CLOSING)) throw new ConditionFault('a parenthesis is not closed')
    this.#depth--
    return condition
  }

  #readComparison(): FieldComparison {
    const [, field, operator] = this.#take(COMPARISON) ?? []
    if (field === undefined)
      throw new ConditionFault('expected a field, an operator and a value, as in Status eq new')
    if (!isOperator(operator))
      throw new ConditionFault(`${field} must be followed by one of: ${OPERATOR_NAMES.join(', ')}`)
    if (OPERATORS[operator].takes === 'nothing') return { field, operator, value: undefined }
    const value = this.#readValue()
    if (value === '') throw new ConditionFault(`${field} ${operator} needs a value`)
    return { field, operator, value }
  }

  #readValue(): string {
    const quoted = this.#take(QUOTED)
    if (quoted) return quoted[1] ?? quoted[2] ?? ''
    const from = this.#at
    let open = 0
    while (!this.#look(END)) {
      if (open === 0 && this.#isJoined()) break
      const character = this.text[this.#at]
      if (character === ')' && open === 0 && this.#depth > 0) break
      if (character === '(') open++
      if (character === ')' && open > 0) open--
      this.#at++
    }
    const value = this.text.slice(from, this.#at).trim()
    if (this.#look(END)) this.#at = this.text.length
    return value
  }

  /** True when another comparison follows here, after `and` or `or`. */
  #isJoined(): boolean {
    const joiner = this.#look(JOINER)
    if (!joiner) return false
    let at = this.#at + joiner[0].length
    for (let open = this.#look(OPENING, at); open; open = this.#look(OPENING, at))
      at += open[0].length
    const [, field, operator] = this.#look(COMPARISON, at) ?? []
    if (field === undefined) return false
    return this.isField(field) || isOperator(operator)
  }
}
