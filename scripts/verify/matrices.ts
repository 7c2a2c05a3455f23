/**
 * The matrices of which the tests have a sample, whole: each question behind each other one, every
 * false value in every member of a request, every request of a route by every user beside another
 * company, every zone that there is, every kind of file under every name.
 */
import type { Bench, Report } from './report.ts'
import { verifyTests } from './worlds.ts'

/** The tests that take a sample of a matrix, more of it with the scale. */
const TESTS = [
  './test/api/assistant/assistant-questions.test.ts',
  './test/api/assistant/assistant-written.test.ts',
  './test/api/attacks/attack-members.test.ts',
  './test/api/company/tenant-sweep.test.ts',
  './test/api/import/import-other-books.test.ts',
  './test/api/object-explorer/explorer-query.test.ts',
]

/** The rounds are the scale. */
export const verifyMatrices = (bench: Bench): Promise<Report> =>
  verifyTests(TESTS, bench, { matrices: TESTS.length })
