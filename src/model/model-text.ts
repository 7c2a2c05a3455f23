/** Texts of the model: one model serves all languages, and a text is rendered in one of them. */
import { Message, renderMessage } from '../kernel/messages.ts'

/** A label, help or message: plain unless a language of the model can translate it. */
export type ModelText = string | Message

/** Translations of a text by the language's tag in lower case. */
export type TextTranslations = Readonly<Record<string, string>>

/** A text that the model's `Texts` may translate. */
export class TranslatedText extends Message {
  /** The text as written; or the inherited text, which has translations of its own. */
  readonly base: ModelText
  /** Translations, set by the compiler once it knows the path of each text. */
  translations: TextTranslations | undefined

  constructor(base: ModelText, translations?: TextTranslations) {
    super(String(base))
    this.base = base
    this.translations = translations
  }

  /** Takes the text of a tag, else of its shorter one (`de-AT`: `de`), else the base. */
  override render(language?: string): string {
    const { base, translations } = this
    const isWritten = language === undefined || translations === undefined
    const text = isWritten ? undefined : findTranslation(translations, language)
    return text ?? renderMessage(base, language)
  }
}

/** Finds the translation for a language, or for a shorter tag of it. */
export function findTranslation(
  translations: TextTranslations,
  language: string,
): string | undefined {
  for (let tag = language.toLowerCase(); tag !== ''; tag = tag.slice(0, tag.lastIndexOf('-'))) {
    const text = translations[tag]
    if (text !== undefined || !tag.includes('-')) return text
  }
  return undefined
}
