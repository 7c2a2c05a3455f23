/** Texts stay kept while records change that their rows refer to, and never give what is not so. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { foundIn, requireSame, SearchWorld } from '../support/search-world.ts'

let world: SearchWorld
beforeAll(async () => {
  world = await SearchWorld.open()
  await world.fill(1, 6000)
})
afterAll(() => world[Symbol.asyncDispose]())

test.each(['Signed', 'Joined', 'Addressed'] as const)(
  'a changed record that rows of %s refer to leaves the text as it is',
  async (view) => {
    await world.run(
      "INSERT INTO towns (Code, Name) VALUES ('V', 'Vale') ON CONFLICT DO UPDATE SET Name = 'Vale'",
    )
    await world.run(
      `INSERT INTO authors (Id, CompanyId, Name, TownCode) VALUES (7, 1, 'Ada', 'V')
       ON CONFLICT DO UPDATE SET Name = 'Ada', TownCode = 'V'`,
    )
    await world.run('UPDATE letters SET AuthorId = 7 WHERE Id IN (20, 22, 24)')
    expect(await world.keep(view)).toBe(true)
    const ask = async (SearchText: string) => {
      const before = world.texts.found
      const answer = await requireSame(world, { view, who: 'reader', request: { SearchText } })
      return [world.texts.found - before, foundIn(answer).total]
    }
    const isFound = (count: number) => [1, count]
    expect(await ask('ada')).toEqual(isFound(3))
    await world.run("UPDATE authors SET Name = 'Bob' WHERE Id = 7")
    expect([await ask('ada'), await ask('bob')]).toEqual([isFound(0), isFound(3)])
    await world.run("UPDATE towns SET Name = 'Hill' WHERE Code = 'V'")
    const shown = view === 'Signed' ? 0 : 3
    expect([await ask('vale'), await ask('HILL')]).toEqual([isFound(0), isFound(shown)])
    await world.run('UPDATE letters SET AuthorId = NULL WHERE Id = 22')
    await world.run("UPDATE authors SET Name = 'Ada', TownCode = NULL WHERE Id = 7")
    expect([await ask('bob'), await ask('ada')]).toEqual([isFound(0), isFound(2)])
    expect(await ask('hill')).toEqual(isFound(0))
  },
)

test('a record that very many rows refer to has all of them read anew', async () => {
  await world.run('UPDATE letters SET AuthorId = 7 WHERE CompanyId = 1')
  // So many rows are a reading of their own, and the one before it may not be long ago.
  await world.keepAfterRest('Joined')
  await world.run("UPDATE authors SET Name = 'Eve' WHERE Id = 7")
  const before = world.texts.found
  const request = { SearchText: 'EVE' }
  await requireSame(world, { view: 'Joined', who: 'reader', request })
  expect(world.texts.found).toBe(before)
})
