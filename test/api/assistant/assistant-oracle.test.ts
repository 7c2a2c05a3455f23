/**
 * Soundness of answers: random models with data and a user. Counts, sums, groups and rows that a
 * question brings are those of the rows that an oracle in memory lets the user see.
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toPlain } from '../../../src/engine/assistant/builtin/words.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import type { Row } from '../../support/objects.ts'
import { makePeople } from '../../support/people.ts'
import { scaleCases } from '../../support/property.ts'
import { inhabit, type Inhabited } from '../../support/soundness/inhabit.ts'
import {
  isTagged,
  LIMIT_COLUMN,
  limitOf,
  printLinks,
  TAGGER,
  tagRows,
  TAGS,
  TAGS_FIELD,
  TAGS_XML,
} from '../../support/soundness/tagged-worlds.ts'
import { entityName, printWorld, viewName } from '../../support/soundness/world-model.ts'
import { foresee, type Sight } from '../../support/soundness/world-oracle.ts'
import { WORLD, type World } from '../../support/soundness/world.ts'
import type { TestApplication } from '../../support/template.ts'

const WORLDS = scaleCases(100)
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

/** The entity whose rows refer to those of the view; undefined where its filters cannot hold. */
function findKid({ entities, view: { entity, shape } }: World): number | undefined {
  const kid = entities.findIndex(({ references }) => references === entity)
  return kid < 0 || (shape !== 'generated' && shape !== 'some') ? undefined : kid
}

const kidLabelOf = (at: number): string => labelOf(at).replace('Parcel', 'Ticket')

/** A view of the rows that refer to the world's, under its grants and row filters. */
function printKid(world: World, at: number): string {
  const kid = findKid(world)
  if (kid === undefined) return ''
  const names = `Name="${viewName(at)}Kid" Entity="${entityName(at, kid)}"`
  return `<ObjectView Label="${kidLabelOf(at)}" ${names} Resource="${viewName(at)}"/>`
}

const printNamed = (world: World, at: number): string =>
  printWorld(world, at, { printMore: () => LIMIT_COLUMN })
    .replace('<Permit', `${world.view.shape === 'generated' ? TAGS_FIELD(at) : ''}<Permit`)
    .replace('</Model>', `${printKid(world, at)}</Model>`)
    .replace('<ObjectView Name=', `<ObjectView Label="${labelOf(at)}" Name=`)
    .replace('<Model>', `<Model>${at === 0 ? TAGS_XML : ''}${printLinks(world, at)}`)
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
    const kinds = new Set<string>()
    const all = await inhabit(app, worlds, printNamed, TAGGER)
    await tagRows(app, worlds)
    for (const inhabited of all) await checkWorld(app, inhabited, answered, kinds)
    // Worlds in which nobody is answered would show nothing.
    expect(answered.count).toBeGreaterThan(BATCH / 2)
    expect([...kinds].sort()).toEqual(KINDS)
  })

async function checkWorld(
  app: TestApp,
  inhabited: Inhabited,
  answered: { count: number },
  kinds: Set<string>,
) {
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
    if (at % 2 === 0) await checkConditions(ask, label, sight, kinds)
    else if (at % 4 === 1)
      await checkOthers(ask, label, { sight, hasTags: world.view.shape === 'generated' }, kinds)
    const kid = findKid(world)
    if (kid === undefined) return
    const view = { entity: kid, shape: 'generated' as const }
    const kids = foresee({ ...own, view }, stored, { userId })
    const named = (stored[kid] ?? []).filter(({ Id }) => kids.rows.has(Id))
    const refs = named.flatMap(({ RefId }) => RefId ?? [])
    await checkRelated(ask, [label, kidLabelOf(at)], { sight, refs }, kinds)
  } catch (error) {
    throw new Error(`${printNamed(world, at)}\n${JSON.stringify(stored)}\n${String(error)}`)
  }
}

/** All kinds of questions, of which each batch of worlds answers some. */
const KINDS = [
  ...['and', 'having', 'having many', 'having rows', 'lacking', 'not', 'or', 'other', 'over'],
  ...['part', 'share', 'tag', 'tags', 'untagged', 'without'],
]

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

/**
 * Alternatives, negations, missing values, conditions on groups and shares: what is answered is
 * what the rows say, a refusal says nothing. The kinds that were answered are added to `kinds`.
 */
async function checkConditions(
  ask: Ask,
  label: string,
  sight: Sight,
  kinds: Set<string>,
): Promise<void> {
  const seen = sight.holdsList ? [...sight.rows.values()] : []
  // An empty text is no value.
  const isEmpty = (text: unknown): boolean => text === null || text === ''
  const isWord = (text: unknown): text is string =>
    typeof text === 'string' && /^\p{L}+$/u.test(text)
  const all = [...new Set(seen.map(({ B }) => B))].filter((text) => typeof text === 'string')
  const same = Map.groupBy(all, (text) => toPlain(text))
  const texts = all.filter(isWord).filter((text) => same.get(toPlain(text))?.length === 1)
  const [one = 'zz', other = 'yy'] = texts
  const amount = seen.map(({ A }) => Number(A ?? 0)).find((each) => each > 0) ?? 7
  const few = [...Map.groupBy(seen, ({ B }) => B)].filter(
    ([B, { length }]) => !isEmpty(B) && length > 1,
  )
  const isOver = (A: unknown): boolean => A !== null && Number(A) > amount
  const compare: Compare = (...asked) => compareAnswer(ask, sight, kinds, asked)
  const count = (fits: (row: Row) => boolean) => seen.filter(fits).length
  const first = (rows: Row[]): unknown => rows[0]?.count
  const how = `how many ${label}`
  await compare(
    'or',
    `${how} with remark "${one}" or "${other}"?`,
    count(({ B }) => B === one || B === other),
    first,
  )
  await compare(
    'not',
    `${how} whose remark is not "${one}"?`,
    count(({ B }) => B !== one),
    first,
  )
  await compare(
    'without',
    `${how} without a remark?`,
    count(({ B }) => isEmpty(B)),
    first,
  )
  const over = count(({ A }) => isOver(A))
  await compare('over', `${how} with an amount over ${amount}?`, over, first)
  await compare(
    'and',
    `${how} with an amount over ${amount} and without a remark?`,
    count(({ A, B }) => isOver(A) && isEmpty(B)),
    first,
  )
  await compare('having', `remarks with more than 1 ${label}`, few.length, ({ length }) => length)
  await compare(
    'part',
    `what share of ${label} has an amount over ${amount}?`,
    [over, seen.length],
    ([row]) => [row?.part, row?.whole],
  )
  await compare('share', `share of ${label} by remark`, seen.length, (rows) =>
    rows.reduce((sum, { count: each }) => sum + Number(each), 0),
  )
}

/** A number held against another one of the same row, and conditions on its list of keys. */
async function checkOthers(
  ask: Ask,
  label: string,
  { sight, hasTags }: { sight: Sight; hasTags: boolean },
  kinds: Set<string>,
): Promise<void> {
  const seen = sight.holdsList ? [...sight.rows] : []
  const compare: Compare = (...asked) => compareAnswer(ask, sight, kinds, asked)
  const first = (rows: Row[]): unknown => rows[0]?.count
  const how = `how many ${label}`
  const holds = (fits: (amount: number, limit: number) => boolean): number =>
    seen.filter(([key, { A }]) => {
      const limit = limitOf(key)
      return A !== null && limit !== null && fits(Number(A), limit)
    }).length
  for (const [words, fits] of [
    ['over', (amount: number, limit: number) => amount > limit],
    ['below', (amount: number, limit: number) => amount < limit],
    ['of at least', (amount: number, limit: number) => amount >= limit],
  ] as const)
    await compare('other', `${how} with an amount ${words} the ceiling?`, holds(fits), first)
  if (!hasTags) return
  const [rose, slate] = TAGS
  const tagged = (fits: (key: number) => boolean): number =>
    seen.filter(([key]) => fits(key)).length
  await compare(
    'tag',
    `${how} with the tag ${rose}?`,
    tagged((key) => isTagged(key, 0)),
    first,
  )
  await compare(
    'tags',
    `${how} with the tags ${rose} and ${slate}?`,
    tagged((key) => isTagged(key, 0) && isTagged(key, 1)),
    first,
  )
  await compare(
    'tags',
    `${how} with the tag ${rose} or ${slate}?`,
    tagged((key) => isTagged(key, 0) || isTagged(key, 1)),
    first,
  )
  await compare(
    'untagged',
    `${how} without the tag ${slate}?`,
    tagged((key) => !isTagged(key, 1)),
    first,
  )
}

type Compare = (
  kind: string,
  question: string,
  wanted: unknown,
  of: (rows: Row[]) => unknown,
) => Promise<void>

async function compareAnswer(
  ask: Ask,
  sight: Sight,
  kinds: Set<string>,
  [kind, question, wanted, of]: Parameters<Compare>,
): Promise<void> {
  const rows = await ask(question)
  if (!rows) return
  // What is hidden from the caller is not answered at all.
  const isShown = sight.holdsList && (sight.seesB || !question.includes('remark'))
  expect([question, isShown]).toEqual([question, true])
  kinds.add(kind)
  expect([question, of(rows)]).toEqual([question, wanted])
}

/** Rows with and without those of another object that refer to them, as the caller sees both. */
async function checkRelated(
  ask: Ask,
  [label, kid]: readonly [string, string],
  { sight, refs }: { sight: Sight; refs: readonly number[] },
  kinds: Set<string>,
): Promise<void> {
  const compare: Compare = (...asked) => compareAnswer(ask, sight, kinds, asked)
  const named = new Set(refs)
  const without = sight.keys.filter((key) => !named.has(key)).length
  const first = (rows: Row[]): unknown => rows[0]?.count
  const many = [...Map.groupBy(refs, (key) => key)].filter(([, { length }]) => length > 1)
  await compare('lacking', `how many ${label} without ${kid}?`, without, first)
  await compare('lacking', `${label} without any ${kid}`, without, ({ length }) => length)
  await compare('having rows', `${label} with ${kid}`, named.size, ({ length }) => length)
  const question = `${label} with more than 1 ${kid}`
  await compare('having many', question, many.length, ({ length }) => length)
}
