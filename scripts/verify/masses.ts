/**
 * The work of the tests with many rows, large files and kills, with more of them and more often.
 */
import type { Bench, Report } from './report.ts'
import { verifyTests } from './worlds.ts'

/** The tests whose rows, kills, and times that a file comes, rise with the scale. */
const TESTS = [
  './test/fault/import-kill.test.ts',
  './test/fault/import-job-kill.test.ts',
  './test/fault/audit-kill.test.ts',
  './test/fault/idempotency-kill.test.ts',
  './test/fault/assistant-confirm-kill.test.ts',
  './test/fault/search-kill.test.ts',
  './test/fault/wizard-kill.test.ts',
  './test/binary/access-board.test.ts',
  './test/binary/deploy-http.test.ts',
  './test/binary/export.test.ts',
  './test/binary/files.test.ts',
  './test/binary/refresh.test.ts',
  './test/adopt/adopt-many.test.ts',
  './test/binary/hostile-files.test.ts',
]

/** The rounds are the scale. */
export const verifyMasses = (bench: Bench): Promise<Report> =>
  verifyTests(TESTS, bench, { times: bench.rounds })
