/** What differs between two texts, in lines that people read. */

/** Unchanged lines that are shown around each difference. */
const AROUND = 2
/** Cells of the table of common lines; texts that differ in more are told as wholly different. */
const CELLS_MAX = 4_000_000

interface Line {
  mark: ' ' | '-' | '+'
  text: string
}

/**
 * The lines of two texts that differ: `- ` those of the first alone, `+ ` those of the second
 * alone, with two lines around; `…` where lines are left out. Empty for texts of equal lines.
 */
export function diffLines(first: string, second: string): string[] {
  const [a, b] = [toLines(first), toLines(second)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  const rest = Math.min(a.length, b.length) - start
  while (end < rest && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const same = (texts: readonly string[]): Line[] => texts.map((text) => ({ mark: ' ', text }))
  return shorten([
    ...same(a.slice(0, start)),
    ...compare(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ])
}

const toLines = (text: string): string[] => text.replace(/\r?\n$/, '').split(/\r?\n/)

/** The longest common subsequence, walked from the beginning. */
function compare(a: readonly string[], b: readonly string[]): Line[] {
  const width = b.length + 1
  if ((a.length + 1) * width > CELLS_MAX) return [...mark('-', a), ...mark('+', b)]
  const common = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j
      common[at] =
        a[i] === b[j]
          ? (common[at + width + 1] ?? 0) + 1
          : Math.max(common[at + width] ?? 0, common[at + 1] ?? 0)
    }
  }
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    const at = i * width + j
    if (a[i] === b[j]) {
      lines.push({ mark: ' ', text: a[i++] ?? '' })
      j++
    } else if ((common[at + width] ?? 0) >= (common[at + 1] ?? 0))
      lines.push({ mark: '-', text: a[i++] ?? '' })
    else lines.push({ mark: '+', text: b[j++] ?? '' })
  }
  return [...lines, ...mark('-', a.slice(i)), ...mark('+', b.slice(j))]
}

const mark = (sign: '-' | '+', texts: readonly string[]): Line[] =>
  texts.map((text) => ({ mark: sign, text }))

/** Leaves out what is far from any difference. */
function shorten(lines: readonly Line[]): string[] {
  const isNear = lines.map(() => false)
  lines.forEach((line, at) => {
    if (line.mark === ' ') return
    const last = Math.min(lines.length - 1, at + AROUND)
    for (let near = Math.max(0, at - AROUND); near <= last; near++) isNear[near] = true
  })
  const told: string[] = []
  let wasNear = true
  lines.forEach((line, at) => {
    const near = isNear[at] ?? false
    if (near) {
      if (!wasNear && told.length > 0) told.push('…')
      told.push(`${line.mark} ${line.text}`)
    }
    wasNear = near
  })
  return told
}
