/**
 * `bun run bench against CHECKOUT [WORK …]`: the built executable beside that of another checkout
 * of this project (an earlier one, installed there), on copies of the same data, in rounds that
 * take turns. 1.00 is as fast; below 0.95 something got slower.
 */
import { cpSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  CONNECTIONS,
  engineJob,
  KEEPS_NOTHING,
  planRatio,
  type Round,
  runRound,
  startEngine,
} from './compare.ts'
import { openFolder } from './open-folder.ts'
import type { Work } from './work.ts'
import { planWorks } from './works.ts'
import type { World } from './world.ts'

/** The commands by which the other checkout makes its world and executable. */
interface OtherWorld {
  openWorld(): Promise<World>
}
interface OtherBuild {
  buildExecutable(): Promise<string>
}

/**
 * Rounds are many and short: a machine that others use as well changes its mind within seconds.
 * Both are started several times: two starts of one executable differ by up to an eighth, for
 * as long as they run.
 */
const STARTS = 6
const ROUNDS = 10
const ROUND_SECONDS = 0.4
const ROUNDS_TO_WARM_UP = 3

const HOW = { connections: CONNECTIONS, seconds: ROUND_SECONDS }
const ORDER = ['here', 'there'] as const
type Side = (typeof ORDER)[number]
type Rounds = Record<Side, Round[]>

/** Requests that hold what only the side that answered before can read: cursors of pages. */
const OF_ONE_SIDE: readonly string[] = ['page-walked']

/** Kinds of work as they are planned here, for the data that the other checkout has made. */
async function planOwnWorks(
  folder: string,
  token: string,
  named: readonly string[],
): Promise<Work[]> {
  const context = await openFolder(folder)
  try {
    return (await planWorks(context, token)).filter(
      ({ name, isOnce }) =>
        (name !== 'report' && !isOnce && !OF_ONE_SIDE.includes(name) && named.length === 0) ||
        named.includes(name),
    )
  } finally {
    await context.close()
  }
}

/** A line with the ratio of each kind of work, by rate and by processor time; of all by default. */
export async function* measureAgainst(
  executable: string,
  checkout: string,
  named: readonly string[] = [],
): AsyncGenerator<string> {
  const at = resolve(checkout)
  const { openWorld } = (await import(`${at}/scripts/bench/world.ts`)) as OtherWorld
  const { buildExecutable } = (await import(`${at}/scripts/build.ts`)) as OtherBuild
  const other = await buildExecutable()
  using world = await openWorld()
  const own = { ...world, engineFolder: `${world.engineFolder}-own` }
  cpSync(world.engineFolder, own.engineFolder, { recursive: true })
  try {
    const works = await planOwnWorks(own.engineFolder, own.token, named)
    for (const { name, requests, isCached } of works) {
      const settings = isCached ? {} : KEEPS_NOTHING
      const rounds: Rounds = { here: [], there: [] }
      for (let start = 0; start < STARTS; start++) {
        await using here = await startEngine(executable, own, settings)
        await using there = await startEngine(other, world, settings)
        await takeTurns(rounds, {
          here: () => runRound(here, engineJob(here, own, requests, HOW)),
          there: () => runRound(there, engineJob(there, world, requests, HOW)),
        })
      }
      const byTime = planRatio(rounds.here, rounds.there, ({ perSecond }) => perSecond)
      const byCpu = planRatio(rounds.here, rounds.there, ({ perCpuSecond }) => perCpuSecond)
      yield `${name.padEnd(16)} by time ${byTime}, by processor time ${byCpu}`
    }
  } finally {
    rmSync(own.engineFolder, { recursive: true, force: true })
  }
}

/** Adds the rounds of one start of both. */
async function takeTurns(rounds: Rounds, run: Record<Side, () => Promise<Round>>): Promise<void> {
  for (let round = -ROUNDS_TO_WARM_UP; round < ROUNDS; round++) {
    for (const side of round % 2 ? ORDER : ORDER.toReversed()) {
      const result = await run[side]()
      if (round >= 0) rounds[side].push(result)
    }
  }
}
