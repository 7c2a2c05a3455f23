/** Numbers of a chart in the language of its document. */

/** A unit that numbers are written with as a percentage. */
const PERCENT = '%'
/** Numbers from here on are shortened at an axis, `1.2M`; and from here on by their power. */
const COMPACT_FROM = 1e6
const POWER_FROM = 1e15

type Write = (value: number) => string

/** Writes numbers for one language. */
export class NumberTexts {
  readonly #language: string

  constructor(language: string) {
    this.#language = findLanguage(language)
  }

  /** A value with its unit. */
  value(value: number, { decimals, unit }: { decimals: number; unit: string }): string {
    const places = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
    const isHuge = Math.abs(value) >= POWER_FROM
    const isPercent = unit === PERCENT
    const text = this.#write({ ...(isHuge ? POWER : places), ...(isPercent && IN_PERCENT) })(value)
    return unit === '' || isPercent ? text : `${text}\u00a0${unit}`
  }

  /** A share of a whole, `0.125` as `12.5 %`. */
  share(share: number): string {
    const places = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
    return this.#write({ style: 'percent', ...places })(share)
  }

  /** A count. */
  count(count: number): string {
    return this.#write({})(count)
  }

  /** The marks of an axis, as short as they can be told apart. */
  ticks(ticks: readonly number[], isPercent: boolean): string[] {
    const most = Math.max(0, ...ticks.map(Math.abs))
    const unit = isPercent ? IN_PERCENT : {}
    const plain: Intl.NumberFormatOptions = { ...unit, maximumFractionDigits: placesOf(ticks) }
    const forms: Intl.NumberFormatOptions[] = [
      ...(most >= COMPACT_FROM && most < POWER_FROM ? [{ ...unit, ...COMPACT }] : []),
      ...(most < POWER_FROM && most >= 1e-6 ? [plain] : []),
      { ...unit, ...POWER },
    ]
    const written = forms.map((form) => ticks.map(this.#write(form)))
    return written.find((texts) => new Set(texts).size === texts.length) ?? written.at(-1) ?? []
  }

  #write(options: Intl.NumberFormatOptions): Write {
    return new Intl.NumberFormat(this.#language, options).format
  }
}

const IN_PERCENT = { style: 'unit', unit: 'percent' } as const
const COMPACT = { notation: 'compact', maximumFractionDigits: 2 } as const
const POWER = { notation: 'scientific', maximumFractionDigits: 3 } as const

const PLACES_MAX = 12

/** Decimal places by which ticks of equal distance differ. */
function placesOf(ticks: readonly number[]): number {
  const [first = 0, second = 1] = ticks
  const step = Math.abs(second - first)
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  return Number.isFinite(places) ? Math.min(places, PLACES_MAX) : 0
}

function findLanguage(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en'
  } catch {
    // A language that a record names may be any text.
    return 'en'
  }
}

/** Tells whether a unit is that of percentages. */
export const isPercent = (unit: string): boolean => unit.trim() === PERCENT
