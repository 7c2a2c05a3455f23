/** Durations as settings write them. */

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const SHORT = /^(\d{1,9})(ms|s|m|h|d)$/
const CLOCK = /^(?:(\d{1,5})\.)?(\d{1,5}):([0-5]\d):([0-5]\d)$/

/**
 * Milliseconds of `hh:mm:ss`, `d.hh:mm:ss`, `24h`, `15m`, `30s`, `250ms` or `14d`; undefined for
 * anything else.
 */
export function parseDuration(text: string): number | undefined {
  const short = SHORT.exec(text)
  if (short) return Number(short[1]) * UNIT_MS[short[2] as keyof typeof UNIT_MS]
  const clock = CLOCK.exec(text)
  if (!clock) return undefined
  const [days, hours, minutes, seconds] = clock.slice(1).map((part) => Number(part ?? 0))
  return (
    (days ?? 0) * UNIT_MS.d +
    (hours ?? 0) * UNIT_MS.h +
    (minutes ?? 0) * UNIT_MS.m +
    (seconds ?? 0) * UNIT_MS.s
  )
}

/** The shortest spelling that `parseDuration` reads back. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const)
    if (ms > 0 && ms % UNIT_MS[unit] === 0) return `${ms / UNIT_MS[unit]}${unit}`
  return `${ms}ms`
}
