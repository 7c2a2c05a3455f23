/** A model with its texts in another language. */
import type { Model } from '../model.ts'

/** The model in a language; itself where it has no texts in it. */
export const translateModel = (model: Model, language: string): Model =>
  model.languages.includes(language) ? model : model
