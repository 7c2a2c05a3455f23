/** What time it is. Handed down instead of read from the air, so that tests set it. */
export interface Clock {
  now(): Date
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => new Date() }
