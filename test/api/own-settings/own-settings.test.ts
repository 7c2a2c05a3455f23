/** Settings that users keep for themselves (src/server/README.md, Own settings). */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type HubServer, startHubs } from '../../support/hubs.ts'
import { makePeople } from '../../support/people.ts'
import { until } from '../../support/until.ts'

const PATH = '/api/v1/svc/settings/me'
const MANY = Object.fromEntries(['many', 'big', 'gone'].map((name) => [name, '']))
const APPLICATION = {
  ...makePeople('ONE TWO', { root: 'System in ONE TWO', eve: 'in ONE TWO', mia: '', ...MANY }),
  files: [],
}

interface Tokens {
  AccessToken: string
}

let app: HubServer

beforeAll(async () => {
  app = await startHubs({ application: APPLICATION })
})
afterAll(() => app[Symbol.asyncDispose]())

const put = (as: string, key: string, Value: unknown) =>
  app.fetch<{ data?: null; error?: string }>(`${PATH}/${key}`, {
    as,
    method: 'PUT',
    body: { Value },
  })

const clear = (as: string, key: string) => app.fetch(`${PATH}/${key}`, { as, method: 'DELETE' })

async function load(as: string, token?: string) {
  const by = token === undefined ? { as } : { headers: { Authorization: `Bearer ${token}` } }
  const answer = await app.fetch<{ data: Record<string, unknown> }>(PATH, by)
  expect(answer.status).toBe(200)
  return answer.body.data
}

describe('own settings', () => {
  test('are given back as they were saved, and cleared by null and by DELETE', async () => {
    const values = {
      density: 'compact',
      'filters:Orders': [{ Field: 'Größe', Value: [1.5, null, { deep: [true] }] }],
      constructor: { __proto__: null, toString: '\u0000\ud83d\ude00 "' },
      toString: 0,
      empty: '',
      Density: false,
    }
    for (const [key, value] of Object.entries(values))
      expect((await put('eve', key, value)).body).toEqual({ success: true, data: null } as object)
    expect(await load('eve')).toEqual(values)
    await put('eve', 'density', null)
    await clear('eve', 'Density')
    expect((await clear('eve', 'nothing')).status).toBe(200)
    const { density: _, Density: __, ...left } = values
    expect(await load('eve')).toEqual(left)
  })

  test('are each user’s own, in all of their companies', async () => {
    await put('eve', 'mine', 'eve')
    await put('mia', 'mine', 'mia')
    expect((await load('mia'))['mine']).toBe('mia')
    const switched = await app.fetch<{ data: Tokens }>('/api/v1/auth/login', {
      body: { UserName: 'eve', Password: 'a long pass phrase', CompanyId: 2 },
    })
    expect((await load('', switched.body.data.AccessToken))['mine']).toBe('eve')
    expect((await app.fetch(PATH)).status).toBe(401)
  })

  test.each(['a b', '__proto__', '.hidden', 'x'.repeat(101), '%2e%2e', 'ä'])(
    'have no key %s',
    async (key) => {
      const answer = await put('eve', encodeURIComponent(key), 1)
      expect(answer.status).toBe(400)
    },
  )

  test('need a Value: a body without one changes nothing', async () => {
    const answer = await app.fetch(`${PATH}/mine`, { as: 'mia', method: 'PUT', body: {} })
    expect(answer.status).toBe(400)
    expect((await load('mia'))['mine']).toBe('mia')
  })

  test('are bounded in bytes, in keys and in all; what is refused is not stored', async () => {
    const kilobytes = (count: number) => 'ä'.repeat((count * 1024 - 2) / 2)
    expect((await put('big', 'whole', kilobytes(64))).status).toBe(200)
    const over = await put('big', 'over', `${kilobytes(64)}a`)
    expect([over.status, over.body.error]).toEqual([
      413,
      'The value of a setting can have at most 64 KB',
    ])
    for (let at = 0; at < 14; at++) await put('big', `part${at}`, kilobytes(64))
    const last = await put('big', 'last', kilobytes(64))
    expect([last.status, last.body.error]).toEqual([
      413,
      'Your settings can have at most 1024 KB together. Clear some of them first.',
    ])
    expect(Object.keys(await load('big'))).toHaveLength(15)
    expect((await put('big', 'part0', 'short')).status).toBe(200)
    expect((await put('big', 'last', kilobytes(63))).status).toBe(200)

    const insert = `INSERT INTO svc_user_settings (UserId, Key, Bytes, Value)
      SELECT u.Id, 'k' || n.value, 5, '1' FROM svc_users u, generate_series(1, 999) n
      WHERE u.UserName = 'many'`
    await app.store.write((tx) => tx.run(insert, {}), { company: 'all', because: 'a test' })
    expect((await put('many', 'another', 1)).status).toBe(200)
    const more = await put('many', 'more', 1)
    expect([more.status, more.body.error]).toEqual([
      413,
      'You can keep at most 1000 settings. Clear some of them first.',
    ])
    expect((await put('many', 'k1', 2)).status).toBe(200)
  })

  test('are read and not written by those who act as the user', async () => {
    const body = { UserId: 3, Reason: 'help', Minutes: 5 }
    const start = await app.fetch<{ data: Tokens }>('/api/v1/impersonation/start', {
      as: 'root',
      body,
    })
    const headers = { Authorization: `Bearer ${start.body.data.AccessToken}` }
    expect((await load('', start.body.data.AccessToken))['mine']).toBe('mia')
    const write = { method: 'PUT', headers, body: { Value: 'root' } }
    expect((await app.fetch(`${PATH}/mine`, write)).status).toBe(401)
    const remove = await app.fetch(`${PATH}/mine`, { method: 'DELETE', headers })
    expect([remove.status, (await load('mia'))['mine']]).toEqual([401, 'mia'])
  })

  test('tell the other clients of the user, in each company, and no one else', async () => {
    const told: Record<string, string[]> = { eve: [], mia: [] }
    const clients = await Promise.all(
      Object.entries(told).map(async ([name, keys]) => {
        const client = app.client('notifications', name)
        client.on('settingsChanged', ({ Key }: { Key: string }) => keys.push(Key))
        await client.start()
        return client
      }),
    )
    await put('eve', 'theme', 'dark')
    await clear('eve', 'theme')
    await put('mia', 'last', 1)
    await until(() => told['eve']?.length === 2 && told['mia']?.length === 1)
    expect(told).toEqual({ eve: ['theme', 'theme'], mia: ['last'] })
    await Promise.all(clients.map((client) => client.stop()))
  })

  test('go with their user', async () => {
    await put('gone', 'note', 'mine')
    const answer = await app.fetch('/api/v1/svc/auth/users/6', { as: 'root', method: 'DELETE' })
    expect(answer.status).toBe(200)
    const left = 'SELECT count(*) AS Left FROM svc_user_settings WHERE UserId = 6'
    expect(await app.store.get(left, {})).toEqual({ Left: 0 })
  })
})
