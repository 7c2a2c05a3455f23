/** Random models, data and users beside an oracle in memory: what the tests do, many times over. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, printFigures, type Report } from './report.ts'

const ROOT = join(import.meta.dir, '../..')

/** The tests that draw worlds, how many they draw at scale 1, and one that takes random steps. */
const TESTS = [
  './test/api/object/rows-oracle.test.ts',
  './test/api/object/records-oracle.test.ts',
  './test/api/object/channels-oracle.test.ts',
  './test/hub/object-changes-oracle.test.ts',
  './test/api/report-designer/report-designer.test.ts',
  './test/api/comments/comments-worlds.test.ts',
  './test/api/assistant/assistant-oracle.test.ts',
  './test/api/object-explorer/explorer-paths.test.ts',
  './test/api/global-search/search-oracle.test.ts',
  './test/api/printed-reports/report-list-property.test.ts',
  './test/engine/sourced-text.test.ts',
  './test/engine/designer-graph.test.ts',
]
const WORLDS = 311

/** A round is as many worlds as the tests draw. */
export const verifyWorlds = (bench: Bench): Promise<Report> =>
  verifyTests(TESTS, bench, { worlds: WORLDS * bench.rounds })

/** Runs tests at the scale of the rounds, and tells what they did with their seed. */
export async function verifyTests(
  tests: readonly string[],
  bench: Bench,
  told: Readonly<Record<string, number>>,
): Promise<Report> {
  const { seed, faults } = await runTests(tests, bench)
  const figures = printFigures({ ...told, wrong: faults.length })
  return { figures: `${figures}, PROPERTY_SEED ${seed}`, faults }
}

/** Runs tests of this suite that draw what they do, at the scale of the rounds. */
export async function runTests(
  tests: readonly string[],
  { random, rounds }: Pick<Bench, 'random' | 'rounds'>,
): Promise<{ seed: number; faults: string[] }> {
  const seed = random.int(1, 1_000_000_000)
  const missing = tests.filter((test) => !existsSync(join(ROOT, test)))
  if (missing.length > 0) return { seed, faults: missing.map((test) => `There is no ${test}`) }
  const child = Bun.spawn([process.execPath, 'test', ...tests], {
    cwd: ROOT,
    env: { ...process.env, PROPERTY_SEED: String(seed), PROPERTY_SCALE: String(rounds) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [output, exitCode] = await Promise.all([new Response(child.stderr).text(), child.exited])
  const lines = output.split('\n').filter((line) => line.includes('(fail)'))
  return { seed, faults: exitCode === 0 || lines.length > 0 ? lines : [output.slice(-2000)] }
}
