/** Folders for work under way, each of one process: what a killed one left is removed. */
import { mkdirSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { removeGently } from '../../kernel/gentle-disk.ts'
import { isRunning } from '../../kernel/running.ts'

/**
 * A folder for its owner alone, at `prefix` and the number of this process, that goes with its
 * disposal. Those of processes that have ended are removed first.
 */
export async function openWorkFolder(prefix: string): Promise<AsyncDisposable & { path: string }> {
  await removeLeft(prefix)
  const path = nameOf(prefix, process.pid)
  mkdirSync(path, { mode: 0o700, recursive: true })
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await removeGently(path)
      // One that was ending as this one began has ended by now.
      await removeLeft(prefix)
    },
  }
}

const nameOf = (prefix: string, pid: number): string => `${prefix}.${pid}`

/** Removes files and folders at `prefix` that processes left which have ended. */
async function removeLeft(prefix: string): Promise<void> {
  const folder = dirname(prefix)
  const begin = `${basename(prefix)}.`
  for (const name of readdirSync(folder)) {
    const number = name.startsWith(begin) ? name.slice(begin.length) : ''
    if (/^\d+$/.test(number) && !isOther(Number(number))) await removeGently(join(folder, name))
  }
}

/** Checks that another process of this number runs. */
const isOther = (pid: number): boolean => pid !== process.pid && isRunning(pid)
