/** A few rounds of what `bun run verify` does with strace, which makes the disk fail. */
import { expect, test } from 'bun:test'
import { Random } from '../../data/demo/random.ts'
import { builtExecutable, findServedDemo, temporaryFolder } from '../support/executable.ts'
import { propertySeed } from '../support/property.ts'
import { PARTS } from '../../scripts/verify/parts.ts'
import { findObstacle } from '../../scripts/verify/strace.ts'

test('strace is here and may trace', () => {
  expect(findObstacle()).toBeUndefined()
})

test.each([
  {
    part: 'reads',
    promise: 'reads and syncs that fail: no wrong answer, nothing lost, service comes back',
    rounds: 1,
  },
  {
    part: 'folders',
    promise: 'folders of files that fail: each answer is right, or 503, and service comes back',
    rounds: 2,
  },
  {
    part: 'power',
    promise: 'a loss of power at any moment: the folder opens, whole, with all acknowledged',
    rounds: 2,
  },
  {
    part: 'readiness',
    promise: 'readiness tells within five seconds what is wrong, and that it is over',
    rounds: 1,
  },
])('$promise', async ({ part, rounds }) => {
  using folder = temporaryFolder()
  const executable = await builtExecutable()
  const seed = propertySeed
  const demo = await findServedDemo()
  const bench = { executable, demo, home: folder.path, random: new Random(seed), rounds }
  const { figures, faults } = (await PARTS[part]?.run(bench)) ?? { figures: '', faults: [] }
  expect({ seed, figures, faults }).toEqual({ seed, figures, faults: [] })
  expect(figures).toMatch(/^\d/)
})
