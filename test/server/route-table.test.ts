import { expect, test } from 'bun:test'
import { RouteTable } from '../../src/server/route-table.ts'

const table = new RouteTable([
  { method: 'GET', path: '/api/items/:name' },
  { method: 'DELETE', path: '/api/items/:name' },
  { method: 'POST', path: '/api/items/' },
  { method: 'GET', path: '/files/*' },
])

test.each([
  ['/api/items/one', ['DELETE', 'GET', 'HEAD']],
  ['/api/items/one/', ['DELETE', 'GET', 'HEAD']],
  ['/api/items', ['POST']],
  ['/api/items/', ['POST']],
  ['/files/a/b', ['GET', 'HEAD']],
  ['/files', []],
  ['/api/items/one/two', []],
  ['//api/items', []],
  ['/', []],
  ['', []],
])('%s takes %p', (path, methods) => {
  expect(table.allowedMethods(path)).toEqual(methods)
})
