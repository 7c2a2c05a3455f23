/**
 * Every route of the app as seen from one company while another one has records, and while it has
 * none: nothing in any answer may tell which of the two it is.
 */
import { afterAll, describe, expect, test } from 'bun:test'
import { createApp } from '../../../src/app.ts'
import type { TestApp } from '../../support/app.ts'
import { sampleCases } from '../../support/property.ts'
import { HIDDEN, type Keys, MISSING, OWN, type Recipe } from '../../support/tenant-keys.ts'
import { CANARY, CANARY_DIGITS } from '../../support/tenant-model.ts'
import { RECIPES } from '../../support/tenant-recipes.ts'
import {
  ask,
  type Call,
  dump,
  readState,
  startWorld,
  type Told,
} from '../../support/tenant-world.ts'

const shared = await startWorld('full')
const sharedBare = await startWorld('bare')
// As a server does behind its start: it is not ready until then. Other worlds load what they need.
for (const { context } of [shared, sharedBare]) await context.extensions.load()
afterAll(async () => {
  await shared[Symbol.asyncDispose]()
  await sharedBare[Symbol.asyncDispose]()
})

/** Failures of sign-ins are counted: such requests leave something behind though refused. */
const isCounted = (route: string): boolean => route.includes('/auth/') || route.includes('/upload')

/** Worlds in which nothing was written since they began. */
const spare: Record<'full' | 'bare', TestApp[]> = { full: [], bare: [] }
afterAll(() => Promise.all(Object.values(spare).flatMap(disposeAll)))

const disposeAll = (worlds: TestApp[]) => worlds.map((world) => world[Symbol.asyncDispose]())

/**
 * A world of its own for requests that change something; the shared one for the others. One that
 * they left as it was is the next one's.
 */
async function worldFor(route: string, recipe: Recipe, kind: 'full' | 'bare'): Promise<TestApp> {
  const isShared = recipe.isRead || (recipe.isRefused && !isCounted(route))
  if (isShared)
    return { ...(kind === 'full' ? shared : sharedBare), [Symbol.asyncDispose]: async () => {} }
  const world = spare[kind].pop() ?? (await startWorld(kind))
  const before = await readState(world)
  const end = async (): Promise<void> => {
    const after = await readState(world)
    if (after.every((part, at) => part === before[at])) spare[kind].push(world)
    else await world[Symbol.asyncDispose]()
  }
  return { ...world, [Symbol.asyncDispose]: end }
}

const routes = [
  ...new Set(createApp(shared.context).routes.map(({ method, path }) => `${method} ${path}`)),
]

/** The session of a user's token. */
function sessionOf(userName: string): string {
  const payload = shared.tokens[userName]?.split('.')[1] ?? ''
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sid: string }).sid
}

const own: Keys = { ...OWN, session: sessionOf('nobody') }
const hidden: Keys = { ...HIDDEN, session: sessionOf(`${CANARY}-hidden`) }
const missing: Keys = { ...MISSING, session: 'x'.repeat(sessionOf('clerk').length) }

/** Requests of a route by the users who share a world: a sample of up to hundreds. */
const REQUESTS = 9

const requests = ({ calls }: Recipe, group: Recipe['as'][number], keys: Keys): Call[] =>
  sampleCases(
    group.flatMap((who) =>
      calls(keys).map((call) => ({ ...call, ...(who !== undefined && { as: who }) })),
    ),
    REQUESTS,
  )

/**
 * An answer may say again what it was asked for by: that key is taken out of it, a word that it
 * quotes as not known, and the hash of a file that says it; the file's text stands behind the
 * answer.
 */
const withoutEcho = ({ status, text }: Told, { id, text: word, user }: Keys): Told => ({
  status,
  text: text
    .replace(new RegExp(`\\b${id}\\b(?!\\.)`, 'g'), '<id>')
    .replace(new RegExp(`\\buser:${user}\\b`, 'g'), 'user:<id>')
    .replaceAll(`“${word}”`, '“<text>”')
    .replaceAll(`"Keys":{"Code":"${word}"}`, '"Keys":"<key>"')
    .replace(/(?<="Sha256":")[0-9a-f]{64}/g, ''),
})

/** Checks that an answer to a user of TWO holds nothing of ONE. */
function expectNothingOfOne(call: Call, told: Told): void {
  const text = told.text.toLowerCase()
  const leaks = [CANARY, CANARY_DIGITS].filter((mark) => text.includes(mark))
  expect({ call, leaks, told: leaks.length > 0 ? told : undefined }).toEqual({
    call,
    leaks: [],
    told: undefined,
  })
  expect({ call, status: told.status, told }).not.toMatchObject({ status: 500 })
}

test('every route has a recipe, and every recipe a route', () => {
  expect(Object.keys(RECIPES).sort()).toEqual(routes.sort())
})

test('a dump tells of every commit', async () => {
  await using world = await startWorld('full')
  const dumped = [await dump(world, 'ONE')]
  for (const name of ['first', 'second']) {
    await world.store.write(
      (tx) => tx.run('UPDATE svc_companies SET Name = @name WHERE Id = 1', { name }),
      { company: 'all', because: 'a test' },
    )
    const next = await dump(world, 'ONE')
    expect(dumped).not.toContainEqual(next)
    expect(await dump(world, 'ONE')).toBe(next)
    dumped.push(next)
  }
})

/** Rows that no request of a recipe may change: those of the other company, or all. */
const kept = ({ isRead }: Recipe): 'all' | 'ONE' => (isRead ? 'all' : 'ONE')

describe.each(Object.entries(RECIPES))('%s', (route, recipe) => {
  const asksByKey = JSON.stringify(recipe.calls(own)) !== JSON.stringify(recipe.calls(hidden))

  test('tells the same with and without the records of another company', async () => {
    const statuses = new Set<number>()
    for (const group of recipe.as) {
      await using full = await worldFor(route, recipe, 'full')
      await using bare = await worldFor(route, recipe, 'bare')
      const before = await dump(full, kept(recipe))
      for (const call of requests(recipe, group, own)) {
        const told = await ask(full, call)
        expectNothingOfOne(call, told)
        expect({ call, ...told }).toEqual({ call, ...(await ask(bare, call)) })
        statuses.add(told.status)
      }
      expect(await dump(full, kept(recipe))).toEqual(before)
    }
    // A recipe that only meets refusals would show nothing.
    expect(statuses.has(200)).toBe(recipe.isRefused !== true)
  })

  if (!asksByKey) return

  test('takes a hidden record for one that is not there', async () => {
    for (const group of recipe.as) {
      await using full = await worldFor(route, recipe, 'full')
      await using other = await worldFor(route, recipe, 'full')
      const before = await dump(full, 'ONE')
      let all = await dump(full, 'all')
      const none = requests(recipe, group, missing)
      for (const [at, call] of requests(recipe, group, hidden).entries()) {
        const told = withoutEcho(await ask(full, call), hidden)
        expectNothingOfOne(call, told)
        const ofNone = withoutEcho(await ask(other, none[at] ?? call), missing)
        expect({ call, ...told }).toEqual({ call, ...ofNone })
        const after = await dump(full, 'all')
        if (recipe.isRead || told.status >= 400)
          expect({ call, rows: after }).toEqual({ call, rows: all })
        else expect({ call, rows: await dump(full, 'ONE') }).toEqual({ call, rows: before })
        all = after
      }
    }
  })
})
