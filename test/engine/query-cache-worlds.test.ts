/** Cached answers are exact: under any interleaving of reads, writes and deploys. */
import { expect, test } from 'bun:test'
import { systemClock } from '../../src/kernel/clock.ts'
import { deployModel } from '../../src/model/deploy/deploy.ts'
import { countryRows } from '../support/cache-model.ts'
import { BYTES_MAX, CacheWorld, essenceOf } from '../support/cache-world.ts'
import { type Draw, WRITES } from '../support/cache-writes.ts'

const OPERATIONS = 4000
const ROUND = 100
const FIBERS = 6
const WRITES_IN_100 = 25
const ROUNDS_A_DEPLOY = 20

/** An answer, with the numbers of the states that were the last at its start and at its end. */
interface Answered {
  question: number
  answer: string
  from: number
  to: number
}

/** Mulberry32: the same numbers for the same seed. */
function drawFrom(seed: number): Draw {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** One caller after another: reads, and writes that may be refused, each awaited. */
async function runFiber(world: CacheWorld, draw: Draw, budget: { left: number }) {
  const answered: Answered[] = []
  while (budget.left-- > 0) {
    if (draw(100) < WRITES_IN_100) await WRITES[draw(WRITES.length)]?.(world, draw).catch(() => {})
    else answered.push(await ask(world, draw(world.questions.length)))
    if (draw(2) === 0) await pause()
  }
  return answered
}

async function ask(world: CacheWorld, at: number): Promise<Answered> {
  const question = world.questions[at]
  if (!question) throw new Error('No such question')
  const from = world.states.length - 1
  const answer = await world.ask(world.cache, question)
  return { question: at, answer, from, to: world.states.length }
}

/**
 * Answers to one caller must fit states in their order: each that of a moment between the question
 * and the answer, none older than one that the same caller has seen.
 */
function requireInOrder(world: CacheWorld, states: string[][], answered: Answered[]): void {
  let seen = 0
  for (const { question: at, answer, from, to } of answered) {
    const question = world.questions[at]
    if (!question || question.isLoose) continue
    const essence = essenceOf(question, answer)
    const first = Math.max(from, seen)
    const fits = states.findIndex((state, n) => n >= first && n <= to && state[at] === essence)
    if (fits < 0) {
      const right = states.slice(first, to + 1).map((state) => state[at])
      throw new Error(
        `${question.view} as ${question.who.userName}: ${essence}, not ${right.join(' or ')}`,
      )
    }
    seen = fits
  }
}

/**
 * At rest a cached answer is the fresh one, to the letter, kept from before or just now. Gives back
 * how many were kept.
 */
async function requireSame(world: CacheWorld): Promise<number> {
  let cached = 0
  for (const question of [...world.questions, ...world.questions]) {
    const reads = world.app.store.counters.reads
    const answer = await world.ask(world.cache, question)
    if (world.app.store.counters.reads === reads) cached++
    expect(answer).toBe(await world.ask(world.fresh, question))
  }
  return cached
}

async function deploy(world: CacheWorld, turn: number): Promise<void> {
  const { store, models } = world.app.context
  const { isDone } = await deployModel(store, models, [countryRows(turn)], {}, systemClock)
  expect(isDone).toBe(true)
  world.capture()
}

/** Reads beside a deploy, or reads and writes among themselves. */
async function runRound(world: CacheWorld, draw: Draw, turn: number): Promise<number> {
  const budget = { left: ROUND }
  const isDeploy = turn % ROUNDS_A_DEPLOY === ROUNDS_A_DEPLOY - 1
  const readOnly: Draw = (below) => (below === 100 ? 99 : draw(below))
  const deployed = isDeploy ? deploy(world, turn) : undefined
  const fibers = Array.from({ length: FIBERS }, () =>
    runFiber(world, isDeploy ? readOnly : draw, budget),
  )
  const answered = await Promise.all(fibers)
  await deployed
  const states = await Promise.all(world.states)
  for (const ofFiber of answered) requireInOrder(world, states, ofFiber)
  expect(world.cache.bytes).toBeLessThanOrEqual(BYTES_MAX)
  world.states.length = 0
  world.capture()
  return requireSame(world)
}

test('4,000 reads and writes: no cached answer differs from a fresh one', async () => {
  await using world = await CacheWorld.open()
  const draw = drawFrom(20_261_121)
  let cached = 0
  for (let turn = 0; turn < OPERATIONS / ROUND; turn++) cached += await runRound(world, draw, turn)
  // The test means something: many answers were kept, and many were not.
  const asked = (OPERATIONS / ROUND) * world.questions.length * 2
  expect(cached).toBeGreaterThan(asked / 4)
  expect(cached).toBeLessThan(asked)
})
