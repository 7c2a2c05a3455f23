/** Folders for work under way, each of one process: what a killed one left is removed. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isRunning } from '../../kernel/running.ts'

/**
 * A folder for its owner alone, at `prefix` and the number of this process, that goes with its
 * disposal. Those of processes that have ended are removed first.
 */
export function openWorkFolder(prefix: string): Disposable & { path: string } {
  removeLeft(prefix)
  const path = nameOf(prefix, process.pid)
  mkdirSync(path, { mode: 0o700, recursive: true })
  return {
    path,
    [Symbol.dispose]: () => {
      rmSync(path, { force: true, recursive: true })
      // One that was ending as this one began has ended by now.
      removeLeft(prefix)
    },
  }
}

const nameOf = (prefix: string, pid: number): string => `${prefix}.${pid}`

/** Removes files and folders at `prefix` that processes left which have ended. */
function removeLeft(prefix: string): void {
  const folder = dirname(prefix)
  const begin = `${basename(prefix)}.`
  for (const name of readdirSync(folder)) {
    const number = name.startsWith(begin) ? name.slice(begin.length) : ''
    if (/^\d+$/.test(number) && !isOther(Number(number)))
      rmSync(join(folder, name), { force: true, recursive: true })
  }
}

/** Checks that another process of this number runs. */
const isOther = (pid: number): boolean => pid !== process.pid && isRunning(pid)
