import { expect, test } from 'bun:test'
import { AUTHENTICATED, OPEN } from '../../src/server/gate.ts'
import { RouteTable, serveGroup } from '../../src/server/route-table.ts'
import { type Method, route } from '../../src/server/route.ts'

const ASKED = { detail: { 'x-gate': AUTHENTICATED } }

const open = (method: Method, path: string): RouteTable => {
  const routes = [route(method, path, { detail: { 'x-gate': OPEN } }, () => null)]
  return new RouteTable(serveGroup({ prefix: '', routes }, ''))
}

const table = new RouteTable(
  serveGroup(
    {
      prefix: '',
      routes: [
        route('GET', '/api/items/:name', ASKED, () => null),
        route('DELETE', '/api/items/:name', ASKED, () => null),
        route('POST', '/api/items/', ASKED, () => null),
        route('GET', '/files/*', ASKED, () => null),
      ],
    },
    '',
  ),
)

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
  const eased = open('GET', '/health')
  expect(eased.findEased('GET', '/health')).toBe('open')
  expect(eased.findEased('HEAD', '/health')).toBe('open')
  expect(eased.findEased('POST', '/health')).toBeUndefined()
  expect(eased.findEased('GET', '/health/')).toBeUndefined()
  expect(() => open('GET', '/health/:name')).toThrow('fixed')
})
