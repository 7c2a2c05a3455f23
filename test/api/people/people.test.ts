/** The people of a company (src/server/README.md, People). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { orderText } from '../../../src/model/sql/text-order.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { makePeople } from '../../support/people.ts'

const APPLICATION = {
  ...makePeople('ONE TWO MANY', {
    root: 'System in ONE TWO',
    one: 'in ONE',
    two: 'in TWO',
    both: 'in ONE TWO',
    locked: 'in ONE',
    many: 'in MANY',
  }),
  files: [],
}

const NAMES: Readonly<Record<string, string>> = {
  root: 'Åsa Root',
  one: 'anna 100%_*[x]',
  two: 'Zoë of two',
  both: 'Zoë Müller',
  locked: 'Anna Locked',
  many: 'Peter Ørsted',
}

const FIRST = ['Jörg', 'Anna', 'zoë', 'Łukasz', 'Æbbe', 'Søren', '李', 'Émile', 'Özil', 'Ödön']

/** Names of the crowd of MANY, beside `many`. */
const CROWD = Array.from({ length: 1500 }, (_, at) => `${FIRST[at % 10]} ${(at * 7919) % 1500}`)

let app: TestApp

beforeAll(async () => {
  app = await startApp({ application: APPLICATION })
  await app.store.write(
    async (tx) => {
      for (const [userName, name] of Object.entries(NAMES))
        await tx.run('UPDATE svc_users SET DisplayName = @name WHERE UserName = @userName', {
          userName,
          name,
        })
      await tx.run(`UPDATE svc_users SET Active = 0 WHERE UserName = 'locked'`, {})
      await tx.run(
        `INSERT INTO svc_users (Id, UserName, UserNameKey, DisplayName, CreatedAt, ChangedAt)
         SELECT 1000 + key, 'c' || key, 'c' || key, value, '2026', '2026' FROM json_each(@crowd)`,
        { crowd: JSON.stringify(CROWD) },
      )
      await tx.run(
        'INSERT INTO svc_user_companies SELECT Id, 3 FROM svc_users WHERE Id >= 1000',
        {},
      )
    },
    { company: 'all', because: 'a test' },
  )
})
afterAll(() => app[Symbol.asyncDispose]())

async function find(as: string, search: string, limit?: number): Promise<string[]> {
  const query = new URLSearchParams({ search, ...(limit && { limit: String(limit) }) })
  const path = `/api/v1/svc/people?${query}`
  const answer = await app.fetch<{ data: { Id: number; DisplayName: string }[] }>(path, { as })
  expect(answer.status).toBe(200)
  for (const person of answer.body.data) expect(Object.keys(person)).toEqual(['Id', 'DisplayName'])
  return answer.body.data.map(({ DisplayName }) => DisplayName)
}

describe('people of a company', () => {
  test.each([
    ['all who are not locked, by name', 'one', '', ['anna 100%_*[x]', 'Åsa Root', 'Zoë Müller']],
    ['those of another company', 'two', '', ['Åsa Root', 'Zoë Müller', 'Zoë of two']],
    ['a part, without case and accents', 'one', ' MULL ', ['Zoë Müller']],
    ['an accent where there is none', 'one', 'Änna', ['anna 100%_*[x]']],
    ['signs as themselves', 'one', '%_*[X]', ['anna 100%_*[x]']],
    ['none for a user name', 'one', 'both', []],
    ['none for a locked user', 'one', 'locked', []],
    ['none for a person of another company', 'one', 'of two', []],
  ] as const)('are %s', async (_, as, search, expected) => {
    expect(await find(as, search)).toEqual([...expected])
  })

  test.each(['', 'e', 'ö', '14', 'peter', 'zoe 1', 'nobody', '李'])(
    'of many are the first ones by name of those with %p, as all of them sorted',
    async (search) => {
      const plain = (text: string): string =>
        text
          .toLowerCase()
          .replaceAll('ø', 'o')
          .replaceAll('ł', 'l')
          .normalize('NFD')
          .replace(/[\u0300-\u036f]/g, '')
      const all = [...CROWD, NAMES['many'] ?? '']
        .filter((name) => plain(name).includes(plain(search)))
        .sort((one, other) => (orderText(one) < orderText(other) ? -1 : 1))
      expect(await find('many', search)).toEqual(all.slice(0, 20))
      expect(await find('many', search, 100)).toEqual(all.slice(0, 100))
    },
  )

  test.each(['limit=0', 'limit=101', 'limit=x', `search=${'x'.repeat(201)}`, 'search=%00'])(
    'are refused for %s',
    async (query) => {
      const answer = await app.fetch(`/api/v1/svc/people?${query}`, { as: 'one' })
      expect(answer.status).toBe(400)
    },
  )

  test('are told to nobody without a token', async () => {
    expect((await app.fetch('/api/v1/svc/people')).status).toBe(401)
  })
})
