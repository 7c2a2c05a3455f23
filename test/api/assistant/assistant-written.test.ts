/**
 * Questions that were written before the reading was known, over three applications, a third of
 * them in German: an answer is right, or there is none.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sampleCases, scaleCases } from '../../support/property.ts'
import { startApplications } from '../../support/questions/applications.ts'
import { judgeWritten, readWritten, type WrittenVerdict } from '../../support/questions/written.ts'
import written from '../../support/questions/written.txt' with { type: 'text' }

/** Right answers so far; it is raised as they grow. */
const RIGHT_MIN = 247

let applications: Awaited<ReturnType<typeof startApplications>>
beforeAll(async () => {
  applications = await startApplications()
})
afterAll(async () => applications[Symbol.asyncDispose]())

const tell = ({ asked, outcome, shown }: WrittenVerdict): string =>
  `${outcome}: ${[...asked.before, asked.question].join(' >> ')}: ${shown}`

let verdicts: WrittenVerdict[] | undefined

/** Asks all of them once; each test reads what was said. */
async function askAll(): Promise<WrittenVerdict[]> {
  if (verdicts) return verdicts
  verdicts = []
  for (const asked of readWritten(written))
    verdicts.push(await judgeWritten(applications.of(asked.application), asked))
  return verdicts
}

test(`of 250 questions ${RIGHT_MIN} are right, none is answered wrongly or guessed`, async () => {
  const all = await askAll()
  expect(all.length).toBe(250)
  const bad = all.filter(({ outcome }) => outcome === 'wrong' || outcome === 'guessed')
  expect(bad.map(tell)).toEqual([])
  const right = all.filter(({ outcome }) => outcome === 'right' || outcome === 'offered')
  expect(right.length).toBeGreaterThanOrEqual(RIGHT_MIN)
})

/** Questions of an application that others are asked behind. */
const OTHERS = 10
/** Questions that are asked behind others; in a longer run all of them, behind all ten. */
const SAMPLE = 80
/** A question is asked behind so many of the others, the next ones for the next question. */
const BEHIND = Math.min(OTHERS, scaleCases(1))

test('a whole question behind any other is answered as alone', async () => {
  const whole = (await askAll()).filter(({ asked }) => asked.before.length === 0)
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
