/** The moment of a commit, as it is seen from outside: the log of the database grows. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './report.ts'

/** How long after the commit began to write a kill comes at most. */
const COMMIT_MS_MAX = 10
const LOOKS = 300

/** Bytes of the log of `engine.db`; 0 where there is none. */
export const logSize = (folder: string): number =>
  statSync(join(folder, 'engine.db-wal'), { throwIfNoEntry: false })?.size ?? 0

/**
 * Waits until a commit begins to write to a log that had `size` bytes, or nothing more is to come;
 * then half of the time not at all, since a commit takes a few milliseconds, else so many more.
 */
export async function waitForCommit(
  { random }: Pick<Bench, 'random'>,
  folder: string,
  { size, isOver }: { size: number; isOver: () => boolean },
): Promise<void> {
  while (!isOver() && !hasChanged(folder, size)) await Bun.sleep(0)
  const milliseconds = random.int(-COMMIT_MS_MAX, COMMIT_MS_MAX)
  if (milliseconds > 0) await Bun.sleep(milliseconds)
}

/** Looks many times, since the writing takes a millisecond or two. */
function hasChanged(folder: string, size: number): boolean {
  for (let times = 0; times < LOOKS; times++) if (logSize(folder) !== size) return true
  return false
}
