/**
 * A model in another language: its scripts compiled once more with their texts replaced, so that
 * whatever inherits a text inherits the translation. What the gate said of their SQL still holds.
 */
import { yieldNow } from '../../kernel/yielder.ts'
import type { Element } from '../element.ts'
import type { Model, Script } from '../model.ts'
import { takeAll, takeFor, type Steps } from './steps.ts'
import { isWithin, planTranslation } from './texts.ts'
import type { Translation } from './translation.ts'

/** Compiles scripts whose texts are those of a translation; undefined when that has faults. */
export type CompileTranslated = (
  scripts: readonly Script[],
  translation: Translation,
) => Steps<Model | undefined>

interface Translator {
  /** The model as it was written. */
  original: Model
  compile: CompileTranslated
  /** Reads the scripts, where they are not read yet. */
  read: (() => Steps<void>) | undefined
  known: Map<string, Model>
  /** What is being compiled, in turns. */
  begun: Map<string, Steps<Model>>
}

const translators = new WeakMap<Model, Translator>()

/** How a model is translated: `known` are the languages that it is there in. */
export interface TranslationWay {
  compile: CompileTranslated
  read?: (() => Steps<void>) | undefined
  known?: ReadonlyMap<string, Model> | undefined
}

/** Lets a compiled model be translated. */
export function allowTranslation(original: Model, { compile, read, known }: TranslationWay): void {
  const translator = { original, compile, read, known: new Map(known), begun: new Map() }
  for (const model of [original, ...translator.known.values()]) translators.set(model, translator)
}

/**
 * Lets a model be translated as another one is that it differs from in its rights alone: `change`
 * makes the same of the languages that are there.
 */
export function shareTranslations(
  from: Model,
  to: Model,
  change: (translated: Model) => Model,
): void {
  const translator = translators.get(from)
  if (!translator) return
  const known = new Map<string, Model>()
  for (const [language, translated] of translator.known)
    known.set(language, translated === from ? to : change(translated))
  allowTranslation(to, { compile: translator.compile, known })
}

/** How long translating keeps others from the thread. */
const TURN_MS = 3

/** The model in every language that it has texts in, translated in turns. */
export async function listTranslations(model: Model): Promise<Map<string, Model>> {
  const translations = new Map<string, Model>()
  for (const language of model.languages) {
    while (!translateFor(model, language, TURN_MS)) {
      await yieldNow()
    }
    translations.set(language, translateModel(model, language))
  }
  return translations
}

/**
 * The model with its texts in a language, compiled when it is first asked for and kept as long as
 * the model is. A text without a translation stays as it was written.
 */
export function translateModel(model: Model, language: string): Model {
  const translator = translators.get(model)
  if (!translator) return model
  return translator.known.get(language) ?? keep(translator, language, takeAll)
}

/**
 * Translates for so many milliseconds, and goes on where the last call ended; whether it is done.
 */
export function translateFor(model: Model, language: string, milliseconds: number): boolean {
  const translator = translators.get(model)
  if (!translator || translator.known.has(language)) return true
  keep(translator, language, (steps) => takeFor(steps, milliseconds)?.value)
  return translator.known.has(language)
}

/** Goes on with a translation, and keeps it when it is done. */
function keep<M extends Model | undefined>(
  translator: Translator,
  language: string,
  take: (steps: Steps<Model>) => M,
): M {
  const { begun, known } = translator
  const steps = begun.get(language) ?? compileIn(translator, language)
  begun.delete(language)
  const translated = take(steps)
  if (!translated) begun.set(language, steps)
  else {
    known.set(language, translated)
    translators.set(translated, translator)
  }
  return translated
}

function* compileIn({ original, compile, read }: Translator, language: string): Steps<Model> {
  const isWritten = original.languages.some((texts) => isWithin(language, texts))
  // The engine's own labels are English; so a start in English reads no script.
  if (!isWritten && isWithin(language, 'en')) return original
  if (read) yield* read()
  const translation = yield* planTranslation(original, language)
  const scripts: Script[] = []
  for (const script of original.scripts) {
    const element = replaceTexts(script.element, translation)
    scripts.push(element === script.element ? script : { ...script, element })
    yield
  }
  return (yield* compile(scripts, translation)) ?? original
}

/** The element with its translated attributes; itself where nothing within it is translated. */
function replaceTexts(element: Element, translation: Translation): Element {
  const own = translation.attributes.get(element)
  const children = element.children.map((child) => replaceTexts(child, translation))
  const isSame = children.every((child, at) => child === element.children[at])
  if (own === undefined && isSame) return element
  return { ...element, attributes: { ...element.attributes, ...own }, children }
}
