/**
 * The engine's own sentences. They are written in English where they are used, as `say` templates,
 * and put into the caller's language when the answer is written: the part of the product that says
 * a sentence brings its translation, which a test compares with the source both ways.
 */

/** The value of a placeholder; a sentence within a sentence is translated, too. */
export type MessageArgument = string | number | Message | Noun

/** Sentences with their translation, in the placeholders' own numbers. */
export type Translations = readonly (readonly [english: string, translated: string])[]

type Catalogue = ReadonlyMap<string, string>

const NO_ARGUMENTS: readonly MessageArgument[] = []

/** A sentence for people: a template with `{0}`, `{1}` … and what fills them. */
export class Message {
  readonly template: string
  readonly args: readonly MessageArgument[]

  constructor(template: string, args: readonly MessageArgument[] = NO_ARGUMENTS) {
    this.template = template
    this.args = args
  }

  /** The sentence in a language, or in English where no catalogue has it (RFC 4647, Lookup). */
  render(language?: string): string {
    return fill(this.template, this.args, language)
  }

  /** The sentence in English, and texts of the model within it as they were written. */
  toString(): string {
    return this.render()
  }

  /** English in JSON as well: logs and command lines have no other language. */
  toJSON(): string {
    return this.toString()
  }
}

/** A label within a sentence: English writes it small there, German does not. */
export class Noun {
  readonly label: string | Message

  constructor(label: string | Message) {
    this.label = label
  }
}

/** The label of a thing, where a sentence names any thing of the kind. */
export const noun = (label: string | Message): Noun => new Noun(label)

/** A sentence of the engine: ``say`Unknown field '${name}'` ``. Its translation is the test's. */
export function say(parts: TemplateStringsArray, ...args: MessageArgument[]): Message {
  return new Message(toTemplate(parts), args)
}

/**
 * A text that needs no translation: one of the model, which holds its own translations, or the
 * inside of an internal error. Never a sentence of the engine's own.
 */
export const plain = (text: string | Message): Message => new Message(PLAIN, [text])

const PLAIN = '{0}'

const templates = new WeakMap<TemplateStringsArray, string>()

/** `{0}`, `{1}` … between the parts; made once for each place in the source. */
function toTemplate(parts: TemplateStringsArray): string {
  const known = templates.get(parts)
  if (known !== undefined) return known
  const made = parts.reduce((text, part, at) => `${text}{${at - 1}}${part}`)
  templates.set(parts, made)
  return made
}

/** Languages that the engine speaks beside English, which is the source itself. */
const TRANSLATED = ['de'] as const

/** Sentences of a part in each of these languages: a further one is one file a folder. */
export type TranslationSet = Readonly<Record<(typeof TRANSLATED)[number], Translations>>

const CATALOGUES: ReadonlyMap<string, Map<string, string>> = new Map(
  TRANSLATED.map((language) => [language, new Map<string, string>()]),
)

/** Languages that the engine itself speaks. */
export const ENGINE_LANGUAGES: readonly string[] = ['en', ...CATALOGUES.keys()]

/** Adds the sentences of a part to the catalogues. */
export function learnTranslations(translations: TranslationSet): void {
  for (const language of TRANSLATED)
    for (const [english, translated] of translations[language])
      CATALOGUES.get(language)?.set(english, translated)
}

/**
 * Renders a sentence, or a text of the model, in a language; without one, as it was written. A
 * plain string is returned unchanged.
 */
export const renderMessage = (message: string | Message, language?: string): string =>
  typeof message === 'string' ? message : message.render(language)

function findCatalogue(language = 'en'): Catalogue | undefined {
  return CATALOGUES.get(language.split('-')[0]?.toLowerCase() ?? '')
}

function fill(template: string, args: readonly MessageArgument[], language?: string): string {
  const catalogue = findCatalogue(language)
  const text = catalogue?.get(template) ?? template
  if (args.length === 0) return text
  return text.replace(/\{(\d+)\}/g, (whole, at: string) => {
    const arg = args[Number(at)]
    if (arg === undefined) return whole
    if (arg instanceof Message) return arg.render(language)
    if (!(arg instanceof Noun)) return String(arg)
    const label = renderMessage(arg.label, language)
    return catalogue ? label : label.toLowerCase()
  })
}
