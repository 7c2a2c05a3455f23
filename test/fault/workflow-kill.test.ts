/** A round of what `bun run verify --only workflows` does with processes that are killed. */
import { expect, test } from 'bun:test'
import { Random } from '../../data/demo/random.ts'
import { builtExecutable, findServedDemo, temporaryFolder } from '../support/executable.ts'
import { propertySeed } from '../support/property.ts'
import { verifyWorkflowKills } from '../../scripts/verify/workflow-kills.ts'

const ROUNDS = 1

test('kill -9 amid votes and timers: all of a move or nothing of it, and once', async () => {
  using folder = temporaryFolder()
  const executable = await builtExecutable()
  const demo = await findServedDemo()
  const random = new Random(propertySeed)
  const bench = { executable, demo, home: folder.path, random, rounds: ROUNDS }
  const { figures, faults } = await verifyWorkflowKills(bench)
  expect({ seed: propertySeed, figures, faults }).toEqual({
    seed: propertySeed,
    figures,
    faults: [],
  })
  expect(figures).toStartWith(`${ROUNDS} kills, ${8 * ROUNDS} votes`)
})
