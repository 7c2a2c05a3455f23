/** What is wrong with the rows of an import, by line; the first of them are told. */
import { maskErrors, type ShowsField } from '../rules/masked-faults.ts'
import { Failure, type FieldErrors } from '../../../kernel/failure.ts'
import { renderMessage, say } from '../../../kernel/messages.ts'

/** Entries of `fieldErrors`. */
export const TOLD_MAX = 1000

/** What is wrong with a line, as the file with the errors says it. */
export interface LineText {
  line: number
  text: string
}

const toText = (line: number, faults: FieldErrors, language: string): LineText => ({
  line,
  text: Object.entries(faults)
    .map(([field, message]) => {
      const text = renderMessage(message, language)
      return field === '' ? text : `${field}: ${text}`
    })
    .join('; '),
})

/** Rows that cannot be written. */
export class ImportFaults {
  readonly #told: FieldErrors = {}
  readonly #lines = new Set<number>()
  #count = 0
  #toldCount = 0
  readonly #tells: ShowsField
  readonly #language: string | undefined
  #texts: LineText[] = []

  /**
   * With a language the texts of all of them are given out, by `takeTexts`. Fields that are not
   * told of are told as faults of their rows.
   */
  constructor(tells: ShowsField, language?: string) {
    this.#tells = tells
    this.#language = language
  }

  /** Faults of one line by field; '' is the row itself. */
  add(line: number, found: FieldErrors): void {
    const faults = maskErrors(found, this.#tells)
    if (this.#lines.size < LINES_MAX) {
      if (!this.#lines.has(line)) this.#count++
      this.#lines.add(line)
    } else this.#count++
    if (this.#language !== undefined) this.#texts.push(toText(line, faults, this.#language))
    for (const [field, message] of Object.entries(faults)) {
      if (this.#toldCount >= TOLD_MAX) return
      const name = field === '' ? `Rows[${line}]` : `Rows[${line}].${field}`
      if (name in this.#told) continue
      this.#told[name] = message
      this.#toldCount++
    }
  }

  /** Rows with faults. */
  get count(): number {
    return this.#count
  }

  /** What was added since the last call. */
  takeTexts(): LineText[] {
    return this.#texts.splice(0)
  }

  /** 400 with `fieldErrors`. */
  toFailure(): Failure {
    const text =
      this.#count === 1
        ? say`1 row of the file has errors; nothing was imported`
        : say`${this.#count} rows of the file have errors; nothing was imported`
    return new Failure('validation', text, { fieldErrors: this.#told })
  }
}

/** Lines that are told apart; beyond them a line with two kinds of faults counts twice. */
const LINES_MAX = 200_000
