/**
 * A model in another language: its scripts compiled once more with their texts replaced, so that
 * whatever inherits a text inherits the translation. What the gate said of their SQL still holds.
 */
import type { Element } from '../element.ts'
import type { Model, Script } from '../model.ts'
import { planTranslation } from './texts.ts'
import type { Translation } from './translation.ts'

/** Compiles scripts whose texts are those of a translation; undefined when that has faults. */
export type CompileTranslated = (
  scripts: readonly Script[],
  translation: Translation,
) => Model | undefined

interface Translator {
  /** The model as it was written. */
  original: Model
  compile: CompileTranslated
  known: Map<string, Model>
}

const translators = new WeakMap<Model, Translator>()

/** Lets a compiled model be translated. */
export function allowTranslation(original: Model, compile: CompileTranslated): void {
  translators.set(original, { original, compile, known: new Map() })
}

/**
 * The model with its texts in a language, compiled when it is first asked for and kept as long as
 * the model is. A text without a translation stays as it was written.
 */
export function translateModel(model: Model, language: string): Model {
  const translator = translators.get(model)
  if (!translator) return model
  let translated = translator.known.get(language)
  if (!translated) {
    translated = compileIn(translator, language)
    translator.known.set(language, translated)
    translators.set(translated, translator)
  }
  return translated
}

function compileIn({ original, compile }: Translator, language: string): Model {
  const translation = planTranslation(original, language)
  const isEnglish = language === 'en' || language.startsWith('en-')
  if (isEnglish && translation.attributes.size === 0 && translation.outputs.size === 0) {
    return original
  }
  const scripts = original.scripts.map((script) => {
    const element = replaceTexts(script.element, translation)
    return element === script.element ? script : { ...script, element }
  })
  return compile(scripts, translation) ?? original
}

/** The element with its translated attributes; itself where nothing within it is translated. */
function replaceTexts(element: Element, translation: Translation): Element {
  const own = translation.attributes.get(element)
  const children = element.children.map((child) => replaceTexts(child, translation))
  const isSame = children.every((child, at) => child === element.children[at])
  if (own === undefined && isSame) return element
  return { ...element, attributes: { ...element.attributes, ...own }, children }
}
