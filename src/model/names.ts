/** Names of the model language: their shapes, their defaults, and the nearest one to a misspelt one. */

/** `OrderLines` is `order-lines`, `HTTPServer` is `http-server`: the default slug of a view. */
export function toKebabCase(name: string): string {
  return splitWords(name).join('-').toLowerCase()
}

/**
 * A label's default: the name in words, an `Id` at its end left out. `CustomerId` is "Customer",
 * `OrderLine` "Order line", `VATNumber` "VAT number", `Id` stays "Id".
 */
export function toWords(name: string): string {
  const words = splitWords(name)
  if (words.length > 1 && words.at(-1) === 'Id') words.pop()
  const [first = name, ...rest] = words
  const lower = rest.map((word) => (isAcronym(word) ? word : word.toLowerCase()))
  return [first.charAt(0).toUpperCase() + first.slice(1), ...lower].join(' ')
}

/** The name that was probably meant: the same in another case, or few letters away; else undefined. */
export function findNearest(name: string, names: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1
  for (const candidate of names) {
    const other = candidate.toLowerCase()
    if (other === wanted) return candidate
    const distance = editDistance(wanted, other, bestDistance)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

function splitWords(name: string): string[] {
  return name.match(/[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g) ?? [name]
}

function isAcronym(word: string): boolean {
  return word.length > 1 && word === word.toUpperCase()
}

/** Levenshtein distance, or `limit` as soon as it cannot be smaller. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    let smallest = i
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const cost = Math.min(replaced, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1)
      current.push(cost)
      smallest = Math.min(smallest, cost)
    }
    if (smallest >= limit) return limit
    previous = current
  }
  return previous[b.length] ?? limit
}
