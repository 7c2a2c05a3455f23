/** What the gate says when it refuses authored SQL: a sentence, and where in the text. */

/** A refusal of authored SQL. `offset` counts UTF-16 units from the start of the authored text. */
export class SqlFault extends Error {
  readonly offset: number

  constructor(message: string, offset: number) {
    super(message)
    this.name = 'SqlFault'
    this.offset = offset
  }
}

/** The name that was probably meant: equal but for case, or at most a third of its letters away. */
export function findNearestName(name: string, names: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of names) {
    const distance = countEdits(wanted, candidate.toLowerCase())
    if (distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/** `; the nearest is X` behind a name that is not known, or nothing. */
export function suggestName(name: string, names: Iterable<string>): string {
  const nearest = findNearestName(name, names)
  return nearest === undefined ? '' : `; the nearest is ${nearest}`
}

/** Letters to add, drop, replace or swap with their neighbour. */
function countEdits(a: string, b: string): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced
      current.push(Math.min(replaced, swapped, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1))
    }
    before = previous
    previous = current
  }
  return previous[b.length] ?? 0
}
