/** Webhooks that change hands: each body is made when it is sent, by the rights of then. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { until } from '../../support/until.ts'
import {
  type Heard,
  openWebhookWorld,
  type Sent,
  type WebhookWorld,
} from '../../support/webhooks.ts'

let world: WebhookWorld
beforeAll(async () => {
  world = await openWebhookWorld()
})
afterAll(() => world.close())
beforeEach(() => world.reset())

const replay = (as: string, hook: number, delivery: number) =>
  world.ask<Sent>(as, `/${hook}/deliveries/${delivery}/replay`, 'POST', {})

test('what was sent is sent again under its id, with what its maker sees then', async () => {
  const hook = await world.register('boss', 'cases.created')
  const { Values } = await world.save({ Title: 'Lamp' })
  await until(async () => (await world.deliveries('boss', hook.Id))[0]?.State === 'sent')
  await world.save({ Id: Values.Id, Title: 'Desk' })
  const [sent] = await world.deliveries('boss', hook.Id)
  await replay('boss', hook.Id, sent?.Id ?? 0)
  await until(() => world.heard().length === 2)
  expect(world.heard()[1]?.body).toEqual({
    ...(world.heard()[0]?.body as Heard['body']),
    Values: { ...world.heard()[0]?.body.Values, Title: 'Desk' },
  })
  expect(world.heard()[1]?.headers['webhook-id']).toBe(
    world.heard()[0]?.headers['webhook-id'] ?? '',
  )
})

test('attack: a webhook that another Admin takes over sends what they see alone', async () => {
  const hook = await world.register('boss', 'cases.created', 'cases.deleted')
  const records = [
    await world.save({ Title: 'Far', Region: 'south', Cost: 7 }),
    await world.save({ Title: 'Near', Region: 'north', Cost: 7 }),
  ]
  await until(world.isQuiet)
  for (const { Values } of records) await world.remove(Values.Id)
  const stays = await world.save({ Title: 'Stays', Region: 'south', Cost: 7 })
  await until(async () => (await world.deliveries('boss', hook.Id)).length === 5)
  await until(world.isQuiet)
  const keysOf = async (as: string) =>
    (await world.deliveries(as, hook.Id)).map(({ Event, Keys }) => [Event, Keys])
  const [far, near] = records.map(({ Values: { Id } }) => ({ Id }))
  // Of a record that is gone its deletion alone says what it was.
  expect(await keysOf('boss')).toEqual([
    ['cases.created', { Id: stays.Values.Id }],
    ['cases.deleted', near],
    ['cases.deleted', far],
    ['cases.created', null],
    ['cases.created', null],
  ])
  expect(await keysOf('north')).toEqual([
    ['cases.created', null],
    ['cases.deleted', near],
    ['cases.deleted', null],
    ['cases.created', null],
    ['cases.created', null],
  ])
  const all = (await world.deliveries('boss', hook.Id)).map(({ Id }) => Id)
  // To replay is not to take over: it goes to the maker's address, by the maker's rights.
  expect((await replay('north', hook.Id, all[2] ?? 0)).body.data.Keys).toBeNull()
  await until(() => world.heard().length === 6)
  await until(world.isQuiet)
  expect([world.heard()[5]?.path, world.heard()[5]?.body.Values?.Title]).toEqual(['/hooks', 'Far'])
  world.forget()
  await world.ask('north', `/${hook.Id}`, 'PUT', { Url: `${world.Url}/north` })
  for (const id of all) await replay('north', hook.Id, id)
  await until(world.isQuiet)
  expect(world.heard().map(({ path, body }) => [path, body.Values?.Title])).toEqual([
    ['/hooks/north', 'Near'],
  ])
  expect(world.heard()[0]?.text).not.toContain('Cost')
  const states = (await world.deliveries('north', hook.Id)).map(({ State }) => State)
  expect(states).toEqual(['dropped', 'sent', 'dropped', 'dropped', 'dropped'])
})

test('attack: a try that comes by itself is made anew, too', async () => {
  const hook = await world.register('boss', 'cases.created', 'cases.deleted')
  const { Values } = await world.save({ Title: 'Far', Region: 'south' })
  await until(async () => (await world.deliveries('boss', hook.Id)).length === 1)
  await until(world.isQuiet)
  world.answerWith(async () => {
    world.answerWith(() => new Response())
    await world.ask('north', `/${hook.Id}`, 'PUT', { Url: `${world.Url}/north` })
    return new Response(null, { status: 503 })
  })
  await world.remove(Values.Id)
  await until(world.isQuiet)
  expect(world.heard().map(({ path, body }) => [path, body.Event])).toEqual([
    ['/hooks', 'cases.created'],
    ['/hooks', 'cases.deleted'],
  ])
  // What its maker no longer sees is not sent again either.
  world.forget()
  world.answerWith(async () => {
    world.answerWith(() => new Response())
    await world.write(`UPDATE cases SET Region = 'south' WHERE Title = 'Moves'`)
    return new Response(null, { status: 503 })
  })
  await world.save({ Title: 'Moves', Region: 'north' })
  await until(world.isQuiet)
  expect(world.heard().map(({ body }) => body.Values?.Title)).toEqual(['Moves'])
  const [last] = await world.deliveries('north', hook.Id)
  expect(last).toMatchObject({ State: 'dropped', Keys: null, Attempts: 1 })
})

test('what waits goes to the new address, by the rights of who changed it', async () => {
  const hook = await world.register('north', 'cases.created', 'cases.deleted')
  world.answerWith(async () => {
    world.answerWith(() => new Response())
    await world.ask('boss', `/${hook.Id}`, 'PUT', { Url: `${world.Url}/boss`, RotateSecret: true })
    return new Response(null, { status: 503 })
  })
  const { Values } = await world.save({ Title: 'Near', Region: 'north', Cost: 7 })
  await until(world.isQuiet)
  await world.remove(Values.Id)
  await until(world.isQuiet)
  const own = { Title: 'Near', Region: 'north' }
  expect(world.heard().map(({ path, body }) => [path, body.Values])).toMatchObject([
    ['/hooks', own],
    ['/hooks/boss', { ...own, Cost: 7 }],
    ['/hooks/boss', { ...own, Cost: 7 }],
  ])
  expect(new Set(world.heard().map(({ headers }) => headers['webhook-id'])).size).toBe(2)
})
