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

test('a gate that lets in more than others stands on a fixed path', () => {
  const gate = { kind: 'open' } as const
  const eased = new RouteTable([{ method: 'GET', path: '/health', gate }])
  expect(eased.findEased('GET', '/health')).toBe('open')
  expect(eased.findEased('HEAD', '/health')).toBe('open')
  expect(eased.findEased('POST', '/health')).toBeUndefined()
  expect(eased.findEased('GET', '/health/')).toBeUndefined()
  expect(() => new RouteTable([{ method: 'GET', path: '/health/:name', gate }])).toThrow('fixed')
})
