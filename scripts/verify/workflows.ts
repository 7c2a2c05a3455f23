/** Workflows: random walks beside a model, then `kill -9` amid votes and timers. */
import { type Bench, printFigures, type Report } from './report.ts'
import { verifyWorkflowKills } from './workflow-kills.ts'
import { runTests } from './worlds.ts'

const WALKS = ['./test/engine/workflow-walks.test.ts']

/** Steps that the walks take at scale 1. */
const STEPS = 500

/** A round is one walk and one kill. */
export async function verifyWorkflows(bench: Bench): Promise<Report> {
  const { seed, faults } = await runTests(WALKS, bench)
  const walks = printFigures({ steps: STEPS * bench.rounds, wrong: faults.length })
  const kills = await verifyWorkflowKills(bench)
  return {
    figures: `${walks}, PROPERTY_SEED ${seed}, ${kills.figures}`,
    faults: [...faults, ...kills.faults],
  }
}
