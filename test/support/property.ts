/**
 * Loaded before every test: properties draw the same cases each time, so that a red run is red
 * again and a green one says the same everywhere. `PROPERTY_SEED=7 bun test …` explores others.
 */
import fc from 'fast-check'

const DEFAULT_SEED = 20261121

fc.configureGlobal({ seed: Number(Bun.env.PROPERTY_SEED ?? DEFAULT_SEED) })
