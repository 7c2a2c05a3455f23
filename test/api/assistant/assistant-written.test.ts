/**
 * Questions that were written before the reading was known, over three applications, a third of
 * them in German: an answer is right, or there is none.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApplications } from '../../support/questions/applications.ts'
import { judgeWritten, readWritten, type WrittenVerdict } from '../../support/questions/written.ts'
import written from '../../support/questions/written.txt' with { type: 'text' }

/** Right answers so far; it is raised as they grow. */
const RIGHT_MIN = 217

let applications: Awaited<ReturnType<typeof startApplications>>
beforeAll(async () => {
  applications = await startApplications()
})
afterAll(async () => applications[Symbol.asyncDispose]())

const tell = ({ asked, outcome, shown }: WrittenVerdict): string =>
  `${outcome}: ${[...asked.before, asked.question].join(' >> ')}: ${shown}`

test(`of 248 questions ${RIGHT_MIN} are right, none is answered wrongly or guessed`, async () => {
  const verdicts: WrittenVerdict[] = []
  for (const asked of readWritten(written))
    verdicts.push(await judgeWritten(applications.of(asked.application), asked))
  expect(verdicts.length).toBe(248)
  const bad = verdicts.filter(({ outcome }) => outcome === 'wrong' || outcome === 'guessed')
  expect(bad.map(tell)).toEqual([])
  const right = verdicts.filter(({ outcome }) => outcome === 'right' || outcome === 'offered')
  expect(right.length).toBeGreaterThanOrEqual(RIGHT_MIN)
})
