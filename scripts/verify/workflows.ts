/** Workflows: random walks beside a model. */
import { printFigures } from './report.ts'
import type { Bench, Report } from './report.ts'
import { runTests } from './worlds.ts'

const WALKS = ['./test/engine/workflow-walks.test.ts']

/** Steps that the walks take at scale 1. */
const STEPS = 500

/** A round is one walk. */
export async function verifyWorkflows(bench: Bench): Promise<Report> {
  const { seed, faults } = await runTests(WALKS, bench)
  const figures = printFigures({ steps: STEPS * bench.rounds, wrong: faults.length })
  return { figures: `${figures}, PROPERTY_SEED ${seed}`, faults }
}
