/** Waiting for what is to come: for a condition and never for a time. */

const LOOK_MS = 5

/** Resolves when something is so. Where it never is, the timeout of the test ends the wait. */
export async function until(isSo: () => unknown): Promise<void> {
  while (!(await isSo())) await Bun.sleep(LOOK_MS)
}
