/** Notifications over the hub: none is lost and none comes twice, however often a client goes. */
import { expect, test } from 'bun:test'
import { usersOf } from '../../src/access/users/recipients.ts'
import { saveNotifications } from '../../src/engine/notifications/save-notifications.ts'
import { ADMINISTRATORS, idOf, ONE } from '../support/administrators.ts'
import { connect, type HubServer, startHubs } from '../support/hubs.ts'
import { until } from '../support/until.ts'

const ALL = { company: 'all', because: 'a test' } as const

interface Told {
  Id: number
  Seq: number
  Title: string
  Object: string | null
  Keys: object | null
  Url: string | null
}

const NOTHING = { object: null, entity: null, recordKey: null, url: null }

/** The case of an Id, with an address that names it. */
const caseOf = (id: number) => ({
  object: 'Cases',
  entity: 'Case',
  recordKey: `[${id}]`,
  url: `/cases/${id}`,
})

/** Tells users of company ONE something, in one transaction. */
const tell = (
  server: HubServer,
  title: string,
  users: string[],
  { about }: { about: Record<keyof typeof NOTHING, string | null> } = { about: NOTHING },
): Promise<number> =>
  server.store.write(
    (tx) =>
      saveNotifications(
        tx,
        {
          kind: 'Test',
          title,
          body: null,
          level: 'info',
          ...about,
          fromUserId: null,
          companyId: ONE,
          now: new Date(),
        },
        usersOf(ONE, { named: { users, roles: [] } }),
      ),
    ALL,
  )

async function watch(server: HubServer, as: string) {
  const client = server.client('notifications', as)
  const told: Told[] = []
  const counts: number[] = []
  client.on('notification', (record: Told) => told.push(record))
  client.on('unread', (count: number) => counts.push(count))
  await connect(client)
  return { client, told, counts }
}

test('all clients of a user are told at once, with what is unread; nobody else is', async () => {
  await using server = await startHubs({ application: ADMINISTRATORS })
  const [one, two, other] = [
    await watch(server, 'clerk'),
    await watch(server, 'clerk'),
    await watch(server, 'mgr'),
  ]
  await tell(server, 'first', ['clerk'])
  await tell(server, 'second', ['clerk'])
  await until(() => one.told.length === 2 && two.told.length === 2)
  expect(one.told.map(({ Title }) => Title)).toEqual(['first', 'second'])
  await until(() => one.counts.at(-1) === 2 && two.counts.at(-1) === 2)
  // What another's ids are called is left alone.
  await tell(server, 'third', ['mgr'])
  await until(() => other.told.length === 1)
  await one.client.invoke('MarkRead', [one.told[0]?.Id, other.told[0]?.Id])
  await until(() => two.counts.at(-1) === 1)
  expect(
    await server.store.all(`SELECT UserId FROM svc_notifications WHERE ReadAt IS NULL ORDER BY Id`),
  ).toEqual([{ UserId: idOf('clerk') }, { UserId: idOf('mgr') }])
  await two.client.invoke('MarkAllRead')
  await until(() => one.counts.at(-1) === 0)
  expect(other.told).toHaveLength(1)
  await Promise.all([one, two, other].map(({ client }) => client.stop()))
})

test('attack: what they are about is named to who sees the record when they are told', async () => {
  await using server = await startHubs({ application: ADMINISTRATORS })
  await server.store.write(
    (tx) => tx.run(`INSERT INTO cases (Id, CompanyId, Region) VALUES (7, 1, 'south')`),
    ALL,
  )
  const [clerk, boss] = [await watch(server, 'clerk'), await watch(server, 'mgr')]
  const users = ['clerk', 'mgr']
  await tell(server, 'hidden', users, { about: caseOf(7) })
  await tell(server, 'plain', users)
  await tell(server, 'none', users, { about: caseOf(8) })
  await until(() => clerk.told.length === 3 && boss.told.length === 3)
  const show = ({ Title, Object: name, Keys, Url }: Told) => [Title, name, Keys, Url]
  const none = [null, null, null]
  const hidden = [
    ['hidden', ...none],
    ['plain', ...none],
    ['none', ...none],
  ]
  const shown = [['hidden', 'Cases', { Id: 7 }, '/cases/7'], ...hidden.slice(1)]
  expect(clerk.told.map(show)).toEqual(hidden)
  expect(boss.told.map(show)).toEqual(shown)
  const later = await watch(server, 'clerk')
  expect((await later.client.invoke<Told[]>('Since', 0)).map(show)).toEqual(hidden)
  await Promise.all([clerk, boss, later].map(({ client }) => client.stop()))
})

test('500 rounds of going and coming back: nothing is lost, nothing comes twice', async () => {
  await using server = await startHubs({ application: ADMINISTRATORS })
  const heard: number[] = []
  let isWriting = true
  let sent = 0
  const writing = (async () => {
    while (isWriting || sent <= 100) {
      const about = ++sent % 2 === 0 ? caseOf(sent) : NOTHING
      await tell(server, `${sent}`, sent % 3 === 0 ? ['clerk', 'mgr'] : ['clerk'], { about })
      if (sent % 5 === 0) await Bun.sleep(1)
    }
  })()
  let last = 0
  for (let round = 0; round < 500; round++) {
    const client = server.client('notifications', 'clerk', { skipsNegotiation: true })
    // Each connection hears of each once, by either way.
    const now: number[] = []
    client.on('notification', ({ Seq }: Told) => now.push(Seq))
    await connect(client)
    if (round % 4 === 0) await Bun.sleep(Math.random() * 4)
    for (;;) {
      const missed = await client.invoke<Told[]>('Since', last)
      now.push(...missed.map(({ Seq }) => Seq))
      if (missed.length === 0) break
      last = Math.max(last, ...missed.map(({ Seq }) => Seq))
    }
    if (round % 3 === 0) await Bun.sleep(Math.random() * 3)
    await client.stop()
    expect(new Set(now).size).toBe(now.length)
    heard.push(...now)
    last = Math.max(last, ...now)
  }
  isWriting = false
  await writing
  const final = await watch(server, 'clerk')
  for (let isMore = true; isMore;) {
    const missed = await final.client.invoke<Told[]>('Since', last)
    isMore = missed.length > 0
    heard.push(...missed.map(({ Seq }) => Seq))
    last = Math.max(last, ...missed.map(({ Seq }) => Seq))
  }
  await final.client.stop()
  const stored = await server.store.all<{ Id: number }>({
    sql: `SELECT Id FROM svc_notifications WHERE UserId = ${idOf('clerk')} ORDER BY Id`,
    args: {},
    runs: 'inline',
  })
  expect(stored.length).toBeGreaterThan(100)
  expect(heard.toSorted((a, b) => a - b)).toEqual(stored.map(({ Id }) => Id))
})
