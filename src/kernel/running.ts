/** Processes of this machine, by their numbers. */
import { readFileSync } from 'node:fs'

/** States of a process that has ended and that its parent has not asked about yet (proc(5)). */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X'])

/**
 * Checks that a process runs, of whatever user. One that has ended keeps its number until its
 * parent asks about it, which the first process of a container may never do: it runs no more.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!(error instanceof Error && Reflect.get(error, 'code') === 'EPERM')) return false
  }
  return !ENDED.has(readState(pid))
}

/** The letter of a process's state; none where the system does not say. */
function readState(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name before it may hold anything.
    return stat.charAt(stat.lastIndexOf(')') + 2)
  } catch {
    return ''
  }
}
