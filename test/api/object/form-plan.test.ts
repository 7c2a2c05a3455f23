/** The plan of a form is kept by the names of its parameters, and never taken for other ones. */
import { expect, test } from 'bun:test'
import { startApp, type TestApp } from '../../support/app.ts'

const VIEW = '/api/v1/svc/object/orders/view'
const ORDER = 400

async function load({ fetch }: TestApp, Parameters: Record<string, unknown>) {
  const { status, body } = await fetch<{ data?: { Values: { Id: number } } }>(VIEW, {
    as: 'ana',
    body: { Parameters },
  })
  return body.data?.Values.Id ?? status
}

test('each request gets the record of its own values, in whatever order they come', async () => {
  await using app = await startApp()
  const asked: [Record<string, unknown>, number][] = [
    [{ Id: ORDER }, ORDER],
    [{ Id: ORDER - 1 }, ORDER - 1],
    [{ id: ORDER, Region: 'Coast' }, ORDER],
    [{ id: ORDER, Region: 'Hills' }, 404],
    [{ id: ORDER, Region: null }, 404],
    [{ Region: 'Coast', ID: ORDER }, ORDER],
    [{ Region: 'Coast', Id: ORDER, Nothing: 1 }, ORDER],
    [{ Region: null, Id: ORDER }, 404],
    [{ Id: null }, 404],
    [{ Id: ORDER }, ORDER],
  ]
  for (let round = 0; round < 2; round++)
    for (const [parameters, wanted] of asked)
      expect([parameters, await load(app, parameters)]).toEqual([parameters, wanted])
})

test('a name that looks like two others does not change what they ask for', async () => {
  await using app = await startApp()
  const joints = ['\n', '', ',', ' ', ':', '2:', '\u0000', '6:', 'id6:']
  for (const joint of joints) {
    await load(app, { [`id${joint}region`]: 1 })
    await load(app, { [`2:id${joint}region`]: 1 })
    expect(await load(app, { Id: ORDER, Region: 'Coast' })).toBe(ORDER)
    expect(await load(app, { Id: ORDER - 1, Region: 'Nowhere' })).toBe(404)
  }
})
