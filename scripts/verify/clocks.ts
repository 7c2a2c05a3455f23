/** Clocks that jump ahead and back, by days and years: what the tests do, many times over. */
import { type Bench, printFigures, type Report } from './report.ts'
import { runTests } from './worlds.ts'

/** The tests that draw jumps, and how many walks they draw at scale 1. */
const TESTS = ['./test/api/server/clock-jumps.test.ts', './test/api/jobs/recurring.test.ts']
const WALKS = 10

/** A round is as many walks as the tests draw. */
export async function verifyClocks(bench: Bench): Promise<Report> {
  const { seed, faults } = await runTests(TESTS, bench)
  const figures = printFigures({ walks: WALKS * bench.rounds, wrong: faults.length })
  return { figures: `${figures}, PROPERTY_SEED ${seed}`, faults }
}
