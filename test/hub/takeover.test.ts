/** Clients of history that is taken over are told only that rows have changed. */
import { expect, test } from 'bun:test'
import { BOSS, CONTRACTS, HISTORY } from '../support/contract-takeover.ts'
import { connect, startHubs } from '../support/hubs.ts'
import { Imports } from '../support/imports.ts'
import { until } from '../support/until.ts'

test('of a takeover clients hear that rows changed, without keys or notifications', async () => {
  const settings = { 'Svc:Notifications:ChangeWait': '10s' }
  await using server = await startHubs({ application: CONTRACTS, settings })
  // Not closed here: the server closes what both use.
  const app = new Imports(server)
  const client = server.client('notifications', 'boss', { skipsNegotiation: true })
  const told: unknown[] = []
  client.on('objectChanged', (change: object) => told.push(change))
  client.on('notification', ({ Title }: { Title: string }) => told.push(Title))
  await connect(client)
  for (const view of ['Contracts', 'Letters']) await client.invoke('Subscribe', view)
  const fields = { takeover: 'true' }
  const history = HISTORY.replace(',1,2011-03-04', ',,2011-03-04').replace(',5,2,', ',5,,')
  await app.take('sys', { objectName: 'Contracts', file: history, fields })
  await until(() => told.length === 1)
  await app.take('sys', { objectName: 'Letters', file: `Text,CreatedBy\nOld,${BOSS}\n`, fields })
  await until(() => told.length === 2)
  // What comes behind it tells that nothing else was on its way.
  await app.save('boss', 'Letters', { Text: 'New' })
  await until(() => told.includes('New'))
  await until(() => told.length === 4)
  expect(told.slice(0, 2)).toEqual([
    { Object: 'Contracts', Action: 'changed', Keys: null },
    { Object: 'Letters', Action: 'changed', Keys: null },
  ])
  expect(told.slice(2)).toContainEqual({ Object: 'Letters', Action: 'created', Keys: { Id: 2 } })
  await client.stop()
})
