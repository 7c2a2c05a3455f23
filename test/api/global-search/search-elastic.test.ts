/** The global search by Elasticsearch: the same answers, judged here, and by SQL where it fails. */
import { describe, expect, test } from 'bun:test'
import { ElasticFeed } from '../../../src/engine/global-search/elastic-feed.ts'
import { Elastic } from '../../../src/engine/global-search/elastic.ts'
import { type ElasticMode, ElasticStub } from '../../support/elastic.ts'
import type { Objects } from '../../support/objects.ts'
import { search, settleSearch, startSearched } from '../../support/search.ts'

const startWith = ({ url }: ElasticStub, timeout = '1m') =>
  startSearched({
    settings: {
      'Svc:Search:Provider': 'elastic',
      'Svc:Search:Url': `${url}/`,
      'Svc:Search:IndexPrefix': 'test-',
      'Svc:Search:Timeout': timeout,
      'Svc:Search:User': 'engine',
      'Svc:Search:Password': 'secret',
    },
  })

const feedOf = ({ app }: Objects): ElasticFeed =>
  new ElasticFeed(app.context, Elastic.open(app.context.settings))

async function saveCustomers(objects: Objects): Promise<void> {
  for (const [Name, Region] of [
    ['Oak North', 'north'],
    ['Oak South', 'south'],
    ['Elm', 'north'],
  ])
    await objects.save('clerk', 'Customers', { Name, Region, Secret: `canary ${Region}` })
  await objects.save('other', 'Customers', { Name: 'Oak abroad', Region: 'north' })
}

const QUERIES = ['oak', 'oak north', 'el', 'canary', "o'ak", 'north', 'abroad', 'zz']
const USERS = ['clerk', 'other', 'local', 'narrow', 'partly', 'lister', 'nobody']

test('it finds what SQL finds, for everyone; nothing it gives is believed', async () => {
  await using stub = new ElasticStub()
  await using objects = await startWith(stub)
  const feed = feedOf(objects)
  await feed.run()
  await saveCustomers(objects)
  await feed.run()
  await using plain = await startSearched()
  await saveCustomers(plain)
  for (const mode of ['good', 'leaky'] as const) {
    stub.mode = mode
    for (const as of USERS)
      for (const q of QUERIES) {
        const [byElastic, bySql] = [
          await search(objects.app, as, q),
          await search(plain.app, as, q),
        ]
        expect({ mode, as, q, ...byElastic }).toEqual({
          mode,
          as,
          q,
          ...bySql,
          Provider: 'elastic',
        })
      }
  }
  expect(stub.searches.length).toBeGreaterThan(0)
  const basic = `Basic ${Buffer.from('engine:secret').toString('base64')}`
  expect([...stub.authorizations]).toEqual([basic])
})

test('it is asked for fields that the caller sees, and for no others', async () => {
  await using stub = new ElasticStub()
  await using objects = await startWith(stub)
  await saveCustomers(objects)
  await feedOf(objects).run()
  await search(objects.app, 'narrow', 'canary')
  const fields = stub.searches[0]?.query.bool.must[0]?.multi_match.fields
  expect(fields).toEqual(['c0', 'c2'])
})

describe('dependency out (row 36): a search is made by SQL where it', () => {
  test.each<ElasticMode>(['error', 'hangs', 'huge', 'garbage'])('%s', async (mode) => {
    await using stub = new ElasticStub()
    await using objects = await startWith(stub, mode === 'hangs' ? '1s' : '1m')
    await saveCustomers(objects)
    await feedOf(objects).run()
    stub.mode = mode
    const found = await search(objects.app, 'clerk', 'oak')
    expect([found.Provider, found.Groups[0]?.Total]).toEqual(['sql', 2])
    expect(stub.sent).toBeLessThan(64 * 1024 * 1024)
    // It has a rest: the next search does not wait for it.
    stub.mode = 'good'
    const asked = stub.searches.length
    expect((await search(objects.app, 'clerk', 'oak')).Provider).toBe('sql')
    expect(stub.searches).toHaveLength(asked)
  })

  test('is not there at all', async () => {
    const stub = new ElasticStub()
    await using objects = await startWith(stub)
    await stub[Symbol.asyncDispose]()
    await saveCustomers(objects)
    const found = await search(objects.app, 'clerk', 'oak')
    expect([found.Provider, found.Groups[0]?.Total]).toEqual(['sql', 2])
  })
})

test('what it refuses is told again, in order, until it has what the index has', async () => {
  await using stub = new ElasticStub()
  await using objects = await startWith(stub)
  const feed = feedOf(objects)
  await feed.run()
  await saveCustomers(objects)
  const left = async () =>
    Number((await objects.stored('SELECT count(*) AS n FROM svc_search_feed'))[0]?.n)
  stub.mode = 'error'
  expect(feed.run()).rejects.toThrow('It answered 500')
  expect(await left()).toBe(4)
  stub.mode = 'busy'
  await feed.run()
  expect(await left()).toBe(2)
  stub.mode = 'good'
  await feed.run()
  expect([await left(), stub.documents.size]).toEqual([0, 4])
  await objects.remove('clerk', 'Customers', { Id: 1 })
  await objects.save('clerk', 'Customers', { Id: 2, Name: 'Ash' })
  await feed.run()
  expect([...stub.documents.values()].map(({ c0 }) => c0).sort()).toEqual([
    'ash',
    'elm',
    'oak abroad',
  ])
})

test('records of before it was there are told, and none is noted while there is none', async () => {
  await using objects = await startSearched()
  await saveCustomers(objects)
  expect(await objects.stored('SELECT * FROM svc_search_feed')).toEqual([])
  await using stub = new ElasticStub()
  await using other = await startWith(stub)
  await saveCustomers(other)
  await settleSearch(other.app)
  await feedOf(other).run()
  expect(stub.documents.size).toBe(4)
})
