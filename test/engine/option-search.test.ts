/** Searched options by kept texts are what SQL alone would give, case and order included. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { OPTIONS, SearchWorld } from '../support/search-world.ts'

const FIELDS = Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]
const LETTER = fc.constantFrom(...'aAbBßẞſsSkK\u212aσςΣİıiIäÄ*?[15 .é', 'e\u0301', '🚲')
const TEXT = fc.array(LETTER, { maxLength: 4 }).map((letters) => letters.join(''))

let world: SearchWorld
beforeAll(async () => {
  world = await SearchWorld.open()
  await world.run("INSERT INTO authors (Id, CompanyId, Name) VALUES (1, 1, 'Aßk'), (2, 2, 'ΣΑΣ')")
})
afterAll(() => world[Symbol.asyncDispose]())

async function requireSame(
  world: SearchWorld,
  field: (typeof FIELDS)[number],
  { who = 'reader', sought, Page = 1 }: { who?: string; sought: string; Page?: number },
): Promise<number> {
  const request = { SearchText: sought, Page, PageSize: 3 }
  const options = await world.options(field, who, request)
  const plain = await world.optionsPlain(field, who, request)
  expect({ field, who, request, options }).toEqual({ field, who, request, options: plain })
  return options.length
}

const insertLetter = (title: string, row: number) =>
  world.run(
    `INSERT INTO letters (CompanyId, AuthorId, Title, Total, Region)
     VALUES (@company, @company, @title, @total, @region)`,
    {
      company: 1 + (row % 2),
      title,
      total: row / 2,
      region: ['north', 'south', null][row % 3] ?? null,
    },
  )

const insertWord = (text: string, row: number) =>
  world.run(
    `INSERT INTO words (Code, Meaning) VALUES (@code, @text)
     ON CONFLICT DO UPDATE SET Meaning = @text`,
    { code: `W${row}`, text },
  )

const change = fc.record({
  kind: fc.constantFrom('letter', 'letter', 'word', 'word', 'title', 'author', 'gone'),
  text: TEXT,
  row: fc.integer({ min: 1, max: 20 }),
})

async function write({ kind, text, row }: { kind: string; text: string; row: number }) {
  if (kind === 'letter') return insertLetter(text, row)
  if (kind === 'word') return insertWord(text, row)
  if (kind === 'gone') return world.run('DELETE FROM letters WHERE Id = @row', { row })
  if (kind === 'author')
    return world.run('UPDATE authors SET Name = @text', { text: text.trim() || 'nobody' })
  return world.run('UPDATE letters SET Title = @text WHERE Id = @row', { text, row })
}

const question = fc.record({
  field: fc.constantFrom(...FIELDS),
  who: fc.constantFrom('reader', 'other', 'local'),
  sought: TEXT,
  Page: fc.constantFrom(1, 1, 2),
})

test('what is found is what is there, whatever was written in between', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ changes: fc.array(change, { maxLength: 4 }), question }), {
        minLength: 5,
        maxLength: 20,
      }),
      async (steps) => {
        for (const { changes, question: asked } of steps) {
          const { field, who, sought, Page } = asked
          const beside = world.options(field, who, { SearchText: sought })
          await Promise.all(changes.map(write))
          await beside
          await requireSame(world, field, { who, sought, Page })
          if (sought.length % 2 === 0) await world.texts.settled()
          await requireSame(world, field, { who, sought, Page })
        }
      },
    ),
    { numRuns: 60 },
  )
  expect(world.texts.found).toBeGreaterThan(100)
})

test('many options are found without reading them all again, exact matches as before', async () => {
  await using many = await SearchWorld.open()
  await many.run(
    `INSERT INTO words (Code, Meaning)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
     SELECT 'C' || i, 'Straße ' || (i % 1000) FROM n`,
  )
  await many.run(
    `INSERT INTO letters (CompanyId, Title, Total)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
     SELECT 1, 'Äpfel ' || i, i / 2 FROM n`,
  )
  for (const field of FIELDS) {
    await many.options(field, 'reader', { SearchText: 'nothing' })
    await many.texts.settled()
    const before = many.texts.found
    await many.options(field, 'reader', { SearchText: 'nothing' })
    expect([field, many.texts.found > before]).toEqual([field, OPTIONS[field]])
  }
  const asked = ['STRASSE', 'straẞe 99', 'c17', 'äPFEL 29', 'ÄPFEL 2999', '2999', 'straße 7', '1']
  for (const field of FIELDS) {
    for (const sought of asked) {
      for (const Page of [1, 2, 40]) await requireSame(many, field, { sought, Page })
    }
  }
  expect(await requireSame(many, 'WordCode', { sought: 'c17' })).toBe(1)
  await many.run("UPDATE words SET Meaning = 'c17' WHERE Code = 'C9'")
  expect(await requireSame(many, 'WordCode', { sought: 'c17' })).toBe(3)
})
