/** Texts in the language of the user: `say('rows', { count: 7 })` → `7 rows`. */
import { signal } from '@preact/signals'
import { en, type Text, type TextKey } from './en.ts'
import { numberFormat, timeFormat } from './formats.ts'

type Catalogue = Readonly<Record<TextKey, Text>>

/** Languages of the client, each by its own name; all but English load when they are chosen. */
export const LANGUAGES: Readonly<Record<string, string>> = {
  en: 'English',
  de: 'Deutsch',
  ar: 'العربية',
}

const LOADERS: Readonly<Record<string, () => Promise<Catalogue>>> = {
  en: () => Promise.resolve(en),
  de: async () => (await import('./de.ts')).de,
  ar: async () => (await import('./ar.ts')).ar,
}

/** The time zone of the user, by which instants are shown. */
export const zone = signal(Intl.DateTimeFormat().resolvedOptions().timeZone)

const RIGHT_TO_LEFT = new Set(['ar', 'he'])

/** The language that is shown, as BCP 47: `de`, `en-GB`. Numbers and dates go by it. */
export const language = signal('en')

const catalogue = signal<Catalogue>(en)

/** The first of these languages that the client has; English else. */
export const pickLanguage = (wanted: readonly string[]): string =>
  wanted.find((each) => each.split('-')[0] !== undefined && Object.hasOwn(LOADERS, baseOf(each))) ??
  'en'

const baseOf = (name: string): string => name.split('-')[0]?.toLowerCase() ?? ''

/** True for a name that numbers and dates can be written by. */
function isWellFormed(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length > 0
  } catch {
    return false
  }
}

/** True for the language that is shown, in whichever country: `de-AT` where `de` is. */
export const isOfLanguage = (name: string): boolean => baseOf(name) === baseOf(language.peek())

/** Shows another language from now on; English for a name that is none. */
export async function setLanguage(named: string): Promise<void> {
  const name = isWellFormed(named) ? named : 'en'
  const base = baseOf(name)
  const load = Object.hasOwn(LOADERS, base) ? LOADERS[base] : undefined
  catalogue.value = load ? await load() : en
  language.value = name
  document.documentElement.lang = name
  document.documentElement.dir = RIGHT_TO_LEFT.has(base) ? 'rtl' : 'ltr'
}

/** A text with its parts filled in; `count` chooses the form by number and is shown as one. */
export function say(key: TextKey, parts: Readonly<Record<string, string | number>> = {}): string {
  const text = catalogue.value[key]
  const { count } = parts
  const form = typeof text === 'string' ? text : pickForm(text, Number(count ?? 0))
  return form.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const part = parts[name]
    return typeof part === 'number' ? formatNumber(part) : (part ?? whole)
  })
}

const pickForm = (forms: Exclude<Text, string>, count: number): string =>
  forms[new Intl.PluralRules(language.value).select(count)] ?? forms.other ?? ''

/** An instant in the zone of the user: `Nov 29, 2026, 5:04 PM`. */
export const formatInstant = (instant: string): string =>
  timeFormat(language.value, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: zone.value,
  }).format(new Date(instant))

/** A number as the user reads it: `1.234,5`. */
export const formatNumber = (value: number, options?: Intl.NumberFormatOptions): string =>
  numberFormat(language.value, options).format(value)
