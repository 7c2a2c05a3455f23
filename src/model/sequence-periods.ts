/** Periods after which a sequence begins again at 1, as models write them in `Reset`. */

/** A part of a date in a number's format. */
export type DateName = 'yyyy' | 'yy' | 'MM' | 'dd'

/** All that the language and its numbers ask of a period. */
interface SequencePeriodFacets {
  /** The length of its text, the beginning of a day: `2026`, `2026-11` or `2026-11-21`. */
  length: number
  /**
   * The parts of a date that tell one period from another, each in its forms, the whole one first.
   * A number's text must hold them, so that a reset does not give a number twice.
   */
  parts: readonly (readonly DateName[])[]
}

const YEAR: readonly DateName[] = ['yyyy', 'yy']

const PERIODS = {
  Never: { length: 0, parts: [] },
  Yearly: { length: 4, parts: [YEAR] },
  Monthly: { length: 7, parts: [YEAR, ['MM']] },
  Daily: { length: 10, parts: [YEAR, ['MM'], ['dd']] },
} satisfies Readonly<Record<string, SequencePeriodFacets>>

export type SequencePeriod = keyof typeof PERIODS

/** One row a period; the only place that lists them. */
export const SEQUENCE_PERIODS: Readonly<Record<SequencePeriod, SequencePeriodFacets>> = PERIODS

/** The names of all periods. */
export const SEQUENCE_PERIOD_NAMES = Object.keys(PERIODS) as SequencePeriod[]

/** The period of a sequence that names none. */
export const NO_PERIOD: SequencePeriod = 'Never'
