/** Waits before failed work is tried again. */

/** Factor of each wait over the one before it. */
const GROWTH = 3

/** The longest wait, without the random part. */
export const WAIT_MS_MAX = 3_600_000

/** Milliseconds to wait after a failed try, the first being 1; at most an hour. */
export const planDelay = (firstMs: number, attempt: number): number =>
  Math.min(firstMs * GROWTH ** (attempt - 1), WAIT_MS_MAX)

/** A part of every wait is by chance, so that what failed together is not tried together. */
const JITTER = 0.25

/** Plans a delay as `planDelay`, a quarter longer at most. */
export const planJitteredDelay = (firstMs: number, attempt: number): number =>
  Math.round(planDelay(firstMs, attempt) * (1 + JITTER * Math.random()))
