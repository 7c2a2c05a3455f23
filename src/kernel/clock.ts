/** The time source. Passed down instead of read globally, so that tests can set it. */
export interface Clock {
  now(): Date
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => new Date() }

/** Resolves after so many milliseconds, or when the signal says to stop; keeps no process alive. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    timer.unref()
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}
