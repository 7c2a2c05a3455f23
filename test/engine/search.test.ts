/** Search by kept texts answers what SQL alone would: GLOB over every row is the oracle. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { foundIn, requireSame, SearchWorld, VIEWS } from '../support/search-world.ts'

const CALLERS = ['reader', 'other', 'local', 'sys'] as const
const NAMES = Object.keys(VIEWS) as (keyof typeof VIEWS)[]

/** Few letters, so that much is found; what patterns and cases trip over is among them. */
const LETTER = fc.constantFrom(...'aAbBßẞſsSkK\u212aσςΣİıiIäÄ*?[]%_^-.15 é', 'e\u0301', '🚲')
const TEXT = fc.array(LETTER, { maxLength: 6 }).map((letters) => letters.join(''))

const INSERT = `INSERT INTO letters (CompanyId, AuthorId, Title, Body, Total, Region)
  VALUES (@company, @author, @title, @body, @pages, @region)`

const REGIONS = ['north', 'south', null] as const

/** Room for all rows of every index; for the first page of one, so that SQL searches the rest. */
const MEMORIES = [
  { name: 'and is remembered whole', bytesMax: 4 * 1024 * 1024, runs: 50 },
  { name: 'and is remembered in part', bytesMax: 2200, runs: 30 },
]

describe.each(MEMORIES)('a world that changes $name', ({ bytesMax, runs }) => {
  let world: SearchWorld

  beforeAll(async () => {
    world = await SearchWorld.open({ bytesMax, keptBytesMax: 256 * 1024 })
    for (const [id, company] of [
      [1, 1],
      [2, 1],
      [3, 2],
    ] as const) {
      await world.run('INSERT INTO authors (Id, CompanyId, Name) VALUES (@id, @company, @name)', {
        id,
        company,
        name: `Aßk ${id}`,
      })
    }
  })
  afterAll(() => world[Symbol.asyncDispose]())

  /** Possible changes, as SQL and values. */
  const row = fc.integer({ min: 1, max: 30 })
  const change = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('insert'), text: TEXT, row }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('update'), text: TEXT, row }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), text: TEXT, row }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rename'), text: TEXT, row }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('word'), text: TEXT, row }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('town'), text: TEXT, row }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('move'), text: TEXT, row }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('author'), text: TEXT, row }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('place'), text: TEXT, row }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail'), text: TEXT, row }) },
  )
  const question = fc.record({
    view: fc.constantFrom(...NAMES),
    who: fc.constantFrom(...CALLERS),
    SearchText: TEXT,
    Page: fc.constantFrom(1, 1, 1, 2),
    long: fc.boolean(),
    all: fc.boolean(),
  })

  function write({ kind, text, row: id }: { kind: string; text: string; row: number }) {
    const company = 1 + (id % 2)
    switch (kind) {
      case 'insert':
        return world.run(INSERT, {
          company,
          author: company === 1 ? 1 + (id % 4 === 0 ? 1 : 0) : 3,
          title: text,
          body: id % 3 ? `${text}b` : null,
          pages: id / 2,
          region: REGIONS[id % 3] ?? null,
        })
      case 'update':
        return world.run('UPDATE letters SET Title = @text WHERE Id = @id', { text, id })
      case 'delete':
        return world.run('DELETE FROM letters WHERE Id = @id', { id })
      case 'rename':
        return world.run('UPDATE authors SET Name = @text WHERE Id = @id', {
          text: text.trim() || 'nobody',
          id: 1 + (id % 3),
        })
      case 'town':
        return world.run(
          id % 5 === 0
            ? 'DELETE FROM towns WHERE Code = @code'
            : `INSERT INTO towns (Code, Name) VALUES (@code, @text)
               ON CONFLICT DO UPDATE SET Name = @text`,
          { code: `T${id % 3}`, text },
        )
      case 'move':
        return world.run(
          `UPDATE authors SET TownCode = (SELECT Code FROM towns WHERE Code = @code)
           WHERE Id = @id`,
          { code: `T${id % 4}`, id: 1 + (id % 3) },
        )
      case 'author':
        return world.run('UPDATE letters SET AuthorId = @author WHERE Id = @id', {
          author: id % 2 ? 3 : 1 + (id % 4 === 0 ? 1 : 0),
          id,
        })
      case 'word':
        return world.run(
          `INSERT INTO words (Code, Meaning) VALUES (@code, @text)
           ON CONFLICT DO UPDATE SET Meaning = @text, Code = Code || 'k' || length(Code)`,
          { code: `"${text}"`, text },
        )
      case 'place':
        return world.run(
          `INSERT INTO places (Shelf, Slot, CompanyId, Label) VALUES (@id, 1, 1, @text)
           ON CONFLICT DO UPDATE SET Label = @text`,
          { id, text },
        )
      default:
        return world.run('UPDATE letters SET Title = @text, CompanyId = NULL', { text })
    }
  }

  test('what is found is what is there, whatever was written in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ changes: fc.array(change, { maxLength: 4 }), question }), {
          minLength: 5,
          maxLength: 20,
        }),
        async (steps) => {
          for (const { changes, question: asked } of steps) {
            const { view, who, SearchText, Page, long, all } = asked
            const Preset = long && view === 'Signed' ? 'Long' : null
            const request = { SearchText, Page, PageSize: 3, Preset, AllCompanies: all }
            // Asked while the writes run, and after them.
            const beside = world.ask(view, who, request)
            await Promise.allSettled(changes.map(write))
            await beside
            await requireSame(world, { view, who, request })
            if (SearchText.length % 2 === 0) await world.texts.settled()
            await requireSame(world, { view, who, request })
            expect(world.texts.bytes).toBeLessThanOrEqual(bytesMax)
          }
        },
      ),
      { numRuns: runs, endOnFailure: true },
    )
    const { found, foundInPart } = world.texts
    expect(bytesMax > 10_000 ? found : foundInPart).toBeGreaterThan(10)
  })
})

describe('a world with many letters', () => {
  let world: SearchWorld

  beforeAll(async () => {
    world = await SearchWorld.open()
    await world.fill(1, 6000)
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const keep = (view: string) => world.keep(view)

  test.each(NAMES)('%s is searched like by SQL, few matches and many', async (view) => {
    expect(await keep(view)).toBe(VIEWS[view] !== 'never')
    for (const SearchText of ['letter 4', 'LETTER 41', 'letter 4112', 'äPFEL', 'e', '.25', 'no']) {
      for (const who of ['reader', 'local', 'other']) {
        const Filters = [{ Field: 'Id', Operator: 'ge', Value: 100 }]
        const isLetter = view !== 'Words' && view !== 'Places'
        for (const more of [{}, { PageSize: 7, Page: 2 }, isLetter ? { Filters } : {}]) {
          await requireSame(world, { view, who, request: { SearchText, ...more } })
        }
      }
    }
  })

  test.each(NAMES)(
    'a changed row of %s leaves the text as it is, where it is its own',
    async (view) => {
      await keep(view)
      await world.run("UPDATE letters SET Title = 'Letter 12' WHERE Id = 12")
      await world.run(
        "INSERT INTO words (Code) VALUES ('12') ON CONFLICT DO UPDATE SET Meaning = '1'",
      )
      const before = world.texts.found
      await requireSame(world, { view, who: 'reader', request: { SearchText: '12' } })
      expect(world.texts.found > before).toBe(VIEWS[view] === 'row')
    },
  )

  test('cursors walk through what was found', async () => {
    await keep('Signed')
    const request = { SearchText: 'letter 41', PageSize: 20 }
    const ids: unknown[] = []
    let Cursor: string | null = null
    do {
      const answer: string = await requireSame(world, {
        view: 'Signed',
        who: 'reader',
        request: { ...request, Cursor },
      })
      ids.push(...foundIn(answer).ids)
      Cursor = (JSON.parse(answer) as { Pagination: { NextCursor: string | null } }).Pagination
        .NextCursor
    } while (Cursor)
    expect(ids).toHaveLength(55)
    expect(new Set(ids).size).toBe(55)
  })

  test('changed rows are found by what stands in them now, and read again', async () => {
    expect(await keep('Letters')).toBe(true)
    for (let id = 2; id <= 400; id += 2) {
      await world.run('UPDATE letters SET Title = @title WHERE Id = @id', {
        id,
        title: `New ${id}`,
      })
    }
    await world.run('DELETE FROM letters WHERE Id = 40')
    await world.run(INSERT, {
      company: 1,
      author: null,
      title: 'New one',
      body: null,
      pages: 1,
      region: 'north',
    })
    const before = world.texts.found
    for (let round = 0; round < 3; round++) {
      for (const SearchText of ['new', 'new one', 'letter 40', 'letter 2', 'new 40']) {
        await requireSame(world, { view: 'Letters', who: 'reader', request: { SearchText } })
      }
      await world.texts.settled()
    }
    expect(world.texts.found).toBe(before + 15)
  })

  test('a change of very many rows lets the text go, and another one is right again', async () => {
    await keep('Letters')
    await world.run("UPDATE letters SET Body = 'Birnen' WHERE Body = 'Äpfel'")
    for (const SearchText of ['äpfel', 'birnen']) {
      await requireSame(world, { view: 'Letters', who: 'reader', request: { SearchText } })
    }
    await world.texts.settled()
    await requireSame(world, { view: 'Letters', who: 'reader', request: { SearchText: 'BIRNEN' } })
  })

  test('what very many rows have is found in the index, too', async () => {
    await world.fill(10_001, 30_000)
    await world.keepAfterRest('Letters')
    const before = world.texts.found
    const answer = await requireSame(world, {
      view: 'Letters',
      who: 'reader',
      request: { SearchText: 'r', PageSize: 2 },
    })
    expect(foundIn(answer).total).toBeGreaterThan(12_000)
    expect(world.texts.found).toBeGreaterThan(before)
  })
})

test('a text over the bound is not kept, and SQL answers', async () => {
  await using world = await SearchWorld.open({ bytesMax: 200 })
  await world.run(INSERT, {
    company: 1,
    author: null,
    title: 'x'.repeat(300),
    body: null,
    pages: 1,
    region: null,
  })
  for (let round = 0; round < 2; round++) {
    const request = { SearchText: 'XX' }
    const answer = await requireSame(world, { view: 'Letters', who: 'reader', request })
    expect(foundIn(answer).total).toBe(1)
    await world.texts.settled()
  }
  expect(world.texts.found).toBe(0)
  expect(world.texts.bytes).toBe(0)
})

test('the least recently searched text is given up for another one', async () => {
  await using world = await SearchWorld.open({ bytesMax: 3000 })
  const more = { body: null, pages: 1, region: null, author: null }
  await world.run(INSERT, { company: 1, title: 'x'.repeat(1000), ...more })
  await world.run(INSERT, { company: 2, title: 'y'.repeat(1000), ...more })
  for (const [view, who] of [
    ['Letters', 'reader'],
    ['Signed', 'reader'],
    ['Letters', 'other'],
    ['Signed', 'other'],
  ] as const) {
    await requireSame(world, { view, who, request: { SearchText: 'x' } })
    await world.texts.settled()
    await requireSame(world, { view, who, request: { SearchText: 'Y' } })
    expect(world.texts.bytes).toBeLessThanOrEqual(3000)
  }
  expect(world.texts.found).toBe(4)
})
