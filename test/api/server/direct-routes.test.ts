/**
 * Routes that the pipeline answers itself answer as Elysia would: by an address that only Elysia
 * decodes, the same request has the same answer.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { DirectRoute } from '../../../src/server/direct-route.ts'
import { RouteTable } from '../../../src/server/route-table.ts'
import { route } from '../../../src/server/route.ts'
import { LOAD_FORM } from '../../../src/features/object/operations.ts'
import { listRoutes } from '../../../src/app.ts'
import { type CallOptions, startApp, type TestApp } from '../../support/app.ts'

const BASE = '/api/v1/svc/object'
/** By the pipeline's way, and by Elysia's. */
const PATHS: [direct: string, elysia: string][] = [
  [`${BASE}/orders/table`, `${BASE}/%6frders/table`],
  [`${BASE}/orders/form`, `${BASE}/%6frders/form`],
  [`${BASE}/orders/view`, `${BASE}/%6frders/view`],
  [`${BASE}/nothing/view`, `${BASE}/%6eothing/view`],
  [`${BASE}/submit`, `${BASE}/submit/`],
  [`${BASE}/delete-row`, `${BASE}/delete-row/`],
  [`${BASE}/execute-row-action`, `${BASE}/execute-row-action/`],
]

const BODIES: unknown[] = [
  {},
  { Parameters: { Id: 400 } },
  { parameters: { ID: 400 } },
  { Parameters: { Id: 400 }, parameters: { Id: 399 } },
  { parameters: { Id: 400 }, Parameters: null },
  { Parameters: { Id: 400, Other: 1 }, Other: { a: 1 } },
  { Parameters: { 'I\nd': 400 } },
  { Parameters: 'Id' },
  { Parameters: [400] },
  { Parameters: { Id: 400 }, AllCompanies: 'yes' },
  { Parameters: null, AllCompanies: null },
  '{"Parameters":{"Id":400},"__proto__":{"AllCompanies":true}}',
  '{"Parameters":{"Id":400},"toString":1,"constructor":{"a":1}}',
  { Sort: [{ Field: 'Id', Direction: 'asc', Other: 1 }], PageSize: 2 },
  { Sort: [{ field: 'Id' }], pageSize: 1 },
  { Sort: [{ Field: 1 }], PageSize: 'two' },
  { Sort: 'Id', Page: 1.5 },
  { Filters: [{ field: 'Id', operator: 'eq', value: 400, Other: 1 }] },
  { ObjectName: 'orders', FormName: 'orders' },
  { ObjectName: 1, FormName: 1, ActionName: 1 },
  { objectname: 'orders', formname: 'orders', Parameters: { Id: 0 } },
  { FormName: 'nothing', ObjectName: 'nothing', ActionName: 'none' },
  { FormName: 'orders', Parameters: { Id: 400 }, Details: { Lines: { Upsert: [], Other: 1 } } },
  { FormName: 'orders', Parameters: { Id: 400 }, Details: { Lines: { upsert: 'x' } } },
  { ObjectName: 'orders', ActionName: 'none', Keys: [{ Id: 400 }, 1] },
  { ObjectName: 'orders', Parameters: { Id: 400 }, RowVersion: { a: 1 } },
  '[]',
  '"text"',
  '{',
  '',
  ' ',
  '{"a":'.repeat(70) + '1' + '}'.repeat(70),
]

const CALLERS = ['ana', 'bo', undefined] as const

const NOW = new Date()

let app: TestApp
beforeAll(async () => {
  app = await startApp({ clock: { now: () => NOW } })
})
afterAll(() => app[Symbol.asyncDispose]())

/** Status, headers and body, without the trace id. */
async function call(path: string, options: CallOptions) {
  const { status, headers, text } = await app.fetch(path, options)
  const own = [...headers].filter(([name]) => name !== 'x-trace-id')
  return { status, headers: own.sort(), told: text.replace(/"traceId":"\w+"/, '"traceId":""') }
}

describe.each(PATHS)('%s', (direct, elysia) => {
  test.each(CALLERS)('as %p', async (as) => {
    for (const body of BODIES) {
      const options: CallOptions = {
        ...(as !== undefined && { as }),
        body,
        headers: { 'Accept-Language': 'de' },
      }
      const answers = [await call(direct, options), await call(elysia, options)]
      expect({ body, answer: answers[0] }).toEqual({ body, answer: answers[1] })
    }
  })

  test('in other media types, and without a body', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']
    const others = types.map((type) => ({ body: '{}', headers: { 'Content-Type': type } }))
    for (const options of [...others, { method: 'POST' }, { method: 'GET' }, { method: 'PUT' }])
      expect(await call(direct, { as: 'ana', ...options })).toEqual(
        await call(elysia, { as: 'ana', ...options }),
      )
  })
})

test('what is asked by an address that must be decoded is Elysia’s to find', () => {
  const table = new RouteTable(listRoutes(app.context))
  for (const [direct, elysia] of PATHS) {
    const name = /\/(orders|nothing)\//.exec(direct)?.[1]
    expect(table.findDirect('POST', direct)?.params).toEqual(name === undefined ? {} : { name })
    expect(table.findDirect('POST', elysia)).toBeUndefined()
    expect(table.findDirect('GET', direct)).toBeUndefined()
  }
  for (const path of [`${BASE}//form`, `${BASE}/orders/form/`, `${BASE}/orders/form/x`, '/', ''])
    expect(table.findDirect('POST', path)).toBeUndefined()
})

test('a route that declares more than path and body cannot be direct', () => {
  const { declaration, handler } = route('POST', '/form', LOAD_FORM, () => new Response())
  const direct = { method: 'POST', path: '/form', handler } as const
  expect(() => new DirectRoute({ ...direct, declaration })).not.toThrow()
  const { body: _, ...bodiless } = declaration
  const asking = { ...declaration, query: Type.Object({}) }
  for (const other of [bodiless, asking])
    expect(() => new DirectRoute({ ...direct, declaration: other })).toThrow('cannot be direct')
})
