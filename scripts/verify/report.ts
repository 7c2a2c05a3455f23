/** Input and result of every part of the verification. */
import type { Random } from '../../data/demo/random.ts'

export interface Bench {
  /** The built executable. */
  executable: string
  /** A data folder as a first start with `--demo` leaves it: parts serve copies of it. */
  demo: string
  /** An empty folder of its own. */
  home: string
  random: Random
  /** How many times the fault is made. */
  rounds: number
}

export interface Report {
  /** The figures in one line. */
  figures: string
  /** Faults that should not have happened; empty when the part holds. */
  faults: string[]
}

/** `3 acked, 0 lost`. */
export const printFigures = (figures: Readonly<Record<string, number>>): string =>
  Object.entries(figures)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
