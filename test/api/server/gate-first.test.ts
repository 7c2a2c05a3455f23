/** Permission is decided before anything of the body but the name of its object is used. */
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { denied } from '../../../src/kernel/failure.ts'
import { textMember } from '../../../src/kernel/members.ts'
import { Grant } from '../../../src/access/rights/grant.ts'
import { namedGate } from '../../../src/server/gate.ts'
import { route } from '../../../src/server/route.ts'
import { createApp } from '../../../src/app.ts'
import { type Objects, refusal, startObjectShop } from '../../support/objects.ts'

let shop: Objects
beforeAll(async () => {
  shop = await startObjectShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const BODIES = ['{', '[]', 'null', '"x"', '{"Parameters":1,"Page":"x","Fields":{}}'] as const
const PATHS = ['table', 'form', 'view'] as const

test.each(PATHS)('%s of a path: whatever the body is', async (path) => {
  for (const body of BODIES) {
    const denied = refusal(await shop.call('nobody', `/Clients/${path}`, body), 401)
    expect(denied.code).toBe('PERMISSION_DENIED')
    refusal(await shop.call('clerk', `/Nothing/${path}`, body), 404)
    refusal(await shop.call('clerk', `/Clients/${path}`, body), 400)
  }
})

test('a body of another type, or of no UTF-8, tells its sender nothing either', async () => {
  const send = (as: string, body: string | Uint8Array<ArrayBuffer>, type: string) =>
    shop.app.handle(
      new Request('http://localhost/api/v1/svc/object/Clients/table', {
        method: 'POST',
        headers: { 'Content-Type': type, Authorization: `Bearer ${shop.app.tokens[as]}` },
        body,
      }),
    )
  for (const [body, type] of [
    ['a=b', 'application/x-www-form-urlencoded'],
    [new Uint8Array([0xff, 0x7b]), 'application/json'],
  ] as const) {
    expect((await send('nobody', body, type)).status).toBe(401)
    expect((await send('clerk', body, type)).status).toBe(400)
  }
})

test('where the body names the object: as soon as it can be read', async () => {
  const body = { FormName: 'Clients', ObjectName: 'Clients', Parameters: 1, Keys: 'x' }
  for (const path of ['/submit', '/delete-row', '/execute-row-action']) {
    const asked = { ...body, ActionName: 'Nothing' }
    expect(refusal(await shop.call('nobody', path, asked), 401).code).toBe('PERMISSION_DENIED')
    refusal(await shop.call('clerk', path, asked), 400)
    refusal(await shop.call('nobody', path, '{'), 400)
  }
})

test('a procedure is judged by its path, before its body is read', async () => {
  const answer = await shop.app.handle(
    new Request('http://localhost/api/v1/svc/rpc/Nothing', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${shop.app.tokens.clerk}`,
      },
      body: '{',
    }),
  )
  expect(answer.status).toBe(404)
})

test.each(PATHS)(
  'the gate of a %s is judged once, and its handler takes what it found',
  async (path) => {
    const judged = spyOn(Grant, 'require')
    try {
      expect((await shop.call('clerk', `/Clients/${path}`, {})).status).toBe(200)
      expect(judged).toHaveBeenCalledTimes(1)
    } finally {
      judged.mockRestore()
    }
  },
)

test.each(['GET', 'POST'])(
  '%s: a handler is not reached before a gate that waits',
  async (method) => {
    const reached: string[] = []
    const gate = namedGate('a test', 'path', async ({ params }) => {
      await Promise.resolve()
      if (textMember(params, 'name') !== 'open') throw denied()
      return true
    })
    const params = Type.Object({ name: Type.String() })
    const declared = { params, detail: { summary: 'a test', 'x-gate': gate } }
    const routes = (['GET', 'POST'] as const).map((each) =>
      route(each, '/:name', declared, (call) => reached.push(call.params.name)),
    )
    const app = createApp(shop.app.context, [{ routes: [{ prefix: '/gated', routes }] }])
    const call = async (name: string): Promise<number> => {
      const headers = { Authorization: `Bearer ${shop.app.tokens.clerk}` }
      return (await app.handle(new Request(`http://localhost/gated/${name}`, { method, headers })))
        .status
    }
    expect([await call('shut'), await call('open')]).toEqual([401, 200])
    expect(reached).toEqual(['open'])
  },
)
