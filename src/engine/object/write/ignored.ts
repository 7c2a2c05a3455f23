/** Members of a request that were dropped, as ObjectActionResult tells them. */

/** What a request names, as it was sent. */
export type Sent = Readonly<Record<string, unknown>> | null | undefined

/**
 * Names, as they were sent, of the members that nothing was taken from: unknown, computed, hidden
 * and not the caller's to write all look the same. Of two spellings the first is the one taken.
 * @param taken In lower case.
 * @param of What they are members of, where that is not the record itself: `Lines[0].`.
 */
export function listIgnored(sent: Sent, taken: ReadonlySet<string>, of = ''): string[] {
  const seen = new Set<string>()
  const ignored: string[] = []
  for (const name of Object.keys(sent ?? {})) {
    const key = name.toLowerCase()
    if (!taken.has(key) || seen.has(key)) ignored.push(`${of}${name}`)
    seen.add(key)
  }
  return ignored
}
