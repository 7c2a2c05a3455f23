/** A few rounds of everything that `bun run verify` does; the whole run is made for a release. */
import { expect, test } from 'bun:test'
import { Random } from '../../data/demo/random.ts'
import { builtExecutable, findServedDemo, temporaryFolder } from '../support/executable.ts'
import { propertySeed } from '../support/property.ts'
import { PARTS } from '../../scripts/verify/parts.ts'

/** The promise of each part, and how many rounds are enough to see it work. */
const PROMISES: Readonly<Record<keyof typeof PARTS, { promise: string; rounds: number }>> = {
  crashes: {
    promise: 'kill -9 amid submits: what was acknowledged is there, nothing is half there',
    rounds: 1,
  },
  // At any moment, and around the commit.
  deploys: { promise: 'kill -9 amid a deploy: the old model or the new one', rounds: 2 },
  rollbacks: { promise: 'kill -9 amid a rollback: the new model or the old one', rounds: 2 },
  changes: {
    promise: 'models change under work: all of it is done, each once, at the first try',
    rounds: 1,
  },
  documents: {
    promise: 'kill -9 amid a save or publish: version, pointer and draft, all or none',
    rounds: 1,
  },
  starts: { promise: 'kill -9 amid the first start: the next one needs no help', rounds: 1 },
  stops: { promise: 'SIGTERM under load: what was done was answered, exit code 0', rounds: 1 },
  rivals: { promise: 'one process serves a data folder; after its end the next may', rounds: 1 },
  disk: { promise: 'a full disk: writes fail whole, reads go on, room is enough again', rounds: 1 },
  overload: {
    promise: 'kill -9 amid overload: others are served, what was refused was not done',
    rounds: 1,
  },
  backups: {
    promise: 'kill -9 or a full disk amid backup, restore and rehearsal: whole, or not there',
    rounds: 4,
  },
  upgrades: {
    promise: 'kill -9 or a full disk amid an upgrade or rollback: the old folder, or the new one',
    rounds: 5,
  },
  damage: {
    promise: 'damaged files are refused and left as they are; what is volatile is put aside',
    rounds: 1,
  },
}

for (const [name, { promise, rounds }] of Object.entries(PROMISES))
  test(promise, async () => {
    using folder = temporaryFolder()
    const executable = await builtExecutable()
    const seed = propertySeed
    const demo = await findServedDemo()
    const bench = { executable, demo, home: folder.path, random: new Random(seed), rounds }
    const { figures, faults } = (await PARTS[name]?.run(bench)) ?? { figures: '', faults: [] }
    expect({ seed, figures, faults }).toEqual({ seed, figures, faults: [] })
    expect(figures).not.toBe('')
  })

/** Run tests of this suite at a larger scale. */
const TESTS = ['masses', 'matrices', 'worlds', 'workflows']

/** Need strace or a browser: `disk-faults.test.ts` and `client-unseen.test.ts` of test/outside. */
const OUTSIDE = ['client', 'folders', 'power', 'readiness', 'reads']

/** Have tests of their own: `jobs-killed`, `notices` and `clock-jumps.test.ts`. */
const ELSEWHERE = ['clocks', 'hubs', 'jobs']

test('every part has its rounds', () => {
  expect([...Object.keys(PROMISES), ...TESTS, ...OUTSIDE, ...ELSEWHERE].sort()).toEqual(
    Object.keys(PARTS).sort(),
  )
})
