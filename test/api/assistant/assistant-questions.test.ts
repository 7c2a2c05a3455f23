/**
 * Questions in words over three applications, asked over HTTP: those by which the reading was
 * developed, and those that were kept aside (test/support/questions).
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startApplications } from '../../support/questions/applications.ts'
import developing from '../../support/questions/developing.txt' with { type: 'text' }
import { judge, type Verdict } from '../../support/questions/judge.ts'
import kept from '../../support/questions/kept.txt' with { type: 'text' }
import { readQuestions } from '../../support/questions/notation.ts'

let applications: Awaited<ReturnType<typeof startApplications>>
beforeAll(async () => {
  applications = await startApplications()
})
afterAll(async () => applications[Symbol.asyncDispose]())

async function ask(text: string): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (const question of readQuestions(text))
    verdicts.push(await judge(applications.of(question.application), question))
  return verdicts
}

const count = (verdicts: readonly Verdict[], outcome: Verdict['outcome']): number =>
  verdicts.filter((each) => each.outcome === outcome).length

const list = (verdicts: readonly Verdict[], outcome: Verdict['outcome']): string[] =>
  verdicts.flatMap((each) =>
    each.outcome === outcome ? [`${each.asked.question}: ${each.shown}`] : [],
  )

test('at least 105 of 120 questions are answered as they were meant', async () => {
  const verdicts = await ask(developing)
  expect(verdicts.length).toBeGreaterThanOrEqual(120)
  expect(count(verdicts, 'right') / verdicts.length).toBeGreaterThanOrEqual(105 / 120)
  expect(list(verdicts, 'wrong')).toEqual([])
})

test('of those kept aside at least 64 of 80, and none is answered wrongly', async () => {
  const verdicts = await ask(kept)
  expect(verdicts.length).toBeGreaterThanOrEqual(80)
  expect(count(verdicts, 'right') / verdicts.length).toBeGreaterThanOrEqual(64 / 80)
  expect(count(verdicts, 'wrong')).toBe(0)
})

const PARTS = `demo ana en
orders by week => Orders by OrderedAt:week get count
total per week this year => Orders where OrderedAt eq thisYear by OrderedAt:week get sum Total
weekly orders => Orders by OrderedAt:week get count
orders week by week => Orders by OrderedAt:week get count
how many orders per hour? => Orders by OrderedAt:hour get count
hourly orders last month => Orders where OrderedAt eq lastMonth by OrderedAt:hour get count
total by weekday => Orders by OrderedAt:weekday get sum Total
orders by day of the week and region => Orders by OrderedAt:weekday,Region get count
orders per month => Orders by OrderedAt:month get count
demo ana de
Aufträge pro Woche => Orders by OrderedAt:week get count
Aufträge nach Kalenderwoche => Orders by OrderedAt:week get count
Umsatz pro Woche in diesem Jahr => Orders where OrderedAt eq thisYear by OrderedAt:week get sum Total
wöchentliche Aufträge => Orders by OrderedAt:week get count
Aufträge pro Stunde => Orders by OrderedAt:hour get count
Aufträge nach Uhrzeit => Orders by OrderedAt:hour get count
Umsatz je Wochentag => Orders by OrderedAt:weekday get sum Total
Aufträge pro Monat => Orders by OrderedAt:month get count`

test('weeks, hours and days of the week are understood like months', async () => {
  const verdicts = await ask(PARTS)
  const missed = verdicts.flatMap(({ asked, outcome, shown }) =>
    outcome === 'right' ? [] : [`${asked.question}: ${shown}`],
  )
  expect(missed).toEqual([])
})
