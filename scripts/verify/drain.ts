/** SIGTERM under load: what is in flight is finished and answered, and the exit code is 0. */
import { join } from 'node:path'
import { type Bench, printFigures, type Report } from './report.ts'
import { Shop } from './shop.ts'

const WARM_MAX = 60
const STOP_MS_MAX = 100

/** Stops a loaded server at a random moment and looks at the files it leaves; again. */
export async function verifyDrains(bench: Bench): Promise<Report> {
  const { executable, demo, random } = bench
  const folder = join(bench.home, 'data')
  const shop = await Shop.open({ command: [executable], folder, demo, random })
  const figures = {
    rounds: 0,
    acked: 0,
    'not taken': 0,
    'asked before, unanswered': 0,
    lost: 0,
    'done without an answer': 0,
  }
  try {
    for (let round = 1; round <= bench.rounds; round++) {
      const ledger = shop.begin()
      const stop = shop.load(ledger)
      await ledger.whenAnswered(random.int(1, WARM_MAX))
      await Bun.sleep(random.next() * STOP_MS_MAX)
      const signalledAt = performance.now()
      const exitCode = await shop.server.stop()
      await stop()
      if (exitCode !== 0) shop.faults.push(`exit code ${exitCode}: ${shop.server.errors}`)
      const findings = shop.checkFiles(ledger)
      if (findings.unansweredDone > 0) shop.faults.push('a write was done and not answered')
      shop.faults.push(...findings.strange)
      figures.rounds++
      figures.acked += ledger.count('acked')
      figures['asked before, unanswered'] += ledger.writes.filter(
        ({ outcome, sentAt }) => outcome === 'unanswered' && sentAt < signalledAt,
      ).length
      figures['not taken'] += ledger.count('unanswered') - findings.unansweredDone
      figures['done without an answer'] += findings.unansweredDone
      figures.lost += findings.lost.length
      await shop.start()
      await shop.check(shop.begin())
    }
  } finally {
    await shop.server.kill()
  }
  return { figures: printFigures(figures), faults: shop.readFaults() }
}
