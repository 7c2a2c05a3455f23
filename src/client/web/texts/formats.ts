/** Numbers and times as people of a language read them; each formatter is made once. */

const numbers = new Map<string, Intl.NumberFormat>()
const times = new Map<string, Intl.DateTimeFormat>()

/** Makes a value once a key: a formatter takes a hundred times as long to make as to use. */
function once<T>(made: Map<string, T>, key: string, make: () => T): T {
  const known = made.get(key)
  if (known !== undefined) return known
  const value = make()
  made.set(key, value)
  return value
}

const keyOf = (language: string, options: object | undefined): string =>
  options === undefined ? language : `${language} ${Object.entries(options).join(' ')}`

/** The formatter of numbers of a language. */
export const numberFormat = (
  language: string,
  options?: Intl.NumberFormatOptions,
): Intl.NumberFormat =>
  once(numbers, keyOf(language, options), () => new Intl.NumberFormat(language, options))

/** The formatter of dates and times of a language. */
export const timeFormat = (
  language: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat =>
  once(times, keyOf(language, options), () => new Intl.DateTimeFormat(language, options))
