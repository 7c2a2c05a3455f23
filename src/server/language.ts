/** The language and the model that a request is answered with. */
import { HEADER_CHARACTERS_MAX, pickLanguage, pickLocale } from '../kernel/languages.ts'
import { Lru } from '../kernel/lru.ts'
import { ENGINE_LANGUAGES } from '../kernel/messages.ts'
import type { Model } from '../model/model.ts'
import type { AppContext } from './context.ts'
import { languageOf, type WithFacts } from './session.ts'

/** Headers that were seen lately; browsers send few different ones. */
const HEADERS_KEPT = 200

const chosen = new WeakMap<Model, Lru<string, string>>()

/**
 * Returns the language for an `Accept-Language`: one that the engine or the model speaks, else the
 * setting's.
 */
export function chooseLanguage(model: Model, fallback: string, header: string | null): string {
  if (header === null || header.length > HEADER_CHARACTERS_MAX) return fallback
  let known = chosen.get(model)
  if (!known) chosen.set(model, (known = new Lru(HEADERS_KEPT)))
  const key = `${fallback}\n${header}`
  const language = known.find(key)
  if (language !== undefined) return language
  const languages = [fallback, ...ENGINE_LANGUAGES, ...model.languages]
  return known.keep(key, pickLanguage(header, languages, fallback))
}

/** The model that serves. The request counts as planned with it. */
export function servedModel({ models }: Pick<AppContext, 'models'>, { facts }: WithFacts): Model {
  const model = models.get()
  facts.planned ??= model
  return model
}

/** Returns the model in the caller's language, which the answer then names. */
export function modelOf(app: Pick<AppContext, 'models'>, of: WithFacts): Model {
  languageOf(of)
  return servedModel(app, of)
}

/**
 * Returns the locale for a request's user, as `en-GB`: the language that its header wants most,
 * spoken by the engine or not, with the region that it names first for it; else that of answers.
 */
export function localeOf(of: WithFacts): string {
  const language = languageOf(of)
  return pickLocale(of.facts.received.headers.get('accept-language')) ?? language
}
