import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type CallOptions, startApp, type TestApp } from '../../support/app.ts'
import { OBJECT_SHOP } from '../../support/object-shop.ts'

const ORIGIN = 'https://app.example'
const BASE = '/api/v1/svc/object'
const TABLE = `${BASE}/clients/table`

let app: TestApp

beforeAll(async () => {
  const settings = { 'Svc:Cors:Origins': ORIGIN, 'Svc:Http:MaxBodyBytes': '4KB' }
  app = await startApp({ application: OBJECT_SHOP, settings })
})
afterAll(async () => app[Symbol.asyncDispose]())

interface Refusal {
  success: false
  error: string
  code: string
  traceId: string
  fieldErrors?: Record<string, string>
}

const refusal = (path: string, options: CallOptions = {}) => app.fetch<Refusal>(path, options)

describe('every answer', () => {
  test.each([
    ['success', '/health/live', {}, 200],
    ['no token', TABLE, { body: {} }, 401],
    ['unknown route', '/api/v1/nothing', { as: 'clerk' }, 404],
    ['unknown record', `${BASE}/nothing/metadata`, { as: 'clerk' }, 404],
    ['wrong method', TABLE, { as: 'clerk' }, 405],
    ['malformed body', TABLE, { as: 'clerk', body: '{' }, 400],
    ['too large', TABLE, { as: 'clerk', body: { SearchText: 'x'.repeat(5000) } }, 413],
  ] as const)('has its trace and is not sniffed: %s', async (_, path, options, status) => {
    const answer = await refusal(path, options)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    const trace = answer.headers.get('X-Trace-Id') ?? ''
    expect(trace).toMatch(/^[0-9a-f]{32}$/)
    expect(answer.body.success as boolean).toBe(status === 200)
    if (status !== 200) expect(answer.body.traceId).toBe(trace)
  })

  test('continues an incoming trace, and no false one', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const send = async (traceparent: string) =>
      (await refusal('/health/live', { headers: { traceparent } })).headers.get('X-Trace-Id')
    expect(await send(`00-${trace}-00f067aa0ba902b7-01`)).toBe(trace)
    expect(await send(`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`)).not.toBe('0'.repeat(32))
  })
})

describe('no token', () => {
  test.each([
    ['a route', 'POST', TABLE],
    ['no route', 'GET', '/api/v1/nothing'],
    ['no method of a route', 'PUT', TABLE],
    ['the other method of an open route', 'GET', '/api/v1/auth/login'],
    ['a head', 'HEAD', '/api/v1/auth/me'],
    ['options', 'OPTIONS', TABLE],
    ['a foreign origin', 'OPTIONS', TABLE],
  ])('%s: 401', async (_, method, path) => {
    const headers = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' }
    const answer = await refusal(path, { method, headers })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer error="invalid_token"')
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  test.each([
    ['Basic YTpi', 'TOKEN_INVALID'],
    ['Bearer', 'TOKEN_INVALID'],
    ['Bearer a b', 'TOKEN_INVALID'],
    ['Bearer a, Bearer b', 'TOKEN_INVALID'],
    [`Bearer ${'x'.repeat(10_000)}`, 'TOKEN_INVALID'],
    ['Bearer x.y.z', 'TOKEN_INVALID'],
  ])('Authorization: %p', async (authorization, code) => {
    const answer = await refusal('/api/v1/auth/me', { headers: { authorization } })
    expect([answer.status, answer.body.code]).toEqual([401, code])
  })

  test('a token in the address is none', async () => {
    const answer = await refusal(`/api/v1/auth/me?access_token=${app.tokens.clerk}`)
    expect(answer.status).toBe(401)
  })

  test('it is refused before the body is read', async () => {
    const before = { ...app.store.counters }
    expect((await refusal(TABLE, { body: '{' })).status).toBe(401)
    expect(app.store.counters).toEqual(before)
  })
})

test.each([
  '/api/v1/auth/login/',
  '/api/v1/auth/LOGIN',
  '/api/v1/auth/login;x=1',
  '/api/v1/auth/login%2f',
  '//api/v1/auth/login',
  `${TABLE}?/api/v1/auth/login`,
  `${TABLE}?x=/auth/login`,
  `${TABLE};/auth/login`,
  `/${TABLE}`,
  '/api/v1/auth/login/../../svc/object/clients/table',
  '/api/v1/auth/login/%2e%2e/%2e%2e/svc/object/clients/table',
  '/health/live/../ready/../../api/v1/auth/me',
  '/health%2flive',
])('CVE-2026-31816: %s is no way past the token', async (path) => {
  for (const method of ['GET', 'POST']) {
    const headers = { 'X-HTTP-Method-Override': 'GET', 'X-Original-URL': '/health/live' }
    const answer = await refusal(path, { method, headers })
    expect([path, answer.status]).toEqual([path, 401])
  }
})

describe('methods', () => {
  test('a wrong one is 405 and tells the right ones', async () => {
    const answer = await refusal('/api/v1/auth/me', { as: 'clerk', method: 'DELETE' })
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET, HEAD'])
    expect(answer.body.code).toBe('METHOD_NOT_ALLOWED')
  })

  test('HEAD is GET without its body', async () => {
    const answer = await refusal('/api/v1/auth/me', { as: 'clerk', method: 'HEAD' })
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(Number(answer.headers.get('Content-Length'))).toBeGreaterThan(20)
  })

  test.each(['/metadata/clients', '/object/values', '/table', '/form'])(
    'object rule 5: %s does not exist',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const answer = await refusal(`/api/v1/svc${path}`, { as: 'clerk', method })
        expect(answer.status).toBe(404)
      }
    },
  )
})

describe('bodies', () => {
  const JSON_TYPE = { 'Content-Type': 'application/json' }

  test.each([
    ['no body', undefined, JSON_TYPE],
    ['an empty one', '', JSON_TYPE],
    ['blanks', ' \n', JSON_TYPE],
    ['an upper-case type', '{}', { 'Content-Type': 'APPLICATION/JSON' }],
    ['a charset', '{}', { 'Content-Type': 'application/json; charset="utf-8"' }],
    ['a byte order mark', '\uFEFF{}', JSON_TYPE],
    ['the same member twice', '{"PageSize":"x","PageSize":1}', JSON_TYPE],
    ['members in another case', '{"pagesize":1,"PAGE":1}', JSON_TYPE],
    ['unknown members', '{"nothing":{"a":[1]}}', JSON_TYPE],
    [
      'members that every object has',
      '{"constructor":{"prototype":{"a":1}},"toString":1}',
      JSON_TYPE,
    ],
    ['__proto__', '{"__proto__":{"Page":-1},"Parameters":{"__proto__":{"a":1}}}', JSON_TYPE],
  ])('%s: 200', async (_, body, headers) => {
    const answer = await refusal(TABLE, { as: 'clerk', method: 'POST', body, headers })
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.any(String)])
    expect(({} as Record<string, unknown>).a).toBeUndefined()
  })

  test.each([
    ['text', '{}', { 'Content-Type': 'text/plain' }, 'Content-Type: application/json'],
    ['a form', 'a=1', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'Content-Type'],
    ['another charset', '{}', { 'Content-Type': 'application/json; charset=latin1' }, 'UTF-8'],
    ['an array', '[]', JSON_TYPE, 'must be a JSON object'],
    ['null', 'null', JSON_TYPE, 'must be a JSON object'],
    ['a string', '"x"', JSON_TYPE, 'must be a JSON object'],
    ['what is no JSON', '{"a":\n 1,,}', JSON_TYPE, 'line 2, column 4'],
    ['deep nesting', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, JSON_TYPE, 'deeper than 64'],
  ])('%s: 400', async (_, body, headers, message) => {
    const answer = await refusal(TABLE, { as: 'clerk', method: 'POST', body, headers })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toContain(message)
  })

  test('bytes that are no UTF-8: 400', async () => {
    const response = await app.handle(
      new Request(`http://localhost${TABLE}`, {
        method: 'POST',
        headers: { ...JSON_TYPE, Authorization: `Bearer ${app.tokens.clerk}` },
        body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      }),
    )
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('not valid UTF-8')
  })

  test('a value that does not fit names its member and repeats nothing', async () => {
    const body = { Page: 'canary-1', Sort: [{ Field: 1, Direction: 'canary-2' }] }
    const answer = await refusal(TABLE, { as: 'clerk', body })
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(Object.keys(answer.body.fieldErrors ?? {})).toContain('Page')
    expect(Object.keys(answer.body.fieldErrors ?? {}).join()).toContain('Sort')
    expect(answer.text).not.toContain('canary')
  })

  test('a member that is missing is required', async () => {
    const answer = await refusal('/api/v1/auth/login', { body: { password: 'canary' } })
    expect(answer.body.fieldErrors).toEqual({ UserName: 'This is required' })
    expect(answer.text).not.toContain('canary')
  })
})

describe('browsers of other origins', () => {
  test.each([
    ['success', '/health/live', {}],
    ['401', TABLE, { body: {} }],
    ['404', '/api/v1/nothing', { as: 'clerk' }],
    ['405', TABLE, { as: 'clerk' }],
    ['400', TABLE, { as: 'clerk', body: '{' }],
    ['400 of a schema', TABLE, { as: 'clerk', body: { Page: 'x' } }],
  ] as const)('an allowed origin reads every answer: %s', async (_, path, options) => {
    const answer = await refusal(path, { ...options, headers: { Origin: ORIGIN } })
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(ORIGIN)
    expect(answer.headers.get('Access-Control-Expose-Headers')).toContain('X-Trace-Id')
    expect(answer.headers.get('Access-Control-Allow-Credentials')).toBeNull()
    expect(answer.headers.get('Vary')).toContain('Origin')
  })

  test.each([
    'https://evil.example',
    'null',
    `${ORIGIN}.evil.example`,
    'https://appXexample',
    'http://app.example',
  ])('%s reads none', async (origin) => {
    const answer = await refusal('/health/live', { headers: { Origin: origin } })
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBeNull()
  })

  test('a preflight needs no token', async () => {
    const headers = { Origin: ORIGIN, 'Access-Control-Request-Method': 'POST' }
    const answer = await refusal(TABLE, { method: 'OPTIONS', headers })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(ORIGIN)
    expect(answer.headers.get('Access-Control-Allow-Headers')).toContain('Authorization')
  })
})

describe('X-TimeZone', () => {
  test.each([
    ['Europe/Berlin', 200],
    ['europe/berlin', 200],
    ['Mars/Olympus', 400],
    ['+01:00', 400],
  ])('%s: %d', async (zone, status) => {
    const answer = await refusal(TABLE, { as: 'clerk', body: {}, headers: { 'X-TimeZone': zone } })
    expect(answer.status).toBe(status)
  })
})

describe('what fails inside', () => {
  test.each([
    ['on', true],
    ['off', false],
  ])('Svc:Errors %s: a 500 tells its message: %p', async (setting, isTold) => {
    await using broken = await startApp({
      application: OBJECT_SHOP,
      settings: { 'Svc:Errors': setting },
    })
    await broken.store.close()
    const answer = await broken.fetch<Refusal>(TABLE, { as: 'clerk', body: {} })
    expect([answer.status, answer.body.code]).toEqual([500, 'INTERNAL_ERROR'])
    expect(answer.body.error.startsWith('The server could not complete this')).toBe(!isTold)
    const record = broken.log.find((line) => line.includes('request failed')) ?? ''
    expect(JSON.parse(record)).toMatchObject({ level: 'error', traceId: answer.body.traceId })
    const ready = await broken.fetch<Refusal>('/health/ready')
    expect([ready.status, ready.headers.get('Retry-After')]).toEqual([503, '1'])
    expect((await broken.fetch('/health/live')).status).toBe(200)
  })
})

test('the log has a line a request, without its query', async () => {
  await using logging = await startApp({ application: OBJECT_SHOP })
  await logging.fetch(`${BASE}/clients/metadata?secret=1`, { as: 'clerk' })
  logging.context.log.flush()
  const records = logging.log.map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(records).toEqual([
    {
      at: expect.any(String),
      level: 'info',
      message: 'request',
      method: 'GET',
      path: `${BASE}/clients/metadata`,
      status: 200,
      ms: expect.any(Number),
      user: expect.any(Number),
      company: 1,
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    },
  ])
})
