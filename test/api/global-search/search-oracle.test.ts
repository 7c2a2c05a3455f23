/**
 * Soundness of the global search: in random models with data and a user it finds the rows that an
 * oracle in memory says the user sees with the words in cells that the user sees, and no other; and
 * so it does at once after the rows, or those that they take words from, have changed.
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SearchResult } from '../../../src/features/global-search/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'
import { scaleCases } from '../../support/property.ts'
import { settleSearch } from '../../support/search.ts'
import type { Value, Values } from '../../support/soundness/condition.ts'
import { inhabit, type Inhabited } from '../../support/soundness/inhabit.ts'
import { printWorld, tableName, viewName } from '../../support/soundness/world-model.ts'
import { foresee, type Sight, type StoredRow } from '../../support/soundness/world-oracle.ts'
import { WORLD, type World } from '../../support/soundness/world.ts'
import type { TestApplication } from '../../support/template.ts'

const WORLDS = scaleCases(50)
/** Worlds that share a data folder and a deploy. */
const BATCH = 50

const EMPTY: TestApplication = { files: [], ...makePeople('C1 C2', {}) }

/** Words and beginnings of words that rows may have. */
const TEXTS = ['a', 'B', 'o', "o'b", 'O b', '2', '01', '2026', '2026-0', 'a 2026', 'zz']

const seed = fc.readConfigureGlobal()?.seed ?? 1

/** Joined columns are searched where the query has them. */
function listCells({ entities, view }: World): string[] {
  const joins = view.shape === 'parent' || view.shape === 'withParent'
  const parent = entities[entities[view.entity]?.references ?? -1]
  const isOwn = joins && (parent?.isTenant === false || entities[view.entity]?.isTenant === true)
  return ['A', 'B', 'D', ...(isOwn ? ['ParentA', 'ParentB'] : [])]
}

const print = (world: World, at: number): string =>
  printWorld(world, at).replace(
    '</ObjectView>',
    `<Search Title="B" Text="${listCells(world)
      .filter((name) => name !== 'B')
      .join(' ')}"/></ObjectView>`,
  )

for (let from = 0; from < WORLDS; from += BATCH)
  test(`worlds ${from} to ${from + BATCH - 1}: what is found is what may be seen`, async () => {
    await using app = await startApp({
      application: EMPTY,
      settings: { 'Svc:Log:Requests': 'false' },
    })
    const worlds = fc.sample(WORLD, { seed: seed + from, numRuns: BATCH })
    const inhabited = await inhabit(app, worlds, print)
    await settleSearch(app)
    for (const each of inhabited) await checkWorld(app, each)
    const moved = await moveRows(app, inhabited)
    for (const each of moved) await checkWorld(app, each)
  })

/** Rows of every entity get the words of others, in one transaction for each world. */
function moveRows({ store }: TestApp, all: readonly Inhabited[]): Promise<Inhabited[]> {
  const move = (rows: readonly StoredRow[]): StoredRow[] =>
    // What is written is no empty text.
    rows.map((row, at) => ({
      ...row,
      A: at % 3,
      B: (rows[(at + 1) % rows.length]?.B ?? 'b') || null,
    }))
  return Promise.all(
    all.map((inhabited) =>
      store.write(
        async (tx) => {
          const stored = inhabited.stored.map(move)
          for (const [entity, rows] of stored.entries())
            for (const { Id, A, B } of rows) {
              const table = tableName(inhabited.at, entity)
              await tx.run(`UPDATE ${table} SET A = @A, B = @B WHERE Id = @Id`, { Id, A, B })
            }
          return { ...inhabited, stored }
        },
        { company: 'all', because: 'a test' },
      ),
    ),
  )
}

async function checkWorld(app: TestApp, { at, world, userId, token, stored }: Inhabited) {
  // A search is of one company, whoever asks.
  const own = { ...world, user: { ...world.user, allCompanies: false } }
  const sight = foresee(own, stored, { userId })
  for (const text of TEXTS) {
    const query = new URLSearchParams({ q: text, objects: viewName(at), limit: '50' })
    const { status, body } = await app.fetch<{ data: SearchResult }>(
      `/api/v1/svc/search?${query}`,
      {
        headers: { Authorization: `Bearer ${token}` },
      },
    )
    const group = body.data.Groups[0]
    const found = (group?.Hits ?? []).map(({ Keys }) => Number(Keys.Id)).sort((a, b) => a - b)
    const cells = listCells(world)
    const surely = cells.filter((name) => name !== 'B' || isPlain(own, sight))
    const possibly = cells.filter((name) => name !== 'B' || sight.seesB)
    const [least, most] = [findKeys(sight, surely, text), findKeys(sight, possibly, text)]
    const facts = {
      status,
      total: group?.Total ?? 0,
      rebuilding: body.data.Rebuilding,
      missing: least.filter((key) => !found.includes(key)),
      more: found.filter((key) => !most.includes(key)),
    }
    try {
      expect(facts).toEqual({
        status: 200,
        total: found.length,
        rebuilding: false,
        missing: [],
        more: [],
      })
    } catch (error) {
      const told = JSON.stringify({ text, world, stored, found })
      throw new Error(`${print(world, at)}\n${told}\n${String(error)}`)
    }
  }
}

/** True when no role of the world hides B on some rows alone. */
const isPlain = ({ roles, user }: World, { seesB }: Sight): boolean =>
  seesB && (user.isSystem || roles.every(({ hides }) => !hides))

function findKeys({ rows }: Sight, cells: readonly string[], text: string): number[] {
  const phrases = text.split(' ').map(readWords)
  return [...rows.values()]
    .filter((row) => phrases.every((phrase) => cells.some((name) => hasPhrase(row, name, phrase))))
    .map(({ Id }) => Number(Id))
    .sort((a, b) => a - b)
}

function hasPhrase(row: Values, name: string, phrase: readonly string[]): boolean {
  const words = readWords(row[name] ?? null)
  const last = phrase.length - 1
  return words.some((_, at) =>
    phrase.every((wanted, offset) => {
      const word = words[at + offset]
      return offset === last ? word?.startsWith(wanted) === true : word === wanted
    }),
  )
}

const readWords = (value: Value): string[] =>
  String(value ?? '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
