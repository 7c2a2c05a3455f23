/** Names of browsers and systems, by what they send as their User-Agent. */

/** Browsers, those first that name others beside themselves. */
const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const findName = (names: readonly [RegExp, string][], agent: string): string | undefined =>
  names.find(([pattern]) => pattern.test(agent))?.[1]

/** The name of a client: `Firefox · Windows`; of a program its own, such as `curl/8.5.0`. */
export function nameClient(agent: string | null): string | undefined {
  if (agent === null || agent === '') return undefined
  const names = [findName(BROWSERS, agent), findName(SYSTEMS, agent)]
  const known = names.filter((name) => name !== undefined)
  return known.length > 0 ? known.join(' · ') : agent.split(' ')[0]
}
