/** The priority of whole processes, which Linux knows of threads alone. */
import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * Lowers the priority of a process: of all its threads, and so of those that they make. Copies and
 * compression are done by threads that are there from the start. A system that forbids it, and a
 * process that has just ended, are left as they are: it is a courtesy, not a promise.
 */
export function lowerPriority(niceness: number, pid = process.pid): void {
  for (const id of [pid, ...listThreads(pid)])
    try {
      setPriority(id, niceness)
    } catch {
      // Threads end at any time.
    }
}

/** The threads of a process by their numbers; none where there is no `/proc`. */
function listThreads(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return []
  }
}
