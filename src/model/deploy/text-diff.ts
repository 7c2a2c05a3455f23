/** Differences between two texts, in lines that people read. */
import { structuredPatch } from 'diff'

/** Unchanged lines that are shown around each difference. */
const AROUND = 2
/** Lines that are removed and added; texts that differ in more are shown as wholly different. */
const CHANGES_MAX = 1000

/**
 * The lines of two texts that differ: `- ` those of the first alone, `+ ` those of the second
 * alone, with two lines around; `…` where lines are left out. Empty for texts of equal lines.
 */
export function diffLines(first: string, second: string): string[] {
  const [a, b] = [toLines(first), toLines(second)]
  const patch = structuredPatch('', '', `${a.join('\n')}\n`, `${b.join('\n')}\n`, '', '', {
    context: AROUND,
    maxEditLength: CHANGES_MAX,
  })
  if (!patch) return [...a.map((text) => `- ${text}`), ...b.map((text) => `+ ${text}`)]
  return patch.hunks.flatMap(({ lines }, at) => [
    ...(at > 0 ? ['…'] : []),
    ...lines.map((line) => `${line.slice(0, 1)} ${line.slice(1)}`),
  ])
}

const toLines = (text: string): string[] => text.replace(/\r?\n$/, '').split(/\r?\n/)
