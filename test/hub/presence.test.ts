/** Presence at an open record: told to those who see the record, about those who see it. */
import { expect, test } from 'bun:test'
import type { HubConnection } from '@microsoft/signalr'
import { ADMINISTRATORS, idOf, ONE, TWO } from '../support/administrators.ts'
import { connect, type HubServer, startHubs } from '../support/hubs.ts'
import { until } from '../support/until.ts'

const ALL = { company: 'all', because: 'a test' } as const

interface Presence {
  Object: string
  Keys: Record<string, unknown>
  Users: { Id: number; DisplayName: string; Since: string }[]
}

/** A client that keeps what it is told. */
interface Watcher {
  client: HubConnection
  told: Presence[]
  /** Names of those whom the latest message names. */
  names(): string[] | undefined
}

/** Case 1 is north, 2 is south, 3 is of the other company. */
async function start(): Promise<HubServer> {
  const server = await startHubs({ application: ADMINISTRATORS, withoutLoops: true })
  await server.store.write(async (tx) => {
    const sql = `INSERT INTO cases (Id, CompanyId, Title, Region, State, Cost)
      VALUES (@id, @company, @title, @region, 'open', 9)`
    for (const [id, company, region] of [
      [1, ONE, 'north'],
      [2, ONE, 'south'],
      [3, TWO, 'north'],
    ] as const)
      await tx.silently(() => tx.run(sql, { id, company, title: `Case ${id}`, region }))
  }, ALL)
  return server
}

async function watch(server: HubServer, as: string): Promise<Watcher> {
  const client = await connect(server.client('notifications', as))
  const told: Presence[] = []
  client.on('presence', (presence: Presence) => told.push(presence))
  return { client, told, names: () => told.at(-1)?.Users.map(({ DisplayName }) => DisplayName) }
}

const open = (watcher: Watcher, id: unknown, object = 'Cases'): Promise<unknown> =>
  watcher.client.invoke('Open', object, { Id: id }).catch((error: Error) => error.message)

const hears = (watcher: Watcher, ...names: string[]): Promise<void> =>
  until(() => JSON.stringify(watcher.names()) === JSON.stringify(names))

test('those who have a record open hear of each other, until they close it or go', async () => {
  await using server = await start()
  const [clerk, boss] = await Promise.all([watch(server, 'clerk'), watch(server, 'mgr')])
  expect(await open(clerk, 1)).toBeUndefined()
  await hears(clerk, 'clerk')
  expect(await open(boss, '1', 'CASES')).toBeUndefined()
  await Promise.all([hears(clerk, 'clerk', 'mgr'), hears(boss, 'clerk', 'mgr')])
  expect(boss.told.at(-1)).toEqual({
    Object: 'Cases',
    Keys: { Id: 1 },
    Users: [
      { Id: idOf('clerk'), DisplayName: 'clerk', Since: expect.any(String) },
      { Id: idOf('mgr'), DisplayName: 'mgr', Since: expect.any(String) },
    ],
  })
  await boss.client.invoke('Close', 'Cases', { Id: 1 })
  await hears(clerk, 'clerk')
  expect(await open(boss, 1)).toBeUndefined()
  await hears(clerk, 'clerk', 'mgr')
  await boss.client.stop()
  await hears(clerk, 'clerk')
})

test('a user with two clients is named once, and stays while one of them does', async () => {
  await using server = await start()
  const [clerk, one, other] = await Promise.all(
    ['clerk', 'mgr', 'mgr'].map((as) => watch(server, as)),
  )
  if (!clerk || !one || !other) throw new Error('Three were connected')
  for (const watcher of [clerk, one, other]) expect(await open(watcher, 1)).toBeUndefined()
  await hears(other, 'clerk', 'mgr')
  await one.client.stop()
  await until(() => other.told.length > 1)
  await hears(clerk, 'clerk', 'mgr')
})

test.each([
  ['clerk', 2],
  ['clerk', 3],
  ['clerk', 4711],
  ['mgr', 3],
  ['sys', 3],
])(
  '%s cannot open case %p: hidden ones, those of others and missing ones look the same',
  async (as, id) => {
    await using server = await start()
    const watcher = await watch(server, as)
    expect(await open(watcher, id)).toEndWith('There is no such record')
    await watcher.client.invoke('Close', 'Cases', { Id: id })
    expect(watcher.told).toEqual([])
  },
)

test.each([
  ['none', 1, 'Cases', 'You are not allowed to do this'],
  ['clerk', 1, 'Nothing', 'There is no object with this name'],
  ['clerk', null, 'Cases', 'Parameters must contain the key: Id'],
  ['clerk', 'one', 'Cases', "Parameter 'Id': Must be a whole number"],
])('%s opening %p of %p is told: %s', async (as, id, object, sentence) => {
  await using server = await start()
  expect(await open(await watch(server, as), id, object)).toBe(sentence)
})

test('nobody hears of a record of another company', async () => {
  await using server = await start()
  const [mgr, far] = await Promise.all([watch(server, 'mgr'), watch(server, 'far')])
  const region = `INSERT INTO svc_user_attributes VALUES (${idOf('far')}, 'Region', 'north')`
  await server.store.write((tx) => tx.run(region, {}), ALL)
  server.context.callers.forgetUser(idOf('far'))
  expect(await open(far, 3)).toBeUndefined()
  await hears(far, 'far')
  expect(await open(mgr, 3)).toEndWith('There is no such record')
  expect(await open(mgr, 1)).toBeUndefined()
  await hears(mgr, 'mgr')
  expect(far.names()).toEqual(['far'])
})

test('who does not see the record any more is named to nobody, and told nothing', async () => {
  await using server = await start()
  const [clerk, boss] = await Promise.all([watch(server, 'clerk'), watch(server, 'mgr')])
  await open(clerk, 1)
  await open(boss, 1)
  await hears(clerk, 'clerk', 'mgr')
  // The clerk's region changes, and with it the rows that they see.
  const change = `UPDATE svc_user_attributes SET Value = 'south' WHERE UserId = ${idOf('clerk')}`
  await server.store.write((tx) => tx.run(change, {}), ALL)
  server.context.callers.forgetUser(idOf('clerk'))
  await server.context.hubs.sweep()
  await hears(boss, 'mgr')
  const heard = clerk.told.length
  const third = await watch(server, 'wide')
  await open(third, 1)
  await hears(boss, 'mgr', 'wide')
  expect(clerk.told.length).toBe(heard)
  // With the right back it can be opened again.
  await server.store.write((tx) => tx.run(change.replace('south', 'north'), {}), ALL)
  server.context.callers.forgetUser(idOf('clerk'))
  await server.context.hubs.sweep()
  expect(await open(clerk, 1)).toBeUndefined()
  await hears(boss, 'mgr', 'wide', 'clerk')
})

test('a record that has moved out of somebody’s rows is closed for them', async () => {
  await using server = await start()
  const [clerk, boss] = await Promise.all([watch(server, 'clerk'), watch(server, 'mgr')])
  await open(clerk, 1)
  await open(boss, 1)
  await hears(clerk, 'clerk', 'mgr')
  const body = { FormName: 'Cases', Parameters: { Id: 1, Region: 'south' } }
  const moved = await server.fetch('/api/v1/svc/object/submit', { as: 'mgr', body })
  expect(moved.body).toMatchObject({ data: { Values: { Region: 'south' } } })
  const third = await watch(server, 'wide')
  await open(third, 1)
  await hears(boss, 'mgr', 'wide')
  expect(clerk.told.at(-1)?.Users.map(({ DisplayName }) => DisplayName)).toEqual(['clerk', 'mgr'])
})

test('records that one client has open are bounded', async () => {
  await using server = await start()
  await server.store.write(async (tx) => {
    for (let id = 100; id < 160; id++)
      await tx.silently(() =>
        tx.run(`INSERT INTO cases (Id, CompanyId, Region) VALUES (@id, 1, 'north')`, { id }),
      )
  }, ALL)
  const clerk = await watch(server, 'clerk')
  const answers = await Promise.all(Array.from({ length: 51 }, (_, at) => open(clerk, 100 + at)))
  expect(answers.slice(0, 50)).toEqual(Array(50).fill(undefined))
  expect(answers[50]).toBe('You can have at most 50 records open at once')
  await clerk.client.invoke('Close', 'Cases', { Id: 100 })
  expect(await open(clerk, 159)).toBeUndefined()
})
