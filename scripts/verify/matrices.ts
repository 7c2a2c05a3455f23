/**
 * The matrices of which the tests have a sample, whole: each question behind each other one, every
 * false value in every member of a request, every kind of file under every name.
 */
import { type Bench, printFigures, type Report } from './report.ts'
import { runTests } from './worlds.ts'

/** The tests that take a sample of a matrix, more of it with the scale. */
const TESTS = [
  './test/api/assistant/assistant-questions.test.ts',
  './test/api/assistant/assistant-written.test.ts',
  './test/api/attacks/attack-members.test.ts',
  './test/api/import/import-other-books.test.ts',
]

/** The rounds are the scale. */
export async function verifyMatrices(bench: Bench): Promise<Report> {
  const { seed, faults } = await runTests(TESTS, bench)
  const figures = printFigures({ matrices: TESTS.length, wrong: faults.length })
  return { figures: `${figures}, PROPERTY_SEED ${seed}`, faults }
}
