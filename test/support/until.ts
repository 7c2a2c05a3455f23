/** Waiting for what is to come: for a condition and never for a time. */

const LOOK_MS = 5

/** Resolves when something is so. Where it never is, the timeout of the test ends the wait. */
export async function until(isSo: () => unknown): Promise<void> {
  while (!(await isSo())) await Bun.sleep(LOOK_MS)
}

/**
 * Does work that a limit of SQL, short for what the test is about, may end on a busy machine:
 * again, until it is done in time. What it gives, or throws, is that of any other end.
 */
export async function inTime<T>(work: () => Promise<T>): Promise<T> {
  const isLate = (end: unknown): boolean => JSON.stringify(end)?.includes('"SQL_TIMEOUT"') ?? false
  for (;;) {
    try {
      const done = await work()
      if (!isLate(done)) return done
    } catch (error) {
      if (!(error instanceof Error) || !error.message.includes('"SQL_TIMEOUT"')) throw error
    }
  }
}
