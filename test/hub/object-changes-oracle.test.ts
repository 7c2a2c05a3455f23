/**
 * Changed rows of random applications, told to random people: each hears of what an oracle in
 * memory says that they saw before a write or see after it, and of nothing else.
 */
import { expect, test } from 'bun:test'
import type { HubConnection } from '@microsoft/signalr'
import fc from 'fast-check'
import { deployModel } from '../../src/model/deploy/deploy.ts'
import { connect, type HubServer, startHubs } from '../support/hubs.ts'
import { makePeople } from '../support/people.ts'
import { scaleCases } from '../support/property.ts'
import { type KeptRow, readRows, takeStep, type Town } from '../support/soundness/change-steps.ts'
import {
  CHANGE_WORLD,
  type ChangeWorld,
  MARKS,
  PATHS,
  printChangeWorld,
  type Step,
  withPath,
  writingView,
} from '../support/soundness/change-world.ts'
import type { Condition } from '../support/soundness/condition.ts'
import { openToken, saveRows, saveUsers } from '../support/soundness/inhabit.ts'
import { printRoles, viewName } from '../support/soundness/world-model.ts'
import { foresee } from '../support/soundness/world-oracle.ts'
import type { WorldUser } from '../support/soundness/world.ts'
import type { TestApplication } from '../support/template.ts'
import { until } from '../support/until.ts'

const WORLDS = scaleCases(12)
/** Worlds that share a data folder and a deploy. */
const BATCH = 12

/** Records of one entity that are told one by one, at the most. */
const RECORDS_MAX = 500

const EMPTY: TestApplication = { files: [], ...makePeople('C1 C2', {}) }
const SETTINGS = {
  'Svc:Log:Requests': 'false',
  'Svc:Hubs:MessagesPerSecond': '10000',
  'Svc:Notifications:ChangeWait': '10s',
}

const seed = fc.readConfigureGlobal()?.seed ?? 1

interface Change {
  Object: string
  Action: string
  Keys: { Id: number } | null
}

/** A view that a client looks at. */
interface Looking {
  view: string
  entity: number
  /** True when something was said of it without keys: that may be said once more, later. */
  wasCrowded: boolean
  /** True when that is still to come: it is said once a second at the most. */
  isOwed: boolean
}

class Watcher {
  readonly client: HubConnection
  readonly user: WorldUser
  readonly userId: number
  readonly looking: Looking[] = []
  #told: Change[] = []
  #mark = 0

  constructor(client: HubConnection, user: WorldUser, userId: number) {
    this.client = client
    // The hub knows no rows of all companies.
    this.user = { ...user, allCompanies: false }
    this.userId = userId
    client.on('objectChanged', (change: Change) => {
      if (change.Object === 'Marks') this.#mark = change.Keys?.Id ?? 0
      else this.#told.push(change)
    })
  }

  /** Keys of the rows of a view that the user sees, worked out in memory. */
  see(world: ChangeWorld, { entity, view }: Looking, rows: readonly KeptRow[][]): Set<number> {
    const own = rows[entity] ?? []
    if (view.startsWith('W')) {
      const isTenant = world.entities[entity]?.isTenant === true
      const mine = own.filter(({ company }) => !isTenant || company === this.user.company)
      return new Set(mine.map(({ Id }) => Id))
    }
    return new Set(foresee({ ...world, user: this.user }, rows, this).keys)
  }

  /** Resolves when all has come that was put off. */
  async heardAll(): Promise<void> {
    const owing = this.looking.filter(({ isOwed }) => isOwed)
    await until(() => owing.every((each) => this.#told.some((told) => isCrowd(told, each))))
  }

  async heardMark(mark: number): Promise<void> {
    await until(() => this.#mark >= mark)
  }

  take(): Change[] {
    return this.#told.splice(0)
  }
}

let marks = 0

/** Waits for a last message: once it has arrived, all earlier ones have. */
async function settle({ store }: HubServer, watchers: readonly Watcher[]): Promise<void> {
  const mark = ++marks
  await store.write((tx) => tx.run(`INSERT INTO marks (Id) VALUES (${mark})`), {
    company: 'all',
    because: 'a test',
  })
  await Promise.all(watchers.map((watcher) => watcher.heardMark(mark)))
}

/** How often each path has changed something, and each thing was told or was not. */
const counts = new Map<string, number>()
const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)

for (let from = 0; from < WORLDS; from += BATCH)
  test(`worlds ${from} to ${from + BATCH - 1}: what is told is what was seen or is`, async () => {
    await using server = await startHubs({ application: EMPTY, settings: SETTINGS })
    const drawn = fc.sample(CHANGE_WORLD, { seed: seed + from, numRuns: BATCH })
    const worlds = drawn.map((world, at) => withPath(world, from + at))
    const keepers = await found(server, worlds)
    const everybody: Watcher[] = []
    for (const [at, world] of worlds.entries()) {
      const town = { app: server, at, world, keepers }
      const watchers = await settleIn(server, town)
      for (const [number, step] of world.steps.entries())
        await checkStep(server, town, { watchers, step, number })
      everybody.push(...watchers)
    }
    for (const watcher of everybody) await watcher.heardAll()
    await Promise.all(everybody.map(({ client }) => client.stop()))
  })

test('each path has changed rows, and each thing was told to some and not to others', () => {
  const expected = [...PATHS, 'created', 'updated', 'deleted', 'nothing', 'refused']
  expect(expected.filter((name) => (counts.get(name) ?? 0) === 0)).toEqual([])
})

/** Deploys the worlds with their rows; gives the tokens of a System user in either company. */
async function found(server: HubServer, worlds: readonly ChangeWorld[]): Promise<string[]> {
  const { store, models, clock } = server.context
  const files = worlds.map((world, at) => ({
    name: `${at}.xml`,
    body: printChangeWorld(world, at),
  }))
  files.push({ name: 'roles.xml', body: printRoles(worlds) }, { name: 'marks.xml', body: MARKS })
  const { plan } = await deployModel(store, models, files, {}, clock)
  expect(plan.faults).toEqual([])
  await saveRows(server, worlds)
  const user = { company: 1, roles: [], isSystem: true, allCompanies: false }
  const keeper = { ...user, region: undefined, level: undefined }
  const [id = 0] = await saveUsers(server, [{ at: 0, user: keeper, userName: 'keeper', roles: [] }])
  return [await openToken(server, id, 1), await openToken(server, id, 2)]
}

/** Everybody tries to look at every view of the world; those may who may List it. */
async function settleIn(server: HubServer, { at, world }: Town): Promise<Watcher[]> {
  const people = world.watchers.map((user, number) => ({
    at,
    user,
    userName: `watcher${at}x${number}`,
    roles: ['Watcher'],
  }))
  const ids = await saveUsers(server, people)
  const views = world.entities.map((_, entity) => ({ view: writingView(at, entity), entity }))
  views.push({ view: viewName(at), entity: world.view.entity })
  const stored = world.entities.map(() => [])
  return Promise.all(
    people.map(async ({ user }, number) => {
      const userId = ids[number] ?? 0
      const token = await openToken(server, userId, user.company)
      const client = server.client('notifications', token, { skipsNegotiation: true })
      const watcher = new Watcher(client, user, userId)
      await connect(client)
      await client.invoke('Subscribe', 'Marks')
      const { holdsList } = foresee({ ...world, user }, stored, { userId })
      for (const { view, entity } of views) {
        const answer = await client.invoke('Subscribe', view).then(
          () => 'taken',
          () => 'refused',
        )
        const may = user.isSystem || (holdsList && view === viewName(at))
        expect([at, number, view, answer]).toEqual([at, number, view, may ? 'taken' : 'refused'])
        if (may) watcher.looking.push({ view, entity, wasCrowded: false, isOwed: false })
        count(answer)
      }
      return watcher
    }),
  )
}

interface Turn {
  watchers: readonly Watcher[]
  step: Step
  number: number
}

async function checkStep(server: HubServer, town: Town, turn: Turn): Promise<void> {
  const { at, world } = town
  const { watchers, step, number } = turn
  const before = await readRows(town)
  const statuses = await takeStep(town, step, before)
  const after = await readRows(town)
  const moves = before.map((rows, entity) => listMoves(rows, after[entity] ?? []))
  if (moves.some((list) => list.size > 0)) count(step.path)
  await settle(server, watchers)
  for (const [person, watcher] of watchers.entries()) {
    const expected = watcher.looking.map((looking) =>
      foreseeTold({ world, step, watcher, looking, before, after, moves }),
    )
    const told = watcher.take()
    const wrong = expected.flatMap((each) => compare(each, told))
    const strange = told.filter(
      ({ Object }) => !watcher.looking.some(({ view }) => view === Object),
    )
    if (wrong.length === 0 && strange.length === 0) continue
    const where = { seed, at, number, person, step, statuses, told, wrong, strange }
    const text = printChangeWorld(world, at) + printRoles([world], at)
    throw new Error(`${text}\n${JSON.stringify({ ...where, user: watcher.user }, undefined, 1)}`)
  }
}

const isCrowd = ({ Object, Action }: Change, { view }: Looking): boolean =>
  Object === view && Action === 'changed'

/** Keys of the rows that a write has changed, with the companies that they are of. */
function listMoves(
  before: readonly KeptRow[],
  after: readonly KeptRow[],
): Map<number, ReadonlySet<number>> {
  const [was, is] = [before, after].map((rows) => new Map(rows.map((row) => [row.Id, row])))
  const moves = new Map<number, ReadonlySet<number>>()
  for (const id of new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])) {
    const [first, last] = [was?.get(id), is?.get(id)]
    if (first?.text === last?.text) continue
    moves.set(id, new Set([first, last].flatMap((row) => row?.company ?? [])))
  }
  return moves
}

interface Telling {
  world: ChangeWorld
  step: Step
  watcher: Watcher
  looking: Looking
  before: KeptRow[][]
  after: KeptRow[][]
  moves: readonly Map<number, ReadonlySet<number>>[]
}

interface Foreseen {
  looking: Looking
  /** `created 7`, of each row that was written and was seen or is. */
  told: string[]
  /**
   * True when writes that came together lead to and fro: then only whose rows it tells is known.
   */
  isLoose: boolean
  isOwn: (id: number) => boolean
  /** True when `changed` without keys may stand for it, and whether it must. */
  mayCrowd: boolean
  mustCrowd: boolean
  /** The same of what is said beside it: that a record of a joined table is another. */
  mayJoin: boolean
  mustJoin: boolean
  /** True when it stood for something before. */
  wasCrowded: boolean
}

function foreseeTold(telling: Telling): Foreseen {
  const { world, step, watcher, looking, before, after, moves } = telling
  const written = moves[looking.entity] ?? new Map<number, ReadonlySet<number>>()
  const [was, seen] = [watcher.see(world, looking, before), watcher.see(world, looking, after)]
  const told = [...written.keys()].flatMap((id) => {
    const action = nameAction(was.has(id), seen.has(id))
    return action === undefined ? [] : [`${action} ${id}`]
  })
  const isTenant = world.entities[looking.entity]?.isTenant === true
  const isOwn = (company: number): boolean => !isTenant || company === watcher.user.company
  const isMany = written.size > RECORDS_MAX
  const isImport = ['import', 'upsert', 'flood'].includes(step.path)
  const hears = [...written.values()].some((companies) => [...companies].some(isOwn))
  const isImported = isImport && step.entity === looking.entity && isOwn(step.company)
  const mustCrowd = isMany && hears && told.length > 0
  const mayCrowd = (isMany && hears) || (isImported && written.size > 0)
  const { wasCrowded } = looking
  looking.wasCrowded ||= mayCrowd
  const isLoose = step.path === 'burst' && !isEachAlone(telling)
  const rows = [...(before[looking.entity] ?? []), ...(after[looking.entity] ?? [])]
  const own = new Set(rows.flatMap(({ Id, company }) => (isOwn(company) ? [Id] : [])))
  const { mayJoin, mustJoin } = foreseeJoined(telling, was.symmetricDifference(seen))
  looking.wasCrowded ||= mayJoin
  const crowding = { mayCrowd, mustCrowd, wasCrowded, mayJoin, mustJoin }
  return { looking, told, ...crowding, isLoose, isOwn: (id) => own.has(id) }
}

/**
 * A record that a view joins, or that a row filter asks, is another: so may be what is seen, though
 * no row of the view was written.
 */
function foreseeJoined(
  { world, watcher, looking, moves }: Telling,
  moved: ReadonlySet<number>,
): Pick<Foreseen, 'mayJoin' | 'mustJoin'> {
  if (looking.view.startsWith('W')) return { mayJoin: false, mustJoin: false }
  const { view, entities, roles } = world
  const isMoved = (entity: number): boolean => {
    const isTenant = entities[entity]?.isTenant === true
    const companies = [...(moves[entity]?.values() ?? [])].flatMap((each) => [...each])
    return companies.some((company) => !isTenant || company === watcher.user.company)
  }
  const parent = view.shape.endsWith('arent') ? entities[view.entity]?.references : undefined
  const child = entities.findIndex(({ references }) => references === view.entity)
  const joined = view.shape === 'children' ? [child] : parent === undefined ? [] : [parent]
  const { isSystem, company: own, roles: held } = watcher.user
  const inForce = held.filter(({ company = own }) => !isSystem && company === own)
  const filters = inForce.flatMap(({ role }) => roles[role]?.filters ?? [])
  const asked = filters.flatMap(({ condition }) => listAsked(condition))
  const written = moves[view.entity] ?? new Map<number, unknown>()
  const mustJoin = joined.some(isMoved) || [...moved].some((id) => !written.has(id))
  return { mayJoin: mustJoin || asked.some(isMoved), mustJoin }
}

function nameAction(was: boolean, is: boolean): string | undefined {
  if (was) return is ? 'updated' : 'deleted'
  return is ? 'created' : undefined
}

/** Messages about a view that should not have been sent, or the other way round. */
function compare(expected: Foreseen, told: readonly Change[]): string[] {
  const { looking, mayCrowd, mustCrowd, wasCrowded, mayJoin, mustJoin } = expected
  const own = told.filter(({ Object }) => Object === looking.view)
  const crowds = own.filter(({ Action }) => Action === 'changed')
  const rows = own.filter(({ Action }) => Action !== 'changed')
  const wrong: string[] = []
  if (crowds.length > 0 && !mayCrowd && !wasCrowded && !mayJoin)
    wrong.push(`${looking.view} changed`)
  if (crowds.some(({ Keys }) => Keys !== null)) wrong.push(`${looking.view} changed with keys`)
  if (crowds.length > 0) looking.isOwed = false
  else if (mustJoin) looking.isOwed = true
  for (const { Action } of rows) count(Action)
  if (expected.told.length === 0) count('nothing')
  if (expected.isLoose) {
    const others = rows.filter(({ Keys }) => !expected.isOwn(Keys?.Id ?? 0))
    return [...wrong, ...others.map(({ Keys }) => `${looking.view}: ${Keys?.Id} is another's`)]
  }
  const texts = rows.map(({ Action, Keys }) => `${Action} ${Keys?.Id}`).sort()
  const wanted = mustCrowd ? [] : expected.told.toSorted()
  const isTold = !mustCrowd && texts.join() === wanted.join()
  const isPart = texts.every((text) => wanted.includes(text))
  if (!isTold && mayCrowd && crowds.length === 0) looking.isOwed = true
  if (!isPart || (!isTold && !mayCrowd))
    wrong.push(`${looking.view}: ${texts.join()}, not ${wanted.join()}`)
  return wrong
}

/**
 * True when each row that a client sees is written once by a burst, and stands for itself alone.
 */
function isEachAlone({ world, step, looking }: Telling): boolean {
  const isChained = world.counts && world.spreads
  const filters = world.roles.flatMap(({ filters: list }) => list)
  const isOwn = !['parent', 'withParent', 'children'].includes(world.view.shape)
  const isAlone = isOwn && filters.every(({ condition }) => listAsked(condition).length === 0)
  return step.entity === looking.entity && !isChained && (isAlone || looking.view.startsWith('W'))
}

/** The entities whose rows a condition asks. */
function listAsked(condition: Condition): number[] {
  if (condition.kind === 'among') return [condition.table]
  if (condition.kind === 'not') return listAsked(condition.of)
  if (condition.kind !== 'both' && condition.kind !== 'either') return []
  return [...listAsked(condition.left), ...listAsked(condition.right)]
}
