/** Search by text indexes: what is kept, what is read, and that no commit is missed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { deployModel } from '../../src/model/deploy/deploy.ts'
import { Bindings } from '../../src/engine/object/bindings.ts'
import { matchAny } from '../../src/engine/object/read/search.ts'
import { matchesText, planTextPattern } from '../../src/engine/object/read/text-match.ts'
import { foundIn, MODEL, requireSame, SearchWorld } from '../support/search-world.ts'

const KEPT_BYTES = 8 * 1024 * 1024

describe('a world with many letters, whose answers are kept', () => {
  let world: SearchWorld
  beforeAll(async () => {
    world = await SearchWorld.open({ keptBytesMax: KEPT_BYTES })
    await world.fill(1, 12_000)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  /** How many statements run for it. */
  const countReads = async (work: () => Promise<unknown>): Promise<number> => {
    const before = world.app.store.counters.reads
    await work()
    return world.app.store.counters.reads - before
  }
  const ask = (SearchText: string, who = 'reader', view = 'Letters') =>
    world.ask(view, who, { SearchText })

  test('a word that 5,000 rows have is kept: asked again it runs no statement', async () => {
    expect(await world.keep('Letters')).toBe(true)
    let first = ''
    expect(await countReads(async () => void (first = await ask('letter')))).toBe(1)
    expect(foundIn(first).total).toBeGreaterThan(5000)
    let second = ''
    expect(await countReads(async () => void (second = await ask('letter')))).toBe(0)
    expect(second).toBe(first)
  })

  test('a kept search is none any more after a commit to its tables', async () => {
    await ask('letter 77')
    await world.run("UPDATE letters SET Title = 'Letter 77 again' WHERE Id = 2")
    expect(foundIn(await ask('77 again')).total).toBe(1)
    expect(foundIn(await ask('letter 77')).ids).toContain(2)
    await world.run("UPDATE letters SET Title = 'Letter 2' WHERE Id = 2")
    expect(foundIn(await ask('77 again')).total).toBe(0)
  })

  test('who searches fewer fields shares no kept search, though the grid is the same', async () => {
    expect(foundIn(await ask('äpfel')).total).toBeGreaterThan(1000)
    expect(foundIn(await ask('äpfel', 'narrow')).total).toBe(0)
    expect(foundIn(await ask('äpfel')).total).toBeGreaterThan(1000)
  })

  test('equal searches at one time run one statement', async () => {
    expect(await world.keep('Letters')).toBe(true)
    const all = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 8 }, () => ask('letter 1')))
    expect(await countReads(all)).toBe(1)
  })

  test('page and count of a search come from one statement, by an index or by SQL', async () => {
    expect(await countReads(() => ask('letter 5'))).toBe(1)
    const ofSql = (): Promise<unknown> =>
      world.askPlain('Letters', 'reader', { SearchText: 'er 5' })
    expect(await countReads(ofSql)).toBe(1)
  })

  test('a page that is not full needs no count', async () => {
    const request = { SearchText: 'letter 41', PageSize: 500 }
    await world.ask('Letters', 'reader', { ...request, Page: 1 })
    expect(
      await countReads(() => world.ask('Letters', 'reader', { ...request, PageSize: 400 })),
    ).toBe(1)
  })

  test('after a commit only the changed rows are read again', async () => {
    expect(await world.keep('Letters')).toBe(true)
    await world.texts.settled()
    for (let round = 0; round < 3; round++) {
      await world.run(
        "UPDATE letters SET Title = Title || '.' WHERE CompanyId = 1 AND Id BETWEEN 100 AND 400",
      )
      const before = world.texts.found
      const reads = await countReads(async () => {
        await requireSame(world, { view: 'Letters', who: 'reader', request: { SearchText: '.' } })
        await world.texts.settled()
      })
      expect(world.texts.found).toBe(before + 1)
      // The search by the index and by SQL, and the changed rows in two pages at most.
      expect(reads).toBeLessThanOrEqual(5)
    }
  })

  test('a deploy that changes what is searched changes what is found', async () => {
    const { store, models, clock } = world.app.context
    const stamp = '<Field Name="Stamp" Searchable="true"/>'
    const body = MODEL.replace(stamp, `${stamp}<Field Name="Body" Searchable="true"/>`)
    expect(foundIn(await ask('äpfel', 'narrow', 'Signed')).total).toBe(0)
    const files = [{ name: 'model.xml', body }]
    const { plan } = await deployModel(store, models, files, {}, clock)
    expect(plan.faults).toEqual([])
    const found = await requireSame(world, {
      view: 'Signed',
      who: 'narrow',
      request: { SearchText: 'äpfel' },
    })
    expect(foundIn(found).total).toBeGreaterThan(1000)
    await world.texts.settled()
    await requireSame(world, { view: 'Signed', who: 'narrow', request: { SearchText: 'ÄPF' } })
  })
})

test('what an index has not read yet is searched by SQL beside what it has', async () => {
  await using world = await SearchWorld.open({ bytesMax: 40_000 })
  await world.fill(1, 3000)
  for (let round = 0; round < 2; round++) {
    for (const SearchText of ['letter 1', 'letter 2998', 'r 2', 'no', 'letter']) {
      for (const who of ['reader', 'local', 'other']) {
        await requireSame(world, { view: 'Letters', who, request: { SearchText } })
        await requireSame(world, { view: 'Words', who, request: { SearchText } })
      }
    }
    await world.run("UPDATE letters SET Title = 'Letter 2998' WHERE Id IN (2, 3, 2900, 2901)")
    await world.run(
      "INSERT INTO words (Code) VALUES ('Letter 1'), ('Letter 2998') ON CONFLICT DO NOTHING",
    )
    await world.texts.settled()
  }
  // How far the index was read by then is a matter of time.
  expect(world.texts.foundInPart).toBeGreaterThan(4)
  expect(world.texts.bytes).toBeLessThanOrEqual(40_000)
})

test('a search that begins after a commit sees it, however much is written and read', async () => {
  await using world = await SearchWorld.open()
  await world.fill(1, 4000)
  let isOver = false
  const noise = async (writer: number): Promise<void> => {
    for (let at = 0; !isOver; at++) {
      const id = 1000 + 2 * ((at * 37 + writer * 11) % 1500)
      await world.run("UPDATE letters SET Title = 'Letter ' || Id || ' n' WHERE Id = @id", { id })
    }
  }
  const noises = [noise(1), noise(2)]
  const missed: string[] = []
  for (let at = 0; at < 150; at++) {
    const word = `only ${at}.`
    await world.run('UPDATE letters SET Title = @word WHERE Id = @id', { word, id: 2 * (at + 1) })
    const answers = await Promise.all([
      world.ask('Letters', 'reader', { SearchText: word }),
      // Many rows: by marks, in the state of the moment.
      world.ask('Letters', 'reader', { SearchText: '.', Sort: [{ Field: 'Id' }], PageSize: 500 }),
    ])
    const [one, many] = answers.map(foundIn)
    if (one?.total !== 1 || !many?.ids.includes(2 * (at + 1))) missed.push(word)
  }
  isOver = true
  await Promise.all(noises)
  expect(missed).toEqual([])
  expect(world.texts.found).toBeGreaterThan(100)
})

test('a key that stands in two rows or in none is found as often as it stands there', async () => {
  await using world = await SearchWorld.open()
  await world.run(
    `INSERT INTO authors (Id, CompanyId, Name) VALUES (1, 1, 'Ada'), (2, 1, 'Adam'), (3, 1, 'Eve'),
     (-5, 1, 'Adele')`,
  )
  await world.fill(1, 24)
  for (const [SearchText, rows] of [
    ['ada', 4 + 9],
    ['adel', 1],
    ['e', 4 + 9 + 12 + 1],
  ] as const) {
    const request = { SearchText, PageSize: 500 }
    const { ids, total } = foundIn(await world.ask('Doubled', 'reader', request))
    expect({ SearchText, total, rows: ids.length }).toEqual({ SearchText, total: rows, rows })
    const pages: unknown[] = []
    for (let Page = 1; Page <= rows; Page++) {
      const page = await world.ask('Doubled', 'reader', { SearchText, Page, PageSize: 1 })
      pages.push(...foundIn(page).ids)
    }
    expect(pages.map(String).sort()).toEqual(ids.map(String).sort())
  }
})

/** Letters that LIKE and GLOB trip over. */
const LETTER = fc.constantFrom(...'aAbBßẞſsSkK\u212aσςΣİıiIäÄ*?[]%_^-.1 é', 'e\u0301', '🚲')
const TEXT = fc.array(LETTER, { maxLength: 5 }).map((letters) => letters.join(''))

test('LIKE before GLOB finds what GLOB alone finds, and what folds find', async () => {
  await using world = await SearchWorld.open()
  await fc.assert(
    fc.asyncProperty(fc.array(TEXT, { minLength: 1, maxLength: 30 }), TEXT, async (texts, part) => {
      const searchText = part === '' ? 'a' : part
      const bindings = new Bindings()
      const values = JSON.stringify(texts)
      const match = matchAny(['value'], searchText, bindings)
      const args = { ...bindings.args(), values, glob: planTextPattern(searchText, 'anywhere') }
      const list = async (condition: string): Promise<unknown> => {
        const sql = `SELECT json_group_array(key) FROM json_each(@values) WHERE ${condition}`
        return JSON.parse(await world.app.store.text({ sql, args, runs: 'inline' }))
      }
      const found = await list(match)
      expect(found).toEqual(await list('value GLOB @glob'))
      const isFound = (text: string): boolean => matchesText(text, searchText, 'contains')
      expect(found).toEqual([...texts.keys()].filter((at) => isFound(texts[at] ?? '')))
    }),
    { numRuns: 500 },
  )
})
