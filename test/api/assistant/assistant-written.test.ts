/**
 * Questions that were written before the reading was known, over three applications, a third of
 * them in German: an answer is right, or there is none.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampleCases, scaleCases } from '../../support/property.ts'
import { startApplications } from '../../support/questions/applications.ts'
import { judgeWritten, readWritten, type WrittenVerdict } from '../../support/questions/written.ts'
import written from '../../support/questions/written.txt' with { type: 'text' }

/** Questions of all 250 that have no answer so far; it is lowered as more have one. */
const REFUSED_MAX = 3

/** Questions that are asked, of all kinds and applications; in a longer run all. */
const ASKED = 100

let applications: Awaited<ReturnType<typeof startApplications>>
beforeAll(async () => {
  applications = await startApplications()
})
afterAll(async () => applications[Symbol.asyncDispose]())

const tell = ({ asked, outcome, shown }: WrittenVerdict): string =>
  `${outcome}: ${[...asked.before, asked.question].join(' >> ')}: ${shown}`

let verdicts: WrittenVerdict[] | undefined

/** Asks them once; each test reads what was said. */
async function askOnce(): Promise<WrittenVerdict[]> {
  if (verdicts) return verdicts
  verdicts = []
  for (const asked of sampleCases(readWritten(written), ASKED))
    verdicts.push(await judgeWritten(applications.of(asked.application), asked))
  return verdicts
}

test(`all but ${REFUSED_MAX} are right, none is answered wrongly or guessed`, async () => {
  expect(readWritten(written)).toHaveLength(250)
  const all = await askOnce()
  const bad = all.filter(({ outcome }) => outcome === 'wrong' || outcome === 'guessed')
  expect(bad.map(tell)).toEqual([])
  const right = all.filter(({ outcome }) => outcome === 'right' || outcome === 'offered')
  expect(right.length).toBeGreaterThanOrEqual(all.length - REFUSED_MAX)
})

/** Questions of an application that others are asked behind. */
const OTHERS = 10
/** Questions that are asked behind others; in a longer run all of them, behind all ten. */
const SAMPLE = 40
/** A question is asked behind so many of the others, the next ones for the next question. */
const BEHIND = Math.min(OTHERS, scaleCases(1))

test('a whole question behind any other is answered as alone', async () => {
  const whole = (await askOnce()).filter(({ asked }) => asked.before.length === 0)
  const changed: string[] = []
  for (const [at, { asked, shown }] of sampleCases(whole, SAMPLE).entries()) {
    const same = whole.filter((each) => each.asked.application === asked.application)
    for (let nth = at; nth < at + BEHIND; nth++) {
      const other = same[Math.floor(((nth % OTHERS) * same.length) / OTHERS)]?.asked.question ?? ''
      const behind = await judgeWritten(applications.of(asked.application), asked, [other])
      if (behind.shown !== shown) changed.push(`${other} >> ${tell(behind)}, alone: ${shown}`)
    }
  }
  expect(changed).toEqual([])
})
