/**
 * Loaded before every test: properties draw the same cases each time, so that a red run is red
 * again and a green one says the same everywhere. `PROPERTY_SEED=7 bun test …` explores others, and
 * `PROPERTY_SCALE=50` as many times the cases, where a test says so: `bun run verify` sets both.
 */
import fc from 'fast-check'

const DEFAULT_SEED = 20261121

/** The seed of draws in tests without fast-check. */
export const propertySeed = Number(Bun.env.PROPERTY_SEED ?? DEFAULT_SEED)

fc.configureGlobal({ seed: propertySeed })

/** How many cases a test draws that a longer run draws more of. */
export const scaleCases = (cases: number): number => cases * Number(Bun.env.PROPERTY_SCALE ?? 1)

/**
 * So many of a list of cases, spread over it, the last one among them; more in a longer run, at
 * most all.
 */
export function sampleCases<T>(all: readonly T[], count: number): T[] {
  const taken = Math.min(all.length, scaleCases(count))
  return all.filter(
    (_, at) => Math.floor(((at + 1) * taken) / all.length) > Math.floor((at * taken) / all.length),
  )
}
