/** The texts that a compilation meets, and what the model's `Texts` make of them. */
import type { Element } from '../element.ts'
import { findTranslation, type ModelText, TranslatedText } from '../model-text.ts'
import type { Translations } from '../model-text.ts'

/** What an output column's label goes by. */
const outputKey = (view: string, output: string): string => `${view}.${output}`.toLowerCase()

/** Collects texts and translations in any order; `complete` brings them together. */
export class TranslationTable {
  /** What there are translations of, in lower case; without any, texts stay as they are. */
  readonly #paths: ReadonlySet<string>
  readonly #texts: { element: Element; attribute: string; text: TranslatedText }[] = []
  readonly #outputs: { key: string; text: TranslatedText }[] = []
  readonly #ofElements = new Map<Element, Record<string, Record<string, string>>>()
  readonly #ofOutputs = new Map<string, Record<string, string>>()

  constructor(paths: Iterable<string>) {
    this.#paths = new Set([...paths].map((path) => path.toLowerCase()))
  }

  /** The text of an element: `base` where no language says it otherwise. */
  textOf(element: Element, attribute: string, base: ModelText): ModelText {
    if (this.#paths.size === 0) return base
    const text = new TranslatedText(base)
    this.#texts.push({ element, attribute, text })
    return text
  }

  /** The label of an output column that no Field declares. */
  labelOf(view: string, output: string, base: ModelText): ModelText {
    const key = outputKey(view, output)
    if (!this.#paths.has(key)) return base
    const text = new TranslatedText(base)
    this.#outputs.push({ key, text })
    return text
  }

  /** Says what an attribute is in a language. */
  add(element: Element, attribute: string, language: string, text: string): void {
    const known = this.#ofElements.get(element) ?? {}
    this.#ofElements.set(element, known)
    known[attribute] = { ...known[attribute], [language.toLowerCase()]: text }
  }

  /** Says what an output column is called in a language; `key` is its path. */
  addOutput(key: string, language: string, text: string): void {
    const known = this.#ofOutputs.get(key.toLowerCase())
    this.#ofOutputs.set(key.toLowerCase(), { ...known, [language.toLowerCase()]: text })
  }

  /** Whether a language, or a shorter tag of it, has a text for an attribute. */
  has(element: Element, attribute: string, language: string): boolean {
    return isIn(this.#ofElements.get(element)?.[attribute], language)
  }

  /** The same for an output column. */
  hasOutput(view: string, output: string, language: string): boolean {
    return isIn(this.#ofOutputs.get(outputKey(view, output)), language)
  }

  /** Gives every text its translations, once all are known. */
  complete(): void {
    for (const { element, attribute, text } of this.#texts)
      text.translations = this.#ofElements.get(element)?.[attribute]
    for (const { key, text } of this.#outputs) text.translations = this.#ofOutputs.get(key)
  }
}

const isIn = (translations: Translations | undefined, language: string): boolean =>
  translations !== undefined && findTranslation(translations, language) !== undefined
