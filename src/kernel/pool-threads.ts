/** The threads of Bun's pool, where passwords are hashed: the serving thread goes before them. */
import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** About a tenth of the serving thread's share where both want the same core. */
const NICE = 10
const THREADS = '/proc/self/task'
const POOL_NAME = 'Bun Pool'

const lowered = new Set<string>()

/**
 * Gives the pool's threads a low priority, so that a storm of sign-ins leaves other requests alone:
 * measured with the server on one core, it halves their p99 in the storm. Linux only; elsewhere it
 * does nothing. It costs some 20 µs and is called before each hash, since the pool makes its
 * threads as it needs them.
 */
export function lowerPoolThreads(): void {
  if (process.platform !== 'linux') return
  try {
    for (const thread of readdirSync(THREADS)) {
      if (lowered.has(thread)) continue
      if (!readFileSync(`${THREADS}/${thread}/comm`, 'utf8').startsWith(POOL_NAME)) continue
      setPriority(Number(thread), NICE)
      lowered.add(thread)
    }
  } catch {
    // A thread that has just ended, or no /proc: this is a courtesy, not a promise.
  }
}
