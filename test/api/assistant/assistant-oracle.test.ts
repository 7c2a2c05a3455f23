/**
 * Soundness of answers: random models with data and a user. Counts, sums, groups and rows that a
 * question brings are those of the rows that an oracle in memory lets the user see.
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { startApp, type TestApp } from '../../support/app.ts'
import type { Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import { scaleCases } from '../../support/property.ts'
import { inhabit, type Inhabited } from '../../support/soundness/inhabit.ts'
import { printWorld } from '../../support/soundness/world-model.ts'
import { foresee, type Sight } from '../../support/soundness/world-oracle.ts'
import { WORLD, type World } from '../../support/soundness/world.ts'
import type { TestApplication } from '../../support/template.ts'

const WORLDS = scaleCases(200)
/** Worlds that share a data folder and a deploy. */
const BATCH = 100

const EMPTY: TestApplication = { files: [], ...makePeople('C1 C2', {}) }

const seed = fc.readConfigureGlobal()?.seed ?? 1

const LETTERS = 'bcdfghklmn'
/** The labels of the rows of a world, in letters alone. */
const labelOf = (at: number): string => {
  const letter = (digit: number): string => LETTERS[digit] ?? ''
  return `Parcel${letter(Math.floor(at / 10))}o${letter(at % 10)}o`
}

const printNamed = (world: World, at: number): string =>
  printWorld(world, at)
    .replace('<ObjectView Name=', `<ObjectView Label="${labelOf(at)}" Name=`)
    .replaceAll('<Column Name="A"', '<Column Label="Amount" Name="A"')
    .replaceAll('<Column Name="B"', '<Column Label="Remark" Name="B"')

for (let from = 0; from < WORLDS; from += BATCH)
  test(`worlds ${from} to ${from + BATCH - 1}: answers are of what may be seen`, async () => {
    await using app = await startApp({
      application: EMPTY,
      settings: { 'Svc:Log:Requests': 'false' },
    })
    const worlds = fc.sample(WORLD, { seed: seed + from, numRuns: BATCH })
    const answered = { count: 0 }
    for (const inhabited of await inhabit(app, worlds, printNamed))
      await checkWorld(app, inhabited, answered)
    // Worlds in which nobody is answered would show nothing.
    expect(answered.count).toBeGreaterThan(BATCH / 2)
  })

async function checkWorld(app: TestApp, inhabited: Inhabited, answered: { count: number }) {
  const { world, userId, stored, at, token } = inhabited
  const own = { ...world, user: { ...world.user, allCompanies: false } }
  const sight = foresee(own, stored, { userId })
  const label = labelOf(at)
  const ask = async (Question: string): Promise<Row[] | undefined> => {
    const headers = { Authorization: `Bearer ${token}` }
    const answer = await app.fetch<{ data: { Object: string; Result: { Rows: Row[] } } }>(
      '/api/v1/svc/assistant/query',
      { headers, body: { Question } },
    )
    expect([200, 400]).toContain(answer.status)
    if (answer.status !== 200) return undefined
    answered.count++
    return answer.body.data.Result.Rows
  }
  try {
    await checkAnswers(ask, label, sight, stored[world.view.entity] ?? [])
  } catch (error) {
    throw new Error(`${printNamed(world, at)}\n${JSON.stringify(stored)}\n${String(error)}`)
  }
}

type Ask = (question: string) => Promise<Row[] | undefined>

async function checkAnswers(
  ask: Ask,
  label: string,
  sight: Sight,
  all: readonly { B: unknown }[],
): Promise<void> {
  const seen = sight.holdsList ? [...sight.rows.values()] : undefined
  expect((await ask(`how many ${label} are there?`))?.[0]?.count).toBe(seen?.length as never)
  const amounts = seen?.flatMap(({ A }) => (A === null ? [] : [Number(A)]))
  const sum = amounts?.length ? amounts.reduce((one, other) => one + other) : null
  const told = (await ask(`sum of the amount of ${label}`))?.[0]?.sum_A
  expect(told).toBe((seen ? sum : undefined) as never)
  const groups = await ask(`number of ${label} by remark`)
  const remarks = Map.groupBy(seen ?? [], ({ B }) => B)
  const expected =
    seen && sight.seesB ? [...remarks].map(([B, rows]) => [B, rows.length]) : undefined
  expect(groups && new Map(groups.map(({ B, count }) => [B, count]))).toEqual(
    (expected && new Map(expected as [unknown, unknown][])) as never,
  )
  const texts = [...new Set(all.map(({ B }) => B))].filter((text) => typeof text === 'string')
  for (const text of texts.filter((each) => /^[a-z]{2,}$/i.test(each))) {
    const rows = await ask(`how many ${label} with remark "${text}"?`)
    const count = seen && sight.seesB ? seen.filter(({ B }) => B === text).length : 0
    expect(rows?.[0]?.count).toBe((count > 0 ? count : undefined) as never)
  }
}
