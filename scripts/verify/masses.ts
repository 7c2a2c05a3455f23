/** What the tests do with many rows and large files, with more of them and more often. */
import { printFigures } from './report.ts'
import type { Bench, Report } from './report.ts'
import { runTests } from './worlds.ts'

/** The tests whose rows, and times that a file comes, rise with the scale. */
const TESTS = [
  './test/fault/import-kill.test.ts',
  './test/adopt/adopt-many.test.ts',
  './test/binary/hostile-files.test.ts',
]

/** The rounds are the scale. */
export async function verifyMasses(bench: Bench): Promise<Report> {
  const { seed, faults } = await runTests(TESTS, bench)
  const figures = printFigures({ times: bench.rounds, wrong: faults.length })
  return { figures: `${figures}, PROPERTY_SEED ${seed}`, faults }
}
