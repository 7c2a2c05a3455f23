/** Counts in sentences of the command line, which speaks English. */

/** A count with its noun: `1 file`, `2 files`, `0 entries`. Plurals without an s are given. */
export const counted = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`
